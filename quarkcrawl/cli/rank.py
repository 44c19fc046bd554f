"""``quarkcrawl rank``: link analysis of a corpus."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    CorpusFolder,
    CrawledExtraction,
    EngineName,
    Memory,
    Partitions,
    SparkMaster,
    check_output,
    memory_bytes,
    progress_shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from quarkcrawl.engines import SparkEngine
    from quarkcrawl.rank import RankJob, RankReport


app = typer.Typer(
    help="Link analysis: PageRank, QuarkRank and BLPR over the links and blocks of a corpus.",
    no_args_is_help=True,
)

Out = Annotated[Path | None, Option("--out", metavar="FOLDER", help="Tables go here.")]
Plot = Annotated[
    Path | None,
    Option("--plot", metavar="FILE", help="Draw the distribution (svg, png, pdf)."),
]
Damping = Annotated[
    float, Option("--damping", min=0, max=1, help="Probability of following a link, 0 to 1.")
]
Tolerance = Annotated[
    float, Option("--tolerance", min=0, help="Stop when an iteration changes less (L1).")
]


def _shared(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    damping: Damping = 0.85,
    tolerance: Tolerance = 1e-10,
    max_iterations: Annotated[int, Option(min=1, help="Stop after so many iterations.")] = 1000,
    single: Annotated[bool, Option("--float32", help="Store ranks in half the memory.")] = False,
    repeated: Annotated[
        Literal["block", "each"],
        Option(help="How links that a page repeats count: once a block, or each."),
    ] = "block",
    nofollow: Annotated[
        Literal["skip", "count"], Option(help="What is done with links marked nofollow.")
    ] = "skip",
    unstored: Annotated[
        Literal["node", "drop"], Option(help="What targets are that are not stored.")
    ] = "node",
    self_links: Annotated[
        bool, Option("--self-links", help="Links of a page to itself count.")
    ] = False,
    canonical: Annotated[
        bool, Option("--canonical/--no-canonical", help="Believe canonical URLs.")
    ] = True,
    extraction: CrawledExtraction = "",
    personalize: Annotated[
        Path | None, Option(metavar="FILE", help="URLs or hosts with weights to jump to.")
    ] = None,
    warm: Annotated[bool, Option("--warm", help="Begin with the ranks that are there.")] = False,
    name: Annotated[
        str, Option(metavar="NAME", help="Name of the table.", show_default="that of the method")
    ] = "",
    out: Out = None,
    top: Annotated[int, Option(min=0, help="How many are listed, a JSON line each.")] = 0,
    hosts: Annotated[bool, Option("--hosts", help="With --top: hosts instead of pages.")] = False,
    plot: Plot = None,
    engine: EngineName = "local",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
) -> None:
    """What the methods have in common; only the signature counts."""


def _ranking(*without: str) -> Callable[[Callable[..., None]], None]:
    """Make a method a command: CORPUS, its own options, then those of `_shared`."""

    def add(method: Callable[..., None]) -> None:
        def command(**given: Any) -> int:
            return _run(given, method.__name__)

        shared = inspect.signature(_shared, eval_str=True).parameters.values()
        own = inspect.signature(method, eval_str=True).parameters.values()
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*own, *(one for one in shared if one.name not in without)]
        )
        command.__doc__ = method.__doc__
        app.command(method.__name__)(command)

    return add


@_ranking()
def pagerank(root: CorpusFolder) -> None:
    """PageRank: the links of a page share its rank alike.

    Ranks go to CORPUS/analysis/ranks/pagerank.parquet, those of hosts beside it; a JSON summary to
    standard output, or with --top the first pages. Exit code 1 if part of the corpus could not be
    read; the ranks without it are written. CORPUS may also be the folder of a shared crawl whose
    shards are not merged. On Spark the tables are folders that the workers write.

    \b
    Examples:
      quarkcrawl rank pagerank corpus
      quarkcrawl rank pagerank corpus --top 20
      quarkcrawl rank pagerank corpus --personalize favorites.txt --name favored
      quarkcrawl rank pagerank corpus --engine spark --spark-master spark://127.0.0.1:7077
    """


@_ranking()
def quarkrank(
    root: CorpusFolder,
    content_weight: Annotated[float, Option(min=0, help="Weight of links in content.")] = 1.5,
    other_weight: Annotated[float, Option(min=0, help="Weight of other links.")] = 0.5,
    weights: Annotated[
        Literal["fixed", "importance"],
        Option(help="How blocks weigh; importance: learned, for each its own."),
    ] = "fixed",
) -> None:
    """QuarkRank: links in content blocks pull more than others.

    Ranks go to CORPUS/analysis/ranks/quarkrank.parquet; see rank pagerank for the rest.

    \b
    Examples:
      quarkcrawl rank quarkrank corpus --top 20
      quarkcrawl extract corpus --method quark --blocks
      quarkcrawl rank quarkrank corpus --extraction quark --name quarkrank-quark
      quarkcrawl rank quarkrank corpus --weights importance --name learned
    """


@_ranking("repeated")
def blpr(
    root: CorpusFolder,
    blocks: Annotated[bool, Option("--blocks", help="Rank the blocks too.")] = False,
) -> None:
    """Block-level PageRank: blocks pull by their size and their distance from the center.

    Ranks go to CORPUS/analysis/ranks/blpr.parquet, with --blocks also blpr-blocks.parquet; see rank
    pagerank for the rest.

    \b
    Example:
      quarkcrawl rank blpr corpus --blocks --top 20
    """


def _run(given: dict[str, Any], method: str) -> int:
    from quarkcrawl.corpus import rank_pages  # noqa: PLC0415 - help needs no NumPy

    if given["hosts"] and not given["top"]:
        raise typer.BadParameter("goes with --top", param_hint="--hosts")
    _check_plot(given["plot"])
    job = _job(given, method)
    if given["spark_master"]:
        job.check_for_spark()  # said also where Spark is not installed
    with _engine(given) as engine, progress_shown() as show:
        report = rank_pages(given["root"], job, engine=engine, out=given["out"], on_progress=show)
    if given["plot"] is not None:
        _plot(given["root"], [job.table], given["out"], given["plot"])
    if given["top"]:
        _print_top(given, job)
    else:
        typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    return _warn(report)


def _check_plot(path: Path | None) -> None:
    """Refuse a picture that cannot be drawn before the work for it."""
    if path is None:
        return
    from quarkcrawl.workbench.report import check_picture  # noqa: PLC0415 - help needs no NumPy

    check_output(path)
    check_picture(path)


def _job(given: dict[str, Any], method: str) -> RankJob:
    from quarkcrawl.rank import (  # noqa: PLC0415 - help needs no NumPy
        Conventions,
        IterationOptions,
        RankJob,
    )
    from quarkcrawl.rank.iterate import read_favorites  # noqa: PLC0415

    option_of_field = {"nofollow": "nofollow", "unknown": "unstored", "self_links": "self_links",
              "canonical": "canonical"}  # fmt: skip
    favorites = given["personalize"]
    precision = "float32" if given["single"] else "float64"
    return RankJob(
        method,
        Conventions(
            given.get("repeated", "block"),
            **{name: given[word] for name, word in option_of_field.items()},
        ),
        IterationOptions(given["damping"], given["tolerance"], given["max_iterations"], precision),
        _weights(given),
        _label_paths(given["root"], given["extraction"]) if given["extraction"] else None,
        read_favorites(favorites) if favorites is not None else {},
        given["warm"],
        given.get("blocks", False),
        given["name"],
    )


def _weights(given: dict[str, Any]) -> Any:
    from quarkcrawl.rank import QuarkWeights  # noqa: PLC0415

    fixed = QuarkWeights(given.get("content_weight", 1.5), given.get("other_weight", 0.5))
    return fixed if given.get("weights", "fixed") == "fixed" else given["weights"]


def _engine(given: dict[str, Any]) -> AbstractContextManager[SparkEngine | None]:
    from quarkcrawl.engines import SparkEngine  # noqa: PLC0415 - help needs no Arrow
    from quarkcrawl.errors import ConfigError  # noqa: PLC0415

    engine, master = given["engine"], given["spark_master"]
    if (engine == "spark") != bool(master):
        raise ConfigError("--engine spark and --spark-master URL go together", where="--engine")
    if not master and given["partitions"]:
        raise ConfigError("--partitions needs --engine spark", where="--engine")
    return SparkEngine(master, partitions=given["partitions"]) if master else nullcontext()


def _label_paths(root: Path, method: str) -> list[Path]:
    from quarkcrawl.corpus.extraction import ResultFolder  # noqa: PLC0415
    from quarkcrawl.errors import InputError  # noqa: PLC0415

    folder = ResultFolder(root / "analysis" / "extractions" / method)
    if not (folder.options() or {}).get("blocks"):
        message = (
            f"no block tables; quarkcrawl extract CORPUS --method {method} --blocks makes them"
        )
        raise InputError(message, where=folder.path)
    return folder.parts()


def _print_top(given: dict[str, Any], job: RankJob) -> None:
    from quarkcrawl.rank import (  # noqa: PLC0415
        read_ranks,
        top_hosts,
        top_pages,
    )

    name = f"{job.table}-hosts" if given["hosts"] else job.table
    table, _ = read_ranks(given["root"], name, given["out"])
    rows = top_hosts(table, given["top"]) if given["hosts"] else top_pages(table, given["top"])
    for row in rows:
        typer.echo(json.dumps(row, ensure_ascii=False))


def _warn(report: RankReport) -> int:
    if not report.converged:
        message = f"not at rest after {report.rounds} rounds: the last changed {report.residual:g}"
        typer.echo(message, err=True)
    return _warn_damaged(report.graph["damaged"])


def _warn_damaged(parts: Sequence[Mapping[str, str]]) -> int:
    for part in parts:
        typer.echo(f"not read: {part['path']}: {part['reason']}", err=True)
    return 1 if parts else 0


def _plot(root: Path, names: list[str], out: Path | None, path: Path) -> None:
    from quarkcrawl.rank import (  # noqa: PLC0415
        read_ranks,
        shared_ranks,
    )
    from quarkcrawl.workbench.report import plot_ranks  # noqa: PLC0415

    tables = [read_ranks(root, name, out)[0] for name in names]
    plot_ranks(dict(zip(names, shared_ranks(tables), strict=True)), path)


@app.command("export")
def export(
    root: CorpusFolder,
    out: Annotated[Path, Option("--out", metavar="FOLDER", help="The files go here.")],
    level: Annotated[Literal["hosts", "pages"], Option(help="What the vertices are.")] = "hosts",
) -> int:
    """Write the link graph as Common Crawl does: vertices.txt.gz and edges.txt.gz.

    Vertices are hosts by reversed name (com.example.www) or pages by URL, sorted and numbered from
    0; edges are pairs of their numbers, each once. Links count as for rank pagerank. Exit code 1 if
    part of the corpus could not be read; the graph without it is written.

    \b
    Example:
      quarkcrawl rank export corpus --out graph
    """
    from quarkcrawl.rank import corpus_graph  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.rank.webgraph import write_webgraph  # noqa: PLC0415
    from quarkcrawl.store import shard_roots  # noqa: PLC0415

    shard_roots(root)
    with progress_shown() as show:
        links = corpus_graph(root, on_progress=show)
        report = write_webgraph(links.graph, out, level, on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    return _warn_damaged(dataclasses.asdict(links.report)["damaged"])


@app.command("webgraph")
def webgraph(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    vertices: Annotated[Path, Argument(metavar="VERTICES", help="File, folder or .paths list.")],
    edges: Annotated[Path, Argument(metavar="EDGES", help="The same of the edges.")],
    out: Annotated[Path, Option("--out", metavar="FILE", help="The ranks (.txt.gz).")],
    base: Annotated[
        Path | None, Option(metavar="FOLDER|URI", help="What the paths of a list are relative to.")
    ] = None,
    scratch: Annotated[
        Path | None,
        Option(metavar="FOLDER", help="For 16 bytes an edge.", show_default="beside the ranks"),
    ] = None,
    memory: Memory = "1 GiB",
    log2_registers: Annotated[
        int | None,
        Option(
            "--log2-registers",
            metavar="0|4-16",
            help="Estimate centrality with 2 to this of bytes a node; 0: exactly.",
            show_default="by size",
        ),
    ] = None,
    damping: Damping = 0.85,
    tolerance: Tolerance = 1e-10,
) -> None:
    """Rank a web graph of files: harmonic centrality and PageRank, as Common Crawl's ranks files.

    VERTICES has a number and a name a line, EDGES two numbers, parted by tabs. The edges are sorted
    on disk, so that they need not fit into memory; a vertex takes 53 bytes. Up to some 100,000
    vertices centrality is exact, then estimated (HyperBall).

    \b
    Examples:
      quarkcrawl rank webgraph graph/vertices.txt.gz graph/edges.txt.gz --out ranks.txt.gz
      quarkcrawl rank webgraph host-vertices.paths.gz host-edges.paths.gz --base /data \\
          --memory 8GiB --log2-registers 6 --out host-ranks.txt.gz
    """
    from quarkcrawl.rank import IterationOptions  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.rank.webgraph import rank_webgraph  # noqa: PLC0415

    with progress_shown() as show:
        report = rank_webgraph(
            vertices,
            edges,
            out,
            base=base,
            scratch=scratch,
            memory_bytes=memory_bytes(memory),
            log2_registers=log2_registers,
            options=IterationOptions(damping, tolerance),
            on_progress=show,
        )
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))


@app.command("compare")
def compare(
    root: CorpusFolder,
    first: Annotated[str, Argument(metavar="FIRST", help="Name of a table of ranks.")],
    second: Annotated[str, Argument(metavar="SECOND", help="Name of another.")],
    top: Annotated[int, Option(min=0, help="How many are listed, winners and losers.")] = 10,
    tables: Annotated[
        Path | None,
        Option(metavar="FOLDER", help="Folder of the ranks.", show_default="CORPUS/analysis/ranks"),
    ] = None,
    plot: Plot = None,
) -> None:
    """Compare two rankings of a corpus: Kendall's tau, overlap of top lists, biggest movers.

    \b
    Example:
      quarkcrawl rank compare corpus pagerank quarkrank --plot ranks.svg
    """
    from quarkcrawl.rank import compare_ranks, read_ranks  # noqa: PLC0415 - help needs no NumPy

    _check_plot(plot)
    found_tables = [read_ranks(root, name, tables)[0] for name in (first, second)]
    with progress_shown() as show:
        show("comparing", 0, None)
        comparison = dataclasses.asdict(compare_ranks(*found_tables, movers=top))
    tau = comparison["kendall_tau"]
    comparison["kendall_tau"] = None if math.isnan(tau) else tau  # JSON knows no NaN
    if plot is not None:
        _plot(root, [first, second], tables, plot)
    typer.echo(json.dumps(comparison, ensure_ascii=False))
