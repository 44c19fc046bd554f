"""One web page: bytes, text, tree and links, each worked out once and only when asked for."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from quarkcrawl.page.links import LinkBounds, Links, canonical_link, extract_links
from quarkcrawl.page.pdf import PdfText, is_pdf, read_pdf
from quarkcrawl.page.text import (
    Charset,
    byte_offsets,
    decide,
    essence_of,
    may_be_encoded_twice,
    without_surrogates,
)
from quarkcrawl.page.tree import RAW_TEXT_TAGS, PageTree, parse_events

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from parsel import Selector, SelectorList

    from quarkcrawl.page.tree import Layout

    Places = NDArray[np.int64]


_TEXT: Final = r"[ \t\n\f\r]*(?=[^ \t\n\f\r<]|<[^a-zA-Z/!?])"
_FIRST_PIECE: Final = re.compile(_TEXT)
_PIECE: Final = re.compile(">" + _TEXT)
_SPACE: Final = " \t\n\f\r"
_FOREIGN: Final = frozenset(("svg", "math"))
_DIGITS: Final = 0xFFFE
_LOW: Final = 0x100000
_HIGH: Final = 0xF0000
_XML: Final = re.compile(r"(?:text|application)/xml|application/(?:atom|rdf|rss)\+xml")
"""Media types of what selectors read as XML, the same as in Scrapy; XHTML is read as HTML."""

_MARK: Final = re.compile("([\U000f0000-\U000ffffd]?)([\U00100000-\U0010fffd])")


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Source spans of all text runs of a page; -1 where a run could not be located.

    A span reads exactly as its run, or as the run without white space at its ends where that
    stands apart (behind a stray end tag); where the page was encoded twice, as it was before.
    Runs of white space only are not located.

    Args:
        start: first character of each run in ``page.html``.
        end: one past its last character.
        byte_start: first byte of each run in ``page.body``.
        byte_end: one past its last byte.
    """

    start: Places
    end: Places
    byte_start: Places
    byte_end: Places


def locate_runs(page: Page) -> Spans:
    """Locate the text runs of a page in its source.

    Args:
        page: the page; the spans belong to ``page.tree.runs``.
    """
    source, tree = page.html, page.tree
    if tree.is_mended:  # its runs are not what the source says
        tree = PageTree.parse(source)
    runs, parsed = tree.runs, tree.parsed_run
    if not runs:  # so that a page that must not be parsed (`UnparsedPage`) is not parsed here
        return Spans(*(np.zeros(0, np.int64) for _ in range(4)))
    places = [match.end() for match in _PIECE.finditer(source)]
    if first := _FIRST_PIECE.match(source):
        places.insert(0, first.end())
    marked = parse_events(_with_marks(source, places)).runs
    start = np.full(len(runs), -1, np.int64)
    end = np.full(len(runs), -1, np.int64)
    if parsed is not None:  # a formula reads as its run where it is one: it is not located
        marked = [marked[run] if 0 <= run < len(marked) else "" for run in parsed.tolist()]
        marked = [text or run for text, run in zip(marked, runs, strict=True)]
    if len(marked) == len(runs):
        for number, (run, marked_run) in enumerate(zip(runs, marked, strict=True)):
            if len(run) != len(marked_run):
                start[number], end[number] = _locate(
                    source, places, run, marked_run, is_literal=_is_literal(tree, number)
                )
    return Spans(start, end, *_in_bytes(page, start, end))


def _is_literal(tree: PageTree, number: int) -> bool:
    """Whether a run that stands in the source word for word must be meant so.

    ``&lt;`` as text is written ``&amp;lt;``, and its first half must not be taken for the run;
    but in scripts and the like nothing is escaped.
    """
    run = tree.runs[number]
    if "&" not in run and "\r" not in run:
        return True
    node = int(tree.run_node[number])
    if tree.tags[node] not in RAW_TEXT_TAGS:
        return False
    while node > 0 and tree.tags[node] not in _FOREIGN:  # in pictures nothing is raw
        node = int(tree.parent[node])
    return node == 0


def _with_marks(source: str, places: list[int]) -> str:
    pieces: list[str] = []
    done = 0
    for number, place in enumerate(places):
        pieces += (source[done:place], _mark(number))
        done = place
    pieces.append(source[done:])
    return "".join(pieces)


def _mark(number: int) -> str:
    high, low = divmod(number, _DIGITS)
    return (chr(_HIGH + high) if high else "") + chr(_LOW + low)


