"""Ranking a corpus on a cluster: graph, flow, rounds and tables."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.engines import SparkStages
from quarkcrawl.errors import InputError
from quarkcrawl.progress import no_progress
from quarkcrawl.rank.cluster.aliases import HOST_FUNCTION
from quarkcrawl.rank.cluster.iteration import spark_iterate
from quarkcrawl.rank.cluster.links import graph_report, place_links, reopen_links
from quarkcrawl.rank.cluster.pageblocks import PageLinks
from quarkcrawl.rank.cluster.shares import reopen_shares, share_links
from quarkcrawl.rank.cluster.tables import (
    HOST_EDGES,
    HOSTS,
    NODE_HOSTS,
    write_hosts,
    write_pages,
    write_parts,
)
from quarkcrawl.rank.iterate import QuarkWeights
from quarkcrawl.rank.job import RankJob, RankReport, how_made
from quarkcrawl.store import storage_errors, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quarkcrawl.engines import SparkEngine
    from quarkcrawl.progress import Progress
    from quarkcrawl.rank.cluster.iteration import SparkRanks


_EVENLY: Final = "SELECT id, 1.0D / {n} AS jump FROM {nodes}"
_FAVORED: Final = """
SELECT n.id, coalesce(u.weight, 0) + CASE WHEN n.id >= 0 THEN coalesce(h.weight, 0) ELSE 0 END
       AS weight
