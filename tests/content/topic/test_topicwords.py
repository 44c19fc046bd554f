"""Counting at the few places where a word can begin gives what patterns give."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.content.topic.vocabulary import KINDS, WORDS
from quarkcrawl.content.topic.words import word_counts
from quarkcrawl.page import PageTree

DATE = re.compile(r"[0-9][0-9]{0,3}[-/.年][0-9]{1,2}(?:[-/.月][0-9]{1,2})?")
ENGLISH = re.compile("READ MORE|[Rr]ead [Mm]ore|[Cc]ontinue [Rr]eading|[Nn]ext [Pp]age")
PIECES = [word for words in KINDS for word in words] + list("0129-/.年月下阅x 𠀀")
texts = st.lists(st.sampled_from([*PIECES, "Read more", "READ MORE", "next Page"])).map("".join)


def codes(text: str) -> np.ndarray:
    return np.array(list(map(ord, text)), np.uint32)


@given(texts)
def test_the_same_as_patterns(text: str) -> None:
    counts = word_counts(text, codes(text))
    found = WORDS.findall(text)
    both, beside, more = (sum(word in words for word in found) for words in KINDS)
    assert counts.dates == len(DATE.findall(text))
    assert counts.beside == both + beside
    assert counts.more == both + more + len(ENGLISH.findall(text))


@given(st.text("0123-年.", max_size=30))
def test_dates_one_behind_the_other(text: str) -> None:
    assert word_counts(text, codes(text)).dates == len(DATE.findall(text))


def test_the_text_of_a_page_and_its_codes() -> None:
    tree = PageTree.parse("<p>2008-08-08<script>1999-1-1</script><a>下一页</a>𠀀 Read more")
    text = tree.run_class.text
    assert text.split("\0")[:-1] == ["2008-08-08", "下一页", "𠀀 Read more"]
    assert tree.run_class.codes.tolist() == list(map(ord, text))
    assert word_counts(text, tree.run_class.codes) == (2, 0, 1)


def test_no_text() -> None:
    assert word_counts("", codes("")) == (0, 0, 0)
