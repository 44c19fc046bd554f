"""QuarkAnalyzer on a page in the style of its time, on bad input, and on real pages."""

import base64
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content import Content
from quarkcrawl.content.quark.analyzer import AnalyzerOptions, QuarkAnalyzer, quark_extraction
from quarkcrawl.content.quark.bayes import features, log_odds
from quarkcrawl.content.quark.similarity import similarity
from quarkcrawl.content.related import RelatedOptions
from quarkcrawl.content.words import noise_words
from quarkcrawl.errors import InputError
from quarkcrawl.segment import segmentation_of
from tests.profiles import examples

SETS = Path(__file__).parents[3].parent / "shared/data/extraction"

SENTENCES = "".join(
    f"北京天文馆第{number}次抓取了流星照片，研究人员分析了星图的结构，并且公布了全部结果。"
    for number in range(8)
)
SECOND = "".join(
    f"另外，天文馆的研究人员在第{number}组星图上比较了几种方法，结构简单的星图结果较好。"
    for number in range(8)
)
RELATED = "".join(
    f'<li><a href="/2008/03/{day}/article_{day}00.html">关于流星照片抓取的第{day}篇报道</a>'
    for day in range(10, 16)
)
NAVIGATION = "".join(f'<a href="/c{number}/">频道{number}</a> ' for number in range(30))
GOLDEN = f"""<html><head><title>北京天文馆公布结果_测试新闻网</title></head><body>
<table><tr><td>{NAVIGATION}</td></tr></table>
<table><tr><td><h1>北京天文馆公布结果</h1>
<div>{SENTENCES}</div>
<div>{SECOND}</div>
<div>广告：某某牌洗衣粉，洁白如新，全国包邮，买一送一，欢迎惠顾，心动不如行动。{"洗得更白，用得放心。" * 20}</div>
</td></tr><tr><td>相关新闻<ul>{RELATED}</ul></td></tr></table>
<table><tr><td>版权所有 测试新闻网 京ICP备12345678号，未经授权，不得转载，联系我们。</td></tr></table>
</body></html>"""
URL = "http://news.example.cn/2008/03/05/article_1234.html"


def labels(content):
    return [(block.kind, block.text[:6]) for block in content.blocks]


def test_golden_page():
    content = qc.extract(GOLDEN, url=URL, method="quark")
    assert labels(content) == [
        ("noise", "频道0 频道"),
        ("content", "北京天文馆公"),
        ("content", "北京天文馆第"),
        ("content", "另外，天文馆"),
        ("noise", "广告：某某牌"),
        ("rel_link", "相关新闻\n关"),
        ("noise", "版权所有 测"),
    ]
    assert content.failure is None
    assert content.method == "quark"
    assert content.title == "北京天文馆公布结果"
    assert content.text.split("\n") == [SENTENCES, SECOND]  # the headline is not given twice
    assert [link.url[-17:] for link in content.related_links] == [
        f"article_{day}00.html" for day in range(10, 16)
    ]


def test_the_advertisement_falls_to_the_words_and_the_links_to_the_form():
    cut = segmentation_of(qc.Page.from_html(GOLDEN, URL))
    accepted = log_odds(features(cut, noise_words())) > 0
    assert accepted.tolist() == [False, True, True, True, True, False, False]
    longest = int(np.argmax(cut.n_chars))
    assert (
        similarity(cut[longest].text, cut[4].text)
        < 0.02
        < similarity(cut[longest].text, cut[3].text)
    )
    strict = QuarkAnalyzer(AnalyzerOptions(similarity_threshold=0.9)).content(cut)
    assert strict.tolist() == [False, True, longest == 2, longest == 3, False, False, False]


def test_spans_hold_the_content():
    body = GOLDEN.encode("gb18030")
    page = qc.Page.from_bytes(body, URL, "text/html; charset=gb18030")
    content = qc.extract(page, method="quark")
    pieces = [body[span.byte_start : span.byte_end].decode("gb18030") for span in content.spans]
    assert pieces[0].startswith("北京天文馆公布结果")
    joined = "".join(pieces)
    assert SENTENCES in joined
    assert SECOND in joined
    assert "广告" not in joined
    text = [content.page.html[span.start : span.end] for span in content.spans]
    assert text == pieces


