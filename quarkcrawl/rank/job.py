"""Ranking a corpus: graph, flow, iteration, tables, report."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.progress import no_progress
from quarkcrawl.rank.graph import Conventions, CorpusGraph, corpus_graph
from quarkcrawl.rank.hosts import host_ranks
from quarkcrawl.rank.iterate import (
    IterationOptions,
    QuarkWeights,
    block_ranks_flow,
    blpr_flow,
    favored,
    importance_flow,
    iterate,
    pagerank_flow,
    quarkrank_flow,
    warm_start,
)
from quarkcrawl.rank.ranktable import (
    block_table_of,
    rank_table,
    ranks_folder,
    read_ranks,
    write_table,
)
from quarkcrawl.store import Corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from quarkcrawl.progress import Progress
    from quarkcrawl.rank.graph import LinkGraph, RowSource
    from quarkcrawl.rank.iterate import Flow, Ranks


IMPORTANCE: Final = "importance"
METHODS: Final = ("pagerank", "quarkrank", "blpr")


@dataclass(frozen=True, slots=True)
class RankJob:
    """What to rank, and how.

    Args:
        method: ``"pagerank"``, ``"quarkrank"`` or ``"blpr"``.
        conventions: which links count.
        iteration: damping, tolerance, precision.
        weights: how QuarkRank weighs blocks; ``"importance"`` gives each block a learned weight.
        label_paths: Parquet files of an extraction whose content blocks count; None: the crawl's.
        favorites: weights by URL or host for the teleport; empty: anywhere alike.
        warm: begin with the ranks of the same name that are there.
        blocks: BLPR: rank the blocks too.
        name: what the table is called; "" for the name of the method.

    Raises:
        InputError: no such method.
        ConfigError: this cannot be the name of a table.
    """

    method: str = "pagerank"
    conventions: Conventions = field(default_factory=Conventions)
    iteration: IterationOptions = field(default_factory=IterationOptions)
    weights: QuarkWeights | Literal["importance"] = field(default_factory=QuarkWeights)
    label_paths: Sequence[Path] | None = None
    favorites: Mapping[str, float] = field(default_factory=dict)
    warm: bool = False
    blocks: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            names = ", ".join(METHODS)
            raise InputError(f"no method {self.method!r}; there are {names}", where="rank")
        if isinstance(self.weights, str) and self.weights != IMPORTANCE:
            message = f"no weights {self.weights!r}; there are fixed and importance"
            raise ConfigError(message, where="--weights")
        if not (self.name or self.method).replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"{self.name!r} cannot be the name of a table", where="--name")

    @property
    def by_importance(self) -> bool:
        """Whether blocks have learned weights."""
        return self.method == "quarkrank" and self.weights == IMPORTANCE

    @property
    def table(self) -> str:
        """Name of the table."""
        return self.name or self.method

    def check_for_spark(self) -> None:
        """See that Spark can do it.

        Raises:
            ConfigError: it asks for what is not done there.
        """
        if self.warm or self.blocks or self.iteration.dtype != "float64":
            message = "no warm start, ranks of blocks and float32 on Spark"
            raise ConfigError(message, where="--engine")


@dataclass(slots=True)
class RankReport:
    """What a run did.

    Args:
        corpus: path of the corpus that was ranked.
        table: file with the ranks.
        method: how it was ranked, by the name in `RankJob`.
        graph: how the graph came about.
        rounds: how many rounds the iteration took.
        residual: L1 difference of the last round.
        converged: whether it is below the tolerance.
        content_share: part of the rank flowing through links that flows through those in content
            blocks. PageRank is asked as if each block's links counted.
        elapsed_s: length of the run.
    """

    corpus: str
    table: str
    method: str
    graph: dict[str, Any]
    rounds: int = 0
    residual: float = 0.0
    converged: bool = True
    content_share: float = 0.0
    elapsed_s: float = 0.0


def method_flow(graph: LinkGraph, job: RankJob) -> Flow:
    """How rank flows by the method of a job."""
    if job.method == "pagerank":
        return pagerank_flow(graph)
    if job.by_importance:
        return importance_flow(graph)
    if job.method == "quarkrank":
        return quarkrank_flow(graph, None if isinstance(job.weights, str) else job.weights)
    return blpr_flow(graph)


def rank_corpus(
    root: Path | str,
    job: RankJob | None = None,
    *,
    out: Path | None = None,
    on_round: Callable[[int, float, Any], None] | None = None,
    rows: RowSource | None = None,
    on_progress: Progress = no_progress,
) -> RankReport:
    """Rank the pages of a corpus and write the tables, see `quarkcrawl.rank.ranktable`.

    Args:
        root: the corpus; a crawl may be writing to it.
        job: what to do.
        out: folder for the tables, for a corpus that can only be read; None: in the corpus.
        on_round: see `quarkcrawl.rank.iterate`.
        rows: where the rows come from, for a folder that is no corpus itself; None: the corpus.
        on_progress: is told of each file that is read, and of each round.

    Raises:
        InputError: a list of favorites fits nothing, or ranks to begin with are not there.
        StoreError: the folder is no corpus, or the tables cannot be written.
        EngineError: Spark cannot start, or gave up.
    """
    job = job or RankJob()
    started = time.monotonic()
    if rows is None:
        Corpus.open(root)
    root = Path(root)
    corpus_links = corpus_graph(
        root,
        job.conventions,
        label_paths=job.label_paths,
        importance=job.by_importance,
        rows=rows,
        on_progress=on_progress,
    )
    graph = corpus_links.graph
    folder = ranks_folder(root, out)
    flow = method_flow(graph, job)
    teleport = favored(graph, dict(job.favorites)) if job.favorites else None
    start = warm_start(graph, read_ranks(root, job.table, out)[0]) if job.warm else None
    on_progress("rounds", 0, None)

    def tell(number: int, difference: float, values: Any) -> None:
        on_progress("rounds", number, None)
        if on_round is not None:
            on_round(number, difference, values)

    ranks = iterate(flow, job.iteration, start=start, teleport=teleport, on_round=tell)
    on_progress("tables", 0, None)
    if job.method == "pagerank":
        flow = quarkrank_flow(graph, QuarkWeights(1, 1))
    report = RankReport(
        str(root),
        str(folder / f"{job.table}.parquet"),
        job.method,
        dataclasses.asdict(corpus_links.report),
        ranks.rounds,
        ranks.residuals[-1] if ranks.residuals else 0.0,
        ranks.converged,
        flow.content_share(ranks.values),
    )
    _write(folder, job, corpus_links, ranks, report)
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


def how_made(job: RankJob, report: RankReport) -> dict[str, Any]:
    """What the tables of a run say of how they were made."""
    options = {
        name: dataclasses.asdict(getattr(job, name)) for name in ("conventions", "iteration")
    }
    weights = job.weights
    options["weights"] = (
        {"learned": True} if isinstance(weights, str) else dataclasses.asdict(weights)
    )
    return {**dataclasses.asdict(report), **options}


def _write(
    folder: Path, job: RankJob, corpus_links: CorpusGraph, ranks: Ranks, report: RankReport
) -> None:
    graph, made_by = corpus_links.graph, how_made(job, report)
    hosts = host_ranks(graph, ranks.values, job.iteration)
    write_table(hosts, folder / f"{job.table}-hosts.parquet", made_by)
    write_table(corpus_links.aliases, folder / "aliases.parquet", made_by)
    if job.method == "blpr" and job.blocks:
        of_blocks = iterate(block_ranks_flow(graph), job.iteration)
        table = block_table_of(graph, of_blocks.values)
        write_table(table, folder / f"{job.table}-blocks.parquet", made_by)
    write_table(rank_table(graph, ranks.values), folder / f"{job.table}.parquet", made_by)
