"""The similarity side against a naive reading of the thesis."""

import gzip
import importlib
import json
import re
import warnings
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.quark.similarity import Idf, Reference, similarity, word_counts
from quarkcrawl.content.quark.tokens import tokens, words
from quarkcrawl.content.words import read_words, stop_words
from quarkcrawl.errors import InputError
from tests.profiles import examples

module = importlib.import_module("quarkcrawl.content.quark.similarity")  # its face has the function

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # jieba's source has invalid escape sequences
    import jieba

jieba.setLogLevel("CRITICAL")
CWCED = Path(__file__).parents[3].parent / "shared/data/extraction/cwced.jsonl.gz"
PIECES = "北京大学 搜索引擎 网页 的 了 ， 。 新闻 search Search engine the 2008 张 堃 のか é · 天气 北京 大学生 ! +"
TEXTS = st.lists(st.sampled_from([*PIECES.split(), " ", "\n"]), max_size=40).map("".join)


def stream_similarity(one, two, weight=lambda word: 1.0):
    """Sort both token streams and walk along them, as the thesis describes it."""
    first, second = sorted(words(one)), sorted(words(two))
    common, a, b = 0.0, 0, 0
    while a < len(first) and b < len(second):
        if first[a] == second[b]:
            common += weight(first[a])
            a, b = a + 1, b + 1
        elif first[a] < second[b]:
            a += 1
        else:
            b += 1
    smaller = min(sum(map(weight, first)), sum(map(weight, second)))
    return common / smaller if smaller else 0.0


@given(TEXTS, TEXTS)
def test_similarity_is_the_walk_along_sorted_streams(one, two):
    assert similarity(one, two) == pytest.approx(stream_similarity(one, two))
    assert similarity(one, two) == similarity(two, one)
    assert 0 <= similarity(one, two) <= 1
    assert similarity(one, one) == (1.0 if word_counts(one) else 0.0)


@settings(max_examples=examples(300))
@given(TEXTS, st.lists(TEXTS, max_size=4), st.sampled_from([0.0, 0.02, 0.1, 0.34, 0.5, 0.9]))
def test_the_first_words_decide_as_all_do(text, others, threshold):
    reference = Reference(text)
    weighted = Reference(text, IDF)
    with mock.patch.object(module, "_FIRST_CHARS", 4):
        for other in others:
            assert reference.is_similar(other, threshold) == (similarity(text, other) > threshold)
            exact = similarity(text, other, IDF)
            if exact != pytest.approx(threshold):
                assert weighted.is_similar(other, threshold) == (exact > threshold)


def test_the_rest_is_not_cut_where_the_first_words_tell():
    cut = []
    reference = Reference("搜索引擎收集网页，", cut=lambda text: cut.append(text) or tokens(text))
    assert reference.is_similar("搜索引擎，收集网页，" * 40, 0.02)
    assert max(map(len, cut)) < 100


IDF = Idf({"北京大学": 3.0, "网页": 0.5, "search": 1.25, "新闻": 2.0}, 4.0)


@given(TEXTS, TEXTS)
def test_weighted_similarity(one, two):
    assert similarity(one, two, IDF) == pytest.approx(stream_similarity(one, two, IDF))


@given(st.one_of(TEXTS, st.text(max_size=60)))
def test_no_word_goes_over_what_is_none(text):
    pieces = re.split(module._NO_WORD, text)
    assert [word for piece in pieces for word in words(piece)] == list(words(text))
    assert word_counts(text) == Counter(words(text))


def test_worked_example():
    # 搜索引擎 is common, 北京大学 and 网页 are not; the smaller text has two words.
    assert similarity("北京大学的搜索引擎", "搜索引擎, 网页, 搜索引擎") == pytest.approx(1 / 2)
    assert sorted(words("北京大学的 Search engine, 2008!")) == [
        "2008",
        "engine",
        "search",
        "北京大学",
    ]


def test_only_the_beginning_of_a_text_is_compared():
    bound = module.MAX_COMPARED_CHARS
    assert word_counts("，" * (bound - 2) + "网页网页") == {"网页": 1}
    assert Reference("，" * bound + "网页").is_similar("网页", 0.0) is False


def test_stop_words():
    assert {"的", "了", "the", "我們"} <= stop_words()
    listed = read_words("stop_words.txt")
    assert len(listed) == len(set(listed))
    assert all(word == word.lower() for word in listed)


HANZI = st.text(
    st.sampled_from("天网搜索引擎北京大学生活动机关于是的了一不人有在中国家a1+b.C-"), max_size=30
)


LATIN = st.text(st.sampled_from("cC+#AT&aBQ4sS1._%-x"), max_size=12)


@pytest.mark.full
@settings(max_examples=examples(300))
@given(st.one_of(TEXTS, HANZI, LATIN, st.text(max_size=30)))
def test_tokens_are_those_of_jieba(text):
    by_jieba = [token for token in jieba.cut(text, HMM=False) if re.search(r"\w", token)]
    assert [token for token in tokens(text) if re.search(r"\w", token)] == by_jieba


@pytest.mark.shared
@pytest.mark.skipif(not CWCED.exists(), reason="needs ../shared/data")
@pytest.mark.full
def test_tokens_are_those_of_jieba_on_real_text():
    with gzip.open(CWCED, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["gold_text"] for line in lines]
    for text in texts:
        assert tokens(text) == list(jieba.cut(text, HMM=False))


def test_half_a_character_is_no_word():
    assert list(words("网页\ud800搜索引擎")) == ["网页", "搜索引擎"]


def test_idf_from_texts_and_back(tmp_path):
    idf = Idf.from_texts(["网页 新闻", "网页 网页", "天气"])
    assert idf("新闻") > idf("网页") > 0
    assert idf("没有见过") == idf.unseen > idf("新闻") - 1e-12
    idf.save(tmp_path / "idf.json")
    assert Idf.load(tmp_path / "idf.json") == idf


@pytest.mark.parametrize(
    "text", ["", "[]", '{"weights": []}', '{"weights": {"a": "b"}, "unseen": 1}']
)
def test_a_file_without_weights_is_named(tmp_path, text):
    (tmp_path / "idf.json").write_text(text)
    with pytest.raises(InputError, match=r"idf\.json"):
        Idf.load(tmp_path / "idf.json")
