"""Blocks: the same as the slow twin finds, and nothing lost, on whole and on damaged pages."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.page import Page
from quarkcrawl.segment import (
    QuarkRecognizer,
    Segmentation,
    SegmentOptions,
    TagClass,
    as_page,
    segment,
)
from tests.page.samples import real_pages
from tests.profiles import examples
from tests.segment import oracle
from tests.segment.samples import pages

OPTIONS = st.builds(
    SegmentOptions,
    custom_tags=st.sampled_from([("h1", "h2", "title"), (), ("o:p", "p")]),
    custom_patterns=st.sampled_from([(), (r"\d{4}年\d+月\d+日",), ("^顶$", "春天")]),
    ripe_chars=st.sampled_from([0, 3, 10, 30, 100]),
    ripe_layout_share=st.sampled_from([0.0, 0.5, 0.67, 0.8, 1.0]),
)


def cut(html: str | bytes, options: SegmentOptions | None = None) -> Segmentation:
    return QuarkRecognizer(options or SegmentOptions()).recognize(as_page(html))


def visible_runs(found: Segmentation) -> list[list[int]]:
    chars = found.tree.run_chars
    return [
        np.flatnonzero((found.run_block == number) & (chars > 0)).tolist()
        for number in range(len(found))
    ]


def check_partition(found: Segmentation) -> None:
    """All visible characters in exactly one block, in order, each inside its block's root."""
    tree, runs = found.tree, visible_runs(found)
    assert sorted(chain.from_iterable(runs)) == np.flatnonzero(tree.run_chars).tolist()
    assert (found.run_block[tree.run_raw] == -1).all()
    assert all(runs), "no empty blocks"
    assert runs == sorted(runs), "document order"
    assert len(set(found.root.tolist())) == len(found)
    roots = set(found.root.tolist())
    for number, own in enumerate(runs):
        for run in own:
            node = int(tree.run_node[run])
            while node not in roots:
                node = int(tree.parent[node])
            assert node == found.root[number]
    assert found.n_chars.sum() == tree.text_chars[0]


@settings(max_examples=examples(200))
@given(pages, OPTIONS)
def test_as_the_thesis_says(html: str, options: SegmentOptions) -> None:
    found = cut(html, options)
    expected = oracle.blocks(found.tree, options)
    assert list(zip(found.root.tolist(), visible_runs(found), strict=True)) == expected
    check_partition(found)


@given(pages)
def test_deterministic(html: str) -> None:
    first, second = cut(html), cut(html)
    assert first.root.tolist() == second.root.tolist()
    assert first.run_block.tolist() == second.run_block.tolist()


@pytest.mark.shared
def test_real_pages() -> None:
    options = SegmentOptions(custom_patterns=(r"(?:19|20)\d\d[-年/]\d{1,2}[-月/]\d{1,2}",))
    for name, body, _ in real_pages("cwced", "twevents", "magic_forum_zh", limit=12):
        found = cut(body, options)
        check_partition(found)
        assert len(found) > 1, name
        expected = oracle.blocks(found.tree, options)
        assert list(zip(found.root.tolist(), visible_runs(found), strict=True)) == expected


def paths(html: str, **options: object) -> list[str]:
    chosen = SegmentOptions(**{"ripe_chars": 100, **options})  # type: ignore[arg-type]
    return [block.path for block in cut(html, chosen)]


TEN = "一二三四五六七八九十"


def test_length() -> None:
    """More characters than the threshold, white space not counted."""
    html = f"<div>{TEN}</div><div>{TEN} 百</div>"
    assert paths(html, ripe_chars=10) == ["/html", "/html/body/div[2]"]


def test_layout_share() -> None:
    """Two of three elements that count are L; the others have no say."""
    html = f"<div><font><p>甲<br></font></div><p>{TEN}"
    assert paths(html, ripe_chars=100, ripe_layout_share=0.66) == ["/html/body/div", "/html"]
    assert paths(html, ripe_chars=100, ripe_layout_share=0.67) == ["/html"]


def test_hidden_elements_do_not_count() -> None:
    html = f"<div>{TEN}<template><p>甲<p>乙<p>丙</template></div>"
    assert paths(html, ripe_layout_share=0.5) == ["/html"]
    html = f"<div>{TEN}<template><div></div><div></div></template><p>甲<br></div>"
    assert paths(html, ripe_layout_share=0.5) == ["/html/body/div"]


def test_handed_on() -> None:
    """What an unripe element holds counts for the one above; what a block took does not."""
    html = f"<div><div>{TEN}</div><div>{TEN}</div></div>"
    assert paths(html, ripe_chars=15) == ["/html/body/div"]
    assert paths(html, ripe_chars=5) == ["/html/body/div/div[1]", "/html/body/div/div[2]"]
    html = f"<div>甲<fieldset>{TEN}</fieldset>乙</div>"
    assert paths(html, ripe_chars=5) == ["/html", "/html/body/div/fieldset"]


def test_custom_names() -> None:
    found = cut("<title>天网</title><h1>甲</h1><h2></h2><div><h3>乙</h3></div>")
    assert [(block.text, block.tag_class) for block in found] == [
        ("甲", TagClass.CUSTOM),
        ("乙", TagClass.BIG),
    ]
    assert found.has_custom.tolist() == [True, True]  # the empty h2 lies in the second
    assert cut("<h1></h1><div>乙</div>", SegmentOptions(custom_tags=()))[0].has_custom is False


