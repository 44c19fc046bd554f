"""Dates: every printed form, declared forms, URLs; nothing raises, nothing is slow."""

from __future__ import annotations

import itertools
import random
import re
import time
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.content.metadata.dates.dates import (
    Stamp,
    is_plausible,
    parse_iso,
    parse_offset,
    stamp_of_url,
)
from quarkcrawl.content.metadata.dates.forms import RARE_HINTS, find_dates, find_relative
from quarkcrawl.content.metadata.loops import hinted_lines
from quarkcrawl.page import Page
from tests.profiles import examples

_HAN = "〇一二三四五六七八九"


def _han(number: int) -> str:
    """A number below forty in Chinese, written for the tests."""
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else _HAN[tens] + "十"
    return head + (_HAN[ones] if ones else "")


_DAY = date(2012, 3, 5)
_PRINTED = {
    "2012年3月5日": "2012-03-05",
    "2012年03月05日 08:30": "2012-03-05T08:30",
    "2012年03月05日08:30": "2012-03-05T08:30",
    "2012年3月5日 8时30分": "2012-03-05T08:30",
    "2012-03-05 08:30:12": "2012-03-05T08:30:12",
    "2012-3-5": "2012-03-05",
    "2012/3/5 18:05": "2012-03-05T18:05",
    "2012.03.05": "2012-03-05",
    "2012 年 3 月 5 日": "2012-03-05",
    "２０１２年３月５日": "2012-03-05",
    "二〇一二年三月五日": "2012-03-05",
    "二○一二年十二月三十一日": "2012-12-31",
    "民國101年3月5日": "2012-03-05",
    "中華民國 101 年 3 月 5 日": "2012-03-05",
    "101/03/05": "2012-03-05",
    "101年3月5日": "2012-03-05",
    "12-03-05 08:30": "2012-03-05T08:30",
    "3月5日 08:30": "2012-03-05T08:30",
    "03-05 08:30": "2012-03-05T08:30",
    "2012年3月5日 星期一 下午3:05": "2012-03-05T15:05",
    "2012年03月05日（星期一）上午9時05分": "2012-03-05T09:05",
    "2012-03-05 12:10 凌晨": "2012-03-05T12:10",
    "三月 5, 2012": "2012-03-05",
    "10 月 3, 2016": "2016-10-03",
    "March 5, 2012 8:30 pm": "2012-03-05T20:30",
    "Mar. 5th, 2012": "2012-03-05",
    "Mon Mar 5 08:30:00 2012": "2012-03-05",
    "Mon Mar 05 08:30:00 CST 2012": "2012-03-05",
    "Mon Mar 05 08:30:00 +0800 2012": "2012-03-05",
    "5 March 2012": "2012-03-05",
    "Mon, 5-Mar-2012 08:30 GMT": "2012-03-05T08:30+00:00",
    "12/31/2012": "2012-12-31",
    "31/12/2012": "2012-12-31",
    "31.12.2012": "2012-12-31",
    "2012-03-05T08:30:00+08:00": "2012-03-05T08:30:00+08:00",
    "2012-03-05T08:30:00Z": "2012-03-05T08:30:00+00:00",
    "2012-01-11 HKT 21:43": "2012-01-11T21:43",
}


@pytest.mark.parametrize(("text", "wanted"), _PRINTED.items())
def test_printed_forms(text: str, wanted: str) -> None:
    for line in (text, f"发布时间：{text} 来源：某报", f"（{text}）"):
        found = find_dates(line, roc=True, year=2012)
        assert [str(printed.stamp) for printed in found] == [wanted], line
        assert line[found[0].start : found[0].end].strip(" ）") in text + "）"
        assert (
            hinted_lines(line, 0, len(line), 0)[0]
            or any(mark in line for mark in RARE_HINTS)
            or "月" in text
        )


