"""Each rule of the IB-DOM paper with a page that passes it and one that fails it by one unit."""

from __future__ import annotations

import pytest

from quarkcrawl.content.items.build import items_of, text_of
from quarkcrawl.content.items.ibdom.options import IbDomOptions
from quarkcrawl.content.items.ibdom.rules import IbDom, paper_data_tables
from quarkcrawl.content.items.ibdom.weights import BlockWeights
from quarkcrawl.content.items.region import BlockRule, PictureRule, TopicRegion
from quarkcrawl.content.items.tables.index import TableIndex
from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Page

LONG = "这是一段说明，用来撑起页面的主题。" * 3


def region(html: str, **options: float) -> TopicRegion:
    return IbDom(IbDomOptions(**options)).region(Page.from_html(html, "http://a.cn/x/"))


def node_id(found: TopicRegion) -> str:
    tree = found.page.tree
    return tree.attr(found.root, "id") or tree.tags[found.root]


def is_data(table: str, **options: float) -> bool:
    index = TableIndex(Page.from_html(f"<body>{table}").tree)
    return bool(paper_data_tables(index, IbDomOptions(**options))[0])


# Tables (section 3.3)


@pytest.mark.parametrize(("cells", "expected"), [("<td>价", False), ("<td>价<td>3", True)])
def test_a_data_table_has_two_cells(cells: str, expected: bool) -> None:
    assert is_data(f"<table><tr>{cells}</table>") is expected


@pytest.mark.parametrize("unit", ["<a href=x>x</a>", "<img src=x>", "<form><input></form>"])
def test_a_cell_with_too_many_links_forms_or_pictures_makes_a_layout_table(unit: str) -> None:
    n_units = 2 if "form" in unit else 1

    def table(n: int) -> str:
        return f"<table><tr><td>价<td>3{unit * n}</table>"

    assert is_data(table(0))
    assert not is_data(table(1))
    assert is_data(table(3), max_cell_units=3 * n_units)
    assert not is_data(table(4), max_cell_units=3 * n_units)


def test_units_count_cell_by_cell() -> None:
    assert is_data("<table><tr><td><a>a</a><td><a>b</a></table>", max_cell_units=1)
    assert not is_data("<table><tr><td><a>a</a><a>b</a><td></table>", max_cell_units=1)


def test_a_nested_table_counts_as_one_picture_whatever_it_holds() -> None:
    nested = "<table><tr><td><a>a</a><a>b</a><td><img><img></table>"
    outer = f"<table><tr><td>价<td>{nested}</table>"
    assert is_data(outer, max_cell_units=1)
    assert not is_data(outer, max_cell_units=0)
    assert is_data(f"<table><tr><td>{nested}{nested}<td></table>", max_cell_units=2)
    assert not is_data(f"<table><tr><td>{nested}{nested}<td></table>", max_cell_units=1)


@pytest.mark.parametrize("head", ["<caption>价格</caption>", "<tr><th>名<th>价"])
def test_caption_or_th_makes_a_data_table(head: str) -> None:
    links = "<a href=x>x</a>" * 9
    assert is_data(f"<table>{head}<tr><td>{links}<td>3</table>")
    assert not is_data(f"<table><tr><td>{links}<td>3</table>")
    assert not is_data(f"<table>{head}<tr><td>{links}<td>3</table>", headed_is_data=False)
    nested = f"<table><tr><td>{links}<table>{head}</table><td></table>"
    assert not is_data(nested), "a header of a nested table is none of the outer one"


# Weights


def weights(body: str) -> dict[str, tuple[int, int]]:
    index = TableIndex(Page.from_html(f"<body>{body}").tree)
    blocks = BlockWeights(index, paper_data_tables(index, IbDomOptions()))
    names = [index.tree.attr(node, "id") or index.tree.tags[node] for node in blocks.node.tolist()]
    pairs = zip(blocks.positive.tolist(), blocks.negative.tolist(), strict=True)
    return dict(zip(names, pairs, strict=True))


