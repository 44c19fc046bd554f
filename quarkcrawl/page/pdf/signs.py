"""Which replies are PDF: by their media type, or their first bytes where it says nothing."""

from __future__ import annotations

from typing import Final

PDF_TYPES: Final = frozenset({"application/pdf", "application/x-pdf"})
"""Media types of PDF files."""

UNTOLD_TYPES: Final = frozenset(
    {
        "application/binary",
        "application/download",
        "application/force-download",
        "application/octet-stream",
        "application/x-download",
        "application/x-octet-stream",
        "binary/octet-stream",
    }
)
"""Media types that say no more than that a file is to be saved."""

TYPES_WITHOUT_MARKUP: Final = PDF_TYPES | UNTOLD_TYPES | {"text/plain"}
"""Media types of stored replies that are no HTML: their text is the same by every method."""

_MAGIC: Final = b"%PDF-"
_MAGIC_WITHIN_BYTES: Final = 1024


def begins_as_pdf(body: bytes) -> bool:
    """Whether a body has the mark of PDF where readers look for it, in the first 1,024 bytes.

    Args:
        body: all of it, or its beginning.
    """
    return _MAGIC in body[: _MAGIC_WITHIN_BYTES + len(_MAGIC)]


def is_pdf(body: bytes, content_type: str | None) -> bool:
    """Whether a reply is to be read as PDF.

    Args:
        body: entity bytes.
        content_type: value of the Content-Type header. Other types than PDF's are believed, but
            for those that say nothing.
    """
    mime = (content_type or "").partition(";")[0].strip().lower()
    if mime in PDF_TYPES:
        return True
    if mime in UNTOLD_TYPES:
        return begins_as_pdf(body)
    return not mime and body.startswith(_MAGIC)
