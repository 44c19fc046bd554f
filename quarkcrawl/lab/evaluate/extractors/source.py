"""A page as extractors get it, and what they make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it is given to an extractor.

    Args:
        body: its bytes.
        text: its text, correctly decoded.
        url: its address, "" if unknown.
        lang: its language, "" if unknown.
        wants_title: whether the headline is wanted.
    """

    body: bytes
    text: str
    url: str = ""
    lang: str = ""
    wants_title: bool = False


Extract = Callable[[Source], tuple[str, str]]
"""From a page to headline ("" if none was wanted or found) and text."""
