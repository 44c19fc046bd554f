"""The topic decision: three ways, their features, the fitted weights."""

import gzip
import json
import re
from math import log1p
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.topic.api import MODEL_FEATURES, TOPIC_METHODS, dlut, scu, scut
from quarkcrawl.content.topic.features import (
    PAGE_FEATURES,
    URL_FEATURES,
    page_features,
    url_features,
)
from quarkcrawl.content.topic.model import LogisticModel, load_models, save_models
from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.lab.training.topic import fit, held_out, read_examples, score, train_topic
from tests.profiles import examples

SITES = Path(__file__).parents[3].parent / "shared/data/sites"
LISTS = {"home", "archive", "tag", "category"}

ARTICLE = (
    "<title>流星雨_新闻</title><h1>流星雨</h1><div>" + "昨天，北京看到了流星，人们很高兴。" * 20
)
INDEX = "<title>首页</title><ul>" + "".join(
    f'<li><a href="/{number}/">一条新闻的标题{number}</a>' for number in range(60)
)


def content(html, url=""):
    return qc.extract(html, url=url, method="quark")


def blocks(html):
    return content(html).segmentation


def blocks_and_text(html, url=""):
    found = content(html, url)
    return found.segmentation, found.text


def test_dlut():
    assert dlut(blocks(ARTICLE)) == 1
    assert dlut(blocks(INDEX)) == 0
    assert dlut(blocks("")) == 0


def test_scu_by_skewness():
    sizes = [1, 1, 1, 1, 10]  # mean 2.8, deviation 3.6: skewness 1.5
    skewed = SimpleNamespace(n_chars=np.array(sizes))
    assert np.mean([(x - 2.8) ** 3 for x in sizes]) / 3.6**3 == pytest.approx(1.5)
    assert scu(skewed) == 1
    even = SimpleNamespace(n_chars=np.array([10, 10, 10]))
    assert scu(even) == 0
    assert scu(blocks("")) == 0
    assert scu(blocks("<p>一块")) == 1


def test_is_topic():
    assert content(ARTICLE).is_topic
    assert not content(INDEX).is_topic
    assert not content("<img src=x>").is_topic
    assert content("<img src=x>").topic_probability == 0
    page = blocks_and_text(INDEX, "http://a.cn/")
    assert scut(*page) != scut(*page, use_url=False) == scut(*blocks_and_text(INDEX))
    assert set(TOPIC_METHODS) == {"dlut", "scu", "scut"}


def test_url_features_by_hand():
    values = dict(zip(URL_FEATURES, url_features("http://a.cn/2008/03/t_12.shtml"), strict=True))
    assert values == {
        "url_digits": log1p(8),
        "url_depth": 3,
        "url_page_suffix": 1,
        "url_index_name": 0,
        "url_list_word": 0,
    }
    assert url_features("http://a.cn/tags/x/index.html") == [0, 3, 1, 1, 1]
    assert url_features("http://a.cn") == url_features("//[") == [0, 0, 0, 1, 0]


def test_page_features_by_hand():
    html = (
        "<title>流星雨</title><meta property=og:type content=article><h1>流星雨</h1>"
        "<p>2008-03-05 昨天，下雨。<p><a href=x>上一篇</a>"
    )
    values = dict(zip(PAGE_FEATURES, page_features(*blocks_and_text(html)), strict=True))
    assert values["links"] == log1p(1)
    assert values["link_tag_share"] == pytest.approx(1 / 9)  # html head title meta body h1 p p a
    assert values["anchor_share"] == pytest.approx(3 / 22)
    assert values["plain_chars"] == log1p(19)
    assert values["stops"] == log1p(2)
    assert values["headings"] == log1p(1)
    assert values["heading_in_title_chars"] == values["title_chars"] == log1p(3)
    assert values["dates"] == values["neighbour_words"] == log1p(1)
    assert (values["says_article"], values["says_website"]) == (1, 0)
    assert (values["list_words_in_title"], values["more_words"]) == (0, 0)


