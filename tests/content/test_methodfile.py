"""Methods with options of their own: each option changes what is found on a page made for it."""

import json
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest

from quarkcrawl.content import extract, method_name, method_named
from quarkcrawl.content.items import IbDomOptions, ItemOptions
from quarkcrawl.content.quark import FEATURES, Idf, Priors, jieba_tokens
from quarkcrawl.content.quark.tokens import tokens
from quarkcrawl.content.topic import MODEL_FEATURES, LogisticModel, save_models
from quarkcrawl.corpus import ExtractionOptions, extract_corpus, extractions
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page import Page
from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item

LONG = "天网收集网页，一九九七年上线，供研究者使用。" * 6
NEAR = "研究者使用网页，今天上线的是另一台机器，它收集的东西不多，也还没有人看过。" * 2
FAR = "午餐在二楼，汤、面、饭都有，请自带餐具，饭后把桌子擦干净，谢谢各位同学配合。" * 2
PAGE = f"""<h1>标题</h1><div><p>{LONG}</p></div><div><p>{NEAR}</p></div><div><p>{FAR}</p></div>
<div>发布时间 2004-09-01 12:30</div>"""


@pytest.fixture
def method(tmp_path):
    def write(text, name="thesis"):
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_the_name_is_that_of_the_file_and_no_options_change_nothing(method):
    path = method('method = "quark"')
    content = extract(PAGE, method=path)
    assert content.method == method_name(path) == "thesis"
    assert content.text == extract(PAGE, method="quark").text


def test_similarity_threshold(method):
    all_similar = extract(PAGE, method=method('method="quark"\n[options]\nsimilarity_threshold=0'))
    none_similar = extract(PAGE, method=method('method="quark"\n[options]\nsimilarity_threshold=1'))
    assert LONG in all_similar.text
    assert NEAR in all_similar.text
    assert none_similar.text == LONG


def test_blocks_are_compared_as_a_whole_when_asked(method):
    """The words in common stand behind the five hundredth character."""
    late = "碗筷汤面，" * 110 + LONG
    page = f"<div><p>{LONG * 9}</p></div><div><p>{late}</p></div>"
    letter = extract(page, method=method('method="quark"\n[options]\ncompared_chars=0'))
    assert late not in extract(page, method="quark").text
    assert late in letter.text


def test_priors_and_idf_come_from_files_beside_it(method, tmp_path):
    n = len(FEATURES)
    Priors(0.001, (0.5,) * n, (0.5,) * n, "nothing is content").save(tmp_path / "priors.json")
    path = method('method="quark"\n[options]\npriors="priors.json"')
    assert extract(PAGE, method="quark").text
    assert not extract(PAGE, method=path).text
    Idf({}, 0.0).save(tmp_path / "idf.json")  # no word says anything
    with_idf = extract(PAGE, method=method('method="quark"\n[options]\nidf="idf.json"', "idf"))
    assert with_idf.text == LONG


@pytest.mark.full
def test_the_tokenizer_may_be_the_package_jieba(method, tmp_path):
    """The same words as rjieba without guesses; with them, and with a dictionary, others."""
    text = "韩玉赏鉴天网收集网页，云计算平台的杭研大厦在此。" * 3
    plain = jieba_tokens(guesses=False)
    assert plain(text) == tokens(text)
    assert "杭研" in jieba_tokens()(text)
    assert "杭研" not in tokens(text)
    (tmp_path / "words.txt").write_text("天网收集 9999 n\n", encoding="utf-8")
    assert "天网收集" in jieba_tokens(dictionary=tmp_path / "words.txt")(text)
    page = (
        f"<div><p>{LONG * 2}杭研</p></div><div><p>{'碗筷汤面，' * 20}杭研。杭州，研究。</p></div>"
    )
    options = 'method="quark"\n[options]\nsimilarity_threshold=0\ntokenizer="jieba"'
    with_jieba = method(f'{options}\nguess_words=true\ndictionary="words.txt"', "guessed")
    assert extract(page, method=with_jieba).text.count("杭研") == 2
    without = method(f"{options}\nguess_words=false", "plain")
    usual = method('method="quark"\n[options]\nsimilarity_threshold=0', "usual")
    assert extract(page, method=without).text == extract(page, method=usual).text


