"""The text of PDF files: read by PDFium, put in reading order, joined to paragraphs.

`is_pdf` tells which replies are PDF; `read_pdf` never raises and gives text or the reason why
there is none. PDFium is C++ that reads what strangers made: call it in a process that may die
(`quarkcrawl.analysis`).
"""

from quarkcrawl.page.pdf.document import PDF_REASONS, PdfLimits, PdfText, read_pdf
from quarkcrawl.page.pdf.library import has_pdf_library
from quarkcrawl.page.pdf.signs import (
    PDF_TYPES,
    TYPES_WITHOUT_MARKUP,
    UNTOLD_TYPES,
    begins_as_pdf,
    is_pdf,
)

__all__ = [
    "PDF_REASONS",
    "PDF_TYPES",
    "TYPES_WITHOUT_MARKUP",
    "UNTOLD_TYPES",
    "PdfLimits",
    "PdfText",
    "begins_as_pdf",
    "has_pdf_library",
    "is_pdf",
    "read_pdf",
]
