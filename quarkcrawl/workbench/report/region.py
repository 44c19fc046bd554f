"""The topic region on the page: what was kept, what was taken out, and the rule that did it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items import BlockRule, PictureRule
from quarkcrawl.segment import INK, KIND_COLOURS, escape, shortened
from quarkcrawl.workbench.report.blocklabels import counted
from quarkcrawl.workbench.report.pagecopy import ElementAttributes, wrapped_copy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.content.items import TopicRegion
    from quarkcrawl.page import PageTree


_TITLE_CHARS: Final = 80
_SAMPLE_CHARS: Final = 60
_FILLS: Final[dict[str, tuple[str, str, str]]] = {
    "topic": ("topic", KIND_COLOURS["content"], "solid"),
    "table": ("data table", "#ffd08f", "double"),
    "noise": ("taken out", KIND_COLOURS["noise"], "dotted"),
}
"""Name, background and line of each kind of run; text outside the region has none."""

_SHEET: Final = (
    "".join(
        f'[data-qk-fill="{kind}"]{{background:{colour}!important;'
        f"border-bottom:2px {line} {INK}!important}}"
        for kind, (_, colour, line) in _FILLS.items()
    )
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
    return wrapped_copy(
        region.page,
        ElementAttributes(_run_labels(region), _node_labels(region)),
        title=f"Topic region: {_name(region)}",
        legend=_legend(region),
        sheet=_SHEET,
        offline=offline,
    )


def _name(region: TopicRegion) -> str:
    return shortened(region.page.title or region.page.url, _TITLE_CHARS)


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


def _run_labels(region: TopicRegion) -> dict[int, str]:
    """Fill of each visible run; where a removed block begins, its rule stands in front."""
    tree = region.page.tree
    visible = np.flatnonzero(tree.run_chars).tolist()
    fills = _fills(region)
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


def _legend(region: TopicRegion) -> str:
    tree = region.page.tree
    way = " › ".join(f"{tree.tags[node]} {share:.2f}" for node, share in region.descent)
    return (
        f"<h1>Topic region</h1><details><summary>{counted(len(region.removed), 'removed block')},"
        f" {counted(len(region.dropped), 'dropped picture')}</summary>"
        f'<div class="panel" tabindex="0">{_list(region)}</div></details>'
        f'<div class="scroll" tabindex="0">{_samples(region)}'
        f"<span>Method {escape(region.method)}</span>"
        f"<span>{escape(tree.path(region.root))}: {escape(way)}</span>"
        f"<span>{counted(len(region.pictures), 'picture')}</span>"
        f"<span>{escape(_name(region))}</span></div>"
    )


def _samples(region: TopicRegion) -> str:
    n_chars: Counter[str] = Counter()
    for fill, n in zip(_fills(region), region.page.tree.run_chars.tolist(), strict=True):
        n_chars[fill] += n
    items = "".join(
        f'<li><span class="sample" style="background:{colour};border-bottom:2px {line} {INK}">'
        f"{name}</span> {counted(n_chars[kind], 'character')}</li>"
        for kind, (name, colour, line) in _FILLS.items()
    )
    return f"<ul>{items}</ul>"


def _list(region: TopicRegion) -> str:
    """Removed blocks and dropped pictures with their rules."""
    tree = region.page.tree
    rows = [
        _row(f'<a href="#qk-block-{number}">{number}</a>', tree, node, _RULES[rule])
        for number, (node, rule) in enumerate(region.removed.items(), 1)
    ]
    rows += [
        _row("picture", tree, node, _PICTURE_RULES[rule]) for node, rule in region.dropped.items()
    ]
    return _table(("Block", "Rule", "Path", "Characters", "Begins"), rows)


def _row(name: str, tree: PageTree, node: int, rule: str) -> str:
    shown = tree.attr(node, "src") if tree.tags[node] == "img" else tree.text(node)
    text = shortened(shown or "", _SAMPLE_CHARS)
    cells = (rule, tree.path(node), f"{tree.text_chars[node]:,}", text)
    rest = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row">{name}</th>{rest}</tr>'


def _table(names: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
