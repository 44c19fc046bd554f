"""Neighbours on the map differ."""

from __future__ import annotations

import re

from hypothesis import given, settings

from quarkcrawl.segment.show import INK, KIND_COLOURS
from quarkcrawl.workbench.report.plots.palette import MAP_COLOURS, block_order, map_colours
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


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = re.findall("..", colour[1:]) if len(colour) == 7 else [c * 2 for c in colour[1:]]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(part, 16) / 255 for part in parts)
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_on_every_colour() -> None:
    assert contrast("#000000", "#ffffff") == 21
    assert min(contrast(INK, colour) for colour in MAP_COLOURS) >= 11
    assert min(contrast(INK, colour) for colour in KIND_COLOURS.values()) >= 9


def test_headline_date_and_byline_are_readable_and_like_nothing_else() -> None:
    def rgb(colour: str) -> list[int]:
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

    colours = [fill.colour for fill in ROLE_FILLS.values()]
    assert min(contrast(INK, colour) for colour in colours) >= 9
    others = [*KIND_COLOURS.values(), *MAP_COLOURS]
    pairs = [(one, other) for n, one in enumerate(colours) for other in others + colours[:n]]
    assert min(sum(abs(a - b) for a, b in zip(rgb(x), rgb(y), strict=True)) for x, y in pairs) > 45


def test_colours_of_kinds_are_red_green_and_purple() -> None:
    red, green, blue = (lambda c: [int(c[i : i + 2], 16) for i in (1, 3, 5)]), 1, 2
    content, related, noise = (red(KIND_COLOURS[k]) for k in ("content", "rel_link", "noise"))
    assert content[0] > max(content[green], content[blue]) + 50
    assert related[green] > max(related[0], related[blue]) + 50
    assert min(noise[0], noise[blue]) > noise[green] + 30


@settings(max_examples=examples(200))
@given(markup)
def test_neighbours_differ(html: str) -> None:
    check_colours(segmented(html)[1])


def check_colours(segmentation) -> None:
    order = naive_order(segmentation)
    colours = map_colours(segmentation)
    assert block_order(segmentation).tolist() == order
    assert len(colours) == len(segmentation)
    assert all(0 <= colour < len(MAP_COLOURS) for colour in colours)
    for one, other in zip(order, order[1:], strict=False):
        assert colours[one] != colours[other]


def test_many_blocks_use_all_colours_and_near_ones_differ() -> None:
    text = "天网搜索引擎，北京大学。" * 20
    _, segmentation = segmented("".join(f"<div><p>{i}{text}</p></div>" for i in range(100)))
    colours = map_colours(segmentation)
    assert len(segmentation) == 100
    assert set(colours) == set(range(len(MAP_COLOURS)))
    for gap in (1, 2, 3):
        assert all(a != b for a, b in zip(colours, colours[gap:], strict=False))


def test_a_block_around_others_differs_from_them() -> None:
    _, segmentation = segmented(TABLES)
    colours = map_colours(segmentation)
    tree = segmentation.tree
    roots = {int(root): block for block, root in enumerate(segmentation.root)}
    for block, root in enumerate(segmentation.root.tolist()):
        node = int(tree.parent[root])
        while node >= 0 and node not in roots:
            node = int(tree.parent[node])
        if node >= 0:
            assert colours[block] != colours[roots[node]]
