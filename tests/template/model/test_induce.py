"""Templates from clusters: the thesis' example, invariants, damaged files."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.template.clustering.cluster import ClusterOptions
from quarkcrawl.template.clustering.lcs import common_weight
from quarkcrawl.template.model.induce import InduceOptions, induce
from quarkcrawl.template.model.model import Essential, Optional, Position, tokens_of
from quarkcrawl.template.structure.sequence import TagSequence
from quarkcrawl.template.structure.weights import token_weights
from tests.template.clustering.test_cluster import noisy
from tests.template.samples import letters, relaxed, sequences

NAMES = {ord(letter): letter for letter in "abcdefghijklmnopqrstuvwxyz"}


@pytest.fixture
def spelled(monkeypatch):
    """Element numbers are letters."""
    monkeypatch.setattr(
        "quarkcrawl.template.structure.sequence.tag_name", lambda code, _: chr(code)
    )


def test_the_worked_example_of_the_thesis(spelled):
    words = ["aorzbcdlxe", "athubeatcdlxe", "athubeatcdpkue"]
    plain = InduceOptions(ClusterOptions(weight="constant"))
    made = induce([letters(word) for word in words], 1, plain)
    text = str(made).replace("1", "")
    assert text == (
        "a [t h u, 0.67 | o r z, 0.33] b [e a t, 0.67] c d [l x, 0.67 | p k u, 0.33] e"
    ).replace("1", "")
    assert [type(part) for part in made.parts] == [Essential, Optional] * 3 + [Essential]
    first = made.parts[1]
    assert [one.probability for one in first.alternatives] == [2 / 3, 1 / 3]


def contains(common, tokens):
    weights = token_weights(common)
    return common_weight(common, tokens, weights, 0) == weights.sum()


@relaxed
@given(st.lists(sequences, min_size=1, max_size=6), st.data())
def test_what_is_essential_is_in_every_member(pages, data):
    center = data.draw(st.integers(0, len(pages) - 1))
    made = induce(pages, center)
    common = tokens_of(tuple(node for _, node in made.essential))
    for page in pages:
        assert contains(common, page.tokens)
    assert made.is_alternating
    for part in made.parts:
        if isinstance(part, Optional):
            assert 0 < sum(one.probability for one in part.alternatives) <= 1 + 1e-9
            shares = [one.probability for one in part.alternatives]
            assert shares == sorted(shares, reverse=True)
        else:
            assert part.nodes


@relaxed
@given(st.lists(sequences, min_size=1, max_size=6), st.randoms())
def test_the_order_of_the_pages_does_not_matter(pages, dice):
    center = pages[0]
    shuffled = dice.sample(pages, len(pages))
    other = induce(shuffled, shuffled.index(center))
    assert other.parts == induce(pages, 0).parts


def test_one_page_is_its_own_template():
    page = letters("abc")
    made = induce([page])
    assert [str(part) for part in made.parts] == [str(Essential(made.center))]
    assert tokens_of(made.center).tolist() == page.tokens.tolist()


def test_an_outlier_costs_an_element_only_if_all_pages_must_have_it():
    pages = [letters("abcd")] * 9 + [letters("abd")]
    assert len(induce(pages).essential) == 3
    assert len(induce(pages, 0, InduceOptions(essential_support=0.9)).essential) == 4
    pages = [letters("abcd")] * 8 + [letters("abd")] * 2  # c is in fewer than nine of ten
    assert len(induce(pages, 0, InduceOptions(essential_support=0.9)).essential) == 3


def test_repetition_is_said_by_any_member():
    once = letters("ab")
    often = TagSequence(once.tokens, np.array([False, True]))
    assert [node.repeated for _, node in induce([once, once, often]).essential] == [False, True]


def test_larger_clusters_of_noisy_pages():
    pages = noisy(random.Random(3), 120)
    made = induce(pages, 0)
    assert made.is_alternating
    assert made.n_pages == 120


def test_positions_can_be_written_and_read():
    made = induce([letters("abd"), letters("acd"), letters("abd")])
    for position, _ in made.positions():
        assert Position.parse(str(position)) == position
        assert made.has(position)
    assert Position.parse("gap:2") == Position(-1, -1, 2)
    assert not made.has(Position(9, -1, 0))
    for wrong in ("", "1", "gap:", "a.b", "1.2.3.4", "-1.0", "1.٣"):
        with pytest.raises(InputError, match="is no position"):
            Position.parse(wrong)


def test_labels_must_be_names_and_fit():
    made = induce([letters("ab")])
    labeled = made.with_label("title", Position(0, -1, 1)).with_label("正文", Position(0, -1, 0))
    assert set(labeled.labels) == {"title", "正文"}
    for wrong in ("1st", "a b", "a=''", "xml", "", "a\u00b2", "\U00020000"):
        with pytest.raises(InputError, match="must be a name in XML"):
            made.with_label(wrong, Position(0, -1, 0))
    with pytest.raises(InputError, match=r"no position 0\.7"):
        made.with_label("title", Position(0, -1, 7))
    assert json.dumps(str(labeled.labels["title"])) == '"0.1"'
