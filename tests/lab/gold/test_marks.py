"""Marks are read as the evaluation defines them, and come out as they went in."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.content import Content, Extraction
from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.extractors.extractors import content_method
from quarkcrawl.lab.gold.marking import (
    Rule,
    mark_by_extraction,
    mark_by_rules,
    read_rules,
)
from quarkcrawl.lab.gold.marks import KINDS, read_marks, without_marks
from quarkcrawl.lab.gold.starttags import StartTags
from quarkcrawl.page import Page
from tests.page.samples import chinese_page, encode, markup, real_pages
from tests.profiles import examples

PAGE = """<html><body><div id=nav><a href=/>首页</a></div>\r
<div class=article><h1>天网搜索</h1><p>北京大学网络实验室。</p><P CLASS='b'>搜索引擎。</P>\r
<div id=ad>广告：买一送一</div></div><table><tr><td>版权所有</table></body></html>"""


def kinds(page: Page) -> list[tuple[str, str]]:
    found = read_marks(page, "page")
    runs = zip(found.page.tree.runs, found.run_kind.tolist(), strict=True)
    return [(run.strip(), KINDS[kind]) for run, kind in runs if run.strip()]


def test_the_nearest_marked_ancestor_decides_and_unmarked_text_is_noise():
    page = Page.from_html(
        '前<div quark=" Content "><p>一</p><div quark=noise>二<b quark=rel_link>三</b>四</div>五</div>后'
    )
    assert kinds(page) == [
        ("前", "noise"), ("一", "content"), ("二", "noise"), ("三", "rel_link"), ("四", "noise"),
        ("五", "content"), ("后", "noise"),
    ]  # fmt: skip


def test_hidden_text_is_never_content():
    page = Page.from_html("<div quark=content><script>var a=1</script><style>p{}</style></div>")
    assert not read_marks(page, "page").is_topic


@pytest.mark.parametrize(
    "body",
    [b"", b"<p>text", b"plain text, no markup", b"<script>var quark='content'</script>",
     b'<?xml version="1.0"?><a><b>text</b></a>', b"<frameset><frame src=a></frameset>",
     b'<rss version="2.0"><channel><item><title>t</title></item></channel></rss>'],
)  # fmt: skip
def test_a_page_without_marks_is_named(body):
    with pytest.raises(InputError, match=r"^gold/x\.html: no element is marked"):
        read_marks(Page.from_bytes(body), "gold/x.html")


def test_a_mark_of_another_value_is_named():
    with pytest.raises(InputError, match=r'^x: quark="main" is none of noise, content, rel_link'):
        read_marks(Page.from_html("<p quark=main>text"), "x")


def test_an_xml_page_can_be_marked():
    page = Page.from_html('<?xml version="1.0"?><item><d quark="content">天网</d></item>')
    assert read_marks(page, "x").is_topic


def rule(kind: str, selector: str, line: int = 1) -> Rule:
    return Rule(kind, selector, f"rules:{line}")


RULES = [rule("content", "div.article"), rule("noise", '//div[@id="ad"]', 2)]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16"])
def test_marks_are_all_that_is_added(encoding):
    html = PAGE.replace("\n", "\n" * 3)
    body = html.encode(encoding) if encoding != "big5" else encode(html, "big5")
    page = Page.from_bytes(body)
    marked = mark_by_rules(page, RULES)
    codec = "utf-16-le" if encoding == "utf-16" else "ascii"
    expected = page.html.replace("<div class=article", '<div quark="content" class=article')
    expected = expected.replace("<div id=ad", '<div quark="noise" id=ad')
    assert Page.from_bytes(marked.body).html == expected
    for kind in ("content", "noise"):
        marked_bytes = f' quark="{kind}"'.encode(codec)
        assert marked.body.count(marked_bytes) == 1
    assert (marked.n_marks, marked.problems) == (2, ())
    assert without_marks(Page.from_bytes(marked.body)).body == body


@given(markup, st.sampled_from(["*", "p", "b, i", "//div | //a", "td"]))
@settings(max_examples=examples(200))
def test_marks_of_tag_soup_come_out_again_to_the_byte(soup, selector):
    page = Page.from_html(soup)
    marked = mark_by_rules(page, [rule("content", selector)])
    again = Page.from_bytes(marked.body)
    assert marked.body.count(b' quark="content"') == marked.n_marks
    assert marked.body.replace(b' quark="content"', b"") == page.body
    assert without_marks(again).body == page.body
    assert again.tree.tags == page.tree.tags
    assert again.tree.runs == page.tree.runs
    if marked.n_marks:
        wanted = set(StartTags(page.html).select(selector))
        carrying = {n for n in range(len(again.tree)) if again.tree.attr(n, "quark") == "content"}
        assert carrying <= wanted | {n for n in range(len(again.tree)) if n not in wanted}
        assert len(carrying & wanted) >= marked.n_marks


def test_an_earlier_mark_is_replaced():
    page = Page.from_html("<p quark='noise'>天网</p>")
    assert (
        mark_by_rules(page, [rule("content", "p")]).body == '<p quark="content">天网</p>'.encode()
    )


def test_the_later_rule_decides():
    marked = mark_by_rules(
        Page.from_html("<p>天网</p>"), [rule("content", "p"), rule("noise", "p")]
    )
    assert b'quark="noise"' in marked.body
    assert marked.n_marks == 1


def test_selectors_that_cannot_be_placed_are_named():
    page = Page.from_html("<table><tr><td>天网</table><b>甲<p>乙</b>")
    marked = mark_by_rules(page, [rule("content", "tbody", 4), rule("noise", ".none", 7)])
    assert marked.n_marks == 0
    assert marked.body == page.body
    assert marked.problems == (
        "rules:4: tbody finds 1 without a start tag",
        "rules:7: .none finds nothing",
    )


@pytest.mark.parametrize("selector", ["p[[", "//p[", "//p/text()", "count(//p)", "(//p"])
def test_what_is_no_selector_is_named(selector):
    with pytest.raises(InputError, match=r"^rules:1: "):
        mark_by_rules(Page.from_html("<p>天网"), [rule("content", selector)])


def test_rules_are_read_from_a_file(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("\ufeffcontent\tdiv.article\n\n# remark\nrel_link\t ul > li \n", "utf-8")
    assert [(r.kind, r.selector) for r in read_rules(path)] == [
        ("content", "div.article"),
        ("rel_link", "ul > li"),
    ]


@pytest.mark.parametrize("line", ["content div", "main\tdiv", "content\t ", "content"])
def test_a_line_that_is_no_rule_is_named(tmp_path, line):
    path = tmp_path / "rules.txt"
    path.write_text(f"noise\tp\n{line}\n")
    with pytest.raises(InputError, match=r"rules\.txt:2: kind, tab, selector"):
        read_rules(path)


@pytest.mark.parametrize("data", [None, b"", b"# nothing\n", b"\xff\xfe\xff"])
def test_a_file_without_rules_is_named(tmp_path, data):
    path = tmp_path / "rules.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=r"rules\.txt: "):
        read_rules(path)


def content_of(page: Page, wanted) -> Content:
    import numpy as np

    runs = np.array([wanted(run) for run in page.tree.runs], np.bool_)
    return Content(Extraction(page, "by hand", runs=runs & ~page.tree.run_raw))


def test_an_extraction_is_marked_with_as_few_marks_as_possible():
    page = Page.from_html(PAGE)
    marked = mark_by_extraction(
        content_of(page, lambda run: run.strip()[:2] in ("天网", "北京", "搜索"))
    )
    expected = PAGE.replace("<div class", '<div quark="content" class').replace(
        "<div id=ad", '<div quark="noise" id=ad'
    )
    assert marked.body.decode() == expected
    assert marked.problems == ()


def test_text_that_shares_its_element_with_other_text_is_counted():
    page = Page.from_html("<p>天网搜索引擎<br>广告</p>")
    marked = mark_by_extraction(content_of(page, lambda run: run == "天网搜索引擎"), "x.html")
    assert marked.body == '<p quark="content">天网搜索引擎<br>广告</p>'.encode()
    assert marked.problems == ("x.html: 2 characters got the mark of text around them",)


@given(markup, st.randoms(use_true_random=False))
@example("</svg><template>", random.Random(1))
@example("--><i\tx=1>\n<b>&amp;</i><plaintext>\n<b>", random.Random(1))
@settings(max_examples=examples(100))
def test_marks_of_an_extraction_read_as_the_extraction(soup, dice):
    page = Page.from_html(soup)
    content = content_of(page, lambda run: dice.random() < 0.5)
    if page.tree.unclosed:
        with pytest.raises(InputError, match="that does not end takes a part of it"):
            mark_by_extraction(content)
        return
    marked = mark_by_extraction(content)
    if marked.n_marks == 0:
        return
    found = read_marks(Page.from_bytes(marked.body), "page")
    wrong = (found.run_is_content != content.runs) & (page.tree.run_chars > 0)
    related = found.run_kind == KINDS.index("rel_link")
    n_wrong = int(page.tree.run_chars[wrong & ~related].sum())
    told = sum(int(problem.split()[1]) for problem in marked.problems)
    assert n_wrong <= told


def test_an_element_that_the_parser_opens_again_is_not_marked():
    page = Page.from_html("<i x=1><b>天网</i><p>北京")
    marked = mark_by_extraction(content_of(page, lambda run: run == "天网"))
    found = read_marks(Page.from_bytes(marked.body), "page")
    assert found.run_is_content.tolist() == [True, False]


def test_a_marked_page_is_not_marked_by_an_extraction_again():
    page = Page.from_html("<p quark=content>天网</p>")
    with pytest.raises(InputError, match=r"^x\.html: has marks already"):
        mark_by_extraction(content_of(page, bool), "x.html")


def test_marks_need_exact_byte_offsets():
    body = "<meta charset=iso-2022-jp><p>天気予報</p>".encode("iso-2022-jp")
    with pytest.raises(InputError, match=r"^j\.html: no exact byte offsets in iso-2022-jp"):
        mark_by_rules(Page.from_bytes(body), [rule("content", "p")], "j.html")


def test_generated_chinese_pages_are_marked_by_a_method():
    for seed in range(5):
        body = encode(chinese_page("北京大学网络实验室。" * 30, "gb2312", seed), "gb18030")
        content = content_method("sdu")(Page.from_bytes(body))
        marked = mark_by_extraction(content)
        found = read_marks(Page.from_bytes(marked.body), "page")
        assert found.page.body == body
        assert found.is_topic


@pytest.mark.shared
def test_start_tags_of_real_pages_are_where_they_should_be():
    n_located = 0
    for name, body, _ in real_pages("cwced", "magic_forum_zh", limit=12):
        page = Page.from_bytes(body)
        tags = StartTags(page.html)
        assert tags.tags == [tag.lower() for tag in page.tree.tags], name
        for node, tag in enumerate(tags.tags):
            end = tags.name_end(node)
            if end is not None:
                n_located += 1
                written = page.html[page.html.rindex("<", 0, end) + 1 : end].lower()
                assert written in {tag, "image", "template"}, (name, node)
        marked = mark_by_rules(page, [rule("content", "div"), rule("noise", "td, p")], name)
        assert without_marks(Page.from_bytes(marked.body), name).body == body
    assert n_located > 5000