_MORE = re.compile(
    r"阅读全文|閱讀全文|阅读更多|閱讀更多|查看全文|继续阅读|繼續閱讀|全文阅读|下一页|下一頁|尾页|末页"
    r"|[Rr]ead [Mm]ore|READ MORE|[Cc]ontinue [Rr]eading|[Nn]ext [Pp]age"
)
_BESIDE = re.compile(
    r"上一篇|下一篇|责任编辑|責任編輯|版权声明|本文链接|转载请注明|原文链接|正文|相关文章|相关新闻|相关阅读"
)
_PIECES = ["相关", "阅读", "更多", "全文", "下一页", "正文", "Read ", "read ", "More", "more", "READ MORE", "Next page", "好"]  # fmt: skip


@settings(max_examples=examples(80))
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_words_that_lead_on_against_two_plain_searches(text):
    values = dict(zip(PAGE_FEATURES, page_features(*blocks_and_text(f"<p>{text}")), strict=True))
    assert values["more_words"] == log1p(len(_MORE.findall(text)))
    assert values["neighbour_words"] == log1p(len(_BESIDE.findall(text)))


@settings(max_examples=examples(50))
@given(st.text(max_size=200), st.text(max_size=30))
def test_features_are_finite(html, url):
    assert np.isfinite(page_features(*blocks_and_text(html))).all()
    assert np.isfinite(url_features(url)).all()


def test_fit_finds_what_made_the_labels():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2000, 3)) * [1, 10, 0.1] + [0, 5, 2]
    odds = 2 * rows[:, 0] - 0.1 * (rows[:, 1] - 5)
    labels = rng.random(2000) < 1 / (1 + np.exp(-odds))
    model = fit(("a", "b", "c"), rows, labels, np.ones(2000))
    # The penalty draws weights toward 0, which keeps their order and signs.
    assert 0.8 < model.weight[0] < 2.2
    assert -1.2 < model.weight[1] < -0.4
    assert abs(model.weight[2]) < 0.2
    found = model.probability(rows) > 0.5
    assert (found == labels).mean() > 0.75
    by_hand = 1 / (
        1 + np.exp(-(((rows[0] - model.mean) / model.scale) @ model.weight + model.bias))
    )
    assert model.probability(rows[:1])[0] == pytest.approx(by_hand)


@given(st.lists(st.tuples(*[st.floats(-50, 50)] * 4), min_size=3, max_size=3), st.floats(-9, 9))
def test_one_example_as_many(columns, bias):
    mean, scale, weight = np.array(columns)
    scale = np.abs(scale) + 0.5
    model = LogisticModel(tuple("abcd"), mean, scale, weight, bias)
    for example in np.array(columns):
        expected = float(model.probability(example))
        assert model.probability_of(example.tolist()) == pytest.approx(expected, abs=1e-9)


def test_a_feature_that_never_changes_does_no_harm():
    rows = np.array([[0.0, 7.0], [1.0, 7.0]])
    model = fit(("a", "b"), rows, np.array([False, True]), np.ones(2))
    assert model.probability(rows).tolist() == sorted(model.probability(rows).tolist())
    assert np.isfinite(model.probability(np.array([[0.5, 9.0]]))).all()


def test_models_come_back_from_a_file(tmp_path):
    path = tmp_path / "weights.json"
    model = LogisticModel(
        ("a", "b"), np.array([1.0, 2]), np.array([1.0, 3]), np.array([0.5, -1]), 0.25
    )
    save_models(path, {"page": model}, "two pages")
    back = load_models(path, {"page": ("b", "a")})["page"]
    assert back.probability(np.array([[5.0, 2.0]])) == model.probability(np.array([[2.0, 5.0]]))
    assert json.loads(path.read_text())["trained_on"] == "two pages"
    for text in ("", "{}", '{"page": {"bias": 0, "features": {"a": 1}}}'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"weights\.json"):
            load_models(path, {"page": ("a", "b")})


