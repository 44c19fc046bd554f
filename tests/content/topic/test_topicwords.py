"""Counting at the few places where a word can begin gives what patterns give."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.content.topic import words as topicwords
from quarkcrawl.content.topic.vocabulary import KINDS, WORDS
from quarkcrawl.content.topic.words import word_counts
from quarkcrawl.page import PageTree

DATE = re.compile(r"[0-9][0-9]{0,3}[-/.年][0-9]{1,2}(?:[-/.月][0-9]{1,2})?")
ENGLISH = re.compile("READ MORE|[Rr]ead [Mm]ore|[Cc]ontinue [Rr]eading|[Nn]ext [Pp]age")
PIECES = [word for words in KINDS for word in words] + list("0129-/.年月下阅x 𠀀")
texts = st.lists(st.sampled_from([*PIECES, "Read more", "READ MORE", "next Page"])).map("".join)


both_ways = pytest.mark.parametrize("find", ["arrays", "loops"], indirect=True)


@pytest.fixture
def find(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topicwords, "_find", topicwords._beginnings)
    if request.param == "loops":
        topicwords.use_compiled_loops()


def codes(text: str) -> np.ndarray:
    return np.array(list(map(ord, text)), np.uint32)


@both_ways
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_the_same_as_patterns(find: None, text: str) -> None:
    counts = word_counts(text, codes(text))
    found = WORDS.findall(text)
    both, beside, more = (sum(word in words for word in found) for words in KINDS)
    assert counts.dates == len(DATE.findall(text))
    assert counts.beside == both + beside
    assert counts.more == both + more + len(ENGLISH.findall(text))


@both_ways
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text("0123-年.", max_size=30))
def test_dates_one_behind_the_other(find: None, text: str) -> None:
    assert word_counts(text, codes(text)).dates == len(DATE.findall(text))


@both_ways
def test_the_text_of_a_page_and_its_codes(find: None) -> None:
    tree = PageTree.parse("<p>2008-08-08<script>1999-1-1</script><a>下一页</a>𠀀 Read more")
    text = tree.run_class.text
    assert text.split("\0")[:-1] == ["2008-08-08", "下一页", "𠀀 Read more"]
    assert tree.run_class.codes.tolist() == list(map(ord, text))
    assert word_counts(text, tree.run_class.codes) == (2, 0, 1)


@both_ways
def test_no_text(find: None) -> None:
    assert word_counts("", codes("")) == (0, 0, 0)
