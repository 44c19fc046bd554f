"""What a worker does with one stored page: read it, extract, give back a row."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.analysis import COLUMNS_CUT, AnalysisPlan, PageInput, StagePlan, analyze
from quarkcrawl.content import extract, method_named
from quarkcrawl.errors import StoreError
from quarkcrawl.page.pdf import PDF_REASONS
from quarkcrawl.template import PagePlace, read_stored
from quarkcrawl.template.site import site_lines

if TYPE_CHECKING:
    from quarkcrawl.analysis import Outcome
    from quarkcrawl.page import Page

_STAGES: Final = "quarkcrawl.analysis.stages"


class SitePage(NamedTuple):
    """A stored page, and what is known of its host.

    Args:
        url: its address.
        host: the host that stored it, which page.dat is named after.
        offset: where it is in page.dat.
        length: how long it is there.
        mime: media type.
        repeated: what its host repeats, see `quarkcrawl.template.site.repeated_lines`.
        taught: what people taught about it, see `quarkcrawl.template.site.SiteRules.of`.
    """

    url: str
    host: str
    offset: int
    length: int
    mime: str
    repeated: str = ""
    taught: str = ""


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """What is extracted; all rows of one result have the same.

    Args:
        method: extraction method, see `quarkcrawl.content.method_named`.
        blocks: also store the labeled block table and the block of each link.
        spans: also note where content (and blocks) stand in the stored body, which costs a
            second parse of each page.
        items: also store paragraphs, data tables and pictures in reading order.
        site_pages: most pages of a host that are read first, to find what the host repeats and
            to leave that out of the contents of all its pages; 0: a page speaks for itself.
    """

    method: str = "default"
    blocks: bool = False
    spans: bool = False
    items: bool = False
    site_pages: int = 80

    def noted(self) -> dict[str, Any]:
        """What tells results with other options from these, as JSON values.

        Raises:
            InputError: there is no such method.
            ConfigError: something is wrong in the file of the method.
        """
        options = method_named(self.method).options
        return asdict(self) if options is None else {**asdict(self), "method_file": options}

    @property
    def plan(self) -> AnalysisPlan:
        """What is done with each page; links are wanted for the block of each."""
        spans = ("spans", self.spans)
        content = (("method", self.method), spans, ("items", self.items))
        stages = [StagePlan("content", f"{_STAGES}:content", content)]
        if self.blocks:
            stages.insert(0, StagePlan("segmentation", f"{_STAGES}:segmentation", (spans,)))
        return AnalysisPlan(tuple(stages), links=self.blocks)


def extract_stored(page: SitePage, root: str, plan: AnalysisPlan) -> dict[str, Any]:
    """Analyze one stored page.

    Args:
        page: its place, and what its host repeats.
        root: the corpus.
        plan: what is to be done, see `ExtractionOptions.plan`.

    Returns:
        A row; what keeps the page from being read or the method from working is in ``failure``
        and ``detail``.
    """
    try:
        stored = _read(page, root)
    except StoreError as error:
        return {"failure": error.reason, "detail": str(error)}
    is_markup = page.mime != "text/plain"
    source = PageInput(page.url, stored.body, stored.content_type, is_markup=is_markup)
    return extraction_row(source, _with_site(plan, page))


def extraction_row(page: PageInput, plan: AnalysisPlan) -> dict[str, Any]:
    """Analyze one page, wherever its bytes come from.

    Args:
        page: the reply.
        plan: what is to be done, see `ExtractionOptions.plan`.

    Returns:
        A row; what keeps the method from working is in ``failure`` and ``detail``.
    """
    analysis = analyze(page, plan)
    for flag in analysis.flags:
        if flag in PDF_REASONS and not any(
            "content_text" in one for one in analysis.columns.values()
        ):
            return {"failure": flag, "detail": PDF_REASONS[flag]}
    if analysis.failures or COLUMNS_CUT in analysis.flags:
        detail = next(iter(analysis.failures.values()), COLUMNS_CUT)
        return {"failure": "error", "detail": _storable(detail)}
    columns = {name: value for one in analysis.columns.values() for name, value in one.items()}
    if "blocks" in columns:
        columns["blocks"] = columns["blocks"].tolist()
    return {name: _storable(value) for name, value in columns.items()}


def result_row(outcome: Outcome[SitePage, dict[str, Any]]) -> dict[str, Any]:
    """The row of a page, whatever has become of it."""
    page = outcome.input
    row = outcome.value or {"failure": outcome.reason, "detail": outcome.failure}
    about = {"url": page.url, "host": page.host, "offset": page.offset}
    return about | row | {"site_digest": site_digest(page.repeated, page.taught)}


def site_digest(repeated: str, taught: str = "") -> str | None:
    """Tells what is known of a host from anything else; None: nothing."""
    if not (repeated or taught):
        return None
    lines = f"{repeated}\n{taught}" if taught else repeated
    return hashlib.blake2b(lines.encode("utf-8", "replace"), digest_size=8).hexdigest()


def lines_of_stored(page: SitePage, root: str, method: str) -> dict[str, Any]:
    """The lines of one stored page's content, as values of `SiteLines`.

    Args:
        page: its place.
        root: the corpus.
        method: extraction method.

    Returns:
        Numbers of the lines, or a ``failure``.
    """
    try:
        stored = _read(page, root)
    except StoreError as error:
        return {"failure": error.reason, "detail": str(error)}
    return asdict(site_lines(extract(stored, method=method)))


def _read(page: SitePage, root: str) -> Page:
    return read_stored(PagePlace(page.url, page.host, page.offset, page.length, page.mime), root)


def _with_site(plan: AnalysisPlan, page: SitePage) -> AnalysisPlan:
    """The plan for pages of a host of which something is known."""
    site_options = [
        (name, getattr(page, name)) for name in ("repeated", "taught") if getattr(page, name)
    ]
    if not site_options:
        return plan
    stages = (
        replace(stage, options=(*stage.options, *site_options))
        if stage.name == "content"
        else stage
        for stage in plan.stages
    )
    return replace(plan, stages=tuple(stages))


def _storable(value: Any) -> Any:
    """A text without lone surrogates, which no file can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
