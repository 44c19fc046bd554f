"""Neighbours on the map differ."""

from __future__ import annotations

import re

from hypothesis import given, settings

from quarkcrawl.segment.show import INK, KIND_COLORS
from quarkcrawl.workbench.report.plots.palette import MAP_COLORS, block_order, map_colors
from quarkcrawl.workbench.report.roles import ROLE_FILLS
from tests.page.samples import markup
from tests.profiles import examples
from tests.workbench.report.pages import TABLES, segmented


def naive_order(segmentation) -> list[int]:
    """Walk the runs one by one."""
    order: list[int] = []
    for run, text in enumerate(segmentation.tree.runs):
        block = int(segmentation.run_block[run])
        if block >= 0 and text.strip() and (not order or order[-1] != block):
            order.append(block)
    return order


def luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = re.findall("..", color[1:]) if len(color) == 7 else [c * 2 for c in color[1:]]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(part, 16) / 255 for part in parts)
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_on_every_color() -> None:
    assert contrast("#000000", "#ffffff") == 21
    assert min(contrast(INK, color) for color in MAP_COLORS) >= 11
    assert min(contrast(INK, color) for color in KIND_COLORS.values()) >= 9


def test_headline_date_and_byline_are_readable_and_like_nothing_else() -> None:
    def rgb(color: str) -> list[int]:
        return [int(color[i : i + 2], 16) for i in (1, 3, 5)]

    colors = [fill.color for fill in ROLE_FILLS.values()]
    assert min(contrast(INK, color) for color in colors) >= 9
    others = [*KIND_COLORS.values(), *MAP_COLORS]
    pairs = [(one, other) for n, one in enumerate(colors) for other in others + colors[:n]]
    assert min(sum(abs(a - b) for a, b in zip(rgb(x), rgb(y), strict=True)) for x, y in pairs) > 45


def test_colors_of_kinds_are_red_green_and_purple() -> None:
    red, green, blue = (lambda c: [int(c[i : i + 2], 16) for i in (1, 3, 5)]), 1, 2
    content, related, noise = (red(KIND_COLORS[k]) for k in ("content", "rel_link", "noise"))
    assert content[0] > max(content[green], content[blue]) + 50
    assert related[green] > max(related[0], related[blue]) + 50
    assert min(noise[0], noise[blue]) > noise[green] + 30


@settings(max_examples=examples(200))
@given(markup)
def test_neighbors_differ(html: str) -> None:
    check_colors(segmented(html)[1])


def check_colors(segmentation) -> None:
    order = naive_order(segmentation)
    colors = map_colors(segmentation)
    assert block_order(segmentation).tolist() == order
    assert len(colors) == len(segmentation)
    assert all(0 <= color < len(MAP_COLORS) for color in colors)
    for one, other in zip(order, order[1:], strict=False):
        assert colors[one] != colors[other]


def test_many_blocks_use_all_colors_and_near_ones_differ() -> None:
    text = "天网搜索引擎，北京大学。" * 20
    _, segmentation = segmented("".join(f"<div><p>{i}{text}</p></div>" for i in range(100)))
    colors = map_colors(segmentation)
    assert len(segmentation) == 100
    assert set(colors) == set(range(len(MAP_COLORS)))
    for gap in (1, 2, 3):
        assert all(a != b for a, b in zip(colors, colors[gap:], strict=False))


def test_a_block_around_others_differs_from_them() -> None:
    _, segmentation = segmented(TABLES)
    colors = map_colors(segmentation)
    tree = segmentation.tree
    roots = {int(root): block for block, root in enumerate(segmentation.root)}
    for block, root in enumerate(segmentation.root.tolist()):
        node = int(tree.parent[root])
        while node >= 0 and node not in roots:
            node = int(tree.parent[node])
        if node >= 0:
            assert colors[block] != colors[roots[node]]
