"""Authors: JSON-LD in all shapes, marked elements, bylines in several languages, what is no name."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.content.metadata.bylines import MAX_CHARS, line_names, names_in
from quarkcrawl.page import Page
from tests.page.samples import markup
from tests.profiles import examples

_TEXT = (
    "<p>" + "The library opens at nine, and people read by the windows all day long. " * 9 + "</p>"
)
_CHINESE = "<p>" + "市民在广场上听音乐，孩子们在喷泉边玩耍。" * 12 + "</p>"


def _read(body: str, head: str = "", url: str = "https://example.org/a/1") -> tuple[str, str]:
    title = "A new library opens its doors by the river"
    html = f"<html><head><title>{title} - Daily Example</title>{head}</head><body><h1>{title}</h1>"
    found = metadata(Page.from_html(f"{html}{body}{_TEXT}{_TEXT}</body></html>", url))
    return found.author, found.author_from


def _ld(record: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(record)}</script>'


@pytest.mark.parametrize(
    ("author", "wanted"),
    [
        ("Jane Doe", "Jane Doe"),
        ("By Jane Doe", "Jane Doe"),
        ("Jane Doe and John Roe", "Jane Doe, John Roe"),
        (["Jane Doe", "John Roe"], "Jane Doe, John Roe"),
        ({"@type": "Person", "name": "Jane Doe"}, "Jane Doe"),
        ({"@type": "Person", "name": ["Jane Doe", "John Roe"]}, "Jane Doe, John Roe"),
        ({"@type": "Person", "name": {"@value": "Jane Doe"}}, "Jane Doe"),
        ({"@type": "Person", "givenName": "Jane", "familyName": "Doe"}, "Jane Doe"),
        ([{"@type": "Person", "name": "Jane Doe"}, {"name": "John Roe"}], "Jane Doe, John Roe"),
        ({"@id": "#jane"}, "Jane Doe"),
        ([{"@id": "#jane"}, {"@id": "#nobody"}], "Jane Doe"),
        ({"@type": "Organization", "name": "Daily Example"}, ""),
        ({"@type": "Person", "name": "admin"}, ""),
        ({"@type": "Person", "name": "https://example.org/jane"}, ""),
        ({"@type": "Person", "name": "Ann &amp; Bob Roe"}, "Ann, Bob Roe"),
        (None, ""), (3, ""), ([[[[]]]], ""), ({"name": {"name": {"name": 3}}}, ""), ("", ""),
    ],
)  # fmt: skip
def test_jsonld(author: object, wanted: str) -> None:
    person = {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}
    graph = {"@graph": [{"@type": "BlogPosting", "author": author}, person]}
    assert _read("", _ld(graph)) == (wanted, "jsonld" if wanted else "")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<a rel=author href=/x>Jane Doe</a>", "Jane Doe"),
        ("<div itemprop=author><span itemprop=name>Jane Doe</span></div>", "Jane Doe"),
        ("<div itemprop=author><meta itemprop=name content=Janed><b>Follow</b><i>Janed</i><p class=author-info>Engineer</div>", "Janed"),
        ("<div itemprop=author><meta itemprop=name content='Daily Example'>Jane Doe</div>", "Jane Doe"),
        ("<div itemprop=author><meta itemprop=name content=''>Jane Doe</div>", "Jane Doe"),
        ("<p class=byline>By <a href=/p/1>Jane Doe</a> and <a>John Roe</a></p>", "Jane Doe, John Roe"),
        ("<span class='entry-author vcard'>by Jane Doe</span>", "Jane Doe"),
        ("<div class=post-authorName>Jane Doe</div>", "Jane Doe"),
        ("<div class=author><span>By</span><a>Jane Doe</a></div>", "Jane Doe"),
        ("<div class=author>Jane Doe | March 5, 2012</div>", "Jane Doe"),
        ("<div class=author>Jane Doe, Senior Editor</div>", "Jane Doe"),
        ("<a href='/authors/jane-doe'>Jane Doe</a>", "Jane Doe"),
        ("<a class=username href=/members/janed.1/>janed</a>", "janed"),
        ("<div class=author-bio>Jane Doe has written for years about all that grows.</div>", ""),
        ("<div class=comment><a rel=author>Jane Doe</a></div>", ""),
        ("<div class=sidebar><span class=author-name>Jane Doe</span></div>", ""),
        ("<div class=author>Follow us</div>", ""),
        ("<p>By Jane Doe and John Roe</p>", "Jane Doe, John Roe"),
        ("<p>By Jane Doe, Ann Poe and John Roe</p>", "Jane Doe, Ann Poe, John Roe"),
        ("<p>Von <a href=/autor/x>Max Muster</a> und Eva Muster</p>", "Max Muster, Eva Muster"),
        ("<p>By <a rel=author>Jane Doe</a>, <i>Ann Poe and John Roe</i></p>", "Jane Doe, Ann Poe, John Roe"),
        ("<p>By <a rel=author>Jane Doe</a>, <i>Daily Example</i></p>", "Jane Doe"),
        ("<div class=author><a>Jane Doe</a><span>Political Correspondent, Daily Echo</span></div>", "Jane Doe"),
        ("<p class=byline><span>Jane Doe</span><span>Political correspondent</span></p>", "Jane Doe"),
        ("<p class=byline><span>Jane</span> <span>Doe</span></p>", "Jane Doe"),
        ("<a class=follow-nickName>Jane of the River</a>", "Jane of the River"),
        ("<div class=author>March 5</div>", ""),
        ("<a rel=author href=/>admin</a>", ""),
    ],
)  # fmt: skip
def test_marked_elements(body: str, wanted: str) -> None:
    assert _read(body) == (wanted, "text" if wanted else "")


def test_a_box_below_the_text() -> None:
    lines = "<p>x</p>" * 40
    box = "<div class=author-box><h4 class=author-name>Jane Doe</h4><p>Jane writes.</p></div>"
    assert _read(lines + _TEXT + box) == ("Jane Doe", "text")
    others = "".join(f"<div class=card><i class=author>Ann {name}</i></div>" for name in "BCD")
    assert _read(lines + _TEXT + others) == ("", "")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("By Jane Doe", ["Jane Doe"]),
        ("Von Max Muster und Eva Muster", ["Max Muster", "Eva Muster"]),
        ("Par Anne Le Clerc | 5 mai 2012", ["Anne Le Clerc"]),
        ("Por Ana de la Cruz", ["Ana de la Cruz"]),
        ("Text: Max Muster", ["Max Muster"]),
        ("Autorin: Eva Muster", ["Eva Muster"]),
        ("Posted by Konstantin", ["Konstantin"]),
        ("Written by Jane Doe on March 5, 2012", ["Jane Doe"]),
        ("By Monday", []),
        ("By the river", []),
        ("Text", []),
        ("Jane Doe", []),
    ],
)
def test_lines(line: str, wanted: list[str]) -> None:
    assert line_names(line) == wanted


def test_printed_bylines() -> None:
    assert _read("<p>Von Max Muster</p>") == ("Max Muster", "text")
    assert _read("<p>March 5, 2012 - Jane Doe</p>") == ("Jane Doe", "text")
    assert (
        _read("<p>Jane Doe</p><p>March 5, 2012</p><p>Jane Doe is a gardener.</p>")[0] == "Jane Doe"
    )
    assert _read("<p>Garden News</p><p>March 5, 2012</p>") == ("", "")


def test_declared_by_meta_elements() -> None:
    meta = '<meta name="{}" content="{}">'
    assert _read("", meta.format("author", "Jane Doe")) == ("Jane Doe", "meta")
    assert _read("", meta.format("citation_author", "Doe, Jane")) == ("Jane Doe", "meta")
    site = '<meta property="og:site_name" content="Daily Example">'
    for name in ("Daily Example", "Example", "admin", "Example Ltd", "http://example.org/jane"):
        assert _read("", site + meta.format("author", name)) == ("", ""), name
    label = meta.format("twitter:label1", "Geschrieben von")
    assert _read("", label + meta.format("twitter:data1", "Eva Muster")) == ("Eva Muster", "meta")
    other = meta.format("twitter:label1", "Reading time")
    assert _read("", other + meta.format("twitter:data1", "5 minutes")) == ("", "")


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("author", ("Jane Doe", "John Roe"), "Jane Doe, John Roe"),
        ("author", ("Jane Doe", "admin"), "Jane Doe"),
        ("author", ("Jane Doe, John Roe",), "Jane Doe, John Roe"),
        ("author", ("Jane Doe; John Roe",), "Jane Doe, John Roe"),
        ("author", ("Jane Doe, PhD",), "Jane Doe"),
        ("author", ("Jane Doe, M.D., and John Roe, Ph.D.",), "Jane Doe, John Roe"),
        ("author", ("上海发布",), "上海发布"),
        ("citation_author", ("Doe, Jane", "Roe, John"), "Jane Doe, John Roe"),
        ("citation_author", ("Doe, Jane; Roe, John",), "Jane Doe, John Roe"),
        ("citation_author", ("van der Berg, Jan Peter", "Roe, J."), "Jan Peter van der Berg, J. Roe"),
        ("citation_author", ("Jane Doe, John Roe",), "Jane Doe, John Roe"),
        ("dc.creator", ("Doe, Jane",), "Jane Doe"),
    ],
)  # fmt: skip
def test_several_authors_in_meta_elements(name: str, values: tuple[str, ...], wanted: str) -> None:
    head = "".join(f'<meta name="{name}" content="{value}">' for value in values)
    assert _read("", head) == (wanted, "meta")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Dr. Jane Doe", ["Dr. Jane Doe"]),
        ("Prof. Anna Schmidt", ["Prof. Anna Schmidt"]),
        ("Robert F. Kennedy Jr.", ["Robert F. Kennedy Jr."]),
        ("Robert F. Kennedy, Jr., and Jane Doe", ["Robert F. Kennedy Jr.", "Jane Doe"]),
        ("J. Edgar Hoover", ["J. Edgar Hoover"]),
        ("Dr. Ludwig van Beethoven", ["Dr. Ludwig van Beethoven"]),
        ("Jane Doe. Stories about rivers", ["Jane Doe"]),
        ("Jane Doe, Political Correspondent, Daily Echo", ["Jane Doe"]),
        ("Jane Doe; Updated March 5", ["Jane Doe"]),
        ("十点阅读", ["十点阅读"]),
        ("北京时间", ["北京时间"]),
        ("小王编辑", ["小王编辑"]),
        ("王小明 发布于 2012-03-05", ["王小明"]),
        ("王小明发布于2012-03-05", ["王小明"]),
        ("王小明 阅读 1024", ["王小明"]),
        ("王小明时间：2012-03-05", ["王小明"]),
        ("发布于 2012-03-05", []),
    ],
)
def test_where_names_end(text: str, wanted: list[str]) -> None:
    assert names_in(text) == wanted


def test_a_first_name_is_filled_up() -> None:
    head = '<meta name=author content="Robyn">'
    assert _read("<a href=/users/robyn>Robyn Roe</a>", head)[0] == "Robyn Roe"


def test_titles_name_authors() -> None:
    html = "<title>How rivers run - by Jane Doe</title><h1>How rivers run</h1>" + _TEXT
    found = metadata(Page.from_html(html))
    assert (found.author, found.author_from) == ("Jane Doe", "title")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("作者：王小明近日，市民在广场", "王小明"),
        ("作者：王小明市民在广场上听音乐听音乐", "王小明"),
        ("作者：欧阳修文在广场上听音乐", "欧阳修文"),
        ("作者：王小明时间：2012-03-05", "王小明"),
        ("来源：新华网 作者：王小明 编辑：李四", "王小明"),
        ("作者：张三、李四", "张三、李四"),
        ("作者：远方的风", "远方的风"),
        ("记者 王小明", "王小明"),
        ("文/王小明", "王小明"),
        ("来源：春城晚报", ""),
        ("文 | 王小明", "王小明"),
        ("文｜王小明", "王小明"),
        ("作者丨王小明 编辑丨李四", "王小明"),
        ("记者 | 王小明 李四", "王小明 李四"),
        ("作者 | 来源 | 编辑 | 联系", ""),
        ("文 | 旧港区改造方案获得通过", ""),
        ("采写：王小明", "王小明"),
        ("供稿：王小明", "王小明"),
        ("供稿：文学院", ""),
        ("文图：王小明", "王小明"),
        ("记者：王小明/北京报道", "王小明"),
        ("本网讯（通讯员 王小明）", "王小明"),
        ("（通讯员 李四 记者 王小明）", "王小明"),
        ("王小明/文", "王小明"),
        ("財訊 記者王小明報導", "王小明"),
        ("<p>posted @ 2012-03-05 10:22 <a href=/u>码农小李</a> 阅读(12)</p>", "码农小李"),
        ("<p>2012-03-05 10:22 <a href=/u>行业动态</a> 阅读(12)</p>", ""),
        ("<a class=author-name>王小明</a>", "王小明"),
        ("<span class=writer>记者 王小明</span> <a>打印</a>", "王小明"),
        ("<span class=writer>本报见习记者 王小明</span> <a>打印</a>", "王小明"),
        ("<meta name=author content=远方的风>", "远方的风"),
        ("<p class=author>远方的风</p>", ""),
        ("<a class=author-name>用户名</a>", ""),
        ("<a class=author-name>春城晚报</a>", ""),
        ("<a class=author-name>查看更多文章</a>", ""),
    ],
)
def test_chinese(line: str, wanted: str) -> None:
    title = "市民广场周末举行露天音乐会"
    html = f"<title>{title}_某某网</title><h1>{title}</h1><div>{line}</div>{_CHINESE}"
    assert metadata(Page.from_html(html)).author == wanted


def test_nothing_is_read_where_it_must_not() -> None:
    page = Page.from_html(f"<h1>A library</h1><p class=byline>By Jane Doe</p>{_TEXT}")
    assert metadata(page).author == "Jane Doe"
    assert metadata(page, without=frozenset(("text",))).author == ""


def test_a_nickname_that_begins_as_a_month_is_no_date() -> None:
    assert names_in("marta77") == ["marta77"]
    assert names_in("Jan88") == ["Jan88"]
    assert names_in("March 7") == []


def test_who_invites_is_no_author() -> None:
    assert names_in("Visit the Kettle Store") == []


def test_a_name_that_is_repeated_for_machines_is_one() -> None:
    name = "<div itemprop=author><a href=/users/7/x>jessica</a><span itemprop=name>jessica</span></div>"
    assert _read(name) == ("jessica", "text")


@settings(max_examples=examples(300))
@given(st.text(max_size=200), st.booleans())
def test_any_text(text: str, is_shown: bool) -> None:
    for name in names_in(text, is_shown=is_shown) + line_names(text):
        assert 1 < len(name) <= MAX_CHARS


@settings(max_examples=examples(200))
@given(markup, st.sampled_from(["author", "byline", "comment author", "username", "author-name"]))
def test_any_marked_markup(html: str, name: str) -> None:
    page = Page.from_html(f"<h1>x y</h1><div class='{name}'>{html}</div><a rel=author>{html}</a>")
    assert isinstance(metadata(page).author, str)


@pytest.mark.parametrize(
    "unit",
    [
        "<a rel=author>Jane Doe</a>", "<p class=author>", "By Jane ", "<a href=/authors/x>", "author=",
        "<i class=author>A B</i><br>", "By A B<br>", "Text: <br>", " and ", "<div class=comment>", "<p author",
    ],
)  # fmt: skip
def test_hostile_pages_cost_linear_time(unit: str) -> None:
    costs = []
    for n_chars in (20_000, 200_000):
        page = Page.from_html(f"<title>a</title><h1>b c</h1>{unit * (n_chars // len(unit))}")
        _ = page.tree.run_raw, page.tree.run_end, page.tree.run_anchor, page.tree.tag
        start = time.process_time()
        metadata(page)
        costs.append(time.process_time() - start)
    assert costs[1] < 40 * max(costs[0], 0.005)
