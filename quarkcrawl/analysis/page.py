"""One page's analysis: from the bytes of a reply to links, columns and flags."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import QuarkError
from quarkcrawl.page import LinkBounds, Links, Page, PageTree, PdfPage, UnparsedPage
from quarkcrawl.page.pdf import PdfText
from quarkcrawl.store.tianwang import build_reply, deflate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from quarkcrawl.analysis.plan import AnalysisPlan
    from quarkcrawl.page import HeaderLine
    from quarkcrawl.page.lists import ListBounds, PublishedList

    Stage: TypeAlias = Callable[..., Any]


LONG_LINKS: Final = "long_links"
LINKS_CUT: Final = "links_cut"
COLUMNS_CUT: Final = "columns_cut"
UNCLOSED: Final = "unclosed"


@dataclass(frozen=True, slots=True)
class PageInput:
    """What the analysis of a page sees of its reply.

    Args:
        url: address of the page.
        body: entity bytes, transfer and content encodings removed.
        content_type: value of the header.
        is_markup: False for plain text, which has no tree and no links. PDF files are known by
            ``content_type`` and body, see `quarkcrawl.page.PdfPage`.
        links_only: True for a page whose stages are left out.
        head: what is stored before the body (`Fetched.reply_head`), if the reply is to be packed.
        list_bounds: how much is read of a sitemap or a feed, of which nothing else is wanted; None
            for a page.
    """

    url: str
    body: bytes = b""
    content_type: str | None = None
    is_markup: bool = True
    links_only: bool = False
    head: tuple[int, str, str, tuple[HeaderLine, ...]] | None = None
    list_bounds: ListBounds | None = None


@dataclass(slots=True)
class PageAnalysis:
    """What came of a page.

    Args:
        encoding: how the body was decoded, "" if it was not looked at.
        charset_source: what decided that, see `quarkcrawl.page.Charset`.
        title: text of the title element.
        canonical: URL that the page declares as its own.
        links: its links, within the bounds of the plan.
        columns: what each stage found, by its name.
        failures: what went wrong, by stage; ``"links"`` and ``"parse"`` are not in the plan.
        flags: other reason codes for the page's row.
        packed: the compressed reply and its size, if that was asked for.
        url_list: what a sitemap or a feed says.
    """

    encoding: str = ""
    charset_source: str = ""
    title: str = ""
    canonical: str | None = None
    links: Links = field(default_factory=Links)
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    packed: tuple[bytes, int] | None = None
    url_list: PublishedList | None = None


class AnalyzedPage(Page):
    """A page of which is known what a worker found; the tree is parsed if anybody asks for it.

    Args:
        source: the page as it was received.
        analysis: what came of it; a page that was given up has no tree.
    """

    __slots__ = ("analysis",)

    def __init__(self, source: PageInput, analysis: PageAnalysis) -> None:
        super().__init__(source.body, None, source.url, source.content_type)
        self.analysis = analysis
        self._links = analysis.links
        if not source.is_markup or not analysis.encoding:
            self._tree = PageTree.parse("")

    @property
    def encoding(self) -> str:
        """Name of the encoding, "" of a page that was given up."""
        return self.analysis.encoding

    @property
    def charset_source(self) -> str:
        """What decided the encoding."""
        return self.analysis.charset_source

    @property
    def title(self) -> str:
        """Text of the title element."""
        return self.analysis.title

    @property
    def canonical(self) -> str | None:
        """Another URL that the page declares as its own."""
        return self.analysis.canonical


def analyze(source: PageInput, plan: AnalysisPlan) -> PageAnalysis:
    """Read a page and run the stages of a plan on it; an exception in one harms no other.

    Args:
        source: the page.
        plan: what is to be done.
    """
    if source.list_bounds is not None:
        words = source.body, source.url, source.content_type, source.list_bounds
        # By its name: only who reads lists loads what reads XML.
        return PageAnalysis(url_list=_function("quarkcrawl.page.lists:parse_list")(*words))
    page = Page.from_bytes(source.body, source.url, source.content_type)
    if not source.is_markup and not isinstance(page, PdfPage):
        page = UnparsedPage(page.body, page.charset, page.url)
    analysis = analyze_page(page, plan, links_only=source.links_only)
    if source.head is not None:
        reply = build_reply(*source.head, source.body)
        analysis.packed = deflate(reply), len(reply)
    return analysis


def analyze_page(page: Page, plan: AnalysisPlan, *, links_only: bool = False) -> PageAnalysis:
    """`analyze` for a page that is here.

    Args:
        page: parsed or not, rendered or not.
        plan: what is to be done.
        links_only: whether the stages are left out.
    """
    analysis = PageAnalysis(page.encoding, page.charset_source)
    try:
        if not (links_only and isinstance(page, PdfPage)):  # which may have killed a worker
            _add_head(analysis, page, plan)
    except Exception as error:  # noqa: BLE001 - the page's failure, not ours
        analysis.failures["parse"] = _words(error)
        page = _without_tree(page)
    if plan.links and not isinstance(page, UnparsedPage):
        try:
            _add_links(analysis, page, plan)
        except Exception as error:  # noqa: BLE001
            analysis.failures["links"] = _words(error)
    columns: dict[str, Any] = {}
    room_bytes = plan.max_column_bytes - len(analysis.title)
    for stage in () if links_only else plan.stages:
        try:
            added: dict[str, Any] = dict(
                _function(stage.function)(page, columns, **dict(stage.options))
            )
        except Exception as error:  # noqa: BLE001
            analysis.failures[stage.name] = _words(error)
            continue
        room_bytes -= _bytes(added)
        if room_bytes < 0:
            if COLUMNS_CUT not in analysis.flags:
                analysis.flags += (COLUMNS_CUT,)
            break
        analysis.columns[stage.name] = added
        columns |= added
    # Of a column that two stages give (blocks, and blocks with their kinds) one value travels.
    for added in analysis.columns.values():
        added.update((name, columns[name]) for name in added)
    return analysis


def _without_tree(page: Page) -> Page:
    """A page that could not be parsed; a PDF file has nothing more to give."""
    if isinstance(page, PdfPage):
        return page.told(PdfText(reason="pdf_broken"))
    return UnparsedPage(page.body, page.charset, page.url)


def _add_head(analysis: PageAnalysis, page: Page, plan: AnalysisPlan) -> None:
    title, canonical = page.title, page.canonical
    if isinstance(page, PdfPage) and page.document.reason:
        analysis.flags += (page.document.reason,)
    if page.tree.unclosed:
        analysis.flags += (UNCLOSED,)
    analysis.title = title[: plan.max_column_bytes]
    if len(title) > len(analysis.title):
        analysis.flags += (COLUMNS_CUT,)
    if canonical is not None and len(canonical) > plan.max_url_chars:
        analysis.flags += (LONG_LINKS,)
    else:
        analysis.canonical = canonical


def _add_links(analysis: PageAnalysis, page: Page, plan: AnalysisPlan) -> None:
    bounds = LinkBounds(plan.max_url_chars, plan.max_link_bytes, plan.feeds)
    analysis.links = page.links_within(bounds)
    if analysis.links.n_too_long and LONG_LINKS not in analysis.flags:
        analysis.flags += (LONG_LINKS,)
    if analysis.links.n_cut:
        analysis.flags += (LINKS_CUT,)


@cache
def _function(name: str) -> Stage:
    function: Stage = pkgutil.resolve_name(name)
    return function


def _bytes(value: Any) -> int:
    """About how many bytes a value of a column takes in a row."""
    if value is None or isinstance(value, int | float):
        return 8
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_bytes, value.values()))
    if isinstance(value, Sequence):
        lists = getattr(value, "field_lists", None)
        return _bytes_of_list(value) if lists is None else _bytes(lists())
    return 8


def _bytes_of_list(values: Sequence[Any]) -> int:
    """`_bytes` of a list, without a look at each value where all are numbers or all texts."""
    if not values or isinstance(values[0], int | float):
        return 8 * len(values)
    try:
        return len("".join(values))
    except TypeError:
        return sum(map(_bytes, values))


def _words(error: Exception) -> str:
    words = str(error) if isinstance(error, QuarkError) else f"{type(error).__name__}: {error}"
    return words[:500]
