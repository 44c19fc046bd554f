"""Bodies that pages carry as data."""

from __future__ import annotations

import html
import json
import time
from urllib.parse import quote

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


HTML = "".join(POSTS)
JSON = json.dumps({"post": {"content": HTML}})
STATES = [["Reactive", 1], {"data": 2, "again": 0}, {"post": 3, "date": 6}, {"content": 4, "id": 5, "up": 2}, HTML, 12, ["Date", "2026-03-01"]]  # fmt: skip
NEXT = json.dumps({"post": {"title": "$a", "content": "$b"}})
STREAM = f'1:I["x",["y"]]\n7:{NEXT}\na:T3,湖b:T{len(HTML.encode()):x},{HTML}c:["$","p",null,{{}}]\n'
ROWS = [f"<script>self.__next_f.push([1,{json.dumps(part)}])</script>" for part in (STREAM[:40], STREAM[40:45], STREAM[45:])]  # fmt: skip
NUXT = "(function(a,b,c){return {layout:\"default\",n:.5,data:[{article:{id:b,'full':a,content:a,on:!0,5:void 0,at:new Date(12)}}],error:c}}"

OF_SCRIPTS = {
    "undefined": f'<script>window.__INITIAL_STATE__={{"x":undefined,"y":{{"z":"undefined"}},{JSON[1:]};(function(){{}}())</script>',
    "percent": f"<script id=RENDER_DATA type=application/json>{quote(JSON)}</script>",
    "percent in a call": f'<script>a = JSON.parse(decodeURIComponent("{quote(JSON)}"))</script>',
    "escapes of JavaScript": f"<script>a = {JSON[:-1]}, \"c\": \"\\xa9 it\\'s\"}};</script>",
    "single quotes": "<script>a = JSON.parse('"
    + JSON.replace("\\", "\\\\").replace("<", "\\x3C").replace("b", "\\u{62}").replace("'", "\\'")
    + "')</script>",
    "many values": f"<script>{'a = [b, c];' * 300} s = {JSON}</script>",
    "Next.js, streamed": "<script>(self.__next_f=self.__next_f||[]).push([0])</script>" + "".join(ROWS),
    "Nuxt 2": f'<script>window.__NUXT__={NUXT}({json.dumps(HTML)},"x",null));</script>',
    "Nuxt 2, no function": f"<script>window.__NUXT__={{layout:'a',data:[{{content:{json.dumps(HTML)}}}]}};</script>",
    "Nuxt 3": script(STATES, "id=__NUXT_DATA__ type='application/json'"),
    "GraphQL": script({'content({"format":"RENDERED"})': HTML}, "type='application/json'"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_SCRIPTS)
def test_what_scripts_write_otherwise_than_as_json_is_read(name):
    content = qc.extract(f"{TITLE}<body>{OF_SCRIPTS[name]}<div id=app></div>")
    assert content.text.split("\n") == [FIRST, SECOND, THIRD, "a < b"]


OTHERS = [{"content": f"<p>{n}. {SECOND}</p><p>{SECOND[::-1]}</p>"} for n in range(12)]


@pytest.mark.parametrize(
    "key",
    ["comments", "postComments", "replies", "relatedPosts", "recommendList", "latest_news", "similar"],
)  # fmt: skip
def test_what_others_wrote_is_not_the_body(key):
    data = {"article": {"content": HTML}, key: OTHERS}
    content = qc.extract(f"{TITLE}{script(data, 'type=application/json')}")
    assert content.text.split("\n") == [FIRST, SECOND, THIRD, "a < b"]
    alone = script({key: OTHERS}, "type=application/json")
    assert embedded_body(PageTree.parse(alone)) is None


@pytest.mark.parametrize(
    "data",
    [
        {"@type": "DiscussionForumPosting", "text": FIRST, "comment": [{"text": SECOND + THIRD}]},
        {"thread": {"title": "a", "replies": [{"content": SECOND + THIRD}]}},
        {"topic": {"content": FIRST}, "replies": [{"content": SECOND + THIRD}]},
    ],
)
def test_comments_of_a_thread_are_its_posts(data):
    content = qc.extract(f"{TITLE}{script(data, 'type=application/json')}{' ' * 200}")
    assert SECOND in content.text


def test_the_head_of_a_streamed_page_is_no_text():
    elements = [
        ["$", "meta", "1", {"name": "viewport", "content": f"{SECOND} " * 9}],
        ["$", "style", None, {"dangerouslySetInnerHTML": {"__html": f"a b {SECOND} " * 9}}],
        ["$", "$L2", None, {"html": f"!function (a) {{ return {SECOND} }}" * 9}],
        ["$", "$L2", None, {"html": f"/* {SECOND} */ a" * 9}],
        ["$", "$L2", None, {"html": f"body{{color: {SECOND}}}" * 9}],
        ["$", "div", None, {"content": HTML}],
    ]
    stream = f"1:{json.dumps(elements)}\n"
    page = f"{TITLE}<script>self.__next_f.push([1,{json.dumps(stream)}])</script>"
    assert qc.extract(page).text.split("\n") == [FIRST, SECOND, THIRD, "a < b"]


def test_a_number_of_thousands_of_digits_ends_nothing():
    body = "The harbor will be built anew. " * 30
    number = "9" * 5_000
    data = f'var s = {{"articleBody": "{body}"}}; var id = {{"k": {number}}};'
    pushed = f"self.__next_f.push([1,{number}])"
    content = qc.extract(f"<p>x</p><script>{pushed}</script><script>{data}</script>")
    assert content.text == body.strip()
    assert not content.extraction.failure


@pytest.mark.parametrize("key", ["topStory", "latestArticle", "recentPost"])
def test_one_of_others_may_be_the_body(key):
    body = "((Wire)) The harbor will be built anew. " * 30
    data = json.dumps({key: {"body": body}})
    assert qc.extract(f"<p>x</p><script>var s = {data};</script>").text == body.strip()


def test_halves_of_characters_do_not_survive():
    data = '{"content": "' + "湖 \\ud83d b" * 50 + '"}'
    text = qc.extract(f"<script type=application/json>{data}</script>").text
    assert text.encode().decode() == text
    assert text.startswith("湖 \ufffd b")


def test_keys_that_only_begin_like_those_of_others():
    for key in ("topic", "latest", "commentary", "items", "reply", "answers"):
        data = script({"thread": {key: [{"content": HTML}]}}, "type=application/json")
        assert embedded_body(PageTree.parse(data)) is not None


def test_words_in_the_code_of_scripts_are_no_data():
    code = f'popup.show({{content: {json.dumps(SECOND * 3)}, on: true}}); a = {{"text": b + 1}}'
    assert embedded_body(PageTree.parse(f"<script>{code}</script>")) is None


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


PIECES = st.lists(st.sampled_from([*"\"'{}[]:,=(\\", "undefined", "!0", "a", "1", ".5", "%7B", "\\u{6", "JSON.parse(", "}(", "湖 b" * 9, "1:T5,", "2:{", "\n"]))  # fmt: skip


@given(PIECES)
@settings(max_examples=examples(100))
def test_no_script_makes_it_raise(pieces):
    text = "".join(pieces)
    scripts = (
        *(f"={text}", f"self.__next_f.push([1,{json.dumps(text)}])"),
        f"__NUXT__=(function(a,b){{return {{{text}}}}}({text}))",
    )
    for code in scripts:
        embedded_body(PageTree.parse(f"<script>{code}{' ' * 200}</script>"))
    embedded_body(PageTree.parse(f"<script id=__NUXT_DATA__ type=json>{text}{' ' * 200}</script>"))


@given(VALUES, st.integers(0, 400))
@settings(max_examples=examples(100))
def test_no_data_makes_it_raise(value, cut):
    text = json.dumps([value, "x" * 300])[: cut or None]
    page = f"<script>{text}</script><script>a={text}</script><p data-a='{html.escape(text)}'>"
    assert qc.extract(page).failure is None


def test_hostile_data_costs_little():
    names = ",".join(f"a{n}" for n in range(20_000))
    for text in (
        *("[" * 200_000, "={" * 100_000, '{"a":' * 100_000, '={"text":"a b"}' * 100_000),
        *("={'" * 100_000, "={a:" * 100_000, "JSON.parse('" * 50_000, "={[" + "'\\'" * 200_000),
        *("__NUXT__=(function(" * 50_000, "__NUXT__=function(){" * 50_000, "=[undefined," * 50_000),
        f"__NUXT__=(function(a){{return {{text:[{'a,' * 200_000}a]}}}}({json.dumps('a b ' * 9_999)}))",
        f"__NUXT__=(function({names}){{return {{text:[{names}]}}}}({names}))",
        "self.__next_f.push([1," + json.dumps("1:T1,a" * 50_000 + "2:{\n" * 50_000) + "])",
    ):
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
