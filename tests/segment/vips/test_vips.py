"""VIPS against cases worked out by hand, a naive oracle, and pages with known blocks."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.segment import VipsOptions, VipsSegmenter, segment
from quarkcrawl.segment.vips.blocks import CUT, DIVIDE, RULES, ExtractionRound, doc_by_size
from quarkcrawl.segment.vips.separators import PlacedBlock, find_separators, weight_between
from quarkcrawl.segment.vips.view import Box, Look, VisualPage
from tests.profiles import examples
from tests.segment.drawn import drawn

WHITE, GREY, BLACK = 0xFFFFFFFF, 0xE6E6E6FF, 0x000000FF
PAGE = 'data-box="0,0,1000,1000"'


def placed(left, top, right, bottom, font=16.0, weight=400, ground=WHITE, text=True, around=None):
    look = Look(font, weight, ground)
    return PlacedBlock(
        Box(left, top, right, bottom), look, text, ground if around is None else around
    )


# Separators


def test_separators_by_hand():
    """The report's example: two blocks beside each other between a head and a foot."""
    blocks = [
        placed(0, 0, 100, 20),  # head
        placed(0, 40, 45, 80), placed(55, 35, 100, 90),  # two columns
        placed(0, 90, 100, 100),  # foot, touching the right column
    ]  # fmt: skip
    horizontal = find_separators(blocks, "horizontal")
    assert [(s.start, s.end) for s in horizontal] == [(20, 35), (90, 90)]
    assert find_separators(blocks, "vertical") == []
    assert [(s.start, s.end) for s in find_separators(blocks[1:3], "vertical")] == [(45, 55)]


def naive_separators(intervals):
    """The report's procedure, step by step, on one axis: start with one strip over all blocks,
    let each block split, shrink or remove what it meets; drop those at the border."""
    low, high = min(a for a, _ in intervals), max(b for _, b in intervals)
    strips = [(low, high)]
    for start, end in intervals:
        kept = []
        for a, b in strips:
            if end <= a or start >= b:  # it does not meet the strip
                kept.append((a, b))
            elif start >= a and end <= b:  # it lies in the strip: two are left
                kept += [(a, start), (end, b)]
            elif start <= a and end >= b:  # it covers the strip
                continue
            elif start <= a:
                kept.append((end, b))
            else:
                kept.append((a, start))
        strips = kept
    return sorted((a, b) for a, b in strips if a > low and b < high and b > a)


INTERVALS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(3, 20)).map(lambda t: (3 * t[0], 3 * t[0] + t[1])),
    min_size=1, max_size=12,
)  # fmt: skip


@given(INTERVALS)
def test_separators_are_those_of_the_report(intervals):
    blocks = [placed(0, start, 10, end) for start, end in intervals]
    found = [(s.start, s.end) for s in find_separators(blocks, "horizontal") if s.end - s.start > 2]
    assert found == [(a, b) for a, b in naive_separators(intervals) if b - a > 2]
    turned = [placed(start, 0, end, 10) for start, end in intervals]
    upright = find_separators(turned, "vertical")
    assert [(s.start, s.end) for s in upright if s.end - s.start > 2] == found


@given(INTERVALS)
def test_weights_are_bounded_and_no_separator_crosses_a_block(intervals):
    blocks = [placed(0, start, 10, end) for start, end in intervals]
    for separator in find_separators(blocks, "horizontal"):
        assert 0 <= separator.weight <= 10
        assert separator.start <= separator.end
        for start, end in intervals:
            middle = (separator.start + separator.end) / 2
            assert not start + 2 < middle < end - 2


