"""Simhash: the package's values, the index, the other fingerprints."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.dedup import (
    SimhashIndex,
    SimhashMatch,
    as_simhash,
    group_texts,
    hamming,
    simhash,
    simhash_of_features,
    simhash_of_words,
    value_of_simhash,
)
from quarkcrawl.dedup.minhash import band_keys, estimated_jaccard, minhash
from quarkcrawl.dedup.simhash import band_masks, masked_keys, near_links
from quarkcrawl.errors import ConfigError, InputError
from tests.profiles import examples

_VALUES = {
    "": 0xE9800998ECF8427E,
    "a": 0x31C399E269772661,
}
"""Last eight bytes of the MD5 of a single gram, from RFC 1321, A.5."""


@pytest.mark.parametrize(("text", "value"), _VALUES.items())
def test_one_gram_is_its_md5(text: str, value: int) -> None:
    assert simhash(text) == value


@given(st.text(max_size=80))
@settings(max_examples=examples(200))
def test_values_of_the_package(text: str) -> None:
    package = pytest.importorskip("simhash")
    assert simhash(text) == package.Simhash(text).value


@given(st.text(alphabet="中文网页ab1_，。𠀀é", max_size=300))
@settings(max_examples=examples(200))
def test_values_of_the_package_on_chinese(text: str) -> None:
    package = pytest.importorskip("simhash")
    assert simhash(text) == package.Simhash(text).value


@given(st.dictionaries(st.text(max_size=9), st.integers(1, 255), min_size=1, max_size=30))
def test_values_of_the_package_for_weights(weights: dict[str, int]) -> None:
    package = pytest.importorskip("simhash")
    assert simhash_of_features(weights) == package.Simhash(weights).value


@given(st.lists(st.text(max_size=9), min_size=1, max_size=30))
def test_values_of_the_package_for_features(features: list[str]) -> None:
    package = pytest.importorskip("simhash")
    assert simhash_of_features(features) == package.Simhash(features).value


@given(st.text(max_size=80), st.text(max_size=80))
def test_fingerprints_go_to_the_package_and_back(text: str, other: str) -> None:
    one, two = as_simhash(simhash(text)), as_simhash(simhash(other))
    assert value_of_simhash(one) == simhash(text)
    assert one.distance(two) == hamming(simhash(text), simhash(other))
    package = pytest.importorskip("simhash")
    assert value_of_simhash(package.Simhash(text)) == simhash(text)
    index = SimhashIndex()
    index.add(value_of_simhash(one))
    near = package.SimhashIndex([("a", one)], k=3).get_near_dups(two)
    assert bool(near) == bool(index.find(value_of_simhash(two)))


def test_fingerprints_of_other_lengths_are_refused() -> None:
    package = pytest.importorskip("simhash")
    with pytest.raises(InputError, match="128 bits, not 64"):
        value_of_simhash(package.Simhash("天网", f=128))


def test_where_the_package_overflows() -> None:
    package = pytest.importorskip("simhash")
    text = "啊" * 400
    with pytest.raises(OverflowError):
        package.Simhash(text)
    assert simhash(text) == simhash("啊啊啊啊")
    grams = [("ab" * 1000)[at : at + 4] for at in range(1997)]
    assert simhash("ab" * 1000) == simhash_of_features(grams)


def test_words() -> None:
    text = "北京大学天网实验室收集中文网页。"
    assert hamming(simhash_of_words(text), simhash_of_words(text.replace("。", "！"))) == 0
    assert simhash_of_words("") == simhash_of_words("，。")


@pytest.mark.parametrize("k", [0, 1, 3, 6, 10, 15, 16, 40, 64])
def test_index_finds_all_within_k_bits(k: int) -> None:
    random_ = random.Random(k)
    values = [random_.getrandbits(64) for _ in range(60)]
    for value in list(values):
        for n_bits in (1, k, k + 1, k + 3):
            bits = random_.sample(range(64), min(n_bits, 64))
            values.append(value ^ sum(1 << bit for bit in bits))
    index = SimhashIndex(k)
    half = len(values) // 2
    index.extend(np.array(values[:half], np.uint64))
    assert [index.add(value) for value in values[half:]] == list(range(half, len(values)))
    assert len(index) == len(values)
    for value in values[::7]:
        near = [
            SimhashMatch(n, hamming(v, value))
            for n, v in enumerate(values)
            if hamming(v, value) <= k
        ]
        assert index.find(value) == near
        assert index.nearest(value) == min(near, key=lambda match: match.distance)


def test_index_finds_whichever_three_bits_differ() -> None:
    value = 0x0123_4567_89AB_CDEF
    triples = [value ^ (1 << a | 1 << b | 1 << c) for a, b, c in combinations(range(64), 3)]
    index = SimhashIndex(3)
    half = len(triples) // 2
    index.extend(np.array(triples[:half], np.uint64))
    index.extend(np.array(triples[half:], np.uint64))
    assert len(index.find(value)) == len(triples)


def test_index_grows_and_misses() -> None:
    index = SimhashIndex(2)
    index.extend(np.arange(1, 5000, dtype=np.uint64) << np.uint64(20))
    assert index.nearest(0xFFFF) is None
    assert len(index.find(1 << 20)) > 64
    assert index.n_bytes > 5000 * 8
    for step in range(4000):  # sorted anew on the way
        index.add((step + 1) << 40)
    assert index.nearest(7 << 40) == SimhashMatch(4999 + 6, 0)
    assert index.nearest(9 << 20) == SimhashMatch(8, 0)


@pytest.mark.parametrize("n_values", [1, 3000, 10**6, 10**10])
@pytest.mark.parametrize("k", [0, 1, 3, 6, 10, 31, 63, 64])
def test_masks_find_all_within_k_bits(k: int, n_values: int) -> None:
    random_ = random.Random(k)
    masks = band_masks(k, n_values)
    assert 1 <= len(masks) <= 128
    values = np.array([random_.getrandbits(64) for _ in range(200)], np.uint64)
    flips = [sum(1 << bit for bit in random_.sample(range(64), k)) for _ in range(200)]
    near = values ^ np.array(flips, np.uint64)
    shared = masked_keys(values, masks) == masked_keys(near, masks)
    assert shared.any(axis=1).all()


def test_masks_get_narrower_where_there_are_many_values() -> None:
    bits = [min(int(mask).bit_count() for mask in band_masks(3, n)) for n in (10, 10**5, 10**8)]
    assert bits == sorted(bits)
    assert bits[0] == 0  # all are compared with all
    assert bits[-1] > 20


def _components(n_texts: int, pairs: list[tuple[int, int]]) -> list[int]:
    firsts = list(range(n_texts))
    for one, other in pairs:
        old, new = sorted((firsts[one], firsts[other]), reverse=True)
        firsts = [new if first == old else first for first in firsts]
    return firsts


@pytest.mark.parametrize("k", [0, 2, 5])
@pytest.mark.parametrize("n_values", [10, 10**9])
def test_links_connect_what_is_near(k: int, n_values: int) -> None:
    random_ = random.Random(k)
    values = [random_.getrandbits(64) for _ in range(30)]
    for _ in range(120):
        bits = random_.sample(range(64), random_.randrange(5))
        values.append(random_.choice(values) ^ sum(1 << bit for bit in bits))
    keys = masked_keys(np.array(values, np.uint64), band_masks(k, n_values))
    numbers = np.repeat(np.arange(len(values), dtype=np.uint32), keys.shape[1])
    found = near_links(keys.ravel(), np.array(values, np.uint64)[numbers], numbers, k)
    near = [
        (one, other)
        for one, other in combinations(range(len(values)), 2)
        if hamming(values[one], values[other]) <= k
    ]
    pairs = list(zip(*(column.tolist() for column in found), strict=True))
    assert _components(len(values), pairs) == _components(len(values), near)
    assert len(near) > 20


@pytest.mark.parametrize("k", [-1, 65])
def test_k_out_of_range(k: int) -> None:
    with pytest.raises(ConfigError):
        SimhashIndex(k)


# MinHash


def _jaccard(first: str, second: str) -> float:
    one, other = ({t[at : at + 4] for at in range(len(t) - 3)} for t in (first, second))
    return len(one & other) / len(one | other)


def test_minhash_estimates_jaccard() -> None:
    random_ = random.Random(5)
    errors = []
    for n in range(120):
        first = "".join(chr(0x4E00 + random_.randrange(3000)) for _ in range(600))
        second = first[: 30 + 4 * n] + "".join(
            chr(0x4E00 + random_.randrange(3000)) for _ in range(100)
        )
        errors.append(estimated_jaccard(minhash(first), minhash(second)) - _jaccard(first, second))
    assert np.sqrt(np.mean(np.square(errors))) < 0.05
    assert abs(np.mean(errors)) < 0.02


def test_minhash_of_odd_texts() -> None:
    for text in ("", "字", "\ud800", "啊" * 5000):
        assert (minhash(text) == minhash(text + "。")).all()
        assert len(set(band_keys(minhash(text)).tolist())) == 32


# All methods


@pytest.mark.parametrize(
    "method", ["default", "featurecode-2004", "simhash", "simhash-6", "simhash-words", "minhash"]
)
def test_methods_put_a_small_change_together(method: str) -> None:
    random_ = random.Random(3)
    vocabularies = (
        "北京 大学 网页 收集 研究 中文 语料 方法 文章 新闻 转载",
        "足球 比赛 教练 球员 文章 进球 主场 观众 裁判 射门 冠军",
        "银行 利率 股市 基金 文章 贷款 汇率 债券 税收 物价 出口",
    )
    texts = [
        "".join("".join(random_.choices(words.split(), k=9)) + "。" for _ in range(80))
        for words in vocabularies
    ]
    near = texts[1].replace("文章", "文草", 1)
    grouping = group_texts([*texts, near], method)
    assert grouping.firsts == (0, 1, 2, 1)
    assert grouping.reasons[3].startswith(("codes:", "simhash:", "minhash:"))


def test_md5_only() -> None:
    assert group_texts(["甲", "乙", "甲"], "md5").firsts == (0, 1, 0)


def test_an_unknown_method() -> None:
    with pytest.raises(InputError, match="featurecode-2004"):
        group_texts([], "featurecode")


def test_words_with_lone_surrogates() -> None:
    assert simhash_of_words("北京大学\ud800天网") == simhash_of_words("北京大学?天网")
