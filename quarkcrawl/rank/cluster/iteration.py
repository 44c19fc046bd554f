"""The same iteration on Apache Spark, for graphs beyond the memory of one machine.

The thesis (5.1) runs QuarkRank as rounds of MapReduce: a mapper gives each link its share, a
reducer sums what arrives, a controller repeats. Here a round is a join of links with ranks and a
sum by target. The thesis complains of the network: links lie where their source's rank is made and
stay there, so that only the sums travel, once a round, added up beforehand where they arise.

Each round ends Spark's chain of steps (a local checkpoint; left to itself the plan would double in
every round), and every so many rounds the ranks are written down: from there the iteration goes on
when a worker is lost, and a later run when all of it was killed.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import EngineError
from quarkcrawl.rank.iterate import IterationOptions
from quarkcrawl.store import storage_error, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


_ADAPTIVE: Final = "spark.sql.adaptive.enabled"
_BROADCAST: Final = "spark.sql.autoBroadcastJoinThreshold"
_TRIES: Final = 3
_SIGNATURE: Final = "graph.json"


@dataclass(frozen=True, slots=True)
class SparkRanks:
    """What an iteration on Spark came to.

    Args:
        frame: ``id`` and ``rank`` of each node.
        residuals: L1 difference made by each round of this run.
        residual: that of the last round, also if an earlier run has done it; 0 without a round.
        first_round: rounds that an earlier run had done.
        converged: whether the last difference was below the tolerance.
    """

    frame: DataFrame
    residuals: tuple[float, ...]
    residual: float
    first_round: int
    converged: bool


def spark_iterate(
    spark: SparkSession,
    links: DataFrame,
    nodes: DataFrame,
    options: IterationOptions | None = None,
    *,
    saved: Path,
    every: int = 10,
    on_round: Callable[[int, float], None] | None = None,
) -> SparkRanks:
    """Iterate until the ranks rest.

    Args:
        spark: a session.
        links: ``source``, ``target`` and ``share``; the shares of a source sum to 1.
        nodes: ``id`` of each node, each once, and ``jump``, its part of the teleport.
        options: damping, tolerance and rounds.
        saved: folder for the ranks of every so many rounds, which all workers can reach; a run
            with the same folder, graph and damping goes on from there.
        every: rounds between two savings.
        on_round: called after each round with its number and its L1 difference.

    Raises:
        StoreError: the folder cannot be written.
        EngineError: Spark gave up.
    """
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415

    changed = {_ADAPTIVE: "false", _BROADCAST: "-1"}  # both would undo how the links lie
    before = {name: spark.conf.get(name) for name in changed}
    walk = None
    try:
        for name, value in changed.items():
            spark.conf.set(name, value)
        walk = _SparkWalk(spark, links, nodes, options or IterationOptions(), saved, every)
        return walk.run(on_round or (lambda _number, _difference: None))
    except (Py4JError, PySparkException) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise EngineError(f"the iteration was given up ({reason})", where=saved) from error
    except OSError as error:
        raise storage_error(error, saved) from error
    finally:
        if walk is not None:
            with suppress(Py4JError, PySparkException):  # of a session that is gone
                walk.close()
        for name, earlier in before.items():
            spark.conf.set(name, str(earlier))


class _SparkWalk:
    def __init__(
        self,
        spark: SparkSession,
        links: DataFrame,
        nodes: DataFrame,
        options: IterationOptions,
        saved: Path,
        every: int,
    ) -> None:
        from pyspark.sql import functions as f  # noqa: PLC0415 - an extra

        self._spark, self._options, self._saved, self._every = spark, options, saved, every
        zero = f.when(f.col("id").isNull(), 1).otherwise(0).alias("zero")
        parts = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
        by_source = links.repartition(parts, "source").sortWithinPartitions("source")
        linking = by_source.select(f.col("source").alias("id")).distinct()
        by_id = (
            nodes.repartition(parts, "id")
            .join(linking.withColumn("links", f.lit(True)), "id", "left")
            .select("id", "jump", f.coalesce("links", f.lit(False)).alias("links"), zero)
            .sortWithinPartitions("id")
        )
        self._links, self._nodes = by_source.persist(), by_id.persist()

    def run(self, on_round: Callable[[int, float], None]) -> SparkRanks:
        """Do it; begin again from the ranks saved last if a worker takes its part with it."""
        from py4j.protocol import Py4JError  # noqa: PLC0415
        from pyspark.errors import PySparkException  # noqa: PLC0415

        for left in reversed(range(_TRIES)):
            try:
                return self._run(on_round)
            except (Py4JError, PySparkException):
                if not left:
                    raise
        raise AssertionError

    def _run(self, on_round: Callable[[int, float], None]) -> SparkRanks:
        first, ranks = self._begin()
        sent = self._sent(ranks)
        residuals: list[float] = []
        residual = self._noted_residual(first) if first else inf
        options = self._options
        while first + len(residuals) < options.max_rounds:
            number = first + len(residuals) + 1
            ranks, difference, sent = self._round(ranks, 1 - options.damping * sent)
            residuals.append(difference)
            residual = difference
            on_round(number, difference)
            if difference < options.tolerance:
                break
            if number % self._every == 0:
                ranks = self._save(ranks, number, difference)
        converged = residual < options.tolerance
        last = 0.0 if residual == inf else residual
        return SparkRanks(ranks.select("id", "rank"), tuple(residuals), last, first, converged)

    def close(self) -> None:
        """Give back what the session holds for the rounds."""
        self._nodes.unpersist()
        self._links.unpersist()

    def _round(self, ranks: DataFrame, missing: float) -> tuple[DataFrame, float, float]:
        """New ranks, the L1 difference, and the rank of pages that have links: one job."""
        from pyspark.sql import Observation  # noqa: PLC0415
        from pyspark.sql import functions as f  # noqa: PLC0415

        noted = Observation()
        difference = f.sum(f.abs(f.col("rank") - f.col("before")))
        linked = f.sum(f.when(f.col("links"), f.col("rank")).otherwise(0.0))
        new = self._joined(ranks, missing).observe(
            noted, difference.alias("difference"), linked.alias("sent")
        )
        done = new.select("id", "rank").localCheckpoint()
        sums = noted.get
        return done, float(sums["difference"] or 0.0), float(sums["sent"] or 0.0)

    def _joined(self, ranks: DataFrame, missing: float) -> DataFrame:
        from pyspark.sql import functions as f  # noqa: PLC0415

        sharing = self._links.join(ranks, self._links["source"] == ranks["id"])
        arriving = sharing.groupBy("target").agg(f.sum(f.col("share") * f.col("rank")).alias("got"))
        nodes = self._nodes.join(ranks.select("id", f.col("rank").alias("before")), "id")
        got = f.coalesce(f.col("got"), f.lit(0.0)) * self._options.damping
        # A bare number would be written into the code that Spark makes, anew in each round.
        number = f.get(f.array(f.lit(missing)), f.col("zero"))
        return nodes.join(arriving, nodes["id"] == arriving["target"], "left").select(
            "id", "links", "before", (got + number * f.col("jump")).alias("rank")
        )

    def _sent(self, ranks: DataFrame) -> float:
        from pyspark.sql import functions as f  # noqa: PLC0415

        linked = self._nodes.filter("links").join(ranks, "id")
        row = linked.agg(f.sum("rank").alias("sent")).first()
        return float((row and row["sent"]) or 0.0)

    def _begin(self) -> tuple[int, DataFrame]:
        """The ranks saved last, or the teleport distribution."""
        from pyspark.sql import functions as f  # noqa: PLC0415

        signature = self._signature()
        noted = self._saved / _SIGNATURE
        if not noted.exists() or noted.read_text(encoding="utf-8") != signature:
            for other in self._saved.glob("round-*"):  # of another graph
                _delete(other)
            self._saved.mkdir(parents=True, exist_ok=True)
            noted.write_text(signature, encoding="utf-8")
        # Those of earlier versions say nothing of their difference: these rounds are done again.
        done = [
            path.parent
            for path in self._saved.glob("round-*/_SUCCESS")
            if self._residual_path(path.parent).exists()
        ]
        if done:
            last = max(done)
            return int(last.name.partition("-")[2]), self._spark.read.parquet(str(last))
        return 0, self._nodes.select("id", f.col("jump").alias("rank"))

    def _signature(self) -> str:
        """What the graph is known by: numbers and sums that another graph would not share."""
        from pyspark.sql import functions as f  # noqa: PLC0415

        mixed = f.sum(f.xxhash64("source", "target", "share").cast("decimal(38,0)"))
        links = self._links.agg(f.count("*"), mixed).first()
        nodes = self._nodes.agg(
            f.count("*"), f.sum(f.xxhash64("id", "jump").cast("decimal(38,0)"))
        ).first()
        facts = {"links": _texts(links), "nodes": _texts(nodes), "damping": self._options.damping}
        return json.dumps(facts)

    @staticmethod
    def _residual_path(ranks: Path) -> Path:
        """Where the L1 difference of a round is that was saved."""
        return ranks.with_suffix(".json")

    def _noted_residual(self, number: int) -> float:
        noted = self._residual_path(self._saved / f"round-{number:06}").read_text(encoding="utf-8")
        return float(json.loads(noted)["residual"])

    def _save(self, ranks: DataFrame, number: int, difference: float) -> DataFrame:
        path = self._saved / f"round-{number:06}"
        with write_whole(self._residual_path(path)) as file:
            file.write(json.dumps({"residual": difference}).encode())
        ranks.select("id", "rank").write.mode("overwrite").parquet(str(path))
        for older in self._saved.glob("round-*"):
            if older.stem < path.stem:
                _delete(older)
        return self._spark.read.parquet(str(path))


def _delete(path: Path) -> None:
    """Delete ranks of a round, or what is noted of them."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _texts(row: Any) -> list[str]:
    return [str(value) for value in row]
