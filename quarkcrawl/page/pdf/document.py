"""A PDF file as text, with what it says of itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.page.pdf.flow import in_order, paragraphs, without_repeated
from quarkcrawl.page.pdf.library import has_pdf_library
from quarkcrawl.page.pdf.lines import PageChars, page_lines

if TYPE_CHECKING:
    from quarkcrawl.page.pdf.flow import JoinedLines
    from quarkcrawl.page.pdf.lines import Line

PDF_REASONS: Final[dict[str, str]] = {
    "pdf_encrypted": "the PDF opens with a password only",
    "pdf_no_text": "the PDF has no text: its pages are pictures, or its fonts do not say which "
    "characters they show",
    "pdf_broken": "not a PDF, or too damaged to be read",
    "pdf_cut": "the PDF is longer than may be read; the text of its first part is kept",
    "pdf_no_library": "PDF cannot be read here: quarkcrawl[pdf] is not installed",
}
"""Why a PDF has no text, or not all of it."""

_PASSWORD_CODES: Final = frozenset({4, 5})
"""PDFium's errors FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY (a handler that it does not know)."""

_FORMAT_CODE: Final = 3
_CATALOG: Final = re.compile(
    rb"\b(\d{1,10})\s+(\d{1,5})\s+obj\s*<<(?:(?!endobj)[^\0]){0,500}?/Type\s*/Catalog\b"
)
_MOST_UNREADABLE_SHARE: Final = 0.5
_MOST_TITLE_CHARS: Final = 200
_MOST_AUTHOR_CHARS: Final = 60
_HEADING_SIZE: Final = 1.15
_FILE_NAME: Final = re.compile(
    r"(?:^|[\w\s)\]])\.(?:docx?|wps|pdf|pptx?|xlsx?|rtf|txt|tex|dvi|indd|cdr|qxd|ps|odt|html?|tmp)"
    r"(?:\s|$)",
    re.IGNORECASE,
)
_NO_TITLE: Final = re.compile(
    r"(?:untitled|无标题|未命名|title|document|文档|microsoft|slide|幻灯片|powerpoint|\W|\d)*",
    re.IGNORECASE,
)
_PROGRAM_PREFIX: Final = re.compile(r"^microsoft (?:word|powerpoint|excel) - ", re.IGNORECASE)
_NO_AUTHOR: Final = re.compile(
    r"(?:administrator|admin|user|users|windows|microsoft|微软|用户|微软用户|windows 用户|pc|"
    r"lenovo|dell|hp|asus|acer|thinkpad|owner|unknown|anonymous|author|作者|root|test|xp|"
    r"\W|\d)*",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)