def test_positive_weight_on_a_worked_example() -> None:
    """Formula 1: NS 5, NTC 3, NP 1 p + 2 br, NH 1 (twice)."""
    table = "<table><tr><td>名，字<td>价<tr><td>甲<td> </table>"
    body = f"<h1>题</h1><h1> </h1><p>一，二。三,四.</p><p> </p>五．<br>六<br>{table}"
    assert weights(f"<div id=a>{body}</div>")["a"] == (5 + 3 + 3 + 2, 0)


def test_what_shapes_no_paragraph_does_not_count() -> None:
    assert weights("<div id=a><p></p><br><p><img></p><script>a,b.</script></div>")["a"] == (0, 0)


def test_negative_weight_counts_what_leads_elsewhere() -> None:
    body = "<a href=x></a><a name=y></a><iframe src=x></iframe><form><input><input></form><button>"
    assert weights(f"<div id=a>{body}</div>")["a"] == (0, 6)


def test_layout_tables_are_blocks_and_data_tables_are_not() -> None:
    layout = "<table id=t><tr><td><a>x</a></table>"
    data = "<table id=d><tr><td>价<td>3</table>"
    assert set(weights(layout + data)) == {"body", "t"}


# The region


def marked(n_inside: int, n_outside: int) -> str:
    inside, outside = "，" * n_inside, "，" * n_outside
    return f"<body><div id=in>文{inside}</div><div id=out>外{outside}</div>"


def test_a_block_with_more_than_three_quarters_is_descended_into() -> None:
    assert node_id(region(marked(75, 25))) == "body"
    assert node_id(region(marked(76, 24))) == "in"
    assert node_id(region(marked(61, 39), region_share=0.6)) == "in"


def test_the_descent_goes_on_and_tells_its_shares() -> None:
    html = f"<body><div id=a><div id=b>{'，' * 90}</div>{'，' * 10}</div>，"
    found = region(html)
    assert node_id(found) == "b"
    assert [round(share, 3) for _, share in found.descent] == [1.0, 0.99, 0.9]


def test_text_outside_blocks_stays_with_the_parent() -> None:
    assert node_id(region(f"<body>{LONG}<div>短，</div>")) == "body"
    assert node_id(region(f"<body><article>{LONG}</article>")) == "body", "not a block in 2008"


# Pictures (section 3.4, 1)


def picture_rule(img: str, around: str = LONG) -> PictureRule | None:
    found = region(f"<body><div id=a>{around}<div>{img}</div></div>")
    if found.dropped:
        return next(iter(found.dropped.values()))
    assert len(found.pictures) == 1
    return None


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("width=100 height=100", None),
        ("width=99 height=100", PictureRule.SMALL),
        ("width=100 height=99", PictureRule.SMALL),
        ("width=99", PictureRule.SMALL),
        ("width=100", None),
        ("width=100 height=300", None),
        ("width=100 height=301", PictureRule.SHAPE),
        ("width=300 height=100", None),
        ("width=301 height=100", PictureRule.SHAPE),
        ("width='120px' height=' 120 '", None),
    ],
)
def test_size_and_shape_of_pictures(size: str, expected: PictureRule | None) -> None:
    assert picture_rule(f"<img src=a.jpg {size}>") == expected


@pytest.mark.parametrize(("n_chars", "expected"), [(15, None), (14, PictureRule.SPARSE)])
def test_pictures_without_size_need_text_around(n_chars: int, expected: PictureRule | None) -> None:
    block = f"<div><div><img src=a.jpg></div>{'文' * n_chars}</div>"
    found = region(f"<body><div>{LONG}</div>{block}<div>{LONG}</div>")
    assert [*found.dropped.values()] == ([expected] if expected else [])


