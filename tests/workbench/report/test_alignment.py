"""The alignment is a common subsequence, and the longest one where texts are not long."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.workbench.report import alignment
from quarkcrawl.workbench.report.alignment import align
from tests.profiles import examples

texts = st.text("天网搜索引擎。ab", max_size=40)


def naive_lcs(left: str, right: str) -> int:
    """The textbook table."""
    row = [0] * (len(right) + 1)
    for one in left:
        above = row
        row = [0]
        for place, other in enumerate(right):
            row.append(above[place] + 1 if one == other else max(above[place + 1], row[place]))
    return row[-1]


def check_subsequence(left: str, right: str) -> alignment.Alignment:
    found = align(left, right)
    common = "".join(c for c, is_common in zip(left, found.left, strict=True) if is_common)
    assert common == "".join(c for c, is_in in zip(right, found.right, strict=True) if is_in)
    assert found.n_common == len(common)
    assert not (found.left_scattered & ~found.left).any()
    assert found.left_scattered.sum() == found.right_scattered.sum()
    return found


@settings(max_examples=examples(300))
@given(texts, texts)
def test_longest_common_subsequence(left: str, right: str) -> None:
    assert check_subsequence(left, right).n_common == naive_lcs(left, right)


@settings(max_examples=examples(200))
@given(texts, texts)
def test_long_texts_are_cut_at_equal_sentences(left: str, right: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MAX_PRODUCT", 12)
        assert check_subsequence(left, right).n_common <= naive_lcs(left, right)


def test_long_texts() -> None:
    rnd = random.Random(5)
    sentences = ["".join(rnd.choices("天网搜索引擎北京大学", k=30)) + "。" for _ in range(1500)]
    left = "".join(sentences)
    right = "".join(s[:10] + "改" + s[11:] if n % 7 == 0 else s for n, s in enumerate(sentences))
    assert len(left) * len(right) > alignment.MAX_PRODUCT
    n_changed = (1500 + 6) // 7
    assert check_subsequence(left, right).n_common == len(left) - n_changed


def test_texts_of_one_sentence_over_and_over_end_soon() -> None:
    left, right = "甲" + "好。" * 29_000 + "乙", "丙" + "好。" * 28_000 + "丁"
    assert check_subsequence(left, right).n_common == 0  # too many equal sentences to choose from


def test_differences_are_gathered() -> None:
    """A longest common subsequence may take 2 from .2; better the one before 011."""
    found = align("下降0.2%预期2011年12月", "2011年12月来源")
    assert found.left.tolist() == [False] * 8 + [True] * 8
    assert not found.left_scattered.any()


def test_scattered_characters() -> None:
    found = align("甲甲甲甲网乙乙乙乙", "丙丙丙丙网丁丁丁丁")
    assert found.n_common == 1
    assert found.left_scattered.tolist() == found.left.tolist()
    assert not align("网甲甲", "网丙丙").left_scattered.any()
    assert not align("甲甲网", "丙丙网").left_scattered.any()


def test_nothing() -> None:
    assert align("", "").n_common == align("天", "").n_common == align("", "网").n_common == 0
