"""The topic region on the page: what was kept, what was taken out, and the rule that did it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items import BlockRule, PictureRule
from quarkcrawl.segment import KIND_COLORS, escape, shortened
from quarkcrawl.workbench.report.legend import (
    Fill,
    Legend,
    char_samples,
    counted,
    fill_sheet,
    labeled_copy,
)
from quarkcrawl.workbench.report.pagecopy import ElementAttributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.content.items import TopicRegion
    from quarkcrawl.workbench.report.legend import Row


_SAMPLE_CHARS: Final = 60
_FILLS: Final = {
    "topic": Fill("topic", KIND_COLORS["content"], "2px solid"),
    "table": Fill("data table", "#ffd08f", "3px double"),
    "noise": Fill("taken out", KIND_COLORS["noise"], "2px dotted"),
}
"""Fills of runs; text outside the region has none."""

_SHEET: Final = (
    fill_sheet(_FILLS)
    + "[data-qk-region]{outline:3px solid #b00020!important}"
    + "[data-qk-removed]{outline:2px dotted #5b2a86!important}"
    + "[data-qk-picture=kept]{outline:4px solid #b00020!important}"
    + "[data-qk-picture=dropped]{outline:4px dotted #5b2a86!important}"
)

_RULES: Final[dict[BlockRule, str]] = {
    BlockRule.EMPTY: "no positive weight",
    BlockRule.LINKS: "mostly links",
    BlockRule.SHORT: "short pieces, more negative than positive",
    BlockRule.NAMED: "called noise by its name",
}
_PICTURE_RULES: Final[dict[PictureRule, str]] = {
    PictureRule.SMALL: "too small",
    PictureRule.SHAPE: "too long or too wide",
    PictureRule.LINKED: "leads to another page",
    PictureRule.SPARSE: "size unknown, hardly any text around it",
    PictureRule.NAMED: "called logo, icon …",
    PictureRule.NO_SOURCE: "no address of its own",
    PictureRule.REPEATED: "shown again",
}


def region_map(region: TopicRegion, *, offline: bool = True) -> str:
    """Show a page with its topic region, and each removed block with the rule that removed it.

    Args:
        region: what a method found.
        offline: load nothing, not even pictures; else pictures, fonts and style sheets come from
            where the page says.

    Returns:
        A self-contained HTML document.
    """
    tree, fills = region.page.tree, _fills(region)
    n_chars: Counter[str] = Counter()
    for fill, n in zip(fills, tree.run_chars.tolist(), strict=True):
        n_chars[fill] += n
    way = " › ".join(f"{tree.tags[node]} {share:.2f}" for node, share in region.descent)
    removed = counted(len(region.removed), "removed block")
    legend = Legend(
        "Topic region",
        [
            f"Method {region.method}",
            f"{tree.path(region.root)}: {way}",
            counted(len(region.pictures), "picture"),
        ],
        samples=char_samples(_FILLS, n_chars),
        summary=f"{removed}, {counted(len(region.dropped), 'dropped picture')}",
        heads=("Block", "Rule", "Path", "Characters", "Begins"),
        rows=_rows(region),
    )
    labels = ElementAttributes(_run_labels(region, fills), _node_labels(region))
    return labeled_copy(region.page, labels, legend, _SHEET, offline=offline)


def _fills(region: TopicRegion) -> list[str]:
    """Kind of each run, "" outside the region."""
    tree = region.page.tree
    fill = np.full(len(tree.runs), "", dtype="<U5")
    fill[region.runs] = "topic"
    for node in region.index.table[list(region.tables)].tolist():
        fill[tree.run_start[node] : tree.run_end[node]] = "table"
    for node in region.removed:
        fill[tree.run_start[node] : tree.run_end[node]] = "noise"
    return fill.tolist()


def _run_labels(region: TopicRegion, fills: list[str]) -> dict[int, str]:
    """Fill of each visible run; where a removed block begins, its rule stands in front."""
    tree = region.page.tree
    visible = np.flatnonzero(tree.run_chars).tolist()
    labels = {run: f' data-qk-fill="{fills[run]}"' for run in visible if fills[run]}
    for number, (node, rule) in enumerate(region.removed.items(), 1):
        runs = range(int(tree.run_start[node]), int(tree.run_end[node]))
        first = next((run for run in runs if run in labels), None)
        if first is not None:
            info = escape(f"{number}: {tree.path(node)} · {_RULES[rule]}")
            labels[first] += (
                f' data-qk-label="{number} {rule.value}" id="qk-block-{number}" tabindex="0"'
                f' data-qk-info="{info}"'
            )
    return labels


def _node_labels(region: TopicRegion) -> dict[int, str]:
    tree = region.page.tree
    labels = {region.root: f' data-qk-region="" title="{escape(tree.path(region.root))}"'}
    for node, rule in region.removed.items():
        labels[node] = f' data-qk-removed="{rule.value}" title="{escape(_RULES[rule])}"'
    for picture in region.pictures:
        labels[picture.node] = ' data-qk-picture="kept"'
    for node, dropped in region.dropped.items():
        why = escape(_PICTURE_RULES[dropped])
        labels[node] = f' data-qk-picture="dropped" title="{why}"'
    return labels


def _rows(region: TopicRegion) -> Iterator[Row]:
    """Removed blocks and dropped pictures with their rules."""
    tree = region.page.tree
    ruled = [
        *((number, node, _RULES[rule]) for number, (node, rule) in
          enumerate(region.removed.items(), 1)),
        *((None, node, _PICTURE_RULES[rule]) for node, rule in region.dropped.items()),
    ]  # fmt: skip
    for number, node, rule in ruled:
        shown = tree.attr(node, "src") if tree.tags[node] == "img" else tree.text(node)
        text = shortened(shown or "", _SAMPLE_CHARS)
        yield number, "", (rule, tree.path(node), f"{tree.text_chars[node]:,}", text)
