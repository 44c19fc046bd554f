"""Task 2 of SEWM2008: where on a page its content stands.

Per page, precision is the length of correctly found content over the length found, recall over the
length marked; the macro values are means over pages, and a page for which a run has no line scores
0. Pages on which nothing is marked as content have nothing to find and do not count; those whose
marks began from the proposal of the very method are scored apart, since people leave most of what
they are shown as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.sewm2008.places import TextPlaces, Unit, is_space
from quarkcrawl.lab.gold import NOTHING, Score, macro, read_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.lab.evaluate.sewm2008.runfile import ContentRun
    from quarkcrawl.lab.gold import GoldPage
    from quarkcrawl.page import Page


Pages = Literal["all", "common"]


@dataclass(frozen=True, slots=True, eq=False)
class ContentGold:
    """What there is to find on one page.

    Args:
        page: the page that offsets refer to.
        places: its text, character by character.
        is_content: which of these characters are marked as content.
    """

    page: Page
    places: TextPlaces
    is_content: NDArray[np.bool_]

    @classmethod
    def of(cls, gold: GoldPage, unit: Unit = "bytes", *, keep_marks: bool = False) -> ContentGold:
        """Read a hand-marked page.

        Args:
            gold: a page with marks in its source.
            unit: whether places count bytes of the stored body or characters of the text.
            keep_marks: offsets refer to the marked page instead of the page without marks.

        Raises:
            InputError: if it has no marks or no exact byte offsets.
        """
        marked = read_marks(gold.page(), gold.where, keep_marks=keep_marks, passages=gold.passages)
        places = TextPlaces.of(marked.page, unit, gold.where)
        is_content = marked.run_is_content[places.run]
        for run, is_kept in marked.run_parts.items():
            of_run = places.run == run
            is_visible = ~is_space(marked.page.tree.runs[run])
            if int(of_run.sum()) == int(is_visible.sum()):  # else the parser cannot locate it
                is_content[of_run] = is_kept[is_visible]
        return cls(marked.page, places, is_content)

    def of_runs(self, run_mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which characters belong to chosen text runs.

        Args:
            run_mask: whether each text run is chosen.
        """
        return run_mask[self.places.run]


@dataclass(frozen=True, slots=True)
class ContentResult:
    """Scores of one run of task 2.

    Args:
        name: what the run is called, as in `ContentRun`.
        score: macro precision, recall and F1.
        by_page: score of each page.
        n_missing: pages for which the run has no line.
        own: scores of the pages whose marks began from a proposal of this method; in no mean.
    """

    name: str
    score: Score
    by_page: Mapping[str, Score]
    n_missing: int
    own: Mapping[str, Score] = field(default_factory=dict)


def content_gold(
    pages: Iterable[GoldPage], unit: Unit = "bytes", *, keep_marks: bool = False
) -> dict[str, ContentGold]:
    """Read hand-marked pages, see `ContentGold.of`.

    Args:
        pages: the marked pages.
        unit: what is counted.
        keep_marks: offsets refer to the marked pages instead of the pages without marks.

    Raises:
        InputError: as `ContentGold.of`; if no page has content.
    """
    gold = {page.number: ContentGold.of(page, unit, keep_marks=keep_marks) for page in pages}
    if not any(page.is_content.any() for page in gold.values()):
        raise InputError("no page has text marked as content")
    return gold


def score_page(gold: ContentGold, spans: Sequence[tuple[int, int]]) -> Score:
    """Score the spans found on one page; they may overlap.

    Args:
        gold: what there is to find.
        spans: (start, length) pairs in the unit of the gold.
    """
    if not spans:
        return NOTHING
    return gold.places.score(gold.places.covered(spans), gold.is_content)


def score_content(
    runs: Sequence[ContentRun],
    gold: Mapping[str, ContentGold],
    *,
    pages: Pages = "all",
    origins: Mapping[str, str] | None = None,
) -> list[ContentResult]:
    """Score runs of task 2.

    Args:
        runs: spans that systems found; each run gets a result, in this order.
        gold: pages by document number.
        pages: score all pages with content, or only those for which every run has a line (so the
            thesis compares the teams, on 104 pages).
        origins: what the marks of pages began from, see `quarkcrawl.lab.gold.GoldPage`; pages that
            began from what a run is named after are scored apart.

    Raises:
        InputError: if the runs have no page in common.
    """
    numbers = [number for number, page in gold.items() if page.is_content.any()]
    if pages == "common":
        numbers = [number for number in numbers if all(number in run.spans for run in runs)]
        if not numbers:
            raise InputError("no page with content is common to all runs")
    return [_result(run, gold, numbers, origins or {}) for run in runs]


def _result(
    run: ContentRun,
    gold: Mapping[str, ContentGold],
    numbers: Sequence[str],
    origins: Mapping[str, str],
) -> ContentResult:
    scores = {number: score_page(gold[number], run.spans.get(number, ())) for number in numbers}
    own = {number: scores.pop(number) for number in numbers if origins.get(number) == run.name}
    n_missing = sum(number not in run.spans for number in scores)
    return ContentResult(run.name, macro(list(scores.values())), scores, n_missing, own)
