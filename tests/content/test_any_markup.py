"""What `quarkcrawl` offers at its top takes any markup: it raises on none and fails on none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content import METHODS
from tests.profiles import examples

TAGS = (
    "template", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "td", "th",
    "colgroup", "col", "svg", "math", "title", "desc", "foreignObject", "noscript", "script",
    "style", "iframe", "object", "select", "option", "ul", "ol", "li", "p", "div", "span", "a",
    "b", "font", "h1", "h2", "pre", "br", "hr", "img", "form", "input", "textarea", "button",
    "frameset", "frame", "head", "body", "html", "base", "link", "meta", "picture", "source",
    "plaintext",
)  # fmt: skip
ATTRIBUTES = (
    "", " hidden", " style=display:none", " href=/a", " src=b.jpg", " colspan=9999", " rowspan=0",
    " class=content", " id=nav", " content='2008-03-05'", " name=author", " property=og:title",
    " type=application/ld+json", " rel=canonical", " http-equiv=refresh",
)  # fmt: skip
TEXTS = (
    "天网", "天网，搜索引擎。它收集网页，一九九七年上线。" * 3, "a", " ", "\n", "&nbsp;", "&#0;", "<", "\0",
    "2008年3月5日 来源：天网 作者：张三", "姓名：", "1,000", '{"@type":"NewsArticle","author":[{}]}', "<!--", "]]>", "\ud800",
)  # fmt: skip
pieces = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.sampled_from(TAGS).map("</{}>".format),
    st.sampled_from(TEXTS),
)


def try_all(html):
    for method in METHODS:
        content = qc.extract(html, "http://a.cn/2008/", method)
        assert content.failure is None
        _ = content.text, content.metadata, content.blocks, content.items
        _ = content.markdown, content.structure, content.topic_probability
    qc.segment(html)
    for method in ("rules", "ibdom"):
        qc.topic_items(html, method=method)
    qc.fingerprint(qc.extract(html).text)
    qc.fingerprint(html)


@pytest.mark.parametrize("html", ["<template><dl>", "<dl hidden><dt>a<dd>b", "", "<frameset>"])
def test_pages_of_hidden_parts(html):
    try_all(html)


@pytest.mark.full
@settings(max_examples=examples(400))
@given(st.lists(pieces, max_size=40).map("".join))
def test_random_markup(html):
    try_all(html)