def test_custom_patterns() -> None:
    """A line with the date between headline and body becomes a block of its own."""
    html = f"<table><tr><td><p>2008年6月1日\n 新华网</p><p>{TEN * 60}</p></td></tr></table>"
    options = SegmentOptions(custom_patterns=(r"^\d+年\d+月\d+日 \S+$",))
    found = cut(html, options)
    assert [block.text for block in found] == ["2008年6月1日 新华网", TEN * 60]
    assert [block.has_custom for block in found] == [True, False]


def test_patterns_see_white_space_between_elements() -> None:
    """Runs of white space part words, however they are marked up; other elements do not."""
    html = "<p>来源：<b>新华</b>网<i> </i><u>王小明</u> </p><p>来源：新华网王小明</p>"
    options = SegmentOptions(custom_patterns=("^来源：新华网 王小明$",))
    assert [block.has_custom for block in cut(html, options)] == [True, False]


def test_patterns_see_short_text_only() -> None:
    """No pattern is tried on an element of more than 500 characters, nor on D and A elements."""
    short, long = "字" * 500, "字" * 501
    options = SegmentOptions(custom_patterns=("字",), ripe_chars=1000)
    found = cut(f"<p>{short}</p><p>{long}</p>", options)
    assert [(block.n_chars, block.has_custom) for block in found] == [(500, True), (501, False)]
    assert [b.tag for b in cut("<ul><h3>字</h3><b>字</b><li>字</ul>", options)] == ["ul", "li"]


@pytest.mark.parametrize(
    ("html", "n_blocks"),
    [
        ("", 0),
        (b"", 0),
        ("   \n\u3000\u200b", 0),
        ("<script>var a='中文';</script><style>b{}</style>", 0),
        ("<title>天网</title>", 0),
        ("<frameset><frame src=a.htm><noframes><body>请用浏览器</body></noframes></frameset>", 0),
        ("纯文本，没有标签。", 1),
        (
            "<?xml version='1.0'?><rss><channel><title>新闻</title><item>甲</item></channel></rss>",
            1,
        ),
        ("<?xml version='1.0'?><a><b>甲</b></a>", 1),
        (b"\xff\xfe\x00<", 1),
        (b"\0" * 100, 0),
        ("<plaintext>甲<p>", 1),
        ("<div>" * 2000 + "甲", 1),
        ("<iframe>甲</iframe><object>乙</object>", 1),
        ("<select><option>甲<option>乙</select>", 1),
        ("<svg><text>甲</text></svg>乙", 2),
        ("\ud800", 1),
    ],
)
def test_odd_pages(html: str | bytes, n_blocks: int) -> None:
    found = cut(html)
    assert len(found) == len(list(found)) == n_blocks
    check_partition(found)
    for block in found:
        assert block.text
        assert block.html
        assert block.path
        assert block.spans or block.n_unlocated_runs


@given(st.binary(max_size=200))
def test_any_bytes(body: bytes) -> None:
    for block in segment(body):
        assert block.n_chars
        assert isinstance(block.text + block.html, str)
        assert isinstance(block.spans, list)


@pytest.mark.parametrize("inner", ["", "甲", "<p>甲"])
def test_deep(inner: str) -> None:
    found = cut(("<div>" + inner) * 200_000)
    check_partition_fast(found)


def test_many_blocks() -> None:
    """Work per block does not grow with the page."""
    found = cut(f"<table>{f'<tr><td>{TEN * 11}</td></tr>' * 20_000}</table>")
    assert len(found) == 20_000
    assert len({block.text for block in found}) == 1
    check_partition_fast(found)


def check_partition_fast(found: Segmentation) -> None:
    chars = found.tree.run_chars
    assert (found.run_block[chars > 0] >= 0).all()
    assert found.n_chars.sum() == chars.sum()


def test_page_is_kept() -> None:
    page = Page.from_html("<p>甲")
    assert as_page(page, "http://a.cn/") is page
    assert as_page("<p>甲", "http://a.cn/").url == "http://a.cn/"
    assert segment(page)[0].segmentation.page is page


def test_a_feed_read_as_html_keeps_each_visible_character_once():
    feed = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>频道</title>
      <link>http://www.example.cn/</link><description>新闻频道</description>
      <item><title>馆</title><link>http://www.example.cn/1.htm</link>
        <description><![CDATA[<p>图书馆开放。</p>]]></description></item>
      <item><description>&lt;p&gt;馆长说，欢迎。&lt;/p&gt;</description></item></channel></rss>"""
    page = Page.from_html(feed)
    blocks = segment(page)
    together = "".join("".join(block.text.split()) for block in blocks)
    assert together == "".join(page.tree.text().split())
    for words in ("新闻频道", "馆长说，欢迎。", "http://www.example.cn/1.htm"):
        assert together.count(words) == 1
    assert [block.tag for block in blocks] == ["body"]  # nothing in a feed parts blocks


@pytest.mark.parametrize(("n_chars", "n_blocks"), [(50, 1), (51, 2)])
def test_more_than_fifty_characters_make_a_block_by_default(n_chars, n_blocks):
    """The thesis' constant: fifty are not enough."""
    page = f"<body><div><div>{'字' * n_chars}</div><a href=/>x</a></div>"
    assert len(segment(page)) == n_blocks