FROM rank_nodes AS n LEFT JOIN rank_favorites AS u ON n.url = u.place
LEFT JOIN rank_favorites AS h ON url_host(n.url) = h.place
"""
_CONTENT_SHARE: Final = """
SELECT coalesce(sum(r.rank * c.part) / nullif(sum(r.rank), 0), 0) AS share
FROM rank_values AS r JOIN rank_content AS c ON r.id = c.page
"""


def rank_on_cluster(
    engine: SparkEngine,
    job: RankJob,
    *,
    corpus: Path,
    folder: Path,
    state: str,
    on_round: Callable[[int, float, Any], None] | None = None,
    on_progress: Progress = no_progress,
) -> RankReport:
    """Rank the pages of a corpus; the driver holds counts and differences only.

    The engine knows the tables ``pages``, ``duplicates`` and ``redirects`` with the columns of a
    corpus and, if the job names an extraction, ``labels``, its rows. Tables of ranks are folders of
    Parquet files that workers write. A run that was killed, or that Spark gave up, goes on with the
    graph and the ranks that it had.

    Args:
        engine: the cluster.
        job: what to do.
        corpus: what the report says was ranked.
        folder: where the tables go; all workers reach it.
        state: a word that changes when the tables do.
        on_round: called after each round with its number, its L1 difference and None.
        on_progress: is told of each round.

    Raises:
        ConfigError: the job asks for what is not done on Spark.
        InputError: a list of favorites fits nothing.
        EngineError: Spark gave up.
    """
    job.check_for_spark()
    started = time.monotonic()
    work = folder / f".{job.table}-spark"
    try:
        ranking = _Ranking(SparkStages(engine, work), job, folder, on_round, on_progress)
        report = ranking.run(str(corpus), state)
    except InputError:
        shutil.rmtree(work, ignore_errors=True)
        raise
    shutil.rmtree(work, ignore_errors=True)
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


class _Ranking:
    def __init__(
        self,
        stages: SparkStages,
        job: RankJob,
        folder: Path,
        on_round: Callable[[int, float, Any], None] | None,
        on_progress: Progress,
    ) -> None:
        self._stages, self._job, self._folder = stages, job, folder
        self._on_round, self._on_progress = on_round, on_progress

    def run(self, corpus: str, state: str) -> RankReport:
        """Do it."""
        stages, job, rules = self._stages, self._job, self._job.conventions
        stages.engine.session.sql(HOST_FUNCTION)
        self._on_progress("graph", 0, None)
        aliases = self._graph(state)
        report = RankReport(
            corpus,
            str(self._folder / f"{job.table}.parquet"),
            job.method,
            graph_report(stages, rules, aliases),
        )
        n_nodes = report.graph["pages"] + report.graph["unknown"]
        self._on_progress("rounds", 0, None)
        ranks = self._ranks("rank_edges", self._jump(n_nodes), "rank_values", self._told)
        report.rounds = ranks.first_round + len(ranks.residuals)
        report.residual = ranks.residual
        report.converged = ranks.converged or not n_nodes
        report.content_share = float(stages.row(_CONTENT_SHARE)["share"])
        self._on_progress("tables", 0, None)
        self._write(report)
        return report

    def _graph(self, state: str) -> dict[str, int]:
        """Vertices and shares of links, unless an earlier run has made them."""
        stages, job, rules = self._stages, self._job, self._job.conventions
        facts = {"state": state, "method": job.method, "conventions": dataclasses.asdict(rules)}
        facts["weights"] = str(job.weights)
        note = stages.folder / "graph.json"
        earlier = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
        aliases: dict[str, int] = earlier.pop("aliases", {})
        if earlier == facts:
            reopen_links(stages)
            reopen_shares(stages, job.method, rules)
            return aliases
        shutil.rmtree(stages.folder, ignore_errors=True)
        weights = None if job.by_importance else job.weights
        assert weights is None or isinstance(weights, QuarkWeights)
        labeled = job.label_paths is not None
        n_aliases = place_links(stages, rules, PageLinks(job.method, weights), other_labels=labeled)
        share_links(stages, job.method, rules)
        with storage_errors(note), write_whole(note) as file:
            file.write(json.dumps(facts | {"aliases": n_aliases}).encode())
        return n_aliases

    def _told(self, number: int, difference: float) -> None:
        self._on_progress("rounds", number, None)
        if self._on_round is not None:
            self._on_round(number, difference, None)

    def _jump(self, n_nodes: int) -> str:
        """Where the bored surfer goes, as a query."""
        if not self._job.favorites:
            return _EVENLY.format(n=max(n_nodes, 1), nodes="rank_nodes")
        favorites = self._job.favorites
        places = pa.array(list(favorites), pa.string())
        weights = pa.array(list(favorites.values()), pa.float64())
        table = pa.table({"place": places, "weight": weights})
        session = self._stages.engine.session
        session.createDataFrame(table).createOrReplaceTempView("rank_favorites")
        self._stages.keep("rank_favored", _FAVORED)
        total = self._stages.row("SELECT sum(weight) AS total FROM rank_favored")["total"]
        if not total:
            message = "none of the favored URLs and hosts is in the graph"
            raise InputError(message, where="favorites")
        return f"SELECT id, weight / {total!r}D AS jump FROM rank_favored"  # noqa: S608 - a number

    def _ranks(
        self, edges: str, jump: str, name: str, on_round: Callable[[int, float], None] | None = None
    ) -> SparkRanks:
        """Iterate until the ranks rest; they become a table."""
        stages, engine = self._stages, self._stages.engine
        engine.partition_for(stages.n_bytes(edges))
        session = engine.session
        saved = stages.folder / f"saved-{name}"
        frames = session.table(edges), session.sql(jump)
        iterated = spark_iterate(
            session, *frames, self._job.iteration, saved=saved, on_round=on_round
        )
        iterated.frame.createOrReplaceTempView(f"{name}_found")
        stages.keep(name, f"SELECT id, rank FROM {name}_found")  # noqa: S608 - our own words
        return iterated

    def _write(self, report: RankReport) -> None:
        stages, folder, table = self._stages, self._folder, self._job.table
        made_by = how_made(self._job, report)
        write_pages(stages, "rank_values", folder / f"{table}.parquet", made_by)
        n_hosts = stages.keep("rank_hosts", HOSTS)
        stages.view("rank_node_hosts", NODE_HOSTS)
        stages.keep("rank_host_edges", HOST_EDGES)
        evenly = _EVENLY.format(n=max(n_hosts, 1), nodes="rank_hosts")
        self._ranks("rank_host_edges", evenly, "rank_host_values")
        write_hosts(stages, "rank_host_values", folder / f"{table}-hosts.parquet", made_by)
        aliases = "SELECT url, counts_for FROM rank_aliases"
        write_parts(stages, aliases, folder / "aliases.parquet", made_by)
