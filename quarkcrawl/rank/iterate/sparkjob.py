"""Ranking a graph that was built in memory on a Spark cluster."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from quarkcrawl.engines import spark_session
from quarkcrawl.rank.iterate.iteration import IterationOptions, Ranks
from quarkcrawl.rank.iterate.sparkrank import flow_frames, spark_iterate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import ArrayLike

    from quarkcrawl.rank.iterate.flow import Flow


def spark_ranks(
    flow: Flow,
    options: IterationOptions,
    *,
    master: str,
    saved: Path,
    teleport: ArrayLike | None = None,
    on_round: Callable[[int, float, Any], None] | None = None,
) -> Ranks:
    """As `quarkcrawl.rank.iterate`, on a cluster; a run that was killed goes on where it was.

    Args:
        flow: who sends to whom, over pages.
        options: damping, tolerance and rounds.
        master: Spark master URL.
        saved: folder for the ranks of every tenth round, which all workers can reach; it is gone
            once the ranks are at rest.
        teleport: see `quarkcrawl.rank.iterate`.
        on_round: called after each round with its number, its L1 difference and None.

    Raises:
        ConfigError: this is no master URL.
        EngineError: Spark cannot start, or gave up.
    """

    def told(number: int, difference: float) -> None:
        if on_round is not None:
            on_round(number, difference, None)

    with spark_session(master, app="quarkcrawl rank") as spark:
        frames = flow_frames(spark, flow, teleport)
        found = spark_iterate(spark, *frames, options, saved=saved, on_round=told)
        values = found.frame.toArrow().sort_by("id").column("rank").to_numpy()
    shutil.rmtree(saved, ignore_errors=True)
    return Ranks(values, found.residuals, found.converged, options.damping)