def _locate(
    source: str, places: list[int], run: str, marked: str, *, is_literal: bool
) -> tuple[int, int]:
    """Span of one run, (-1, -1) if it is not one piece of source.

    Text with ``>`` in it carries several marks; the first tells its start.
    """
    mark = _MARK.search(marked)
    if mark is None or not _is_marked(marked, mark, run):
        return -1, -1
    number = (ord(mark[1]) - _HIGH if mark[1] else 0) * _DIGITS + ord(mark[2]) - _LOW
    if number >= len(places):
        return -1, -1
    start = _back_over_space(source, places[number], mark.start())
    span = _verified(source, start, run, is_literal=is_literal)
    core = run.strip(_SPACE)
    if span[0] < 0 and core:
        span = _verified(source, places[number], core, is_literal=is_literal)
    return span


def _is_marked(marked: str, mark: re.Match[str], run: str) -> bool:
    """Whether a run of the marked page is the run of the page itself plus marks."""
    if marked[: mark.start()] + marked[mark.end() :] == run:
        return True
    return _MARK.sub("", marked) == run


def _back_over_space(source: str, place: int, n_chars: int) -> int:
    """Start of the white space in front of a mark; a line end may be two characters."""
    for _ in range(n_chars):
        place -= 2 if source[max(place - 2, 0) : place] == "\r\n" else 1
    return max(place, 0)


def _verified(source: str, start: int, text: str, *, is_literal: bool) -> tuple[int, int]:
    """The span at ``start`` that reads as ``text``; (-1, -1) if there is none."""
    if is_literal and source.startswith(text, start):
        return start, start + len(text)
    here, n_read = start, 0
    while here < len(source) and n_read < len(text):
        following = source.find("<", here + 1)
        following = following if following >= 0 else len(source)
        piece = _read(source[here:following])
        if not text.startswith(piece, n_read):
            break
        here, n_read = following, n_read + len(piece)
    return (start, here) if n_read == len(text) else (-1, -1)


def _read(piece: str) -> str:
    piece = piece.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return html.unescape(piece)


def _in_bytes(page: Page, start: Places, end: Places) -> tuple[Places, Places]:
    offsets = byte_offsets(page.body, page.charset)
    if offsets is None:
        return np.full_like(start, -1), np.full_like(end, -1)
    is_there = start >= 0
    return np.where(is_there, offsets[start], -1), np.where(is_there, offsets[end], -1)