_FIRST_YEAR: Final = 1990


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """How much of a file is read.

    Args:
        max_pages: pages behind these are left out.
        max_chars: characters behind these are left out.
    """

    max_pages: int = 2000
    max_chars: int = 2 << 20


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says.

    Args:
        text: a paragraph a line, an empty line between pages.
        title: what it is called, by its metadata or its first page.
        author: by its metadata.
        created: when the file was made, ISO 8601.
        n_pages: pages that it has; not more than were read are certain to exist.
        reason: a code of `PDF_REASONS` if there is no text, or not all of it.
        detail: more about the reason.
    """

    text: str = ""
    title: str = ""
    author: str = ""
    created: str = ""
    n_pages: int = 0
    reason: str = ""
    detail: str = ""


def read_pdf(body: bytes, limits: PdfLimits | None = None) -> PdfText:
    """Read a PDF file; what is wrong with it is in ``reason``.

    Args:
        body: the file.
        limits: how much of it is read.
    """
    if not has_pdf_library():
        return PdfText(reason="pdf_no_library", detail="pip install 'quarkcrawl[pdf]'")
    import pypdfium2  # noqa: PLC0415 - optional, and only where there are PDF files

    try:
        document = _opened(body, pypdfium2)
    except pypdfium2.PdfiumError as error:
        is_locked = error.err_code in _PASSWORD_CODES
        return PdfText(reason="pdf_encrypted" if is_locked else "pdf_broken", detail=str(error))
    try:
        return _read(document, pypdfium2, limits or PdfLimits())
    finally:
        document.close()


def _opened(body: bytes, library: Any) -> Any:
    """The file; one whose end is lost is given an end that names its catalog."""
    try:
        return library.PdfDocument(body)
    except library.PdfiumError as error:
        catalog = _CATALOG.search(body) if error.err_code == _FORMAT_CODE else None
        if catalog is None:
            raise
        end = b"\ntrailer\n<< /Root %s %s R >>\nstartxref\n0\n%%%%EOF\n" % catalog.groups()
        return library.PdfDocument(body + end)


def _read(document: Any, library: Any, limits: PdfLimits) -> PdfText:
    n_pages = len(document)
    pages: list[list[Line]] = []
    n_broken, n_chars = 0, 0
    is_cut = n_pages > limits.max_pages
    for number in range(min(n_pages, limits.max_pages)):
        if n_chars >= limits.max_chars:
            is_cut = True
            break
        try:
            page = document[number]
            text_page = page.get_textpage()
        except library.PdfiumError:
            n_broken += 1
            continue
        chars = PageChars(library.raw, text_page, limits.max_chars - n_chars)
        n_chars += len(chars.text)
        is_cut |= chars.is_cut
        pages.append(page_lines(chars))
        text_page.close()
        page.close()
    facts = _facts(document)
    if not pages:
        detail = "no page can be read" if n_pages else "no pages"
        return PdfText(n_pages=n_pages, reason="pdf_broken", detail=detail)
    n_readable = sum(len(line.text) for page in pages for line in page)
    n_unreadable = sum(line.n_unreadable for page in pages for line in page)
    if n_unreadable > _MOST_UNREADABLE_SHARE * (n_readable + n_unreadable):
        detail = "its fonts do not say which characters they show"
        return PdfText(**facts, n_pages=n_pages, reason="pdf_no_text", detail=detail)
    pages = [[line for line in page if line.text] for page in pages]
    read = [paragraphs(in_order(page)) for page in without_repeated(pages)]
    if not any(read):  # what there is repeats
        read = [paragraphs(in_order(page)) for page in pages]
    if not any(read):
        detail = f"{n_pages} pages without characters"
        return PdfText(**facts, n_pages=n_pages, reason="pdf_no_text", detail=detail)
    facts["title"] = facts["title"] or _heading(next(page for page in read if page))
    text = "\n\n".join("\n".join(one.text for one in page) for page in read if page)
    detail = f"{n_pages} pages" if is_cut else f"{n_broken} damaged pages" if n_broken else ""
    return PdfText(
        text, **facts, n_pages=n_pages, reason="pdf_cut" if is_cut else "", detail=detail
    )


def _heading(page: list[JoinedLines]) -> str:
    """What stands above the text of the first page in larger letters."""
    sizes = sorted((one.size, len(one.text)) for one in page)
    half = sum(n for _, n in sizes) / 2
    usual = 0.0
    for size, n_chars in sizes:
        usual = size
        half -= n_chars
        if half <= 0:
            break
    first = page[: max(3, len(page) // 2)]
    largest = max(first, key=lambda one: one.size)
    if largest.size < _HEADING_SIZE * usual or len(largest.text) > _MOST_TITLE_CHARS:
        return ""
    return largest.text


# What the file says of itself


def _facts(document: Any) -> dict[str, str]:
    raw_facts = document.get_metadata_dict(skip_empty=True)
    values = {name: _clean(value) for name, value in raw_facts.items()}
    return {
        "title": _title(values.get("Title", "")),
        "author": _author(values.get("Author", "")),
        "created": _date(values.get("CreationDate", "")),
    }


def _clean(value: str) -> str:
    text = "".join(char if char.isprintable() else " " for char in value)
    return " ".join(text.split())


def _title(raw_title: str) -> str:
    """The title, unless a program has made it up."""
    title = _PROGRAM_PREFIX.sub("", raw_title)
    if not 2 <= len(title) <= _MOST_TITLE_CHARS or "\ufffd" in title:
        return ""
    if _FILE_NAME.search(title) or _NO_TITLE.fullmatch(title):
        return ""
    return title


def _author(raw_author: str) -> str:
    """The author, unless it is the name of a computer's account or of a program."""
    if not 2 <= len(raw_author) <= _MOST_AUTHOR_CHARS or "\ufffd" in raw_author:
        return ""
    return "" if _NO_AUTHOR.fullmatch(raw_author) or "://" in raw_author else raw_author


def _date(raw_date: str) -> str:
    """A date of PDF as ISO 8601, unless it is none, or one in the future."""
    match = _DATE.match(raw_date)
    if match is None:
        return ""
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    try:
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return ""
    if year < _FIRST_YEAR or at.date() > datetime.now(UTC).date():
        return ""
    offset = f"{match[8]}{match[9]}:{match[10] or '00'}" if match[8] else ""
    zone = "+00:00" if match[7] else offset
    return at.strftime("%Y-%m-%dT%H:%M:%S") + zone
