"""Bodies that pages carry as data."""

from __future__ import annotations

import html
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.embedded import embedded_body
from quarkcrawl.page import PageTree
from tests.page.samples import real_pages
from tests.profiles import examples

FIRST = "周六下午我们在湖边读书，请大家自带书和水，下雨就改到图书馆三楼。"
SECOND = "I cannot come this Saturday, but I will bring the second volume next week."
THIRD = "Wer kann am Sonntag die Bücher wieder in die Bibliothek zurückbringen?"
POSTS = [f"<p>{FIRST}</p><p>{SECOND}</p>", f"<p>{THIRD}</p><pre><code>a &lt; b</code></pre>"]
TITLE = "<title>读书会_天网</title>"

DISCOURSE = {
    "site": json.dumps({"categories": [{"name": "a", "description_text": "b" * 200}]}),
    "topic_7": json.dumps({"post_stream": {"posts": [{"id": n, "cooked": p} for n, p in enumerate(POSTS)]}}),
}  # fmt: skip
PARAGRAPHS = {
    "props": {"page": {"body": [{"type": "p", "text": one} for one in (FIRST, SECOND, THIRD)]}}
}
ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "articleBody": f"{FIRST}\n{SECOND}\n{THIRD}",
}


def script(value: object, attrs: str) -> str:
    return f"<script {attrs}>{json.dumps(value)}</script>"


PAGES = {
    "attribute": f"<div id=d data-preloaded='{html.escape(json.dumps(DISCOURSE))}'></div>",
    "next": script(PARAGRAPHS, "id=__NEXT_DATA__ type='application/json'"),
    "json-ld": script(ARTICLE, "type='application/ld+json'"),
    "graph": script({"@graph": [{"@type": "WebSite"}, ARTICLE]}, "type='application/ld+json'"),
    "variable": f"<script>var a = 1;\nwindow.__STATE__ = {json.dumps(PARAGRAPHS)};\nrun()</script>",
    "escaped": script({"content": html.escape("".join(POSTS))}, "type='application/json'"),
    "string": f"<script>window.__S__ = JSON.parse('x'); s = {json.dumps({'a': json.dumps(PARAGRAPHS)})}</script>",
    "inertia": f"<div id=app data-page='{html.escape(json.dumps({'props': {'post': {'content': POSTS[0] + POSTS[1]}}}))}'></div>",
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("method", ["default", "rules", "quark"])
def test_the_body_is_found(name, method):
    content = qc.extract(f"{TITLE}<body>{PAGES[name]}<noscript>Enable it</noscript>", method=method)
    lines = content.text.split("\n")
    assert lines[:3] == [FIRST, SECOND, THIRD]
    assert content.failure is None
    assert not content.runs.any()
    assert FIRST in content.markdown
    assert content.structure[0] == {"kind": "paragraph", "text": FIRST}
    assert list(content.items) == []


def test_a_page_that_shows_a_little_is_read_from_its_data():
    menu = "".join(f"<li><a href=/{n}>分类之{n}</a>" for n in range(90))
    notice = "您现在使用的浏览器已经过时了，请换一个新的再来看这个页面。"
    shown = f"<nav class=menu><ul>{menu}</ul></nav><p>{notice}</p>"
    content = qc.extract(f"{TITLE}<body>{shown}{PAGES['next']}")
    assert content.text.split("\n")[:3] == [FIRST, SECOND, THIRD]


def test_what_shows_enough_is_not_read_from_its_data():
    shown = "".join(f"<p>{text}</p>" for text in (FIRST, SECOND, THIRD) * 3)
    other = {"content": "<p>Something else that is told at great length.</p>" * 20}
    content = qc.extract(f"{TITLE}<body>{shown}{script(other, 'type=application/json')}")
    assert content.text.split("\n")[:3] == [FIRST, SECOND, THIRD]


def test_data_about_the_page_itself_come_first():
    other = {
        "steps": [
            {"text": "Another page that is only named here, at some length."} for _ in range(5)
        ]
    }
    own = {"@type": "HowTo", "step": [{"text": text} for text in (FIRST, SECOND, THIRD)]}
    body = script(other, "type=application/json") + script(own, "type=application/ld+json")
    assert qc.extract(f"{TITLE}{body}").text.split("\n") == [FIRST, SECOND, THIRD]


def test_markup_of_the_body_survives():
    content = qc.extract(TITLE + PAGES["attribute"])
    assert content.markdown.endswith("```\na < b\n```")
    assert content.text.endswith("a < b")


def test_a_page_that_shows_its_text_is_left_alone():
    shown = (
        f"<article><h1>读书会</h1>{''.join(f'<p>{FIRST}{SECOND}</p>' for _ in range(5))}</article>"
    )
    data = script({"articleBody": THIRD * 20}, "type='application/ld+json'")
    content = qc.extract(TITLE + shown + data)
    assert FIRST in content.text
    assert THIRD not in content.text


def test_the_description_is_better_than_nothing():
    head = f"<meta property='og:description' content='{SECOND}'>"
    assert qc.extract(f"{TITLE}{head}<div id=app></div>").text == SECOND


@pytest.mark.parametrize(
    "value",
    [
        {"content": "a" * 500},  # one word: a key, a hash
        {"text": ["function () { return document.body; } " * 9]},
        {"name": FIRST * 9},
        {"content": "短"},
        [[[[]]]],
        12,
    ],
)
def test_what_is_no_body(value):
    assert embedded_body(PageTree.parse(script(value, "type='application/json'"))) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=200),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["body", "text", "a", ""]), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES, st.integers(0, 400))
@settings(max_examples=examples(100))
def test_no_data_makes_it_raise(value, cut):
    text = json.dumps([value, "x" * 300])[: cut or None]
    page = f"<script>{text}</script><script>a={text}</script><p data-a='{html.escape(text)}'>"
    assert qc.extract(page).failure is None


def test_hostile_data_costs_little():
    for text in ("[" * 200_000, "={" * 100_000, '{"a":' * 100_000, '={"text":"a b"}' * 100_000):
        tree = PageTree.parse(
            f"<script>{text}</script><script type='application/json'>{text}</script>"
        )
        start = time.process_time()
        embedded_body(tree)
        assert time.process_time() - start < 3


@pytest.mark.full
@pytest.mark.shared
def test_no_real_page_whose_text_stands_in_it_is_empty():
    for name, body, _ in real_pages("harvest_forum", "zh_threads", "wcxb_types", folder="more"):
        assert qc.extract(body).text.strip(), name
