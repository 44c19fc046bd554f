"""Date, source, author and editor; JSON-LD; the mini-web's truth; damaged and hostile pages."""

from __future__ import annotations

import base64
import gzip
import json
import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content import Metadata
from quarkcrawl.content.declared import (
    _BLEMISHES,
    MAX_CHARS,
    described,
    names,
    of_page,
    parse,
    records,
)
from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.content.page_lines import MAX_LINES, PageLines
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page
from tests.page.samples import SHARED, markup
from tests.profiles import examples

_BODY = "<p>" + "市民在广场上听音乐，孩子们在喷泉边玩耍。" * 12 + "</p>"
_TRUTH = Path(__file__).resolve().parents[3] / "benchmarks" / "metadata_truth.tsv"


def _read(html: str, url: str = "", **options: object) -> Metadata:
    return metadata(Page.from_html(html, url), **options)  # type: ignore[arg-type]


def _article(dateline: str, end: str = "", head: str = "") -> str:
    title = "市民广场周末举行露天音乐会"
    return f"""<html><head><title>{title}_某某网</title>{head}</head><body>
    <div>今天是2026年11月20日 星期五</div><ul><li><a href=/a>旧闻一 2001-01-01</a></ul>
    <h1>{title}</h1><div class=info>{dateline}</div>{_BODY}{_BODY}<p>{end}</p>
    <div>评论 2019-09-09 09:09 张三：好</div><div>Copyright 1998-2020 某某网</div>"""