def test_the_longest_block_is_content_only_if_its_form_is():
    links = "".join(
        f'<li><a href="{number}">一条相当长的新闻标题在这里</a>' for number in range(50)
    )
    content = qc.extract(f"<div><ul>{links}</ul></div>", method="quark")
    assert content.text == ""
    assert [block.kind for block in content.blocks] == ["noise"]


BAD = {
    "empty": b"",
    "script": b"<script>if (a<b) document.write('<p>x')</script>",
    "frameset": b"<frameset cols=1><frame src=a><noframes>no frames</noframes></frameset>",
    "xml": "<?xml version='1.0'?><a><b>字。字，</b></a>".encode(),
    "rss": "<?xml version='1.0'?><rss><channel><item><title>题</title><description>字".encode(),
    "text": "没有标记的文字。\n第二行。".encode("gb18030"),
    "null": b"\x00" * 1000,
    "binary": bytes(range(256)) * 40,
    "open": b"<" * 5000,
    "deep": b"<div>" * 20_000 + "字".encode(),
    "utf-16": "<p>字".encode("utf-16"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("method", ["quark", "default"])
def test_bad_input(name, method):
    content = qc.extract(BAD[name], method=method)
    assert content.failure is None
    assert isinstance(content.text, str)
    assert 0 <= content.topic_probability <= 1
    assert len(content.related_links) == 0
    assert all(span.end > span.start for span in content.spans)
    assert all(block.kind in ("content", "noise", "rel_link") for block in content.blocks)


@pytest.mark.full
def test_a_page_of_20_megabytes():
    line = "<p>第一行文字，第二行文字。<a href=x>链接</a>".encode()
    content = qc.extract(line * (20_000_000 // len(line)), method="quark")
    assert content.failure is None


@settings(max_examples=examples(60))
@given(st.binary(max_size=300), st.sampled_from(["", "http://a.cn/x/1.html", "nonsense", "//["]))
def test_no_bytes_raise(body, url):
    content = qc.extract(body, url=url, method="quark")
    if content.failure == "pdf_broken":  # what begins as a PDF has no tree
        assert b"%PDF-" in body
        return
    assert content.failure is None
    assert content.runs.shape == (len(content.page.tree.runs),)
    assert 0 <= content.topic_probability <= 1
    assert len(content.related_links) <= len(content.page.links)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(GOLDEN.split("<")), max_size=40))
def test_shuffled_markup(pieces):
    content = qc.extract("<".join(pieces), url=URL, method="quark")
    assert content.failure is None
    again = qc.extract("<".join(pieces), url=URL, method="quark")
    assert labels(content) == labels(again)
    chosen = content.runs & ~content.page.tree.run_raw
    kept = {block.number for block in content.blocks if block.kind == "content"}
    assert set(content.segmentation.run_block[chosen].tolist()) <= kept


def test_unknown_method_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'quark'"):
        qc.extract("<p>x", method="quarc")
    with pytest.raises(InputError, match="there are"):
        qc.extract("<p>x", method="zzz")


@pytest.mark.shared
@pytest.mark.skipif(not SETS.exists(), reason="needs ../shared/data")
def test_words_are_compared_lazily_with_the_same_result_on_real_pages():
    analyzer = QuarkAnalyzer()
    with gzip.open(SETS / "daniel_zh.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for _, line in zip(range(25), lines, strict=False)]
    for row in rows:
        cut = segmentation_of(qc.Page.from_bytes(base64.b64decode(row["body_b64"]), row["url"]))
        accepted = log_odds(features(cut, noise_words())) > 0
        longest = int(np.argmax(cut.n_chars))
        expected = [
            bool(accepted[number])
            and (number == longest or similarity(cut[longest].text, cut[number].text) > 0.02)
            for number in range(len(cut))
        ]
        assert analyzer.content(cut).tolist() == expected


def test_options_of_related_links_hold_for_analyzer_and_content():
    page = qc.Page.from_html(GOLDEN, URL)
    options = AnalyzerOptions(related=RelatedOptions(anchor_share=1.1))
    labeled = QuarkAnalyzer(options).analyze(segmentation_of(page))
    assert "content" in labeled.kinds
    assert "rel_link" not in labeled.kinds
    content = Content(quark_extraction(page, options))
    assert content.segmentation.kinds == labeled.kinds