def test_weights_by_hand():
    """Each cue of the report alone: distance, rules, grounds, fonts, likeness."""
    one, other = placed(0, 0, 10, 10, text=False), placed(0, 30, 10, 40, text=False)
    assert weight_between(one, other, "horizontal", 20) == 2  # 20 px at 10 px each
    assert weight_between(one, other, "horizontal", 100) == 6  # never more by distance
    text = one._replace(is_text=True), other._replace(is_text=True)
    assert weight_between(*text, "horizontal", 20) == 0.5  # alike: 1.5 less
    assert weight_between(*text, "horizontal", 5) == 0  # but never below nothing
    head = placed(0, 30, 10, 40, font=24, weight=700)
    # 2 for the distance, 1 for 8 px of font, .5 for boldness, 1 for rising
    assert weight_between(text[0], head, "horizontal", 20) == 4.5
    assert weight_between(head, text[0], "horizontal", 20) == 3.5
    assert weight_between(text[0], head, "vertical", 20) == 2  # fonts say nothing sideways
    grey = placed(0, 30, 10, 40, ground=GREY)
    # 25 of 255: 1.5 + 8 · 0.098
    assert weight_between(text[0], grey, "horizontal", 0) == pytest.approx(1.5 + 8 * 25 / 255)
    black = placed(0, 30, 10, 40, ground=BLACK)
    assert weight_between(text[0], black, "vertical", 0) == 5
    boxes = [placed(0, 0, 10, 10, ground=GREY, around=WHITE) for _ in range(2)]
    assert weight_between(*boxes, "horizontal", 20) == pytest.approx(2 + 1.5 + 8 * 25 / 255)
    assert weight_between(*boxes, "horizontal", 0) == 0  # touching boxes of one color are one


def test_a_rule_in_a_strip_adds_to_its_weight():
    blocks = [placed(0, 0, 10, 10), placed(0, 20, 10, 30)]
    plain = find_separators(blocks, "horizontal")[0].weight
    assert find_separators(blocks, "horizontal", [Box(0, 14, 10, 16)])[0].weight == plain + 4
    beside = [Box(20, 14, 30, 16), Box(0, 40, 10, 42)]
    assert find_separators(blocks, "horizontal", beside)[0].weight == plain


# Rules


def extraction(html, rules="paper", *, is_only=True, **options):
    page = drawn(f"<html {PAGE}><body {PAGE}>{html}</body></html>")
    view = VisualPage(page.tree, page.layout, ink=rules == "quarkcrawl")
    made = ExtractionRound(view, VipsOptions(rules=rules, **options), 1_000_000.0, is_only)
    node = next(n for n in range(len(page.tree)) if page.tree.attr(n, "id") == "x")
    return made, node


TEXT = '<p data-box="0,0,500,100">字</p>'
SPAN = '<span data-box="0,0,100,20">字</span>'
CASES = [
    (1, '<div id=x data-box="0,0,9,9"></div>', CUT),
    (1, f'<div id=x data-box="0,0,9,9">{TEXT}</div>', None),
    (2, f'<div id=x data-box="0,0,9,9"><div data-box="0,0,9,9">{TEXT}</div></div>', DIVIDE),
    (2, '<div id=x data-box="0,0,9,9">字</div>', None),
    (2, f'<div id=x data-box="0,0,9,9">{TEXT}{TEXT}</div>', None),
    (3, '<div id=x data-box="0,0,9,9">字</div>', DIVIDE),
    (4, f'<div id=x data-box="0,0,9,9">字{SPAN}</div>', 10),
    (4, '<div id=x data-box="0,0,9,9">字<b data-box="0,0,9,9" data-font="16,700">字</b></div>', 9),
    (4, '<div id=x data-box="0,0,9,9">字<a data-box="0,0,9,9" data-font="12,400">字</a></div>', 9),
    (4, f'<div id=x data-box="0,0,9,9">字{TEXT}</div>', None),
    (4, f'<div id=x data-box="0,0,9,9"><i data-box="0,0,9,9">{TEXT}</i></div>', None),
    (5, f'<div id=x data-box="0,0,9,9">字{TEXT}</div>', DIVIDE),
    (5, f'<div id=x data-box="0,0,9,9">字{SPAN}</div>', None),
    (6, f'<div id=x data-box="0,0,9,9">{TEXT}<hr data-box="0,0,9,1">{TEXT}</div>', DIVIDE),
    (6, f'<div id=x data-box="0,0,9,9">{TEXT}</div>', None),
    (7, f'<div id=x data-box="0,0,500,150">{TEXT}{TEXT}</div>', DIVIDE),
    (7, f'<div id=x data-box="0,0,500,200">{TEXT}{TEXT}</div>', None),
    (8, f'<table id=x {PAGE}><tr {PAGE} data-ground="ff0000"><td data-box="0,0,9,9">字', None),
    (8, f'<div id=x {PAGE}><div {PAGE} data-ground="ff0000">{TEXT}</div>{TEXT}</div>', DIVIDE),
    (8, f'<div id=x {PAGE} data-ground="ff0000"><div {PAGE} data-ground="ff0000">{TEXT}</div></div>',
     None),
    (9, f'<div id=x data-box="0,0,100,100">字{TEXT}</div>', 7),  # .01 of the page
    (9, f'<div id=x data-box="0,0,90,100">字{TEXT}</div>', 8),
    (9, f'<div id=x data-box="0,0,500,100">字{TEXT}</div>', None),  # .05: too large
    (9, f'<div id=x data-box="0,0,100,100">{TEXT}</div>', None),
    (10, f'<div id=x data-box="0,0,500,100">{SPAN}{SPAN}</div>', 5),  # children .002 each
    (10, f'<div id=x data-box="0,0,500,100">{SPAN}{TEXT}</div>', None),
    (11, f'<div id=x data-box="0,0,500,100">{TEXT}</div>', None),
    (12, f'<div id=x data-box="0,0,500,100">{TEXT}</div>', DIVIDE),
    (13, f'<div id=x data-box="0,0,1000,400">{TEXT}</div>', 3),
    (13, f'<div id=x data-box="0,0,1000,100">{TEXT}</div>', 4),
    (13, f'<div id=x data-box="0,0,1000,20">{TEXT}</div>', 5),
    (13, f'<div id=x data-box="0,0,10,10">{TEXT}</div>', 6),
]  # fmt: skip