@pytest.mark.parametrize(
    "text",
    [
        "192.168.1.20", "13.5%", "2012-13-05", "2012-02-30", "1.2.3", "400-810-8888", "010-62512345", "2012年",
        "3/4", "20120305123", "99.99.99", "第3-5页", "10-12岁", "ISBN 978-7-302-12345", "12:30:45",
        "2012年3月份", "增长2012.3.5%",
    ],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert find_dates(text) == []


def test_order_of_day_and_month() -> None:
    assert str(find_dates("5/3/2012")[0].stamp) == "2012-05-03"
    assert str(find_dates("5/3/2012", day_first=True)[0].stamp) == "2012-03-05"
    assert str(find_dates("3月5日", year=2010)[0].stamp) == "2010-03-05"
    assert find_dates("3月5日") == []
    assert find_dates("101/03/05") == []


def test_several_dates_of_a_line() -> None:
    found = find_dates("2012-03-05 08:30 更新 2012年3月6日，March 7, 2012")
    assert [str(printed.stamp) for printed in found] == [
        "2012-03-05T08:30",
        "2012-03-06",
        "2012-03-07",
    ]
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


_DAYS = st.dates(date(1990, 1, 1), date(2089, 12, 31))


@given(_DAYS, st.integers(0, 23), st.integers(0, 59))
def test_every_day_in_every_form(day: date, hour: int, minute: int) -> None:
    clock = f"{hour:02}:{minute:02}"
    english = day.strftime("%B %d, %Y")
    numerals = "".join(_HAN[int(digit)] for digit in str(day.year))
    forms = [
        f"{day.year}年{day.month}月{day.day}日 {clock}",
        f"{day.isoformat()} {clock}",
        f"{day:%Y/%m/%d} {clock}",
        f"{english} {clock}",
        f"{day.day} {day:%b} {day.year} {clock}",
        f"民國{day.year - 1911}年{day.month}月{day.day}日 {clock}",
        f"{numerals}年{_han(day.month)}月{_han(day.day)}日 {clock}",
        f"{day:%y-%m-%d} {clock}",
    ]
    for form in forms:
        (found,) = find_dates(form, roc="民" in form)
        assert str(found.stamp) == f"{day.isoformat()}T{clock}", form
    assert str(parse_iso(f"{day.isoformat()}T{clock}:07+08:00")) == (
        f"{day.isoformat()}T{clock}:07+08:00"
    )
    assert stamp_of_url(f"http://a.cn/news/{day:%Y/%m/%d}/1.html") == Stamp(day)


@given(st.text(alphabet="0123456789年月日-/.: 民國〇一十AMpmJanuary上午Z+", max_size=80))
def test_any_line(text: str) -> None:
    for printed in find_dates(text, roc=True, year=2000):
        assert 0 <= printed.start < printed.end <= len(text)
        assert parse_iso(str(printed.stamp)) == printed.stamp or printed.stamp.day.year < 1900
    parse_iso(text)
    stamp_of_url("http://" + text)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://a.cn/2012/03/05/1.html", "2012-03-05"),
        ("http://a.cn/2012/3/5/", "2012-03-05"),
        ("http://a.cn/2012-03-05/123.shtml", "2012-03-05"),
        ("http://a.cn/20120305/x", "2012-03-05"),
        ("http://a.cn/gn/202405/t20240513_15249693.htm", "2024-05-13"),
        ("http://a.cn/c/2012/0305/c12.html", "2012-03-05"),
        ("http://a.cn/2024-05/20/content_1.htm", "2024-05-20"),
        ("http://a.cn/rain/a/20240518A060RN00", "2024-05-18"),
        ("http://a.cn/content_37330990.htm", None),
        ("http://a.cn/2012/12345.html", None),
        ("http://a.cn/p/20123456.html", None),
        ("http://2012.a.cn/", None),
        ("", None),
    ],
)
def test_dates_of_urls(url: str, wanted: str | None) -> None:
    found = stamp_of_url(url)
    assert (str(found) if found else None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("20120305", "2012-03-05"),
        ("20120305083000", "2012-03-05"),
        ("2012-03-05T08:30Z", "2012-03-05T08:30+00:00"),
        ("2012-03-05T08:30:00.123-0530", "2012-03-05T08:30:00-05:30"),
        ("2012-3-5 8:30", "2012-03-05T08:30"),
        ("2012-02-30", None),
        ("soon", None),
        ("", None),
    ],
)
def test_declared_dates(text: str, wanted: str | None) -> None:
    found = parse_iso(text)
    assert (str(found) if found else None) == wanted


