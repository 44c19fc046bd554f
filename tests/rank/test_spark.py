"""The iteration on a standalone Spark cluster of two workers against the one in memory."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.engines import spark_session
from quarkcrawl.errors import EngineError
from quarkcrawl.rank import (
    IterationOptions,
    blpr_flow,
    iterate,
    quarkrank_flow,
)
from quarkcrawl.rank.cluster import spark_iterate

from .flowframes import flow_frames
from .worlds import random_graph

pytestmark = [
    pytest.mark.timeout(900),  # five Java processes on what may be a busy machine
]

SETTINGS = {"spark.sql.shuffle.partitions": "1"}


def values(found) -> np.ndarray:
    return found.frame.toArrow().sort_by("id")["rank"].to_numpy()


@pytest.mark.full
def test_the_same_ranks_round_by_round_and_a_second_run_goes_on(spark_cluster, tmp_path):
    graph = random_graph(3, n_pages=60, n_nodes=90, n_links=900)
    flow, teleport = quarkrank_flow(graph), np.arange(90.0)
    saved = tmp_path / "saved"
    with spark_session(spark_cluster.url, settings=SETTINGS) as spark:
        frames = flow_frames(spark, flow, teleport)
        two, three = IterationOptions(max_rounds=2), IterationOptions(max_rounds=3)
        local = iterate(flow, two, teleport=teleport)
        first = spark_iterate(spark, *frames, two, saved=saved, every=2)
        assert np.abs(values(first) - local.values).max() <= 1e-12
        assert first.residuals == pytest.approx(local.residuals, abs=1e-12)
        assert (first.first_round, first.converged) == (0, False)
        second = spark_iterate(spark, *frames, three, saved=saved, every=2)
        assert (second.first_round, len(second.residuals)) == (2, 1)
        assert (
            np.abs(values(second) - iterate(flow, three, teleport=teleport).values).max() <= 1e-12
        )
        assert values(second).sum() == pytest.approx(1, abs=1e-12)
        # Ranks of another graph are not gone on with, and what else is there is left alone.
        (saved / "notes.txt").write_text("mine")
        other = flow_frames(spark, flow)
        assert (
            spark_iterate(
                spark, *other, IterationOptions(max_rounds=1), saved=saved, every=9
            ).first_round
            == 0
        )
        assert (saved / "notes.txt").exists()
        with pytest.raises(EngineError, match="given up"):
            spark_iterate(spark, frames[0].drop("share"), frames[1], three, saved=saved)


@pytest.mark.full
def test_what_a_session_holds_is_given_back_and_the_last_difference_is_known(spark_here, tmp_path):
    graph = random_graph(3, n_pages=60, n_nodes=90, n_links=900)
    flow, saved = quarkrank_flow(graph), tmp_path / "saved"
    options = IterationOptions(max_rounds=4)

    def stop(number, _difference):
        if number == 3:
            raise KeyboardInterrupt

    with spark_session("local[1]", settings=SETTINGS) as spark:
        held = spark._jsparkSession.sharedState().cacheManager()
        mine = spark.range(3).persist()
        assert held.numCachedEntries() == 1
        frames = flow_frames(spark, flow)
        with pytest.raises(KeyboardInterrupt):
            spark_iterate(spark, *frames, options, saved=saved, every=2, on_round=stop)
        assert held.numCachedEntries() == 1
        first = spark_iterate(spark, *frames, options, saved=saved, every=2)
        assert held.numCachedEntries() == 1
        assert first.first_round == 2
        assert mine.count() == 3
        # Killed when all rounds were done, but not what comes after them.
        again = spark_iterate(spark, *frames, options, saved=saved, every=2)
        assert (again.first_round, again.residuals) == (4, ())
        assert again.residual == first.residual == first.residuals[-1] > 0
        assert np.array_equal(values(again), values(first))
        loose = IterationOptions(max_rounds=4, tolerance=2 * again.residual)
        assert spark_iterate(spark, *frames, loose, saved=saved).converged
        # Ranks that an earlier version has saved are made again: nobody knows their difference.
        (saved / "round-000004.json").unlink()
        earlier = spark_iterate(spark, *frames, options, saved=saved, every=2)
        assert (earlier.first_round, earlier.residual) == (0, pytest.approx(first.residual))


@pytest.mark.slow
def test_until_the_ranks_rest_though_a_worker_is_killed(spark_cluster, tmp_path):
    graph = random_graph(5, n_pages=2000, n_nodes=2500, n_links=40_000)
    flow = blpr_flow(graph)
    options = IterationOptions(tolerance=1e-10)
    local = iterate(flow, options)
    killed = []

    def kill(number: int, _difference: float) -> None:
        if number == 8 and not killed:
            killed.append(number)
            spark_cluster.kill(0)

    with spark_session(spark_cluster.url, settings=SETTINGS) as spark:
        frames = flow_frames(spark, flow)
        found = spark_iterate(
            spark, *frames, options, saved=tmp_path / "saved", every=3, on_round=kill
        )
        assert killed
        assert found.converged
        assert np.abs(values(found) - local.values).max() <= 1e-9