def test_two_blocks_around_a_picture_are_looked_at_and_no_third() -> None:
    block = f"<div>{LONG}<div>{'文' * 14}<div><img src=a.jpg></div></div></div>"
    found = region(f"<body>{block}<div>{LONG}</div>")
    assert [*found.dropped.values()] == [PictureRule.SPARSE]


def test_a_share_of_the_line_is_no_size() -> None:
    img = "<img src=a.jpg width=50% height=50%>"
    html = f"<body><div>{LONG}</div><div>{LONG}</div><div><div>{img}</div></div>"
    assert [*region(html).dropped.values()] == [PictureRule.SPARSE]


def test_pictures_in_links_are_noise() -> None:
    img = "<img src=a.jpg width=200 height=200>"
    assert picture_rule(img) is None
    assert picture_rule(f"<a href=b.html>{img}</a>") is PictureRule.LINKED
    assert picture_rule(f"<a href=b.html><span>{img}</span></a>") is PictureRule.LINKED
    assert picture_rule(f"<a href=b.html>x</a>{img}") is None


# Noise blocks (section 3.4, 3)


def block_rule(block: str) -> BlockRule | None:
    half = f"<div>{LONG * 20}</div>"
    found = region(f"<body>{half}<div id=b>{block}</div>{half}")
    assert node_id(found) == "body"
    tree = found.page.tree
    return {tree.attr(node, "id"): rule for node, rule in found.removed.items()}.get("b")


def test_a_block_without_positive_weight_is_noise() -> None:
    assert block_rule("文字没有停顿") is BlockRule.EMPTY
    assert block_rule("文字有停顿，") is None


def test_a_topic_picture_gives_a_block_positive_weight() -> None:
    img = "<img src=a.jpg width={} height=200>"
    assert block_rule(img.format(99)) is BlockRule.EMPTY
    assert block_rule(img.format(100)) is None


def test_four_to_one() -> None:
    text = "很长的一句话没有停顿" * 6 + "，"
    assert block_rule(text + "<a>很长很长</a>" * 4) is None
    assert block_rule(text + "<a>很长很长</a>" * 5) is BlockRule.LINKS


@pytest.mark.parametrize(("n_chars", "expected"), [(49, BlockRule.SHORT), (50, None)])
def test_short_blocks(n_chars: int, expected: BlockRule | None) -> None:
    """49 or 50 characters in pieces of less than 5, two negative units to one positive."""
    pieces = ["文文文，", *["文文文文"] * ((n_chars - 4) // 4)]
    rest = n_chars - sum(map(len, pieces))
    links = "<a></a><a></a>"
    text = "<b>" + "</b><b>".join([*pieces, "文" * rest]) + "</b>"
    assert block_rule(links + text) is expected


@pytest.mark.parametrize(("n_chars", "expected"), [(4, BlockRule.SHORT), (5, None)])
def test_mean_length_of_text_nodes(n_chars: int, expected: BlockRule | None) -> None:
    """Text nodes of 4 characters on average are noise, of 5 they are not."""
    piece = "文" * n_chars
    text = f"<a>{piece[:-1]}，</a><a>{piece}</a>"
    assert block_rule(text) is expected


def test_negative_must_be_more_than_positive() -> None:
    assert block_rule("<a>文，</a><a>文</a>") is BlockRule.SHORT
    assert block_rule("<a>文，</a><a>文，</a>") is None


def test_noise_is_removed_at_every_depth_and_named_once() -> None:
    noise = "<div id=n><a>a</a><div id=m><a>b</a></div></div>"
    found = region(f"<body><div>{LONG}</div><div>{LONG}<div>，{LONG}{noise}</div></div>")
    tree = found.page.tree
    assert [tree.attr(node, "id") for node in found.removed] == ["n"]
    assert "a" not in text_of(items_of(found))


def test_options_are_checked() -> None:
    with pytest.raises(ConfigError, match=r"region_share=1\.5"):
        IbDomOptions(region_share=1.5)
    with pytest.raises(ConfigError, match="max_cell_units=-1"):
        IbDomOptions(max_cell_units=-1)