def test_relative_dates() -> None:
    now = datetime(2012, 3, 5, 8, 30, tzinfo=UTC)
    for text, wanted in {
        "3小时前": "2012-03-05T05:30",
        "12 分钟前": "2012-03-05T08:18",
        "昨天 07:10": "2012-03-04T07:10",
        "前天": "2012-03-03",
        "5天前": "2012-02-29",
        "2 hours ago": "2012-03-05T06:30",
        "刚刚": "2012-03-05",
        "yesterday": "2012-03-04",
    }.items():
        (found,) = find_relative(f"某某 {text} 阅读", now)
        assert str(found.stamp) == wanted
    assert list(find_relative("今天天气好，3天以后再说", now)) == []


def test_offsets_and_time_zones() -> None:
    assert [parse_offset(zone) for zone in ("Z", "+08:00", "GMT-0330", "+99:00", "", None)] == [
        0, 480, -210, None, None, None,
    ]  # fmt: skip
    late = parse_iso("2012-03-05T18:30:00Z")
    assert late is not None
    assert late.local_days() == {date(2012, 3, 5), date(2012, 3, 6)}
    assert late.precision == 3


def test_plausible() -> None:
    today = date(2026, 11, 20)
    assert is_plausible(today, today)
    assert is_plausible(today + timedelta(days=1), today)
    assert not is_plausible(today + timedelta(days=9), today)
    assert not is_plausible(date(1899, 1, 1), today)


@pytest.mark.full
@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "2012-",
        "2012年",
        " ",
        "12:",
        "1/",
        "Jan ",
        "民國",
        "十",
        "〇",
        "2012-01-01 ",
        "上午",
        "周",
    ],
)
@pytest.mark.usefixtures("without_gc")
def test_time_is_linear(unit: str) -> None:
    """Ten times the text costs about ten times as much, not a hundred times."""
    costs = []
    for n_chars in (3_000, 30_000):
        line = "2012" + unit * (n_chars // len(unit))
        start = time.process_time()
        find_dates(line, roc=True, year=2000)
        list(find_relative(line, datetime(2012, 3, 5, tzinfo=UTC)))
        parse_iso(line)
        costs.append(time.process_time() - start)
    assert costs[1] < 40 * max(costs[0], 0.002)


@settings(max_examples=examples(20))
@given(st.randoms(use_true_random=False))
def test_found_dates_never_overlap(dice: random.Random) -> None:
    pieces = [*_PRINTED, "x", "，", " "]
    line = "".join(dice.choice(pieces) for _ in range(12))
    found = find_dates(line, roc=True, year=2012)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("5. März 2012", "2012-03-05"), ("05. Dez. 2012, 08:30 Uhr", "2012-12-05T08:30"), ("le 5 août 2012", "2012-08-05"),
        ("1er mai 2012", "2012-05-01"), ("5 de mayo de 2012", "2012-05-05"), ("5 ottobre 2012", "2012-10-05"),
        ("5 października 2012", "2012-10-05"), ("5 марта 2012", "2012-03-05"), ("20 Feb, 2012", "2012-02-20"),
        ("March 5, 2012March 5, 2012", "2012-03-05"), ("5 Foo 2012", ""), ("Foobar 5, 2012", ""),
    ],
)  # fmt: skip
def test_months_in_other_languages(line: str, wanted: str) -> None:
    assert "".join(str(found.stamp) for found in find_dates(line)[:1]) == wanted


def test_short_years_behind() -> None:
    assert str(find_dates("28.01.22", day_first=True)[0].stamp) == "2022-01-28"
    assert str(find_dates("12.03.05")[0].stamp) == "2012-03-05"


_ENGLISH = "<p>" + "The library opens at nine, and people read by the windows. " * 9 + "</p>"


def _published(
    body: str,
    head: str = "",
    url: str = "https://example.org/1",
    end: str = "",
    fetched: datetime | None = None,
) -> str:
    title = "A new library opens its doors"
    html = f"<title>{title}</title>{head}<h1>{title}</h1>{body}{_ENGLISH}{end}"
    return metadata(Page.from_html(html, url), fetched=fetched).published


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<p>02-12-2025</p><p>25-12-2025</p>", "2025-12-02"),
        ("<p>02-12-2025</p><p>12-25-2025</p>", "2025-02-12"),
        ("<p>02/12/2025</p><p>25/12/2025</p>", "2025-12-02"),
        ("<p>02/12/2025</p>", "2025-02-12"),
        ("<p>02-12-2025</p>", "2025-12-02"),
        ("<p>02-12-2025, 08:30 AM</p>", "2025-02-12T08:30"),
    ],
)
def test_day_and_month_are_told_apart_by_the_page(body: str, wanted: str) -> None:
    assert _published(body) == wanted


