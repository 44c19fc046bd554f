"""Notices, and what stands above and below a text, are no content."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.lines.manuals import controls
from quarkcrawl.content.lines.notices import (
    bylines,
    is_notice,
    notices,
    site_statements,
)
from quarkcrawl.page import Page

NOTICES = [
    "This slideshow requires JavaScript.",
    "JavaScript is disabled. For a better experience, please enable JavaScript in your browser before proceeding.",
    "Please enable JavaScript to view this page.",
    "Your browser does not seem to support JavaScript. As a result, your viewing experience will be diminished.",
    "You need to enable JavaScript to run this app.",
    "We use cookies to make this site better for you. By going on you agree to our use of cookies.",
    "We and our partners store and/or access information such as cookies.",
    "Accept all cookies",
    "Wir verwenden auf dieser Seite Cookies, um sie besser zu machen.",
    "Are you over 18 years of age?",
    "You must be at least 21 years old to enter.",
    "您的浏览器不支持JavaScript，请启用后再访问。",
    "請開啟瀏覽器的JavaScript功能",
    "本网站使用cookie，请点击同意。",
    "You are using an outdated browser.",
    "You should upgrade or use an alternative browser.",
    "您使用的浏览器版本过低，请升级。",
    "When you visit our website, it may store information in your browser, often as cookies.",
    "These cookies are necessary for the site to work and cannot be switched off.",
    "Strictly Necessary Cookies",
    "Ce site utilise des cookies pour mieux vous servir.",
    "En continuant, vous acceptez que ce blog se serve de cookies.",
    "Gérer les cookies",
    "Esta web utiliza cookies propias y de terceros.",
    "Utilizamos cookies para mejorar la página.",
    "Aceptar todas las cookies",
    "Este site usa cookies para melhorar a sua visita.",
    "Nosso site utiliza cookies.",
    "Questo sito utilizza cookie tecnici.",
    "Utilizziamo i cookie per migliorare il sito.",
    "Deze website gebruikt cookies.",
    "Alle cookies accepteren",
    "Ta strona używa plików cookies.",
    "W naszym serwisie stosujemy pliki cookie.",
    "Мы используем файлы cookie, чтобы сайт работал лучше.",
    "Оставаясь здесь, вы соглашаетесь с использованием cookie-файлов.",
    "当サイトではCookieを使用しています。",
    "このサイトは、改善のためにクッキーを利用します。",
]
TEXTS = [
    "Grandma's cookies need an hour in the oven, and the children love them.",
    "JavaScript has closures, and they are what makes callbacks work.",
    "The server sets a header; the client sends the cookie back with each request.",
    "He was 18 years old when he wrote his first book.",
    "脚本语言比编译语言更容易学。",
    "这段JavaScript代码排序一个数组。",
    "A browser draws pages, and an old browser draws them slowly.",
    "浏览器的历史从一九九〇年开始。",
    "These cookies are soft, and the children love them.",
    "Ma grand-mère fait des cookies au chocolat, et nous les mangeons.",
    "El servidor envía una cookie al navegador.",
    "Nous utilisons du chocolat noir pour ces cookies, car il fond mieux.",
    "Usamos chocolate negro para nuestras cookies.",
    "We gebruiken voor deze cookies altijd roomboter.",
    "These cookies are essential for Christmas.",
    "These cookies may be set on a rack to cool.",
    "La nonna fa i cookie al cioccolato.",
    "Serwer wysyła plik cookie w nagłówku.",
    "De server stuurt een cookie terug.",
    "Клиент отправляет cookie с каждым запросом.",
    "クッキーは焼いてから冷ます。",
    "サーバーはCookieを送り返します。",
    "",
]

SHOP = [
    "价格说明",
    "划线价格",
    "本店的划线价格指该灯在门店里挂出的价格，或是曾经展示过的价格，并不是灯的原价，只供买灯的人参考。",
    "未划线价格",
    "未划线价格是灯的实时标价，不因说法不同而改变；用券、满减之后付多少，以订单页上的数字为准，请看清再付。",
    "商家详情页（含主图）里用文字或图片写出的价格，可能是满减或用券以后的价格，以订单页上的为准。",
    "这段话仅当出现价格比较时有效，请看本店的规则；商家对价格另有说明的，以商家的说明为准，特此告知各位。",
]


@pytest.mark.parametrize("text", NOTICES)
def test_notices(text):
    assert is_notice(text)


@pytest.mark.parametrize("text", TEXTS)
def test_no_notices(text):
    assert not is_notice(text)


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_is_not_the_content(notice):
    text = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
    content = qc.extract(
        f"<title>读书会</title><article><p>{notice}</p><p>{text}</p><p>{text[::-1]}</p>"
    )
    assert content.text == f"{text}\n{text[::-1]}"
    assert qc.extract(f"<p>{notice}</p>").text == notice


def test_what_shops_state_of_their_prices_does_not_hide_the_rows_of_an_article():
    """It looks like clear text, beside which short rows seem to be none."""
    rows = {
        "品牌": "山泉",
        "材质": "黄铜",
        "灯罩": "亚麻",
        "高": "45厘米",
        "颜色": "米白",
        "电压": "220伏",
    }
    properties = "".join(f"<li>{name}: {value}</li>" for name, value in rows.items())
    statements = "".join(f"<p>{line}</p>" for line in SHOP)
    content = qc.extract(
        f"<title>黄铜台灯</title><div class=item><h1>黄铜台灯</h1><ul class=attributes>{properties}</ul></div>"
        f"<div class=price-note>{statements}</div>"
    )
    assert all(f"{name}: {value}" in content.text for name, value in rows.items())
    assert not any(line in content.text for line in SHOP)


def test_shops_that_write_about_prices():
    text = "专柜与网店的价格相差两成，店主说，房租与人工都算在里面，划线的那个价格没有人付过，大家都知道。"
    content = qc.extract(
        f"<title>价格</title><article><h1>两个价格</h1><p>{text}</p><p>{text[::-1]}</p>"
    )
    assert content.text == f"{text}\n{text[::-1]}"


@given(st.text())
def test_any_text(text):
    assert is_notice(text) in (False, True)


def test_hostile_lines_cost_little():
    for piece in (
        "we use ",
        "JavaScript ",
        "you must ",
        "启用",
        "浏览器 ",
        "agree ",
        "nous utilis ",
        "esta web usa ",
        "usamos ",
        "сайт использует ",
        "サイト",
    ):
        line = (piece * 300)[:680] + "cookie 18"
        start = time.process_time()
        for _ in range(100):
            is_notice(line)
        assert time.process_time() - start < 2


STATEMENTS = [
    "凡注明来自其他媒体的稿件，均为转载，不代表本网观点。",
    "凡本网注明来源为本报的作品，版权均属于本报所有。",
    "本站转载文章目的在于传递更多信息，如有侵权请告知。",
    "轉載請註明本文出處與作者".replace("本文", ""),
    "本站原创，未经书面授权不得转载。",
    "转载此文是出于传递更多信息之目的，如有错误请作者与本网联系。",
    "轉載是為了傳遞更多資訊，不作他用。",
]
NO_STATEMENTS = [
    "本文只代表作者自己的看法，不代表本网立场。",  # said of this text
    "未经批准，任何单位不得占用耕地。",
    "小说的转载权由出版社购得。",
    "本站是地铁二号线的终点。",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_a_site_says_of_all_its_texts_is_no_content(statement):
    text = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
    lines = [text, "声明：", statement, "电话：010-62750000 传真：010-62750001"]
    assert site_statements(lines, "读书会") == [False, True, True, True]
    assert site_statements(lines, "转载声明") == [False] * 4
    assert not any(site_statements([*lines, *[text] * 9], ""))  # not at the end
    page = f"<title>读书会</title><article>{''.join(f'<p>{line}</p>' for line in lines)}</article>"
    assert qc.extract(page).text == text


@pytest.mark.parametrize("line", NO_STATEMENTS)
def test_sentences_that_are_no_statements(line):
    assert site_statements(["正文。", line, "电话：010-62750000"], "") == [False] * 3


@given(st.lists(st.text("凡本网注明转载版权所有声电话：。 a\n")))
def test_statements_of_any_lines(lines):
    assert len(site_statements(lines, "")) == len(lines)


PASSING = [
    "小明10月前",
    "(Agency) – 6 hours ago",
    "2 天之前",
    "Updated 3 days ago",
    "Last updated 2 months ago",
    "1 year ago",
    "Learn more →",
    "Continue reading",
    "Mehr erfahren",
    "Подробнее",
    "続きを読む",
    "查看更多",
    "该评论已删除",
    "此帖已被管理员屏蔽",
    "This comment has been removed by a moderator.",
    "Нашли ошибку? Выделите её и нажмите Ctrl+Enter",
    "发现错误，请选中后按 Ctrl + Enter 告诉我们",
    "小明等 12 人赞过",
    "等人赞过",
    "3人点赞",
    "分享 23",
    "问题标签： 后端相关",
    "文章標籤：湖邊, 讀書會",
    "暂无评论",
]
SAYING = [
    "三年前，湖边只有一座桥。",
    "His comment has been removed from the book, and nobody knows why it was.",
    "Press Ctrl+Enter to run the cell.",
    "我们在10年前",
    "It all began 100 years ago",
    "Read more books by the lake",
    "了解更多的书",
    "删除这一行",
    "大家都赞过这座桥。",
    "分享",
    "这些标签都贴在书上：红的是小说。",
    "为读书的人点赞！",
    "这座桥很多人赞过。",
    "没有人点赞",
    "点赞2020",
    "标签：用于给书分类的词。",
    "标签：棉 95%，氨纶 5%",
    "话题标签：用井号标出的词，便于检索。",
    "匿名举报信引发调查",
    "匿名举报电话：12388",
    "暂无数据可以说明这一点",
]


@pytest.mark.parametrize("text", PASSING)
def test_what_is_said_of_a_post_is_no_text(text):
    assert notices(["正文。", text, *["正文。"] * 9], "湖") == [False, True, *[False] * 9]


@pytest.mark.parametrize("text", SAYING)
def test_texts_that_resemble_it_stay(text):
    assert notices(["正文。", text], "湖") == [False, False]


RIGHTS = [
    "© 2026 The Lake",
    "Copyright © 2019–2026 湖边读书会",
    "(c) The Lake 2026",
    "© The Lake 2026.",
    "Copyright 湖边大学 All Rights Reserved",
    "版权所有：湖边大学",
    "版權所有 © 湖邊大學",
    "湖边读书会 京ICP备05000000号-1",
    "京公网安备 11010802020134号",
]


@pytest.mark.parametrize("text", RIGHTS)
def test_whose_a_site_is_is_no_text_at_the_end(text):
    assert notices(["正文。"] * 9 + [text], "湖") == [False] * 9 + [True]
    assert notices([text] + ["正文。"] * 9, "湖") == [False] * 10


def test_an_address_below_whose_a_site_is_is_no_text_either():
    footer = ["© 2026 The Lake", "地址：湖边路 1 号", "电话：022-1234"]
    assert notices(["正文。"] * 3 + footer, "湖") == [False] * 3 + [True] * 3
    of_picture = ["正文。", "© 2026 The Lake", "湖在城西", "湖水是绿的。"]
    assert notices(of_picture, "湖") == [False, True, False, False]


ASKED = [
    "Was this page helpful?",
    "Did this article help you?",
    "12 out of 30 found this helpful",
    "Thanks for your feedback!",
    "War dieser Artikel hilfreich?",
    "Cet article vous a-t-il été utile ?",
    "¿Te ha sido útil esta página?",
    "Sorry to hear that. Please tell us how we can improve.",
    "Была ли эта статья полезна?",
    "这篇文章对您有帮助吗？",
    "此页面有用?",
    "此内容是否对您有帮助",
    "이 글이 도움이 되었나요?",
]


@pytest.mark.parametrize("text", ASKED)
def test_whether_a_page_was_of_use_is_asked_at_the_end(text):
    assert notices(["正文。"] * 9 + [text], "湖") == [False] * 9 + [True]
    assert notices([text] + ["正文。"] * 9, "湖") == [False] * 10
    assert notices(["正文。", "The counters are helpful, but is this page?"], "湖") == [False] * 2


@pytest.mark.parametrize(
    "text",
    [
        "The © sign came into use in 1909, says the book",
        "Copyright is what the book is about",
        "版权所有人是作者",
        "网站要先申请ICP备案，号码有八位。",
        "ICP备案怎么办理",
        "(c) 2014 was the year in which the lake was closed; nobody knows why.",
        "© 1909 " + "湖" * 300,
    ],
)
def test_a_sign_alone_states_no_rights(text):
    assert notices(["正文。", text], "") == [False, False]


@pytest.mark.parametrize(
    "text",
    [
        "Advertising presented to you on this service can be based on limited data.",
        "Content presented to you on this service can be based on your profiles.",
        "Information about your activity on this service can be stored and combined.",
    ],
)
def test_what_dialogs_of_consent_say_of_data_is_no_text(text):
    assert notices(["正文。", text, "正文。"], "湖") == [False, True, False]
    assert notices(["正文。", f"The law says: {text}"], "湖") == [False, False]


@pytest.mark.parametrize(
    "line",
    [
        "2025-03-12 10:20",
        "2025年03月12日 10:11 何远帆 点击：[]",
        "【信息时间：2025-03-12 阅读次数：321】【我要打印】【关闭】",
        "湖畔在线 2005年11月23日09:15",
        "2025-03-12 10:20湖畔報／ 記者何遠帆／青山報導",
        "来源：湖畔日报 作者：何远帆",
        "作者：何遠帆 文字大小：【大】【中】【小】",
        "时间：2025/3/12　来源：湖畔日报　浏览次数：12",
        "05.01.2012 , aktualizacja: 05.01.2012 11:23",
        "Last Updated: Jan 16, 2012 7:59 PM PT",
        "Wednesday, January 11, 2012",
        "Published on 3rd March 2024 at 10:20 | Updated 5 March 2024",
        "Stand: 12.03.2024, 10:20 Uhr",
        "Created by Ana Ruiz, last modified on Aug 11, 2025",
        "Last updated by J. Lake on 3 May 2024 at 10:20 am",
    ],
)
def test_when_and_by_whom_an_article_was_published_is_no_text_of_it(line):
    text = ["湖面上的风停了。", "船就靠在岸边，等着第二天的早晨。"]
    assert bylines([line, *text]) == [True, False, False]
    assert bylines(["湖面上的风", line, *text]) == [False, True, False, False]
    assert not any(bylines([*text * 3, line]))


def test_a_list_of_labels_is_a_byline_whole():
    lines = ["作者: 何远帆", "时间: March 12, 2025", "分类: 随笔", "湖面上的风停了。"]
    assert bylines(lines) == [True, True, True, False]
    assert bylines(lines[:1] + lines[3:]) == [False, False]


@pytest.mark.parametrize(
    "line",
    [
        "2025年3月12日，湖面上的风停了。",
        "（2025年3月12日）",
        "2025-05-18 09:00 至 2025-05-19 17:00",
        "2025年3月12日青山县第十七届代表大会第四次会议通过",
        "时间：周五晚上七点",
        "记者：湖上的风什么时候停？",
        "记者：您常来湖上吗",
        "湖面上的风",
        "Budget 12.03.2024",
        "On Monday at 10:20",
        "Allocating on the Stack, 27 February 2026",
        "Written by hand on 3 May 2024, the letter was never sent",
        "",
    ],
)
def test_lines_of_a_text_are_no_bylines(line):
    assert bylines([line, "湖面上的风停了。"]) == [False, False]


@pytest.mark.parametrize(
    "lines",
    [
        ["2025年3月12日 星期三 晴", "湖面上的风停了。", "2025年3月13日 星期四 雨", "船靠在岸边。"],
        ["1.2.0 (2025-03-12)", "Boats can be moored.", "1.1.0 (2025-02-01)", "Boats can be moved."],
        ["Monday, March 3, 2025", "We moored.", "Tuesday, March 4, 2025", "It rained."],
    ],
)
def test_days_that_head_parts_of_a_text_are_no_bylines(lines):
    assert not any(bylines(lines))
    assert bylines(lines[:2]) == [True, False]


@given(st.lists(st.text(max_size=150), max_size=8))
def test_bylines_of_any_lines(lines):
    assert len(bylines(lines)) == len(lines)


def test_a_byline_is_left_out_of_articles():
    text = "".join(
        f"<p>第{n}天的清晨，湖面上的风停了，船就靠在岸边，等着下一班客人。</p>" for n in range(12)
    )
    byline = "<table><tr><td align=center>湖畔在线 2005年11月23日09:15</td></tr></table>"
    body = f"<html><title>湖面上的风</title><body><h1>湖面上的风</h1>{byline}{text}</body></html>"
    content = qc.extract(Page.from_html(body))
    assert content.page_type == "article"
    assert content.text.startswith("第0天")


@pytest.mark.parametrize(
    "line",
    [
        "（责编：何远帆 林若兰）",
        "编辑：远帆",
        "（文：何远帆 图：林若兰 审核：王树生）",
        "上一篇：湖上的雨",
        "下一條：沒有了",
        "【发表评论】【推荐给好友】【关闭窗口】",
        "好文要顶 关注我 收藏该文 微信分享",
        "点赞 12 收藏 1.2万 评论 5",
        "阅读 300 · 评论 12 · 赞 3",
        "点赞120 投币30 分享",
        "立即购买加入购物车",
        "编辑播报",
        "数量 件 库存999件",
        "配送 浙江杭州 至 北京 快递: 0.00",
        "服务承诺 正品保证 极速退款",
        "用微信扫码二维码",
        "请记住本书首发域名：www.lake.example。湖畔手机版阅读网址：m.lake.example",
        "特别声明：以上内容为自媒体平台用户上传并发布，本平台仅提供信息存储服务。",
        "Notice: This platform only provides information storage services.",
    ],
)
def test_what_stands_below_a_text_is_no_part_of_it(line):
    text = ["湖面上的风停了，船就靠在岸边。"] * 9
    assert notices([*text, line], "湖") == [False] * 9 + [True]


@pytest.mark.parametrize(
    "line",
    [
        "编辑一本书，比写一本书更难。",
        "上一篇文章里，我们说到湖上的风。",
        "收藏",
        "分享到：",
        "大的在左，小的在右。",
        "他立即购买了船票。",
        "编辑",
        "仓库的库存够用三天，配送也不成问题。",
        "配送员把船票送到了湖边。",
        "平台上的风很大，信息传得很慢。",
        "请记住我们在湖边说过的话。",
        "盘点显示，花种库存 300 件，比去年多两成。",
        "这座平台是全市统一的信息发布平台。",
        "法院认为，被告平台仅提供信息存储空间服务。",
        "编辑：谢谢您今天接受采访",
        "终审：最后一道审稿程序",
        "她抬起头，最新网址：这几个字映入眼帘。",
        "这对孩子的成长很有帮助。",
        "这个回答很有用，谢谢",
        "点赞、收藏、转发、分享",
        "评论 12 人",
        "阅读评论",
        "上篇：江南私家园林",
    ],
)
def test_texts_that_resemble_what_stands_below_stay(line):
    assert not any(notices(["湖面上的风停了。", line], "湖"))


def test_a_single_button_and_an_editor_within_a_text_stay():
    text = ["湖面上的风停了，船就靠在岸边。"] * 9
    for line in ("发表评论", "编辑：远帆", "上一篇：湖上的雨"):
        assert not any(notices([line, *text], "湖"))
    assert notices(["立即购买 加入购物车", *text], "湖") == [True] + [False] * 9


@pytest.mark.parametrize("line", ["Thanks for your feedback!", "顶顶顶顶", "编辑：已修好"])
def test_posts_may_be_as_short_as_buttons(line):
    assert notices(["湖面上的风停了。", line], "湖") == [False, True]
    assert notices(["湖面上的风停了。", line], "湖", is_thread=True) == [False, False]
    assert notices(["湖面上的风停了。", "© 2025 湖畔"], "湖", is_thread=True) == [False, True]


@given(st.text(alphabet="上一篇下编辑责：【】打印关闭收藏大中小评论 12万", max_size=60))
def test_buttons_of_any_kind(line):
    assert len(notices(["湖", line], "湖")) == 2


@pytest.mark.parametrize("button", ["赞1. +", "赞1 +", "点赞 1.2万+ ", "评论 1,+"])
def test_many_buttons_with_counts_and_a_word_take_no_long_time(button):
    def cost_s(n):
        before = time.process_time()
        assert notices(["湖", button * n + "水"], "湖") == [False, False]
        return time.process_time() - before

    cost_s(1)
    assert cost_s(12) < 20 * max(cost_s(6), 0.005)  # where ways to read each multiply: 600 times


def test_what_is_pressed_in_a_manual_is_no_text():
    lines = ["Expand description", "Reads frames.", "Source", "Next", "Edit this page on GitHub"]
    assert controls(lines, [False, False, True, False, True]) == [True, False, True, False, True]


@pytest.mark.parametrize("line", ["Suggest Edits", " 在 GitHub 上编辑此页面", "运行实例 »"])
def test_links_of_a_manual_are_no_text(line):
    assert controls([line, line], [True, False]) == [True, False]


@pytest.mark.parametrize(
    "line",
    [
        'Retrieved from "https://wiki.example.org/w/index.php?title=Lake&oldid=1"',
        "取自“https://wiki.example.org/w/index.php?title=湖&oldid=1”",
        "「https://wiki.example.org/w/index.php?oldid=1」から取得",
    ],
)
def test_where_a_printed_page_is_from_is_no_text(line):
    text = ["The lake is deep."] * 9
    assert notices([*text, line], "Lake") == [False] * 9 + [True]
    assert not any(notices([line, *text], "Lake"))
