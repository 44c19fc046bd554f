"""Source spans: every one that is told is right; nearly all are told."""

from __future__ import annotations

import html as html_module
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.text.offsets import byte_offsets
from tests.page.samples import SIMPLIFIED, TRADITIONAL, chinese_page, encode, markup, real_pages
from tests.profiles import examples

SPACE = " \t\n\f\r"


RAW = {"script", "style", "iframe", "noembed", "noframes", "xmp", "plaintext"}


def is_raw_text(tree: PageTree, node: int) -> bool:
    if tree.tags[node] not in RAW:
        return False
    return re.search(r"/(svg|math)(?![^/\[])", tree.path(node)) is None


def line_ends(piece: str) -> str:
    return piece.replace("\r\n", "\n").replace("\r", "\n")


def read(piece: str) -> str:
    return html_module.unescape(line_ends(piece).replace("\0", ""))


def check_spans(page: Page) -> tuple[int, int]:
    """Verify each span; (runs with visible text outside raw text, those located)."""
    spans, tree = page.spans, page.tree
    if tree.is_mended:
        tree = PageTree.parse(page.html)
    n_text = n_located = 0
    for number, run in enumerate(tree.runs):
        start, end = int(spans.start[number]), int(spans.end[number])
        if start >= 0:
            raw = is_raw_text(tree, int(tree.run_node[number]))
            piece = (line_ends if raw else read)(page.html[start:end])
            assert piece in {run, run.strip(SPACE)}
        else:
            assert end == spans.byte_start[number] == spans.byte_end[number] == -1
        if spans.byte_start[number] >= 0 and page.encoding != "hz":
            piece = page.html[start:end]
            first, last = spans.byte_start[number], spans.byte_end[number]
            if "\ufffd" not in piece:
                assert page.body[first:last].decode(page.charset.codec) == piece
            else:  # damage at the end of a piece reads otherwise without the "<" behind it
                data = page.body[first : last + 4].decode(page.charset.codec, "replace")
                assert data.startswith(piece)
                assert last - first >= end - start
        if run.strip(SPACE) and not tree.run_raw[number]:
            n_text += 1
            n_located += start >= 0
    return n_text, n_located


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("text", ["text"]),
        ("  <p>  a b </p>c", ["  a b ", "c"]),
        ("<p>a &amp; b &lt;<b>x</b>", ["a &amp; b &lt;", "x"]),
        ("<table>甲<tr><td>乙", ["甲", "乙"]),
        ("<p>1 < 2 > 0 &gt;> x", ["1 < 2 > 0 &gt;> x"]),
        ("<p><< back", ["<< back"]),
        ("<pre>\r\n a\r\nb</pre>", [" a\r\nb"]),
        ("<b>x<p>y</b>z", ["x", "y", "z"]),
        ("<title>t</title><textarea>\nq</textarea>", ["t", "q"]),
        ("<a title='1>2'>x</a>", ["x"]),
        ("<!-- > c -->x", ["x"]),
        ("<p>&nbsp;<p>&#20013;", ["&nbsp;", "&#20013;"]),
        ("<p>&amp;amp;<p>&amp;lt;b", ["&amp;amp;", "&amp;lt;b"]),
        ("<xmp>&amp;</xmp><p>x", ["&amp;", "x"]),
    ],
)
def test_what_is_located(html: str, expected: list[str]) -> None:
    page = Page.from_html(html)
    check_spans(page)
    spans = page.spans
    located = sorted(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    assert [html[a:b] for a, b in located if a >= 0] == expected


def test_white_space_that_stands_apart_is_left_out() -> None:
    page = Page.from_html("<p>one</x>\n  </p>\n</x>two &amp;</x> ")
    check_spans(page)
    located = zip(page.spans.start.tolist(), page.spans.end.tolist(), strict=True)
    assert [page.html[a:b] for a, b in located] == ["one", "two &amp;"]


def test_run_of_two_pieces_is_not_located() -> None:
    page = Page.from_html("<p>one</x>two</p><p>three")
    assert page.tree.runs == ["onetwo", "three"]
    assert page.spans.start.tolist() == [-1, 17 + 3]


def test_private_use_characters_of_the_page_do_not_mislead() -> None:
    page = Page.from_html("<p>\U00100001</p><p>a</p><p>\U00100000b</p>&#x100001;<p>c")
    check_spans(page)


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "big5", "hz", "utf-16"])
def test_bytes_of_generated_pages(encoding: str) -> None:
    text = TRADITIONAL if encoding == "big5" else SIMPLIFIED
    for seed in range(5):
        page = Page.from_bytes(encode(chinese_page(text, None, seed), encoding))
        n_text, n_located = check_spans(page)
        assert n_located == n_text > 0
        assert (page.spans.byte_start >= 0).sum() == (page.spans.start >= 0).sum()


def test_offsets_behind_damage_and_marks() -> None:
    for prefix, codec in [(b"\xef\xbb\xbf", "utf-8"), (b"", "gb18030")]:
        body = prefix + SIMPLIFIED.encode(codec) + b"\xff<p>" + "好😀的".encode(codec)
        page = Page.from_bytes(body)
        offsets = byte_offsets(body, page.charset)
        assert offsets is not None
        place = page.html.index("好😀")
        assert body[offsets[place] : offsets[place + 2]] == "好😀".encode(codec)
        assert (offsets[0], offsets[-1]) == (len(prefix), len(body))


def test_shift_states_have_no_offsets() -> None:
    body = "<p>図書館は朝九時に開きます".encode("iso-2022-jp")
    page = Page.from_bytes(body)
    assert byte_offsets(body, page.charset) is None
    assert (page.spans.start >= 0).any()
    assert (page.spans.byte_start == -1).all()


@given(st.binary(max_size=80))
def test_offsets_of_any_bytes(body: bytes) -> None:
    page = Page.from_bytes(SIMPLIFIED.encode("gbk") + body)
    offsets = byte_offsets(page.body, page.charset)
    if offsets is not None:
        assert len(offsets) == len(page.html) + 1
        assert (offsets[1:] > offsets[:-1]).all()
        assert offsets[-1] == len(page.body)


@given(markup)
@settings(max_examples=examples(400))
def test_spans_of_any_markup_are_right(html: str) -> None:
    check_spans(Page.from_html(html))


@given(st.data())
@settings(max_examples=examples(100))
def test_spans_of_damaged_pages_are_right(data: st.DataObject) -> None:
    body = bytearray(
        encode(chinese_page(SIMPLIFIED, None, 3), data.draw(st.sampled_from(["utf-8", "gbk"])))
    )
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
    check_spans(Page.from_bytes(bytes(body)))


@pytest.mark.shared
@pytest.mark.full
def test_real_pages() -> None:
    """At least .999 of the runs that hold visible text."""
    n_text = n_located = 0
    sets = ("daniel_zh", "cwced", "magic_article_zh", "magic_forum_zh", "twevents")
    for _, body, _ in real_pages(*sets):
        text, located = check_spans(Page.from_bytes(body))
        n_text, n_located = n_text + text, n_located + located
    assert n_text > 80_000
    assert n_located / n_text >= 0.999
