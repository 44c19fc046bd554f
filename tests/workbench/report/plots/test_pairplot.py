"""Two rankings as numbers for a figure."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.rank import Mover
from quarkcrawl.workbench.report.plots.pairplot import rank_pair_plot


def points(line: str) -> list[tuple[float, float]]:
    return [tuple(map(float, one.split(","))) for one in line.split()]


def test_equal_rankings_lie_on_the_diagonal():
    ranks = np.random.default_rng(1).pareto(1.2, 300)
    plot = rank_pair_plot(ranks, ranks * 7, (), ())  # a factor is no difference
    assert plot["lines"][0] == plot["lines"][1]
    (x1, y1, x2, y2) = plot["diagonal"]
    slope = (y2 - y1) / (x2 - x1)
    for x, y in plot["dots"]:
        assert y == pytest.approx(y1 + slope * (x - x1), abs=0.2)


def test_ranks_fall_with_the_place_and_all_stays_inside():
    chance = np.random.default_rng(2)
    first, second = chance.pareto(1, 5000), chance.pareto(1, 5000)
    plot = rank_pair_plot(first, second, (), ())
    for line in plot["lines"]:
        xs, ys = zip(*points(line), strict=True)
        assert list(xs) == sorted(xs)
        assert list(ys) == sorted(ys)  # down the page
    for x, y in [*plot["dots"], *points(plot["lines"][0])]:
        assert plot["left"] <= x <= plot["right"]
        assert plot["high"] <= y <= plot["low"]
    assert plot["n_dots"] == len(plot["dots"]) == 1000
    assert plot["n_pages"] == 5000


def test_movers_stand_where_their_ranks_are_and_zeros_nowhere():
    ranks = np.array([0.5, 0.3, 0.2, 0.0])
    others = np.array([0.1, 0.3, 0.6, 0.0])
    gained = Mover("http://c.cn/", (0.2, 0.6), (3, 1))
    lost = Mover("http://a.cn/", (0.5, 0.1), (1, 3))
    gone = Mover("http://d.cn/", (0.2, 0.0), (1, 3))
    plot = rank_pair_plot(ranks, others, [gained], [lost, gone])
    assert len(plot["dots"]) == 3
    by_url = {url: ((x, y), name) for x, y, url, name in plot["movers"]}
    assert by_url.keys() == {"http://c.cn/", "http://a.cn/"}
    assert by_url["http://c.cn/"][0] in plot["dots"]
    assert [name for _, name in by_url.values()] == ["gained", "lost"]
    assert rank_pair_plot(np.zeros(3), np.ones(3), (), ()) == {}
    assert rank_pair_plot(np.ones(1), np.ones(1), (), ())["n_dots"] == 1