def _jsonld(stamp: str) -> str:
    return f'<script type="application/ld+json">{{"@type":"Article","datePublished":"{stamp}"}}</script>'


@pytest.mark.parametrize(
    ("stamp", "body", "wanted"),
    [
        # It was evening there when it was the next day in UTC.
        ("2022-05-04T02:41:00Z", "<p>May 3, 2022 22:41</p>", "2022-05-03T22:41"),
        # The declaration has day and month swapped, which a month with a name tells.
        ("2022-05-03T08:30:00", "<p>March 5, 2022</p>", "2022-03-05"),
        ("2022-05-03T08:30:00", "<p>3/5/2022</p>", "2022-05-03T08:30:00"),
        # A page made anew later, which still says when it was published.
        ("2025-06-12", "<p>Published: November 2, 2022</p>", "2022-11-02"),
        # A page that was changed later.
        ("2022-11-02", "<p>Updated: June 12, 2025</p>", "2022-11-02"),
        ("2022-11-02", "<p>November 3, 2022</p>", "2022-11-02"),
        ("2022-11-02T08:30:00+01:00", "<p>November 3, 2022</p>", "2022-11-02T08:30:00+01:00"),
    ],
)
def test_printed_beside_declared(stamp: str, body: str, wanted: str) -> None:
    assert _published(body, _jsonld(stamp)) == wanted


def test_midnight_in_utc() -> None:
    german = "<p>" + "Die Bücherei öffnet um neun, und die Leute lesen an den Fenstern. " * 9
    page = Page.from_html(f"<html lang=de>{_jsonld('2022-11-06T23:00:00Z')}<h1>Neu</h1>{german}")
    assert metadata(page).published == "2022-11-07"
    assert _published("", _jsonld("2022-11-06T23:00:00Z")) == "2022-11-06T23:00:00+00:00"


_REST = (
    "the library opened its doors, and all the people of the town came to see what was new in it"
)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<p><a href=/1>March 5, 2012</a></p>", "2012-03-05"),
        (f"<p>March 5, 2012 – {_REST}</p>", "2012-03-05"),
        (f"<p>In the spring of March 5, 2012 {_REST}</p>", ""),
        (_ENGLISH + "<p>x</p>" * 60 + "<p>Published: March 5, 2012</p>", "2012-03-05"),
        (_ENGLISH + "<p>x</p>" * 60 + "<p>Updated: March 5, 2012</p>", ""),
    ],
)
def test_where_dates_stand(body: str, wanted: str) -> None:
    assert _published(body) == wanted


_HINT = re.compile(r"[0-9](?:(?<=[12])[09][0-9][0-9]|\s?[-/.年月]\s?[0-9])")


@given(st.text("0129 \n-/.年月中〇２", max_size=20), st.integers(0, 8), st.integers(0, 20))
@settings(max_examples=examples(300))
def test_lines_with_hints_of_dates_are_those_that_a_pattern_finds(text, first, last):
    first = min(first, len(text))
    places = (match.start() for match in _HINT.finditer(text, first, last))
    lines = list(dict.fromkeys(text.count("\n", 0, place) for place in places))
    found, has_rare = hinted_lines(text, first, last, text.count("\n", 0, first))
    assert found == lines
    assert has_rare or not any(mark in text[first:last] for mark in RARE_HINTS)


_ITEMS = """<ul><li><a href=/1>秋季流感疫苗开始接种</a><span>2024-05-10</span></li>
<li><a href=/2>多所高校公布招生计划</a><span>2024-05-11</span></li></ul>"""
_CARDS = """<div><a href=/1>Seven new trains for the old line</a></div><div>May 10, 2024</div>
<div><a href=/2>The museum is open in the evening</a></div><div>May 11, 2024</div>"""
_COMMENT = """<div id=comments><div class=comment><b>Bob</b>
<time datetime=2024-03-05T10:00>March 5, 2024</time><p>I like it.</p></div></div>"""


