"""Comparing rankings, against counting pairs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.rank import compare_ranks
from quarkcrawl.rank.compare import kendall_tau, overlap_at, positions
from quarkcrawl.rank.toplist import shared_ranks, top_pages
from quarkcrawl.workbench.report.plots.rankplot import plot_ranks
from tests.profiles import examples

few = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)


def table(**ranks) -> pa.Table:
    return pa.table(
        {
            "url": list(ranks),
            "rank": list(ranks.values()),
            "is_page": [not k.startswith("x") for k in ranks],
        }
    )


def tau_by_pairs(a, b) -> float:
    """Tau-b from its definition."""
    concordant = ties_a = ties_b = 0
    pairs = list(itertools.combinations(range(len(a)), 2))
    for i, j in pairs:
        concordant += np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
        ties_a += a[i] == a[j]
        ties_b += b[i] == b[j]
    scale = math.sqrt((len(pairs) - ties_a) * (len(pairs) - ties_b))
    return concordant / scale if scale else float("nan")


@settings(max_examples=examples(60))
@given(few)
def test_kendall_against_all_pairs(values):
    a, b = (np.array(side, float) / 10 for side in zip(*values, strict=True))
    assert kendall_tau(a, b) == pytest.approx(tau_by_pairs(a, b), nan_ok=True)


@settings(max_examples=examples(60))
@given(few.map(lambda pairs: np.array(pairs, float).T), st.integers(0, 2**32 - 1))
def test_places_and_kendall_are_those_of_scipy(values, seed):
    many = np.random.default_rng(seed).integers(0, 300, (2, 400)).astype(float)
    for a, b in (values, many):
        places = [stats.rankdata(-side) for side in (a, b)]
        assert [positions(a).tolist(), positions(b).tolist()] == [one.tolist() for one in places]
        found, expected = kendall_tau(a, b), float(stats.kendalltau(*places).statistic)
        assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_ranks_that_differ_by_rounding_only_are_ties():
    ranks = np.array([0.1 + 0.2, 0.3, 0.05, 0.0])
    assert positions(ranks).tolist() == [1.5, 1.5, 3, 4]


def test_overlap_at_k():
    a, b = np.array([5.0, 4, 3, 2, 1]), np.array([5.0, 1, 2, 3, 4])
    assert [overlap_at(a, b, k) for k in (1, 2, 3, 5, 9)] == [1, 0.5, 1 / 3, 1, 1]
    assert overlap_at(a[:0], b[:0], 3) == 0


def test_a_comparison_by_hand():
    first = table(a=0.4, b=0.3, c=0.2, x=0.05, d=0.1)
    second = table(c=0.5, b=0.3, a=0.1, e=0.1)
    found = compare_ranks(first, second, ks=(1, 2, 3, 10), movers=1)
    assert (found.pages, found.only) == (3, (1, 1))
    assert found.kendall_tau == pytest.approx(-1)
    assert found.overlap == {1: 0.0, 2: 0.5, 3: 1.0}
    assert found.l1 == pytest.approx(abs(4 / 9 - 1 / 9) + 0 + abs(2 / 9 - 5 / 9))
    (up,), (down,) = found.gained, found.lost
    assert (up.url, up.position) == ("c", (3.0, 1.0))
    assert up.rank == pytest.approx((2 / 9, 5 / 9))
    assert (down.url, down.position) == ("a", (1.0, 3.0))
    assert down.rank == pytest.approx((4 / 9, 1 / 9))


def test_a_ranking_with_itself():
    found = compare_ranks(table(a=0.5, b=0.2, c=0.3), table(c=0.3, b=0.2, a=0.5), ks=(2,))
    assert (found.kendall_tau, found.overlap, found.l1) == (pytest.approx(1), {2: 1.0}, 0)
    assert (found.gained, found.lost) == ((), ())


def test_rankings_that_cannot_be_compared():
    with pytest.raises(InputError, match="no page in common"):
        compare_ranks(table(a=1.0), table(b=1.0))
    with pytest.raises(InputError, match="no table of page ranks"):
        compare_ranks(table(a=1.0), pa.table({"host": ["a"]}))
    assert math.isnan(compare_ranks(table(a=1.0), table(a=1.0)).kendall_tau)


def test_the_first_pages_of_a_table():
    assert top_pages(table(x=0.6, a=0.3, b=0.1), 5) == [
        {"place": 1, "rank": 0.3, "url": "a"}, {"place": 2, "rank": 0.1, "url": "b"},
    ]  # fmt: skip


def test_ranks_of_shared_pages_come_in_one_order():
    one, two = shared_ranks([table(a=0.4, b=0.3, c=0.2), table(c=0.5, a=0.1, d=0.3)])
    assert (one.tolist(), two.tolist()) == ([0.4, 0.2], [0.1, 0.5])


@pytest.mark.full
@pytest.mark.parametrize("n", [0, 1, 2, 30_000])
@pytest.mark.parametrize("names", [("pagerank",), ("pagerank", "quarkrank")])
def test_plots_are_drawn_for_any_number_of_pages(tmp_path, n, names):
    rng = np.random.default_rng(1)
    path = tmp_path / "ranks.svg"
    plot_ranks({name: rng.pareto(1.1, n) for name in names}, path)
    text = path.read_text()
    assert text.startswith("<?xml")
    assert text.count('id="axes_') == len(names)
    assert path.stat().st_size < 3_000_000


def test_a_plot_that_cannot_be_made(tmp_path, monkeypatch):
    ranks = {"pagerank": np.array([0.5, 0.5])}
    with pytest.raises(ConfigError, match="xyz"):
        plot_ranks(ranks, tmp_path / "ranks.xyz")
    with pytest.raises(StoreError, match="nowhere"):
        plot_ranks(ranks, tmp_path / "nowhere" / "ranks.png")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ConfigError, match=r"pip install 'quarkcrawl\[plot\]'"):
        plot_ranks(ranks, tmp_path / "ranks.png")