@pytest.mark.parametrize(("number", "html", "expected"), CASES)
def test_each_rule_by_hand(number, html, expected):
    made, node = extraction(html)
    assert made.apply(number, node, is_root=True) == expected


def test_a_child_on_another_ground_is_not_divided_in_the_same_round():
    inner = f'<div {PAGE} data-ground="ff0000">{TEXT}{TEXT}</div>'
    made, node = extraction(f"<div id=x {PAGE}>{inner}{TEXT}</div>", "quarkcrawl")
    pool = made.pool([node])
    assert [made.view.tags[block.item] for block in pool] == ["div", "p"]
    assert pool[0].doc == 5
    assert pool[1].doc == 10


def test_a_cell_beside_one_that_was_not_divided_stays_whole():
    cell = f'<td data-box="0,0,300,300"><div data-box="0,0,300,300">{TEXT}{TEXT}</div>{TEXT}</td>'
    small = '<td data-box="0,0,20,20"><div data-box="0,0,20,20">字</div>字</td>'
    rows = f'<table id=x {PAGE}><tbody {PAGE}><tr data-box="0,0,600,300">{small}{cell}'
    made, _node = extraction(rows)
    tree_row = next(n for n, name in enumerate(made.view.tags) if name == "tr")
    pool = made.pool([tree_row])
    assert [made.view.tags[block.item] for block in pool] == ["td", "td"]
    modern, _ = extraction(rows, "quarkcrawl")
    assert len(modern.pool([tree_row])) > 2


def test_doc_grows_as_size_shrinks():
    docs = [doc_by_size(share, 5, 8) for share in (1, 0.15, 0.1, 0.05, 0.02, 0.01, 0.001)]
    assert docs == [5, 5, 6, 6, 7, 7, 8]


def test_every_kind_of_element_has_a_rule_that_decides():
    assert all(rules[-1] in {12, 13} for lists in RULES.values() for rules in lists.values())
    assert all(set(lists) == set(RULES["paper"]) for lists in RULES.values())


# Structure

TWO_COLUMNS = f"""<html {PAGE}><body {PAGE}>
<div data-box="0,0,1000,60" data-ground="0000ff">头</div>
<div data-box="0,100,1000,800"><div data-box="0,100,300,800"><p data-box="0,100,300,60">左一
</p><p data-box="0,170,300,60">左二</p></div><div data-box="360,100,640,800">
<h1 data-box="360,100,640,40" data-font="28,700">题</h1><p data-box="360,150,640,300">文一</p>
<p data-box="360,460,640,300">文二</p></div></div>
<div data-box="0,950,1000,50">尾</div></body></html>"""