@pytest.mark.parametrize(
    "body",
    [
        "<p>公司于2003年5月1日在苏州注册，注册资本五千万元，员工三百余人。</p>",
        "<p>2003年5月1日，公司在苏州注册成立分公司。</p>",
        "<p>On 3 May 2019, a fire destroyed the old building.</p>",
        "<p>The novel was published on 3 May 2019.</p><p>The bridge opened on 3 May 2019.</p>",
        "<p>会议时间：2024年6月15日</p>", "<p>考试日期：2024-06-15</p>", "<p>Deadline: 15 June 2024</p>",
        "<p>Closing date: 15 June 2024</p>", "<p>Start date: 15 June 2024</p>", "<p>When: 15 June 2024</p>",
        "<p>时间：2024年6月15日</p><p>地点：图书馆</p>", "<p>2024年6月15日至16日</p>",
        "<p>3 June 2024 10:00 - 12:00</p>",
    ],
)  # fmt: skip
def test_dates_of_something_else(body: str) -> None:
    assert _published(body) == ""


@pytest.mark.parametrize(
    "line",
    [
        "Harbor Times 5 March 2012", "Air date: 2012-03-05", "March 5, 2012 - 5 Comments",
        "日期：2012-03-05，来源：江城日报，作者：张三", "2012-03-05，来源：江城日报社",
        "江城日报；2012-03-05；作者：张三", "2012年3月5日，本报记者张三", "江城日报2012年3月5日，第3版",
        "发贴时间：2012-03-05", "见报日期：2012-03-05", "来信时间：2012-03-05",
        "更新日期：2012-03-05 工作地点：江城", "2012-03-05<br>工作地点：江城",
    ],
)  # fmt: skip
def test_what_ends_like_the_label_of_an_event(line: str) -> None:
    assert _published(f"<p>{line}</p>") == "2012-03-05"


@pytest.mark.parametrize(
    "end", [_ITEMS, _CARDS, _COMMENT, "<p>上一篇：<a href=/1>秋</a> 2024-05-10</p>"]
)
def test_dates_of_other_pages_and_of_comments(end: str) -> None:
    assert _published("", end=end) == ""
    assert _published("<p>March 3, 2024</p>", end=end) == "2024-03-03"


def test_list_of_links_and_date_of_today() -> None:
    assert _published(_ITEMS) == _published(_CARDS) == ""
    assert _published("", head="<body><div>2024年11月30日 星期六</div>") == ""
    titled = "".join(
        f"<li><a href=/{n}>{title}</a><span>2024-03-0{n}</span>"
        for n, title in enumerate(
            ["学校举办新学期研讨会", "计算机系在会议上发表论文", "图书馆发布新书目"], 1
        )
    )
    assert _published(f"<ul>{titled}</ul>") == ""
    assert _published("", head="<body><div>2024年11月30日‧星期六</div>") == ""


def test_a_thread_of_comments_has_the_date_of_the_first() -> None:
    first, second = (
        f"<div class=comment><p>2024-03-0{day} 10:00</p>{_ENGLISH}</div>" for day in (3, 4)
    )
    html = f"<title>A new library</title><h1>A new library</h1>{first}{second}"
    assert metadata(Page.from_html(html)).published == "2024-03-03T10:00"


@pytest.mark.parametrize(
    "body",
    [
        "<p>发布时间：2024-03-03</p><p>讲座时间：2024年6月15日下午2:00</p>",
        "<p>日期：2024-03-03</p><p>开标时间：2024年6月15日 09:30</p>",
        "<p>Posted March 3, 2024</p><p>Date: 15 June 2024, 7:30 pm</p>",
        "<time datetime=2024-03-03>March 3</time><p>When: Saturday, 15 June 2024, 7:30 pm</p>",
    ],
)
def test_publication_before_events(body: str) -> None:
    assert _published(body) == "2024-03-03"