class Page:
    """A page as it was received. Build with `from_bytes` or `from_html`; neither ever raises.

    Attributes:
        body: the entity as bytes (of `from_html`: the text in UTF-8).
        url: address of the page, "" when unknown.
        content_type: value of the Content-Type header.
        layout: where a browser put the nodes of ``tree``; None for a page that was not rendered.
    """

    __slots__ = (
        "__weakref__", "_charset", "_links", "_selector", "_spans", "_tree",
        "body", "content_type", "layout", "url",
    )  # fmt: skip

    def __init__(
        self,
        body: bytes,
        charset: Charset | None = None,
        url: str = "",
        content_type: str | None = None,
    ) -> None:
        self.body = body
        self.url = url
        self.content_type = content_type
        self._charset = charset
        self.layout: Layout | None = None
        self._tree: PageTree | None = None
        self._links: Links | None = None
        self._selector: Selector | None = None
        self._spans: Spans | None = None

    @classmethod
    def from_bytes(cls, body: bytes, url: str = "", content_type: str | None = None) -> Page:
        """Make a page from the bytes of a response; of a PDF file a `PdfPage`.

        Args:
            body: entity with transfer and content encodings removed.
            url: address of the page; links are resolved against it.
            content_type: value of the Content-Type header, a hint for the charset.
        """
        if is_pdf(body, content_type):
            return PdfPage(bytes(body), None, url, content_type)
        return cls(bytes(body), None, url, content_type)

    @classmethod
    def from_html(cls, text: str, url: str = "") -> Page:
        """Make a page from text; lone surrogates become U+FFFD.

        Args:
            text: the HTML source.
            url: address of the page; links are resolved against it.
        """
        text = without_surrogates(text)
        body = text.encode()
        return cls(body, Charset("utf-8", text, "utf-8", None, None, 0), url)

    @property
    def charset(self) -> Charset:
        """How the text was decoded."""
        if self._charset is None:
            self._charset = decide(self.body, self.content_type)
        return self._charset

    @property
    def charset_source(self) -> str:
        """What decided the encoding."""
        return self.charset.source

    @property
    def html(self) -> str:
        """The decoded source."""
        return self.charset.text

    @property
    def encoding(self) -> str:
        """Name of the encoding, such as ``"gb18030"``."""
        return self.charset.encoding

    @property
    def tree(self) -> PageTree:
        """The document as arrays; text that was encoded twice is read once more."""
        if self._tree is None:
            tree = PageTree.parse(self.charset.text)
            is_doubtful = may_be_encoded_twice(self.body, self.charset.encoding)
            self._tree = tree.encoded_once() if is_doubtful else tree
        return self._tree

    @property
    def links(self) -> Links:
        """All http(s) links in document order, duplicates kept."""
        if self._links is None:
            self._links = extract_links(self.tree, self.url, self.encoding)
        return self._links

    def links_within(self, bounds: LinkBounds) -> Links:
        """The links, of which no more are kept than the bounds allow, here and in `links`.

        Args:
            bounds: how much is kept.
        """
        self._links = extract_links(self.tree, self.url, self.encoding, bounds)
        return self._links

    @property
    def title(self) -> str:
        """Text of the title element."""
        return self.tree.title

    @property
    def canonical(self) -> str | None:
        """Another URL that the page declares as its own, if it does (``link rel=canonical``)."""
        return canonical_link(self.tree, self.url, self.encoding)

    @property
    def spans(self) -> Spans:
        """Where each text run stands in `html` and in `body` (costs a second parse)."""
        if self._spans is None:
            self._spans = locate_runs(self)
        return self._spans

    @property
    def selector(self) -> Selector:
        """The document for CSS and XPath (`parsel.Selector`), read from `html` by lxml.

        It is parsed once, when it is first asked for. Its nodes are not those of `tree`, since
        another parser made them; a page sent as XML is read as XML.
        """
        if self._selector is None:
            self._selector = _parsed(self._markup, self.content_type)
        return self._selector

    @property
    def _markup(self) -> str:
        """What selectors may read."""
        return self.html

    def css(self, query: str) -> SelectorList[Selector]:
        """Select by CSS, as `parsel.Selector.css` does.

        Args:
            query: the CSS selector; ``::text`` and ``::attr(name)`` are understood.
        """
        return self.selector.css(query)

    def xpath(self, query: str, **options: Any) -> SelectorList[Selector]:
        """Select by XPath, as `parsel.Selector.xpath` does.

        Args:
            query: the XPath expression.
            **options: its variables, and ``namespaces``.
        """
        return self.selector.xpath(query, **options)

    def __getstate__(self) -> object:
        """Of what another process is given: trees of lxml stay here, and are made again there."""
        _, slots = cast("tuple[None, dict[str, object]]", super().__getstate__())
        return None, {**slots, "_selector": None}

    def __repr__(self) -> str:
        return f"<Page {self.url!r} {len(self.body)} bytes {self.encoding}>"


def _parsed(text: str, content_type: str | None) -> Selector:
    # Loading it takes a fifth of the time that loading this package takes, in every command.
    from parsel import Selector  # noqa: PLC0415

    is_xml = _XML.fullmatch(essence_of(content_type or "")) is not None
    return Selector(text=text, type="xml" if is_xml else "html")


class UnparsedPage(Page):
    """A page whose document must not be parsed: it has bytes and text, but no tree or links."""

    __slots__ = ()

    @property
    def tree(self) -> PageTree:
        """An empty document."""
        return PageTree.parse("")

    @property
    def _markup(self) -> str:
        return ""

    @property
    def links(self) -> Links:
        """None."""
        return Links()


class PdfPage(UnparsedPage):
    """A PDF file: its text is read when it is asked for, in this process.

    What strangers made may end the process or hold it for long: ask for the text in a worker
    (`quarkcrawl.analysis`). No links are taken from it.
    """

    __slots__ = ("_document",)

    def __init__(
        self,
        body: bytes,
        charset: Charset | None = None,
        url: str = "",
        content_type: str | None = None,
    ) -> None:
        super().__init__(body, charset, url, content_type)
        self._document: PdfText | None = None

    def told(self, document: PdfText) -> PdfPage:
        """The same file, whose text is known.

        Args:
            document: what was read elsewhere.
        """
        page = PdfPage(self.body, None, self.url, self.content_type)
        page._document = document
        return page

    @property
    def document(self) -> PdfText:
        """Its text, and what it says of itself; or the reason why there is none."""
        if self._document is None:
            self._document = read_pdf(self.body)
        return self._document

    @property
    def charset(self) -> Charset:
        """Its text, which no encoding of the page has to do with."""
        return Charset("", self.document.text, "pdf", None, None, 0)

    @property
    def charset_source(self) -> str:
        """``"pdf"``."""
        return "pdf"

    @property
    def encoding(self) -> str:
        """None, ""."""
        return ""

    @property
    def title(self) -> str:
        """What the file says that it is called, or the heading of its first page."""
        return self.document.title

    @property
    def canonical(self) -> str | None:
        """None."""
        return None
