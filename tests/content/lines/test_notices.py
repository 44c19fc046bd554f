"""Notices and form fields are no content."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.lines.notices import is_notice

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
]
TEXTS = [
    "Grandma's cookies need an hour in the oven, and the children love them.",
    "JavaScript has closures, and they are what makes callbacks work.",
    "The server sets a header; the client sends the cookie back with each request.",
    "He was 18 years old when he wrote his first book.",
    "脚本语言比编译语言更容易学。",
    "这段JavaScript代码排序一个数组。",
    "",
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


def test_text_of_a_form_field_is_left_out_unless_it_is_all():
    text = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
    html = f"<title>读书会</title><article><p>{text}</p><p>{text[::-1]}</p><textarea>{text[:30]}</textarea></article>"
    assert qc.extract(html).text == f"{text}\n{text[::-1]}"
    assert qc.extract(f"<textarea>{text}</textarea>").text == text


@given(st.text())
def test_any_text(text):
    assert is_notice(text) in (False, True)


def test_hostile_lines_cost_little():
    for piece in ("we use ", "JavaScript ", "you must ", "启用", "浏览器 ", "agree "):
        line = (piece * 300)[:680] + "cookie 18"
        start = time.process_time()
        for _ in range(100):
            is_notice(line)
        assert time.process_time() - start < 2