@pytest.mark.parametrize(
    "line",
    [
        "News - March 3, 2024", "Jane Doe - March 3, 2024", "新华社 - 2024-03-03", "【活动】 2024-03-03",
        "评论员文章 2024-03-03", "网友投稿 2024-03-03", "Anne-Marie Doe</p><p>March 3, 2024", "信息时间：2024-03-03",
        "作者：张三时间：2024-03-03", "北京时间 2024-03-03", "By Dr. Jane Doe on March 3, 2024",
        "This article was originally published on March 3, 2024.", "March 3, 2024 - 11 minutes",
        "March 3, 2024 – 8:35 PM ET", "Published: Sunday, March 3, 2024, IST</p><p>Place: Mumbai",
        "张三 2024-03-03 共12人阅读，共3个回复", "发布者：张三 2024-03-03", "发表于北京 2024-03-03",
        "发布单位：办公室 2024-03-03", "发布日期2024-03-03", "2024-03-03",
    ],
)  # fmt: skip
def test_datelines_with_signs_and_words(line: str) -> None:
    assert _published(f"<p>{line}</p>") == "2024-03-03"


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en-GB", "2024-04-03"),
        ("en_AU", "2024-04-03"),
        ("en-US", "2024-03-04"),
        ("en", "2024-03-04"),
    ],
)
def test_the_region_tells_the_order_of_day_and_month(language: str, wanted: str) -> None:
    assert _published("<p>Published: 03/04/2024</p>", f"<html lang={language}>") == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<span itemprop=datePublished content=2024-03-03>last Sunday</span>", "2024-03-03"),
        ("<time datetime='March 3, 2024'>last Sunday</time>", "2024-03-03"),
        ("<p>Publié le 03/03/2024 à 10h22</p>", "2024-03-03T10:22"),
        ("<div id=js_content>x</div><script>var ct = '1709432520';</script>", "2024-03-03T10:22+08:00"),
        ("<div id=js_content>x</div><script>createTime = '2024-03-03 10:22';</script>", "2024-03-03T10:22"),
        ("<script>var ct = '1709432520';</script>", ""),
        ("<div id=js_content>x</div><script>var ct = '17094';</script>", ""),
    ],
)  # fmt: skip
def test_dates_for_machines(body: str, wanted: str) -> None:
    assert _published(body) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Yesterday", "2024-03-09"), ("Yesterday at 8:30 pm", "2024-03-09T20:30"), ("昨日 08:30", "2024-03-09T08:30"),
        ("今日 08:30", "2024-03-10T08:30"), ("3个小时前", "2024-03-10T12:00"), ("5 mins ago", "2024-03-10T14:55"),
        ("2 hrs ago", "2024-03-10T13:00"), ("3 weeks ago", "2024-02-18"), ("an hour ago", "2024-03-10T14:00"),
        ("半小时前", "2024-03-10T14:30"), ("三天前", "2024-03-07"), ("发布于3小时前", "2024-03-10T12:00"),
        ("市政府昨天召开会议部署工作", ""), ("市政府昨天召开会议，部署工作。", ""), ("十五天前", ""), ("2 months ago", ""),
        ("Police said yesterday that two men were arrested.", ""),
    ],
)  # fmt: skip
def test_relative_dates_of_pages(line: str, wanted: str) -> None:
    now = datetime(2024, 3, 10, 15, 0, tzinfo=UTC)
    assert _published(f"<p>{line}</p>", fetched=now) == wanted


@pytest.mark.parametrize(
    "review",
    [
        "<div class=reviews><div><b>Ida</b> <span>March 3, 2024</span><p>{}</p></div></div>",
        "<div class=customer-review><time datetime=2024-03-03>March 3</time><p>{}</p></div>",
        "<div itemprop=review><time datetime=2024-03-03>March 3</time><p>{}</p></div>",
        "<div><span>Reviewed in the United States on March 3, 2024</span><p>{}</p></div>",
    ],
)
def test_a_review_does_not_date_a_product(review: str) -> None:
    html = f"<title>Blue kettle</title><h1>Blue kettle</h1>{_ENGLISH}{review.format('Good.')}"
    assert metadata(Page.from_html(html)).published == ""


def test_the_first_item_does_not_date_a_list() -> None:
    def dated(href: str) -> str:
        items = "".join(
            f"<article><h2><a href={href}{n}>Lake {n}</a></h2><time datetime=2024-03-0{n}>"
            f"March {n}</time><p>The wind dropped at noon.</p></article>"
            for n in (3, 2, 1)
        )
        html = f"<title>Notes of the lake</title><body><h1>Notes of the lake</h1>{items}"
        return metadata(Page.from_html(html)).published

    assert dated("/notes/") == ""
    assert dated("#post") == "2024-03-03"  # a thread