@pytest.mark.parametrize("rules", ["paper", "quarkcrawl"])
def test_structure_by_hand(rules):
    page = drawn(TWO_COLUMNS)
    blocks = VipsSegmenter(VipsOptions(pdoc=6, rules=rules)).segment(page)
    texts = [block.text.split() for block in blocks]
    assert texts == [["头"], ["左一", "左二"], ["题", "文一", "文二"], ["尾"]]
    top = blocks.structure
    assert [(s.axis, s.start) for s in top.separators][:1] == [("horizontal", 60)]
    assert top.doc == 1  # 40 px and a blue bar
    middle = top.children[1] if len(top.children) == 3 else top.children[1].children[0]
    assert [(s.axis, s.start, s.end) for s in middle.separators] == [("vertical", 300, 360)]
    assert middle.doc == 4  # 60 px: weight 6


def test_pdoc_says_how_fine_the_blocks_are():
    page = drawn(TWO_COLUMNS)
    counts = [len(VipsSegmenter(VipsOptions(pdoc=pdoc)).segment(page)) for pdoc in range(1, 11)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] == 5  # paragraphs without a distance stay together


@st.composite
def pages(draw):
    """Nested boxes with text, side by side or one above the other."""

    def box(left, top, width, height, depth):
        sides = f"{left},{top},{width},{height}"
        ground = draw(st.sampled_from(["", ' data-ground="eeeeee"', ' data-ground="003366"']))
        name = draw(st.sampled_from(["div", "p", "span", "table", "section"]))
        if depth == 0 or width < 40 or height < 40:
            return f'<{name} data-box="{sides}"{ground}>字{draw(st.integers(0, 99))}</{name}>'
        n = draw(st.integers(1, 3))
        gap = draw(st.integers(0, 30))
        across = draw(st.booleans())
        step = (width if across else height) // n
        inner = "".join(
            box(left + step * k, top, max(step - gap, 1), height, depth - 1)
            if across
            else box(left, top + step * k, width, max(step - gap, 1), depth - 1)
            for k in range(n)
        )
        return f'<div data-box="{sides}"{ground}>{inner}</div>'

    return f"<html {PAGE}><body {PAGE}>{box(0, 0, 1000, 1000, 3)}</body></html>"


@given(pages(), st.integers(1, 10), st.sampled_from(["paper", "quarkcrawl"]))
@settings(max_examples=examples(60))
def test_every_character_is_in_one_block(html, pdoc, rules):
    page = drawn(html)
    blocks = VipsSegmenter(VipsOptions(pdoc=pdoc, rules=rules)).segment(page)
    tree = page.tree
    assert (blocks.run_block[tree.run_chars > 0] >= 0).all()
    assert int(blocks.n_chars.sum()) == int(tree.run_chars.sum())
    assert (blocks.n_chars > 0).all()
    first = [int(np.flatnonzero((blocks.run_block == k) & (tree.run_chars > 0))[0])
             for k in range(len(blocks))]  # fmt: skip
    assert first == sorted(first)
    for block in blocks:
        runs = blocks.runs_of(block.number)
        assert (runs >= tree.run_start[block.root]).all()
        assert (runs < tree.run_end[block.root]).all()


def test_as_a_method_of_segment():
    page = drawn(TWO_COLUMNS)
    assert next(block.text for block in segment(page, method="vips")) == "头"
    with pytest.raises(InputError, match="rendered"):
        segment("<p>字", method="vips")
    with pytest.raises(ConfigError, match="quark and vips"):
        segment("<p>字", method="visual")
    empty = drawn(f"<html {PAGE}><body {PAGE}></body></html>")
    assert segment(empty, method="vips") == []


@pytest.mark.parametrize(
    "values", [{"pdoc": 0}, {"pdoc": 11}, {"rules": "x"}, {"text_share": 2}, {"max_rounds": 0}]
)
def test_wrong_options_are_errors(values):
    with pytest.raises(ConfigError):
        VipsOptions(**values)


