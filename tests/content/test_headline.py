"""The headline: cut titles, choose among headings, never lose a hyphen inside a headline."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content import METHODS, find_headline, headline
from quarkcrawl.content.declared import Declared
from quarkcrawl.content.headline import (
    bare,
    common_chars,
    is_site_name,
    is_squeezed,
    parts,
    spans,
    squeezed,
    strip_site,
    without_headline,
)
from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.page import Page
from tests.profiles import examples

_SITES = ("春城晚报", "某某网", "晨星新闻网", "Example News", "example.com", "綠野論壇")
_SEPARATORS = ("_", " - ", "-", " | ", "|", "｜", "——", "–", " :: ", " » ", "--", " — ")


def _headline(html: str) -> tuple[str, str]:
    found = metadata(Page.from_html(html))
    return found.title, found.title_from


_CUTS = [
    (site, separator)
    for site in _SITES
    for separator in _SEPARATORS
    if not (separator in ("-", "–") and site.isascii())  # there a hyphen is part of a word
]


@pytest.mark.parametrize(("site", "separator"), _CUTS)
def test_site_falls_off_where_nothing_is_shown(site: str, separator: str) -> None:
    title = "市民广场周末举行露天音乐会"
    html = f"<title>{title}{separator}{site}</title><p>" + "正文内容。" * 40
    assert _headline(html) == (title, "title")


@pytest.mark.parametrize(
    "title",
    [
        "“高-低”之争：一场没有赢家的比赛", "A-share rally continues: why now?", "2012-2013年度报告 | 第一部分说明",
        "访谈｜他说：“书_是_药”", "C++ :: 模板的一些技巧", "【交通-樞紐】考古體驗活動", "X-Men 与 Spider-Man 谁更强",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["h1", "h2", "h3", "p", "div"])
def test_a_headline_shown_whole_is_kept_whole(title: str, name: str) -> None:
    html = f"<title>{title}_新闻中心_某某网</title><p>某某网<p>新闻中心<{name}>{title}</{name}><p>"
    assert _headline(html + "正文内容。" * 40)[0] == title


def test_logo_is_no_headline() -> None:
    html = """<title>命令执行漏洞 | have a nice day</title><h1><a href=/>have a nice day</a></h1>
    <h2>命令执行漏洞</h2><p>正文</p><h2>其他文章</h2>"""
    assert _headline(html) == ("命令执行漏洞", "h2")


def test_site_in_front() -> None:
    html = "<title>自由電子報 - 固定運動的人 薪水比不運動者多</title><p>固定運動的人 薪水比不運動者多<p>x"
    assert _headline(html) == ("固定運動的人 薪水比不運動者多", "line")


def test_trail_of_links_in_a_heading() -> None:
    html = """<title>春天的第一场雨来得正是时候 - 某某网</title>
    <h1>某某网 〉新闻 〉春天的第一场雨来得正是时候</h1><h1>其他新闻：</h1>"""
    assert _headline(html) == ("春天的第一场雨来得正是时候", "h1")


def test_noise_in_a_heading() -> None:
    html = "<title>春天的第一场雨来得正是时候_某某网</title><h1>春天的第一场雨来得正是时候<i>播报</i></h1>"
    assert _headline(html)[0] == "春天的第一场雨来得正是时候"


def test_general_title_yields_to_the_heading() -> None:
    html = "<title>南生论坛</title><h1>社区运营的一些想法</h1><h2>项目架构</h2><p>正文"
    assert _headline(html) == ("社区运营的一些想法", "h1")


def test_declared_titles() -> None:
    html = """<meta property="og:title" content="春天的第一场雨"><title>各館訊息</title><p>無題"""
    assert _headline(html) == ("春天的第一场雨", "meta")
    ld = """<script type="application/ld+json">{"@type":"NewsArticle","headline":"雨"}</script>"""
    assert metadata(Page.from_html(ld)).title == "雨"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>北京看到了流星 - 新闻频道</title><h1>某某网</h1><p>北京看到了流星", "北京看到了流星"),
        ("<title>北京看到了流星_新闻频道</title><p>没有标题的文字", "北京看到了流星"),
        ("<h2>只有小标题</h2>", "只有小标题"),
        ("<title>某某网：北京看到了流星</title><h1>北京看到了流星</h1>", "北京看到了流星"),
        ("<title>湖边读书会|新闻</title><div>湖边读书会</div><p>正文", "湖边读书会"),
        ("<title>示例大学</title><h1>湖边的读书会开始了</h1>", "湖边的读书会开始了"),
        ("<meta property=og:title content='湖边读书会 | 示例'><p>正文", "湖边读书会"),
        ("<title>某一个题目_站</title><p>正文", "某一个题目"),
        ("<title>通知_东海大学教务处</title><h2>通知</h2><p>正文", "通知"),
        ("<title>华为发布Mate60-东海网</title><p>正文", "华为发布Mate60"),
        ("<title>Mate60-手机</title><p>正文", "Mate60-手机"),
        ("<title>流星雨来了_教育_流星之家-一位观星者的博客!</title><h2>流星雨来了</h2>", "流星雨来了"),
    ],
)  # fmt: skip
def test_what_title_and_page_agree_on(html: str, expected: str) -> None:
    assert find_headline(Page.from_html(html).tree).text == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>会议通知与日程安排</title><h1>读书会改在周日举行</h1>", "读书会改在周日举行"),
        ("<title>会议通知与日程安排</title><h1>其他新闻：</h1>", "会议通知与日程安排"),
        ("<title>会议通知与日程安排</title><h1>读书会改期</h1><h1>电影周延期</h1>", "会议通知与日程安排"),
    ],
)  # fmt: skip
def test_the_only_h1_counts_though_the_title_says_something_else(html: str, expected: str) -> None:
    assert find_headline(Page.from_html(html).tree).text == expected


def test_sign_of_a_link_to_the_heading() -> None:
    html = "<title>Monitoring Guide — Tool docs</title><h1>Monitoring Guide<a href=#a>¶</a></h1>"
    assert find_headline(Page.from_html(html).tree).text == "Monitoring Guide"


def test_a_button_behind_a_headline_is_no_part_of_it() -> None:
    page = (
        "<title>Monitoring Guide — Docs</title><h1>{}</h1><p>"
        + "Look at the counters first, they tell the most. " * 9
    )
    content = qc.extract(page.format("Monitoring Guide <button>Copy link</button>"))
    assert (content.title, "Copy" in content.text) == ("Monitoring Guide", False)
    assert qc.extract(page.format("<button>Monitoring Guide</button>")).title == "Monitoring Guide"


def test_quotation_marks_are_no_separators() -> None:
    title = "«В эфире» перевозки и питание"
    html = f"<title>Газета : {title}</title><p>{title}<p>x"
    assert find_headline(Page.from_html(html).tree).text == title


def test_a_declared_title_shown_whole_is_not_cut() -> None:
    title = "UN-Konferenz - DRK: Immer mehr Menschen"
    html = f"<meta property=og:title content='{title}'><title>Kreuz - {title}</title><h1>{title}"
    assert find_headline(Page.from_html(html).tree).text == title


def test_one_headline_for_all_methods() -> None:
    html = (
        "<title>流星雨来了_新闻</title><h2>流星雨来了</h2><p>" + "昨天，北京看到了流星，很亮。" * 20
    )
    found = [qc.extract(html, method=method) for method in METHODS]
    assert {(content.title, content.metadata.title) for content in found} == {("流星雨来了",) * 2}
    assert not any("流星雨来了" in content.text for content in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("新闻\n流 星\n昨天\n流星", "新闻\n昨天\n流星"),
        ("昨天的流星\n很亮", "昨天的流星\n很亮"),
        ("1\n2\n3\n4\n5\n6\n流星", "1\n2\n3\n4\n5\n6\n流星"),
        ("流星\n1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\n5\n6\n7"),
        ("", ""),
    ],
)
def test_a_text_without_its_headline(text: str, expected: str) -> None:
    titled = Page.from_html("<title>流星_新闻频道</title><h2>流星</h2>").tree
    assert without_headline(text, titled, Declared(titled))[0] == expected
    untitled = Page.from_html("<h2>流星</h2>").tree
    assert without_headline(text, untitled, Declared(untitled))[0] == expected
    untold = Page.from_html("<p>流星").tree
    assert without_headline(text, untold, Declared(untold)) == (text, None)


def test_no_title_at_all() -> None:
    assert _headline("<p>text") == ("", "")
    assert _headline("") == ("", "")


def test_parts_and_spans() -> None:
    title = "甲乙_丙丁-《财经网》"
    assert [title[first:last] for first, last in parts(title)] == ["甲乙", "丙丁", "《财经网》"]
    assert spans(title)[0] == title
    assert len(spans(title)) == 6
    assert len(spans("a_b" * 300)) <= 55


def test_names_of_sites() -> None:
    for name in (
        "新浪网",
        "NOWnews 今日新聞網",
        "正北方网（原北方新闻网）",
        "example.com",
        "某某论坛",
    ):
        assert is_site_name(name)
    for name in ("“严格合作社”走进济南电视台", "春天来了", "网上购物的风险"):
        assert not is_site_name(name)


@given(st.text(alphabet="甲乙网報BLOGblog.COMcom(（原)）po wered by\n", max_size=45))
def test_names_of_sites_against_their_pattern_alone(text: str) -> None:
    n_hanzi = sum("\u4e00" <= char <= "\u9fff" for char in re.split("[（(]", text)[0])
    expected = len(text) <= 40 and headline._SITE.search(text) is not None and n_hanzi <= 9
    assert is_site_name(text) == expected


_TEXTS = st.text(alphabet="甲乙丙丁_-|：: ｜《》【】ab网", max_size=60)


@given(_TEXTS)
def test_any_title(title: str) -> None:
    places = parts(title)
    assert all(first < last for first, last in places)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(places))
    assert all(span in title for span in spans(title))
    assert strip_site(title) in title


def _naive(first: str, second: str) -> int:
    pieces = {first[a:b] for a in range(len(first)) for b in range(a + 1, len(first) + 1)}
    return max((len(piece) for piece in pieces if piece in second), default=0)


@given(st.text("abc", max_size=24), st.text("abc", max_size=24), st.integers(1, 10))
def test_common_chars_against_a_naive_search(first: str, second: str, least: int) -> None:
    n_chars = _naive(first, second)
    assert common_chars(first, second) == n_chars
    assert common_chars(first, second, least) == (n_chars if n_chars >= least else 0)


@settings(max_examples=examples(100))
@given(
    st.lists(
        st.tuples(st.sampled_from(["h1", "h2", "h3", "p", "a", "title", "div"]), _TEXTS),
        max_size=12,
    )
)
def test_any_page(elements: list[tuple[str, str]]) -> None:
    page = Page.from_html("".join(f"<{name}>{text}</{name}>" for name, text in elements))
    found = metadata(page)
    assert bare(found.title) in bare(page.tree.title + "".join(page.tree.runs))
    assert bool(found.title) == bool(found.title_from)


_odd = st.text("ab1 A~.,京北文　（）ＡﬁⅣ①\u0301\u0338\u3099\ufe0f\u200b神゙ガカﾞİß\n\t", max_size=14)


@settings(max_examples=examples(400))
@given(st.one_of(_odd, st.text(max_size=14)), _odd)
def test_what_is_told_by_a_part_is_what_comparing_all_tells(text: str, other: str) -> None:
    assert is_squeezed(text, squeezed(text))
    assert is_squeezed(text, squeezed(other)) == (squeezed(text) == squeezed(other))


@pytest.mark.parametrize(
    "window", ["<dialog>", "<div class='modal fade'>", "<div id=login-modal>", "<div role=dialog>"]
)
def test_headings_of_windows_are_no_headlines(window: str) -> None:
    opened = (
        f"{window}<div class=top><h1>登录</h1></div></{'dialog' if 'div' not in window else 'div'}>"
    )
    html = f"<title>享受·生活</title>{opened}<h3>镜像同步变慢了</h3><p>" + "正文内容。" * 40
    assert _headline(html)[0] == "镜像同步变慢了"
    assert _headline(html.replace(window, "<div class=models>"))[0] == "登录"


_TEXT = "<p>湖面上的风停了，船就靠在岸边，等着下一班客人，也等着第二天早晨的第一声汽笛。</p>"


@pytest.mark.parametrize(
    "byline",
    [
        "2005年11月23日 09:15",
        "作者：何远帆 来源：湖畔日报",
        "——湖畔散步纪实<br>本报记者 何远帆",
        "本报见习记者 何远帆 林若兰",
    ],
)
@pytest.mark.parametrize("site", ["湖畔日报", "谢谢您访问湖畔在线", ""])
def test_a_headline_above_its_byline_where_all_pages_have_one_title(site, byline):
    title = "老码头迎来早班船"
    body = f"<div>首页 新闻 论坛</div><div><b>{title}</b></div><div>{byline}</div>{_TEXT * 3}"
    page = Page.from_html(f"<title>{site}</title><body>{body}")
    assert find_headline(page.tree).text == title
    content = qc.extract(page)
    assert content.title == title
    assert title not in content.text


def test_no_line_above_a_byline_outdoes_a_title():
    shown = f"<div>老码头迎来早班船</div><div>2005年11月23日</div>{_TEXT}"
    title = "市民广场周末举行露天音乐会及书市"
    assert _headline(f"<title>{title}</title><body>{shown}") == (title, "title")
    assert _headline(f"<title>湖畔日报</title><body>{shown * 4}") == ("湖畔日报", "title")
    assert (
        _headline(f"<title>湖畔日报</title><body>湖边的人。<p>2005年11月23日{_TEXT}")[0]
        == "湖畔日报"
    )


@pytest.mark.parametrize("name", ["Ring< T >", "Ring< List< T > >", "Ring< K, V >::Slot< K >"])
@pytest.mark.parametrize("tag", ["h1", "div"])
def test_parameters_of_a_type_are_no_trail(name, tag):
    name = name.replace("<", "&lt;").replace(">", "&gt;")
    shown = f"{name} Class Template Reference"
    text = f"<p>{_TEXT}</p>" * 3
    html = f"<title>libring: {shown}</title><body><{tag} class=title>{shown}</{tag}>{text}"
    title, _ = _headline(html)
    assert title == shown.replace("&lt;", "<").replace("&gt;", ">")