def test_a_changed_file_is_read_again(method):
    path = method('method="quark"\n[options]\nsimilarity_threshold=1')
    before = extract(PAGE, method=path).text
    method('method = "quark"')
    assert extract(PAGE, method=path).text != before


def test_pages_are_cut_at_custom_tags_and_patterns(method):
    whole = extract(PAGE, method=method('method="quark"\n[blocks]\nripe_chars=5000', "whole"))
    at_dates = extract(PAGE, method=method('method="quark"\n[blocks]\nripe_chars=5000\n'
                                           "custom_patterns=['^发布时间']", "dates"))  # fmt: skip
    at_p = extract(PAGE, method=method('method="quark"\n[blocks]\ncustom_tags=["p"]', "tags"))
    assert len(whole.segmentation) < len(at_dates.segmentation)
    assert "发布时间 2004-09-01 12:30" in {block.text for block in at_dates.segmentation}
    assert {LONG, NEAR, FAR} <= {block.text for block in at_p.segmentation}


def test_limits_of_related_links(method):
    links = "".join(
        f"<li><a href=/2004/{n}.html>另一篇关于网页收集的文章 {n}</a>" for n in range(8)
    )
    page = Page.from_html(f"{PAGE}<div>相关文章<ul>{links}</ul></div>", "http://a.cn/2004/99.html")
    no_links = method('method="quark"\n[related]\nanchor_share=1.01')
    assert "rel_link" in extract(page, method="quark").segmentation.kinds
    assert "rel_link" not in extract(page, method=no_links).segmentation.kinds


@pytest.mark.parametrize(("base", "record"), [("ibdom", IbDomOptions), ("rules", ItemOptions)])
def test_constants_of_the_region(method, base, record):
    path = method(f'method="{base}"\n[options]\nregion_share=0.99')
    page = f"<div>{FAR}</div><div><div><p>{LONG * 9}</div></div>"
    assert FAR in extract(page, method=path).text
    assert FAR not in extract(page, method=base).text
    names = {field.name for field in fields(record)}
    defaults = {name: getattr(record(), name) for name in names}
    lines = "\n".join(f"{name}={json.dumps(value)}" for name, value in defaults.items())
    usual = method(f'method="{base}"\n[options]\n{lines}', "usual")
    assert extract(page, method=usual).text == extract(page, method=base).text


SENTENCE = "天网收集网页，一九九七年上线。供研究者使用，"
MIXED = f"""<h1>天网</h1><div><h1>天网收集网页</h1><div>{"<p>" + SENTENCE * 3}</div>
<div>{"<p>" + SENTENCE * 4}</div><div><table><tr><td>年份<td>页数<tr><td>2004<td>30万</table></div>
<div><table><tr><td>独</table></div><div><table><tr><td><a href=/1>一</a><td>二，三</table></div>
<div><table><caption>表</caption><tr><td><a href=/2>四</a><td>五，六</table></div>
<div><img src=a.jpg width=90 height=90><p>{SENTENCE}</div>
<div><img src=b.jpg width=400 height=100><p>{SENTENCE}</div>
<div><div><img src=c.jpg><p>十个字在这里，不多</div></div>
<div><a href=/a>甲</a><a href=/b>乙</a><a href=/c>丙</a><a href=/d>丁</a><p>一，</div>
<div>{"天网收集网页供研究者使用" * 6}，{"".join(f"<a href=/{n}>甲乙丙丁{n}</a>" for n in range(9))}</div>
</div><div>别处的字，<p>少。</p></div>"""
"""A region with tables, pictures and blocks on which each constant of the paper decides something."""


IBDOM_CONSTANTS = {
    "min_table_cells": "1", "max_cell_units": "5", "headed_is_data": "false",
    "heading_weight": "1000", "region_share": "0.99", "min_picture_px": "10",
    "max_picture_ratio": "9.0", "min_picture_chars": "0", "max_negative_ratio": "99.0",
    "min_block_chars": "0", "min_mean_chars": "0.0",
}  # fmt: skip


def test_all_constants_of_ibdom_are_tried():
    assert IBDOM_CONSTANTS.keys() == {field.name for field in fields(IbDomOptions)}


