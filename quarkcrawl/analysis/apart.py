"""A single document, read in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.analysis.pool import map_pages
from quarkcrawl.errors import QuarkError
from quarkcrawl.page.pdf import PDF_REASONS, has_pdf_library, read_pdf

if TYPE_CHECKING:
    from quarkcrawl.page import PdfPage

_TIMEOUT_S: Final = 60.0
_MEMORY_BYTES: Final = 768 << 20


def read_apart(page: PdfPage, where: str = "") -> PdfPage:
    """The same file with its text, read in a worker that it may kill.

    Args:
        page: a PDF file.
        where: what it is called, for the message.

    Raises:
        QuarkError: it has no text; its reason code is in the message.
    """
    if not has_pdf_library():
        message = "PDF files need pypdfium2: pip install 'quarkcrawl[pdf]'"
        raise QuarkError(message, where=where or None)
    outcomes = map_pages(
        read_pdf, [page.body], workers=1, timeout_s=_TIMEOUT_S, memory_bytes=_MEMORY_BYTES
    )
    (outcome,) = outcomes
    document = outcome.value
    if document is None:
        raise QuarkError(f"the PDF could not be read ({outcome.failure})", where=where or None)
    if not document.text:
        meaning = PDF_REASONS[document.reason]
        more = f" ({document.detail})" if document.detail not in {"", meaning} else ""
        raise QuarkError(f"{document.reason}: {meaning}{more}", where=where or None)
    return page.told(document)
