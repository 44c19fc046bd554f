"""What a worker does with one stored page: read it, extract, give back a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarkcrawl.analysis import COLUMNS_CUT, AnalysisPlan, PageInput, StagePlan, analyse
from quarkcrawl.errors import StoreError
from quarkcrawl.template import PagePlace, read_stored

_STAGES: Final = "quarkcrawl.analysis.stages"


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """What is extracted; all rows of one result have the same.

    Args:
        method: extraction method, see `quarkcrawl.content.METHODS`.
        blocks: also store the labelled block table and the block of each link.
        spans: also note where content (and blocks) stand in the stored body, which costs a
            second parse of each page.
        items: also store paragraphs, data tables and pictures in reading order.
    """

    method: str = "default"
    blocks: bool = False
    spans: bool = False
    items: bool = False

    @property
    def plan(self) -> AnalysisPlan:
        """What is done with each page; links are wanted for the block of each."""
        spans = ("spans", self.spans)
        content = (("method", self.method), spans, ("items", self.items))
        stages = [StagePlan("content", f"{_STAGES}:content", content)]
        if self.blocks:
            stages.insert(0, StagePlan("segmentation", f"{_STAGES}:segmentation", (spans,)))
        return AnalysisPlan(tuple(stages), links=self.blocks)


def extract_stored(page: PagePlace, root: str, plan: AnalysisPlan) -> dict[str, Any]:
    """Analyse one stored page.

    Args:
        page: its place.
        root: the corpus.
        plan: what is to be done, see `ExtractionOptions.plan`.

    Returns:
        A row; what keeps the page from being read or the method from working is in ``failure``
        and ``detail``.
    """
    try:
        stored = read_stored(page, root)
    except StoreError as error:
        return {"failure": error.reason, "detail": str(error)}
    is_markup = page.mime != "text/plain"
    found = analyse(
        PageInput(page.url, stored.body, stored.content_type, is_markup=is_markup), plan
    )
    if found.failures or COLUMNS_CUT in found.flags:
        detail = next(iter(found.failures.values()), COLUMNS_CUT)
        return {"failure": "error", "detail": _storable(detail)}
    columns = {name: value for one in found.columns.values() for name, value in one.items()}
    if "blocks" in columns:
        columns["blocks"] = columns["blocks"].tolist()
    return {name: _storable(value) for name, value in columns.items()}


def _storable(value: Any) -> Any:
    """A text without lone surrogates, which no file can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