@pytest.mark.parametrize("name", IBDOM_CONSTANTS)
def test_each_constant_of_ibdom_decides_on_a_page(method, name):
    text = f'method="ibdom"\n[options]\n{name}={IBDOM_CONSTANTS[name]}'
    changed = extract(MIXED, method=method(text))
    assert list(map(str, changed.items)) != list(map(str, extract(MIXED, method="ibdom").items))


def test_the_topic_decision_is_that_of_the_file(method, tmp_path):
    models = {
        name: LogisticModel(names, np.zeros(len(names)), np.ones(len(names)),
                            np.zeros(len(names)), -5.0)
        for name, names in MODEL_FEATURES.items()
    }  # fmt: skip
    save_models(tmp_path / "topic.json", models, "nothing is a topic page")
    path = method('method="quark"\ntopic="topic.json"')
    assert extract(PAGE, method="quark").topic_probability > 0.01
    assert extract(PAGE, method=path).topic_probability == pytest.approx(1 / (1 + np.exp(5)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("method", "is not TOML"),
        ("", "method: None is none of quark, ibdom, rules"),
        ('method="default"', "'default' is none of"),
        ('method="quark"\noption=1', "unknown setting 'option'; did you mean 'options'"),
        ('method="quark"\noptions=1', "must be a table"),
        ('method="rules"\n[blocks]\nripe_chars=1', "for quark alone"),
        ('method="quark"\n[options]\nthreshold=1', "unknown setting 'threshold'"),
        ('method="quark"\n[options]\nsimilarity_threshold="x"', "similarity_threshold"),
        ('method="quark"\n[options]\nsimilarity_threshold=2', "out of range"),
        ('method="quark"\n[blocks]\ncustom_patterns=["("]', "no regular expression"),
        ('method="quark"\n[options]\npriors="nix.json"', "priors"),
        ('method="quark"\n[options]\npriors=7', "7 is no path"),
        ('method="quark"\n[options]\ntokenizer="thulac"', "'thulac' is none of rjieba, jieba"),
        ('method="quark"\n[options]\nguess_words=true', "need tokenizer"),
        ('method="quark"\n[options]\ntokenizer="jieba"\ndictionary="nix"', "dictionary: .*nix"),
        ('method="quark"\ntopic="thesis.toml"', "topic: .*no table of topic weights"),
        ('method="ibdom"\n[options]\nregion_share=-1', "region_share=-1.* is out of range"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_of_the_file(method, text, words):
    with pytest.raises(ConfigError, match=words) as caught:
        extract("", method=method(text))
    assert "thesis.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_that_are_taken_or_unknown(method, tmp_path):
    with pytest.raises(ConfigError, match="its name cannot be"):
        method_named(method('method="quark"', "default"))
    with pytest.raises(ConfigError, match="cannot be read"):
        method_named(str(tmp_path / "nix.toml"))
    with pytest.raises(InputError, match="did you mean 'quark'"):
        method_named("quarc")


@pytest.mark.full
def test_a_corpus_keeps_the_rows_under_the_name_and_tells_changed_options(method, tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(1, url="http://a.cn/", host="a.cn", body=PAGE.encode()))
        writer.sync().acknowledged()
    path = method('method="quark"\n[options]\nsimilarity_threshold=1')
    options = ExtractionOptions(path, site_pages=0)
    assert extract_corpus(root, options).extracted == 1
    assert (root / "analysis" / "extractions" / "thesis").is_dir()
    (row,) = extractions(root, "thesis").to_table().to_pylist()
    assert (row["content_method"], row["content_text"]) == ("thesis", LONG)
    assert extractions(root, path).count_rows() == 1
    assert extract_corpus(root, options).extracted == 0
    method('method="quark"\n[options]\nsimilarity_threshold=0.5')
    with pytest.raises(ConfigError, match=r"method_file.*--restart"):
        extract_corpus(root, options)


@pytest.mark.full
def test_commands_take_the_file_where_they_take_a_name(method, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    path = method('method="quark"\n[options]\nsimilarity_threshold=1')
    words = [sys.executable, "-m", "quarkcrawl", "extract", str(page), "--method", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, LONG), done.stderr