@pytest.mark.parametrize(
    ("dateline", "published", "source", "author"),
    [
        ("2012年3月5日 08:30 来源：春城晚报 作者：李明", "2012-03-05T08:30", "春城晚报", "李明"),
        ("<span>发布时间：</span><span>2012-03-05 08:30:12</span>", "2012-03-05T08:30:12", "", ""),
        ("<td>来源：<a href=x>新华网</a></td> 2012/3/5", "2012-03-05", "新华网", ""),
        ("2012-03-05 08:30 光明网", "2012-03-05T08:30", "光明网", ""),
        ("21世纪网 何某某 2012-03-05 23:46:41 评论0条", "2012-03-05T23:46:41", "21世纪网", "何某某"),
        ("本文来源于《财经网》 2012年03月05日 17:38 我要评论（0）", "2012-03-05T17:38", "财经网", ""),
        ("稿源： 《半月谈》 2012-03-05 18:22 点击：12", "2012-03-05T18:22", "半月谈", ""),
        ("更新时间：2013-01-01 发布时间：2012-03-05", "2012-03-05", "", ""),
        ("活动日期：2013-05-05 发布日期：2012-03-05", "2012-03-05", "", ""),
        ("編輯：馬某 2012-03-05 來源：今日早報", "2012-03-05", "今日早報", ""),
        ("By Jane Doe | March 5, 2012", "2012-03-05", "", "Jane Doe"),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_datelines(dateline: str, published: str, source: str, author: str) -> None:
    found = _read(_article(dateline))
    assert (found.published, found.source, found.author) == (published, source, author)
    assert found.title == "市民广场周末举行露天音乐会"
    assert found.published_from == ("text" if published else "")


@pytest.mark.parametrize(
    "begin",
    ["近日，市政府", "3月3日上午，市", "春天来了，", "安全生产无小事", "本报讯", "本报讯（记者"],
)
def test_labels_without_a_name(begin: str) -> None:
    for labels in ("<i>来源：</i> <i>作者：</i>", "<i>编辑：</i>", "<i>来源：</i>", "作者："):
        page = f"<h1>露天音乐会</h1><div>{labels}</div><p>{begin}召开会议。{_BODY}"
        found = _read(page)
        assert (found.source, found.author, found.editor) == ("", "", "")


@pytest.mark.parametrize(
    ("dateline", "source", "editor"),
    [
        ("<p>来源：</p><p><a href=x>新华网</a></p>", "新华网", ""),
        ("<p>来源：</p><p>新华网 2012-03-05</p>", "新华网", ""),
        ("<p>来源：</p><p>新华网 编辑：李四</p>", "新华网", "李四"),
        ("<p>来 源：新华网</p>", "新华网", ""),
        ("来源：上海发布", "上海发布", ""),
        ("来源：上海发布 时间：2012-03-05", "上海发布", ""),
        ("来源：十点阅读（ID：example）", "十点阅读", ""),
        ("来源：新华网发布时间：2012-03-05", "新华网", ""),
        ("来源 | 东海财经<br>编辑｜李四", "东海财经", "李四"),
        ("来源丨东海财经（ID：example）", "东海财经", ""),
        ("信息来源：东海财经", "东海财经", ""),
        ("图片来源：视觉中国", "", ""),
        ("数据来源：国家统计局", "", ""),
        ("图片来源 | 视觉中国", "", ""),
        ("编辑 | 删除 | 回复", "", ""),
        ("编辑 | 删除", "", ""),
        ("编辑 | 历史", "", ""),
    ],
)
def test_labels_and_bars(dateline: str, source: str, editor: str) -> None:
    found = _read(_article(dateline))
    assert (found.source, found.editor) == (source, editor)


@pytest.mark.parametrize(
    ("end", "author", "editor"),
    [
        ("（记者 李小明）", "李小明", ""),
        ("本报记者 李小明", "李小明", ""),
        ("（文/李小明）", "李小明", ""),
        ("責任編輯：王五", "", "王五"),
        ("[责任编辑：王五]", "", "王五"),
        ("【作者：李小明 】 (责任编辑：王五)", "李小明", "王五"),
        ("〔記者李小明／台北報導〕", "李小明", ""),
        ("（中央社記者李小明台北11日電）", "李小明", ""),
        ("本报记者 李小明 摄", "", ""),
        ("记者：您怎么看？", "", ""),
        ("作者：佚名", "", ""),
    ],
)
def test_people_at_the_end(end: str, author: str, editor: str) -> None:
    found = _read(_article("2012-03-05", end))
    assert (found.author, found.editor) == (author, editor)


def test_every_answer_says_where_it_came_from() -> None:
    head = """<meta property="article:published_time" content="2012-03-05T08:30:00+08:00">
    <meta name=author content="李明"><meta property="og:site_name" content="某某网">
    <meta property="og:title" content="另一个标题">"""
    found = _read(_article("", head=head))
    assert found.published == "2012-03-05T08:30:00+08:00"
    assert (found.published_from, found.author_from, found.source_from) == (
        "meta",
        "meta",
        "site_name",
    )
    assert (found.author, found.source, found.title_from) == ("李明", "某某网", "h1")


def test_declared_day_gets_the_printed_time() -> None:
    head = "<meta name=publishdate content=2012-03-05>"
    assert _read(_article("2012年3月5日 08:30", head=head)).published == "2012-03-05T08:30"
    assert _read(_article("2012年3月6日 08:30", head=head)).published == "2012-03-05"


def test_modified_is_not_published() -> None:
    head = """<meta property="article:modified_time" content="2013-03-05">
    <script type="application/ld+json">{"@type":"Article","dateModified":"2013-03-05"}</script>"""
    assert _read(_article("2012-03-05", head=head)).published == "2012-03-05"
    times = "<time class=updated datetime=2013-01-01>x</time><time datetime=2012-03-05>y</time>"
    assert _read(_article(times)).published == "2012-03-05"


def test_url_and_year_from_it() -> None:
    url = "http://a.cn/2012/03/05/1.html"
    assert _read(_article(""), url).published == "2012-03-05"
    assert _read(_article(""), url).published_from == "url"
    assert _read(_article("03-05 08:30"), url).published == "2012-03-05T08:30"
    assert _read(_article("3月5日 08:30")).published == ""


def test_relative_dates_need_the_fetch_time() -> None:
    now = datetime(2012, 3, 5, 8, 30, tzinfo=UTC)
    html = f"<title>某事</title><h1>某事</h1><p>3小时前 · 某某</p>{_BODY}"
    assert _read(html).published == ""
    assert _read(html, fetched=now).published == "2012-03-05T05:30"


def test_nothing_from_the_future() -> None:
    now = datetime(2012, 3, 5, tzinfo=UTC)
    assert _read(_article("2013-03-05"), fetched=now).published == ""
    assert _read(_article("2012-03-06"), fetched=now).published == "2012-03-06"


def test_withheld_sources() -> None:
    head = "<meta name=pubdate content=2012-03-04>"
    html, url = _article("2012-03-05 来源：光明网", head=head), "http://a.cn/20120306/"
    for without, wanted in (
        (set(), "2012-03-04"),
        ({"meta"}, "2012-03-05"),
        ({"meta", "text"}, "2012-03-06"),
        ({"meta", "text", "url"}, ""),
    ):
        assert _read(html, url, without=frozenset(without)).published == wanted
    assert _read(html, url, without=frozenset(("text",))).source == ""


_LD = """{"@context":"https://schema.org","@type":["NewsArticle"],"headline":"雨",
"datePublished":"2012-03-05T08:30:00+08:00","author":[{"@type":"Person","name":"李明"},{"name":"王五"}],
"publisher":{"name":"晚报"}}"""


@pytest.mark.parametrize(
    "script",
    [
        _LD, f"[{_LD}]", f'{{"@graph":[{{"@type":"WebSite","name":"x"}},{_LD}]}}', f"<!--\n{_LD}\n-->",
        f"//<![CDATA[\n{_LD}\n//]]>", f"/*<![CDATA[*/{_LD}/*]]>*/", _LD[:-1] + ",}", f"/* a */ {_LD}",
        _LD.replace('"headline"', '// c\n"headline"'), _LD + ";", _LD.replace("雨", "雨\n"), _LD + "\n{}",
    ],
)  # fmt: skip
def test_tolerant_jsonld(script: str) -> None:
    page = Page.from_html(f'<script type="application/ld+json">{script}</script>')
    found = metadata(page)
    assert found.title == "雨"
    assert found.published == "2012-03-05T08:30:00+08:00"
    assert found.author == "李明, 王五"
    assert found.source == "晚报"
    assert found.published_from == found.author_from == found.source_from == "jsonld"


@pytest.mark.parametrize(
    ("escaped", "read"),
    [
        ("李\\ud83d明", "李\ufffd明"), ("李\\uDE00", "李\ufffd"), ("\\ud83d\\ude00", "😀"),
        ("\\ud83d\\ud83d\\ude00", "\ufffd😀"), ("\\ud83d\\ude00\\ude00", "😀\ufffd"), ("\\\\ud83d", "\\ud83d"),
    ],
)  # fmt: skip
def test_half_a_character_in_jsonld_is_replaced(escaped: str, read: str) -> None:
    assert parse(f'[{{"{escaped}": ["{escaped}", 1.5, null]}}]') == [{read: [read, 1.5, None]}]


def test_every_answer_from_jsonld_can_be_encoded() -> None:
    ld = _LD.replace("李明", "李明\\ud83d").replace("晚报", "\\udc00晚报")
    found = _read(f'<script type="application/ld+json">{ld}</script>')
    assert (found.author, found.source) == ("李明\ufffd, 王五", "\ufffd晚报")


def test_a_string_that_is_never_closed_is_read_once() -> None:
    """It ends in half an escape, as where a page is cut; each quotation mark was a new start."""

    pieces = [match[0] for match in _BLEMISHES.finditer('{"a": "' + '\\"' * 500 + "\\")]
    assert [len(piece) for piece in pieces] == [3, 1002]
    assert parse('{"a": "' + '\\"' * 100_000 + "\\") is None


def test_jsonld_is_bounded() -> None:
    assert parse("[" * 100_000) is None
    assert parse('"' + "x" * MAX_CHARS + '"') is None
    assert parse("{") is None
    deep: object = {"@type": "Article"}
    for _ in range(30):
        deep = [deep]
    assert list(records(deep)) == []
    assert names([{"name": "a"}, "b", 3, None, {"name": 4}]) == ["a", "b"]
    assert of_page(described(Page.from_html("").tree)) == []


@given(st.text(alphabet='{}[]",:\\/*\n a1', max_size=60))
def test_any_script(text: str) -> None:
    parse(text)


@pytest.mark.full
@pytest.mark.parametrize("unit", ['\\"', "/*", ",", "{", '"', "//", "<!--", "[,", " "])
@pytest.mark.usefixtures("without_gc")
def test_scripts_cost_linear_time(unit: str) -> None:
    costs = []
    for n_chars in (20_000, 200_000):
        text = '{"a":' + unit * (n_chars // len(unit)) + "!"
        start = time.process_time()
        parse(text)
        costs.append(time.process_time() - start)
    assert costs[1] < 40 * max(costs[0], 0.002)


@pytest.mark.parametrize(
    "unit",
    [
        "来源：", "作者：甲 ", "：", "记者", "记者甲乙丙", "甲乙、", "By A", "By Aa Bb ", "文/", "2012-01-01 ", "<h1>a-b", "<td>1",
        "<time datetime=2012-01-01>", "<meta name=a content=b>", "a - ", "编辑：", "［记者 ", "〔", "\n", "<br>", "报導／", "1年",
        "文 | ", "|", "作者丨甲", "甲乙/文 ", "（通讯员 ", "来源：<br>", "By Aa Bb, ", "posted @ ", " powered by",
    ],
)  # fmt: skip
def test_hostile_pages_cost_linear_time(unit: str) -> None:
    costs = []
    for n_chars in (20_000, 200_000):
        page = Page.from_html(
            f"<title>{unit * 99}</title><h1>a</h1>{unit * (n_chars // len(unit))}"
        )
        _ = page.tree.run_raw, page.tree.run_end, page.tree.run_anchor, page.tree.tag
        start = time.process_time()
        metadata(page)
        costs.append(time.process_time() - start)
    assert costs[1] < 40 * max(costs[0], 0.005)


@pytest.mark.full
def test_miniweb_truth() -> None:
    web = MiniWeb(seed=11, n_hosts=24, n_pages=700, hostile=False)
    right = dict.fromkeys(("title", "date", "source", "person"), 0)
    n_pages = 0
    for host in truth(web).hosts.values():
        for url in host.levels:
            known = page_truth(web, url)
            if known is None or known.kind != "topic" or not known.date:
                continue
            scheme, _, rest = url.partition("://")
            name, _, path = rest.partition("/")
            found = metadata(Page.from_bytes(web.respond(Ask(scheme, name, "/" + path)).body, url))
            n_pages += 1
            right["title"] += found.title == known.title
            right["date"] += found.published.replace("T", " ") == known.date
            right["source"] += found.source == known.source
            right["person"] += known.author in (found.author, found.editor)
    assert n_pages > 300
    assert {name: count / n_pages > 0.97 for name, count in right.items()} == dict.fromkeys(
        right, True
    )


@settings(max_examples=examples(300))
@given(markup)
def test_any_markup(html: str) -> None:
    page = Page.from_html(html)
    found = metadata(page)
    assert all(isinstance(getattr(found, name), str) for name in found.__slots__)
    lines = PageLines(page.tree)
    shown = "".join(
        run for run, raw in zip(page.tree.runs, page.tree.run_raw, strict=True) if not raw
    )
    assert "".join(lines.text.split()) == "".join(shown.replace("\x01", "").split())
    assert lines.text == "\n".join(lines.lines)


def test_lines() -> None:
    page = Page.from_html(
        "<h1> a  b<br>c</h1><p>d <b>e</b>\n<script>x</script>f<td>g\x01h<div><a href=x>i</a> </div>"
    )
    lines = PageLines(page.tree)
    assert lines.lines == ["a b", "c", "d e fg\x01h", "i"]
    number = lines.lines.index("i")
    assert lines.is_link(number)
    assert not lines.is_link(0)
    assert lines.line_at(lines.start_of(number)) == number
    assert len(PageLines(Page.from_html("<p>x" * (MAX_LINES + 50)).tree).lines) <= MAX_LINES


def test_white_space_between_blocks_is_no_line() -> None:
    tight = Page.from_html("<div>a</div><div></div><ul><li>b</li><li>c</li></ul><p>d")
    wide = Page.from_html("<div>a</div>\n <div> </div>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul> <p>d")
    assert PageLines(tight.tree).lines == PageLines(wide.tree).lines == ["a", "b", "c", "d"]
    numbers = map(PageLines(wide.tree).line_of_run, range(len(wide.tree.runs)))
    assert [line for line in numbers if line >= 0] == [0, 1, 2, 3]
    assert not PageLines(Page.from_html("<div> </div> <p>\u200b</p>\n").tree).lines


@pytest.mark.parametrize("n_lines", [3, 60])
def test_the_date_of_an_edit_far_below_the_text_is_the_only_one(n_lines: int) -> None:
    body = "<h1>市民广场周末举行露天音乐会</h1>" + n_lines * _BODY
    below = "<div>编辑于 2012-03-05 08:30・浙江</div>"
    assert _read(body + below).published == "2012-03-05T08:30"


def test_a_link_above_a_date_is_no_label() -> None:
    head = (
        "<ul><li><a href=/guest>留言</a></ul><p>2012-03-05</p><h1>市民广场周末举行露天音乐会</h1>"
    )
    assert _read(head + _BODY).published == "2012-03-05"


@pytest.mark.parametrize("n_blocks", [0, 20, 80])
def test_a_date_does_not_depend_on_white_space_between_blocks(n_blocks: int) -> None:
    buttons = [f"<div>栏目{number}</div>" for number in range(n_blocks)]
    blocks = [
        "<h1>市民广场周末举行露天音乐会</h1>",
        *buttons,
        "<time datetime=2012-03-05>上周</time>",
        _BODY,
    ]
    assert _read("\n".join(blocks)).published == _read("".join(blocks)).published != ""


def _real() -> list[tuple[str, bytes, str]]:
    if not (SHARED / "extraction").is_dir():
        pytest.skip("real pages are not here")
    found = []
    for path in sorted((SHARED / "extraction").glob("*.gz")):
        with gzip.open(path, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                found.append((row["id"], base64.b64decode(row["body_b64"]), row["url"]))
    return found


@pytest.mark.full
@pytest.mark.shared
def test_dates_read_by_hand() -> None:
    known = dict(line.split("\t")[:2] for line in _TRUTH.read_text().splitlines() if line[0] != "#")
    right = wrong = 0
    for name, body, url in _real():
        day = known.get(name, "?")
        if day != "?":
            found = metadata(Page.from_bytes(body, url)).published
            is_right = found.startswith(day) if day != "-" else not found
            right += is_right
            wrong += not is_right
    assert right + wrong == 56
    assert right >= 54


@pytest.mark.full
@pytest.mark.shared
def test_damaged_real_pages() -> None:
    dice = random.Random(4)
    costs = []
    for _, body, url in dice.sample(_real(), 60):
        for _ in range(3):
            damaged = bytearray(body[: dice.randrange(len(body) + 1)])
            for _ in range(dice.randrange(30)):
                if damaged:
                    place = dice.randrange(len(damaged))
                    damaged[place : place + dice.randrange(9)] = dice.choice(
                        [b"<", b">", b'"', b"\0", b"\xff", b"</", b"&#"]
                    )
            page = Page.from_bytes(bytes(damaged), url)
            _ = page.tree.run_raw, page.tree.run_end, page.tree.run_anchor, page.tree.tag
            start = time.process_time()
            metadata(page)
            costs.append(time.process_time() - start)
    costs.sort()
    assert costs[-1] < 50 * costs[len(costs) // 2] + 0.01