def test_score():
    scores = score(np.array([1, 1, 1, 0], bool), np.array([1, 1, 0, 1], bool))
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert score(np.zeros(2, bool), np.zeros(2, bool)).f1 == 0


def write_pages(path, n_hosts=4, n_pages=4):
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for host in range(n_hosts):
            for number in range(n_pages):
                for html, label, name in ((ARTICLE, "post", "p"), (INDEX, "home", "c")):
                    url = f"http://h{host}.cn/{name}/{number}.html"
                    record = {"url": url, "html": html, "template_label": label}
                    lines.write(json.dumps(record) + "\n")
        lines.write(json.dumps({"url": "", "html": ARTICLE, "gold_text": "昨天"}) + "\n")
        lines.write(json.dumps({"url": "", "html": ARTICLE, "template_label": "misc"}) + "\n")


def test_training_leaves_hosts_out(tmp_path):
    write_pages(tmp_path / "pages.jsonl.gz")
    examples = read_examples([tmp_path / "pages.jsonl.gz"], "quark")
    assert len(examples.hosts) == 33
    assert examples.is_topic.sum() == 17
    assert examples.has_url.sum() == 32
    for found in held_out(examples).values():
        assert score(examples.is_topic, found > 0.5).f1 == 1
    models = train_topic(examples)
    assert {name: model.names for name, model in models.items()} == MODEL_FEATURES


def test_files_without_pages_are_named(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"html": "x", "is_topic": true}\n[]\n')
    with pytest.raises(InputError, match=r"x\.jsonl:2"):
        read_examples([path])
    path.write_text('{"is_topic": true}\n')
    with pytest.raises(InputError, match=r"x\.jsonl:1"):
        read_examples([path])
    path.write_text('{"html": "x"}\n')
    with pytest.raises(InputError, match="no labeled page"):
        read_examples([path])
    path.write_text('{"html": "x", "is_topic": null}\n')
    with pytest.raises(InputError, match="no labeled page"):
        read_examples([path])
    path.write_text('{"html": 5, "is_topic": true}\n')
    with pytest.raises(InputError, match=r"x\.jsonl:1"):
        read_examples([path])
    with pytest.raises(InputError, match=r"none\.jsonl"):
        read_examples([tmp_path / "none.jsonl"])


def test_what_cannot_be_learned_from_is_told(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{"html": ARTICLE, "is_topic": True}, {"html": INDEX, "is_topic": False}]
    path.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(InputError, match="1 topic pages and 0 others"):
        read_examples([path], "quark")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="page_and_url"):  # no addresses
        held_out(read_examples([path], "quark"))
    rows = [{"url": "http://h.cn/1", **row} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="several hosts"):
        held_out(read_examples([path], "quark"))


@pytest.mark.full
def test_on_the_simulated_web():
    web = MiniWeb(9, 12, 250)
    labels, found = [], []
    for urls in truth(web).groups.values():
        url = min(urls)
        known = page_truth(web, url)
        if known is None or known.kind == "info":
            continue
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        reply = web.respond(Ask(parts.scheme, parts.netloc, target, visit=2))
        if reply.status == 200 and reply.body:
            page = qc.Page.from_bytes(reply.body, url, known.content_type)
            labels.append(known.kind == "topic")
            found.append(qc.extract(page, method="quark").is_topic)
    assert score(np.array(labels), np.array(found)).f1 > 0.97
    assert labels.count(False) > 5


@pytest.mark.full
@pytest.mark.shared
@pytest.mark.skipif(not SITES.exists(), reason="needs ../shared/data")
def test_posts_against_lists_of_a_site():
    labels, found = [], []
    with gzip.open(SITES / "bboyjing.github.io.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            if row["template_label"] in LISTS | {"post"} and len(labels) < 120:
                labels.append(row["template_label"] == "post")
                found.append(content(row["html"], row["url"]).is_topic)
    assert score(np.array(labels), np.array(found)).f1 > 0.95
