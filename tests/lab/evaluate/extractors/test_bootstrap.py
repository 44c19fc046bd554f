"""The paired bootstrap: seeded, right on average, honest about hosts."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.extractors.bootstrap import paired_bootstrap

RANDOM = random.Random(7)
PAGES = [(RANDOM.random(), RANDOM.random()) for _ in range(200)]
FIRST, SECOND = zip(*PAGES, strict=True)


def test_the_interval_is_that_of_the_normal_distribution_for_many_pages():
    found = paired_bootstrap(FIRST, SECOND)
    difference = np.subtract(FIRST, SECOND)
    half = 1.96 * difference.std() / math.sqrt(len(difference))
    assert found.mean == pytest.approx(difference.mean())
    assert found.low == pytest.approx(found.mean - half, abs=0.1 * half)
    assert found.high == pytest.approx(found.mean + half, abs=0.1 * half)
    assert (found.n_pages, found.n_groups) == (200, 200)


def test_a_loop_over_draws_gives_the_same_interval():
    values = np.subtract(FIRST, SECOND)
    dice = random.Random(1)
    means = [np.mean([values[dice.randrange(200)] for _ in range(200)]) for _ in range(2000)]
    found = paired_bootstrap(FIRST, SECOND, n_draws=4000)
    half = (found.high - found.low) / 2
    assert np.quantile(means, [0.025, 0.975]) == pytest.approx(
        [found.low, found.high], abs=0.15 * half
    )
    assert np.mean(np.array(means) > 0) == pytest.approx(found.p_better, abs=0.05)


def test_a_seed_fixes_the_interval():
    assert paired_bootstrap(FIRST, SECOND, seed=3) == paired_bootstrap(FIRST, SECOND, seed=3)
    assert paired_bootstrap(FIRST, SECOND, seed=3) != paired_bootstrap(FIRST, SECOND, seed=4)


def test_pages_of_a_host_that_are_all_alike_count_once():
    hosts = [number // 20 for number in range(200)]
    first = [[0.2, 0.9][host % 2] for host in hosts]
    second = [0.5] * 200
    by_page = paired_bootstrap(first, second)
    by_host = paired_bootstrap(first, second, groups=hosts)
    assert by_host.n_groups == 10
    assert by_host.mean == pytest.approx(by_page.mean)
    assert by_host.high - by_host.low > 3 * (by_page.high - by_page.low)


def test_hosts_of_one_page_each_are_pages():
    assert paired_bootstrap(FIRST, SECOND, groups=range(200)) == paired_bootstrap(FIRST, SECOND)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_extractor_does_not_differ_from_itself(values):
    found = paired_bootstrap(values, values, n_draws=50)
    assert (found.mean, found.low, found.high, found.p_better) == (0, 0, 0, 0.5)
    assert not found.is_clear


def test_a_constant_difference_is_clear():
    found = paired_bootstrap([0.75, 1.0, 0.5], [0.5, 0.75, 0.25], n_draws=100)
    assert (found.low, found.high) == pytest.approx((0.25, 0.25))
    assert found.is_clear
    assert found.p_better == 1


def test_hosts_weigh_by_their_pages():
    hosts = ["a"] * 9 + ["b"]
    alike = paired_bootstrap([0.75] * 10, [0.5] * 10, groups=hosts)
    assert (alike.low, alike.high) == pytest.approx((0.25, 0.25))
    mixed = paired_bootstrap([0.5] * 9 + [1.0], [0.5] * 10, groups=hosts)
    assert mixed.mean == pytest.approx(0.05)
    assert (mixed.low, mixed.high) == pytest.approx((0, 0.5))  # a host may be drawn twice


@pytest.mark.parametrize("groups", [None, ["a"]])
def test_no_pages_or_groups_of_other_pages_are_refused(groups):
    with pytest.raises(InputError, match="same pages"):
        paired_bootstrap([], [], groups=groups)


@pytest.mark.parametrize("second", [[0.5], [0.5, 0.5]])
def test_values_of_other_pages_are_refused(second):
    with pytest.raises(InputError, match="same pages"):
        paired_bootstrap([0.1, 0.2, 0.3], second)
