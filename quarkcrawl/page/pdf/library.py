"""The optional library, pypdfium2."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def has_pdf_library() -> bool:
    """Whether PDF files can be read here: with the extra ``quarkcrawl[pdf]``."""
    return find_spec("pypdfium2") is not None
