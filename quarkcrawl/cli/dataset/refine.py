"""``quarkcrawl refine``: labels for every document of a corpus."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusPlace,
    FinishTasks,
    InProcess,
    Memory,
    NumberOfTasks,
    OneTask,
    PageEngine,
    Partitions,
    Processes,
    RayAddress,
    SparkMaster,
    StoredExtraction,
    WorkerMemory,
    WorkerTimeout,
    opened_cluster,
    opened_engine,
    print_report,
    progress_shown,
    wanted_task,
    worker_bytes,
)


def refine(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    root: CorpusPlace,
    extraction: StoredExtraction = "default",
    lexicon: Annotated[
        Path | None, Option(metavar="FILE", help="Words of spam, instead of the built-in ones.")
    ] = None,
    benchmark: Annotated[
        list[Path] | None,
        Option(
            metavar="FILE", help="Texts of a benchmark that no document may hold; may be repeated."
        ),
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
    workers: Processes = 0,
    in_process: InProcess = False,
    timeout_s: WorkerTimeout = 60.0,
    worker_memory: WorkerMemory = "2 GiB",
    restart: Annotated[bool, Option("--restart", help="Label all documents anew.")] = False,
    task: OneTask = "",
    finish: FinishTasks = False,
    engine: PageEngine = "local",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
    partitions: Partitions = 0,
    memory: Memory = "4 GiB",
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
      quarkcrawl refine corpus --extraction quark --workers 2
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
    options = RefineOptions(
        extraction, labels, duplicates=not no_duplicates, repeats=not no_repeats
    )
    pool = PoolOptions(workers, timeout_s, worker_bytes(worker_memory), in_process)
    part = wanted_task(task, finish=finish, restart=restart)
    if engine != "local":
        folder_here(root, "clusters")
    if tasks and (engine == "local" or finish or part is not None):
        raise typer.BadParameter("needs --engine spark or ray, and no --task", param_hint="--tasks")
    if engine == "ray" and (finish or part is not None):
        message = "ray is not with --task: a cluster does all tasks by itself"
        raise typer.BadParameter(message, param_hint="--engine")
    if finish:
        print_report(finish_labels(root))
        return
    on_ray = engine == "ray"
    on_spark = engine == "spark"
    with (
        opened_cluster(
            "ray" if on_ray else "local", spark_master if on_ray else "", ray_address
        ) as ray,
        opened_engine(
            "spark" if on_spark else "local", "" if on_ray else spark_master, memory, partitions
        ) as opened,
    ):
        cluster = ray if on_ray or isinstance(opened, DuckEngine) else opened
        if part is not None:
            with progress_shown() as show:
                show("tasks", 0, None)
                done = refine_task(opened, root, options, part, pool)
            print_report(done)
            return
        with progress_shown() as show:
            given: dict[str, Any] = {"pool": pool, "restart": restart, "on_progress": show}
            if cluster is None:
                report = refine_corpus(opened, root, options, **given)
            else:
                every = AllTasks(cluster, tasks)
                report = refine_on_cluster(opened, root, options, every, **given)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