def test_links_and_markup_of_visual_blocks():
    """Blocks are sets of neighbors, so counts must not go by the nesting of roots."""
    page = drawn(
        f'<html {PAGE}><body {PAGE}><p data-box="0,0,900,20">甲<a href="/a" data-box="0,0,9,9">一</a>'
        f'</p><p data-box="0,30,900,20">乙</p><p data-box="0,300,900,20"><a href="/b" '
        f'data-box="0,300,9,9">二</a></p></body></html>'
    )
    blocks = VipsSegmenter().segment(page)
    assert [block.n_links for block in blocks] == [1, 1]
    assert blocks.n_nodes.tolist() == [3, 1]  # the lone link stands for its paragraph
    assert 'href="/b"' in blocks[1].html
    assert 'href="/a"' not in blocks[1].html


# Hostile layouts


def naive_weight(separator, blocks, rules):
    """Every pair of neighbors, every rule."""
    before = [b for b in blocks if b.box.top < separator.end - 2]
    reached = max(b.box.bottom for b in before)
    near = [b for b in before if b.box.bottom >= reached - 2]
    beyond = [b for b in blocks if separator.end <= b.box.top <= separator.end + 2]
    gap = separator.end - separator.start
    weight = max(weight_between(a, b, "horizontal", gap) for a in near for b in beyond)
    left, right = min(b.box.left for b in blocks), max(b.box.right for b in blocks)
    holds = any(
        r.top >= separator.start - 2
        and r.bottom <= separator.end + 2
        and r.left < right
        and r.right > left
        for r in rules
    )
    return min(weight + 4 * holds, 10)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 2), st.sampled_from([12, 16, 24]), st.booleans(),
                  st.sampled_from([WHITE, GREY])),
        min_size=2, max_size=12,
    ),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 3), st.integers(-1, 2)), max_size=5),
)  # fmt: skip
def test_weights_are_those_of_all_pairs_and_rules(rows, hrs):
    blocks = [
        placed(column * 40, row * 30, column * 40 + 30, row * 30 + 20, font, 400, ground, text)
        for row, column, font, text, ground in rows
    ]
    rules = [Box(column * 40, top, column * 40 + 30, top + tall) for top, tall, column in hrs]
    for separator in find_separators(blocks, "horizontal", rules):
        assert separator.weight == naive_weight(separator, blocks, rules)


def spiral(n: int) -> str:
    """Each block lies above or to the left of all that follow: so many levels of structure."""
    blocks, x, y, width, height = [], 0, 0, 10**6, 10**6
    for number in range(n):
        upper = number % 2 == 0
        box = f"{x},{y},{width},10" if upper else f"{x},{y},10,{height}"
        blocks.append(f'<div data-box="{box}" data-ground="ff0000">字</div>')
        x, y = (x, y + 110) if upper else (x + 110, y)
        width, height = (width, height - 110) if upper else (width - 110, height)
    around = 'data-box="0,0,1000000,1000000"'
    return f"<html {around}><body {around}>{''.join(blocks)}</body></html>"


def lines(n: int) -> str:
    """Lines of text with a rule below each."""
    around = f'data-box="0,0,1000,{n * 40}"'
    rows = (
        f'<p data-box="0,{k * 40},500,20">字</p><hr data-box="0,{k * 40 + 30},500,1">'
        for k in range(n)
    )
    return f"<html {around}><body {around}>{''.join(rows)}</body></html>"


def test_a_spiral_of_blocks_ends_at_some_level():
    found = VipsSegmenter(VipsOptions(pdoc=10)).segment(drawn(spiral(800)))
    assert 100 <= len(found) < 800
    assert sum(block.n_chars for block in found) == 800


@pytest.mark.usefixtures("without_gc")
def test_cost_grows_linearly_with_the_lines_of_a_page():
    """Eight times the size may cost at most 24 times (a square would be 64), plus noise."""

    def cost(n: int) -> float:
        page = drawn(lines(n))
        started = time.process_time()
        assert len(VipsSegmenter(VipsOptions(pdoc=10)).segment(page)) == n
        return time.process_time() - started

    cost(100)
    assert cost(4_000) <= 24 * cost(500) + 0.25
