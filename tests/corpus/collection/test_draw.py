"""The draw of site sizes: groups of 20, 10 of each, ⌈n/2⌉ of the last (CWT200g thesis, 3.5)."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.corpus.collection.draw import draw_sizes, draw_towards
from quarkcrawl.errors import ConfigError

SIZES = st.sets(st.integers(1, 100_000), max_size=200)


@given(SIZES, st.integers(0, 10**6))
def test_ten_of_each_twenty(sizes, seed):
    drawn = draw_sizes(sizes, seed)
    assert [x.pages for x in drawn] == sorted(sizes)
    for place, size in enumerate(drawn):
        assert size.group == place // 20
    members = Counter(x.group for x in drawn)
    taken = Counter(x.group for x in drawn if x.is_drawn)
    for group, n in members.items():
        assert taken[group] == (10 if n == 20 else math.ceil(n / 2))


@given(SIZES, st.integers(0, 99), st.integers(1, 30), st.data())
def test_other_groups(sizes, seed, group, data):
    draw = data.draw(st.integers(1, group))
    drawn = draw_sizes(sizes, seed, group=group, draw=draw)
    for number in range(math.ceil(len(sizes) / group)):
        members = [x for x in drawn if x.group == number]
        assert sum(x.is_drawn for x in members) == math.ceil(len(members) * draw / group)


@given(st.lists(st.integers(1, 1000), max_size=60), st.integers(0, 99))
def test_order_and_repetition_do_not_matter(sizes, seed):
    assert draw_sizes(sizes, seed) == draw_sizes(sorted(sizes * 2, reverse=True), seed)


def test_every_size_is_as_likely_as_any_other():
    counts = Counter()
    for seed in range(2000):
        counts.update(x.pages for x in draw_sizes(range(1, 21), seed) if x.is_drawn)
    # 2000 draws of probability one half: standard deviation 22.4.
    assert all(abs(n - 1000) < 4.5 * 22.4 for n in counts.values())
    assert sum(counts.values()) == 20_000


def test_golden():
    """The procedure of the thesis by hand: 45 sizes are two groups of 20 and one of 5."""
    drawn = draw_sizes(range(1, 46), seed=2006)
    taken = [[x.pages for x in drawn if x.group == g and x.is_drawn] for g in range(3)]
    assert [len(sizes) for sizes in taken] == [10, 10, 3]
    assert taken[2] == [41, 44, 45]
    assert taken[0] == [4, 6, 7, 8, 10, 12, 15, 16, 17, 18]


@given(
    st.dictionaries(st.integers(1, 5000), st.integers(1, 10_000), min_size=1, max_size=80),
    st.integers(1, 200_000),
    st.integers(0, 99),
)
def test_towards_a_number(weights, wanted, seed):
    drawn = draw_towards(weights, wanted, seed)
    total = sum(weights[x.pages] for x in drawn if x.is_drawn)
    assert abs(total - wanted) <= max(weights.values()) or total in {0, sum(weights.values())}
    per_group = Counter(x.group for x in drawn if x.is_drawn)
    members = Counter(x.group for x in drawn)
    full = [g for g in members if per_group[g] < members[g]]
    if full and per_group:  # groups give in turn: no one is two ahead of another that has more
        assert max(per_group.values()) - min(per_group[g] for g in full) <= 1


def test_what_cannot_be_drawn():
    for group, draw in ((20, 0), (20, 21), (0, 0)):
        with pytest.raises(ConfigError):
            draw_sizes([1, 2], 1, group=group, draw=draw)
    with pytest.raises(ConfigError):
        draw_towards({1: 1}, 0, 1)
    assert draw_sizes([], 1) == []
