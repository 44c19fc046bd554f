"""``quarkcrawl refine``: labels for every document of a corpus."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusPlace,
    CorpusProcesses,
    FinishTasks,
    InProcess,
    MemoryMb,
    NumberOfTasks,
    OneTask,
    PageEngine,
    Partitions,
    RayAddress,
    SparkMaster,
    opened_cluster,
    opened_engine,
    print_report,
    wanted_task,
)


def refine(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    root: CorpusPlace,
    method: Annotated[str, Option(help="Extraction method whose texts are labelled.")] = "default",
    lexicon: Annotated[
        Path | None, Option(metavar="FILE", help="Words of spam, instead of ours.")
    ] = None,
    benchmark: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Texts of a benchmark that no document may hold."),
    ] = None,
    perplexity: Annotated[
        Path | None, Option(metavar="MODEL", help="Model of quarkcrawl train perplexity.")
    ] = None,
    quality: Annotated[
        Path | None, Option(metavar="MODEL", help="Model of quarkcrawl train classifier.")
    ] = None,
    no_duplicates: Annotated[
        bool, Option("--no-duplicates", help="Do not look for equal and nearly equal texts.")
    ] = False,
    no_repeats: Annotated[
        bool, Option("--no-repeats", help="Do not look for what texts repeat of each other.")
    ] = False,
    workers: CorpusProcesses = 0,
    in_process: InProcess = False,
    timeout_s: Annotated[float, Option(min=0, help="Longest time for a document.")] = 60.0,
    memory_mib: Annotated[int, Option(min=0, help="Most memory of a process; 0: no limit.")] = 2048,
    restart: Annotated[bool, Option("--restart", help="Label all documents anew.")] = False,
    task: OneTask = "",
    finish: FinishTasks = False,
    engine: PageEngine = "duckdb",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
    partitions: Partitions = 0,
    memory_mb: MemoryMb = 4096,
) -> None:
    """Label every document of a corpus; nothing is deleted. Prints a JSON report.

    Language and script, heuristics of quality, spam, personal data, rights, duplicates, repeated
    passages. The labels go to CORPUS/analysis/labels as Parquet; quarkcrawl export asks them. A
    run that was stopped goes on when the same command is given again; documents crawled or
    extracted since are added.

    With --task K/N only the labels of single texts are found, of a slice of the documents and on
    whatever machine; when all N tasks are done, the command without it does what compares texts.
    With --engine ray or spark a cluster does these tasks, with spark also what compares texts.

    \b
    Examples:
      quarkcrawl refine corpus
      quarkcrawl refine corpus --method quark --workers 2
      quarkcrawl refine corpus --task 3/32
      quarkcrawl refine corpus --benchmark ceval.jsonl --benchmark cmmlu.jsonl
    """
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415 - help needs no Arrow
    from quarkcrawl.corpus.tasks import AllTasks  # noqa: PLC0415
    from quarkcrawl.engines import DuckEngine  # noqa: PLC0415
    from quarkcrawl.refine import (  # noqa: PLC0415
        LabelOptions,
        RefineOptions,
        finish_labels,
        refine_corpus,
        refine_on_cluster,
        refine_task,
    )
    from quarkcrawl.store import corpus_places, folder_here  # noqa: PLC0415

    corpus_places(root)
    labels = LabelOptions(
        lexicon=lexicon,
        benchmarks=tuple(benchmark or ()),
        perplexity=perplexity,
        quality=quality,
    )
    options = RefineOptions(method, labels, duplicates=not no_duplicates, repeats=not no_repeats)
    pool = PoolOptions(workers, timeout_s, memory_mib << 20, in_process)
    part = wanted_task(task, finish=finish, restart=restart)
    if engine != "duckdb":
        folder_here(root, "clusters")
    if tasks and (engine == "duckdb" or finish or part is not None):
        raise typer.BadParameter("needs --engine spark or ray, and no --task", param_hint="--tasks")
    if engine == "ray" and (finish or part is not None):
        message = "ray is not with --task: a cluster does all tasks by itself"
        raise typer.BadParameter(message, param_hint="--engine")
    if finish:
        print_report(finish_labels(root))
        return
    on_ray = engine == "ray"
    sql = ("duckdb", "") if on_ray else (engine, spark_master)
    ray_words = (engine, spark_master, ray_address) if on_ray else ("duckdb", "", ray_address)
    with (
        opened_cluster(*ray_words) as ray,
        opened_engine(*sql, memory_mb, partitions) as opened,
    ):
        cluster = ray if on_ray or isinstance(opened, DuckEngine) else opened
        if part is not None:
            print_report(refine_task(opened, root, options, part, pool))
            return
        if cluster is None:
            report = refine_corpus(opened, root, options, pool=pool, restart=restart)
        else:
            every = AllTasks(cluster, tasks)
            report = refine_on_cluster(opened, root, options, every, pool=pool, restart=restart)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
