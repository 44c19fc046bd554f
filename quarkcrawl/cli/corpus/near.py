"""``quarkcrawl corpus near``: pages of a corpus that hold the same article."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusFolder,
    CrawledExtraction,
    FinishTasks,
    Memory,
    NumberOfTasks,
    OneTask,
    PageEngine,
    Partitions,
    RayAddress,
    SparkMaster,
    memory_bytes,
    opened_engine,
    opened_tasks,
    print_report,
    progress_shown,
    say_unsettled,
    wanted_task,
)

NearMethod = Literal[
    "default", "three-codes", "featurecode-2004", "code-only", "simhash", "simhash-words",
    "minhash",
]  # fmt: skip
"""Ways to find pages that hold the same article."""


def near(  # noqa: C901, PLR0913, PLR0917 - the options of a command are its arguments
    root: CorpusFolder,
    method: Annotated[
        NearMethod,
        Option(help="How texts are compared; simhash: by four-grams of letters."),
    ] = "default",
    max_bits: Annotated[
        int | None,
        Option(min=0, max=64, help="Most differing bits of 64, for simhash.", show_default="3"),
    ] = None,
    stop_lengths: Annotated[
        int, Option(min=0, help="Feature codes in texts of so many lengths say nothing; 0: never.")
    ] = 0,
    stop_hosts: Annotated[
        int, Option(min=0, help="Feature codes in texts of so many hosts say nothing; 0: never.")
    ] = 0,
    length_ratio: Annotated[
        float | None,
        Option(
            min=1,
            help="Longest text to shortest, for feature codes (a of the paper).",
            show_default="1.10",
        ),
    ] = None,
    slack: Annotated[
        int | None,
        Option(
            min=0,
            max=2,
            help="Characters of ten in which feature codes may differ.",
            show_default="1",
        ),
    ] = None,
    extraction: CrawledExtraction = "",
    min_chars: Annotated[int, Option(min=0, help="Shorter texts are not compared.")] = 50,
    memory: Memory = "2 GiB",
    threads: Annotated[int, Option(min=0, help="Threads of the database; 0: one per core.")] = 0,
    engine: PageEngine = "local",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
    partitions: Partitions = 0,
    task: OneTask = "",
    finish: FinishTasks = False,
    show: Annotated[bool, Option("--groups", help="Print the groups, a JSON line each.")] = False,
) -> None:
    """Find pages that hold the same article; nothing is deleted.

    The groups go to CORPUS/analysis/near/METHOD/groups.parquet, with the page that is kept and the
    reason for each other one; a JSON summary to standard output. A run that was stopped goes on
    after its last finished stage when the same command is given again.

    With --task K/N only the fingerprints are made, of some of the hosts and on whatever machine;
    when all N tasks are done, the command without it compares them. With --engine ray a cluster
    makes the fingerprints, which are compared here; with --engine spark it does all.

    \b
    Examples:
      quarkcrawl corpus near corpus
      quarkcrawl corpus near corpus --extraction quark --groups
      quarkcrawl corpus near corpus --method simhash --max-bits 6
      quarkcrawl corpus near corpus --method featurecode-2004 --length-ratio 1.05 --slack 2
      quarkcrawl corpus near corpus --task 3/32
      quarkcrawl corpus near corpus --engine spark --spark-master spark://127.0.0.1:7077
    """
    from quarkcrawl.corpus.near import (  # noqa: PLC0415 - help needs no NumPy
        find_near,
        find_near_on_cluster,
        finish_near_tasks,
        near_groups,
        near_method,
        near_task,
    )
    from quarkcrawl.engines import DuckEngine  # noqa: PLC0415

    if max_bits is not None and not method.startswith("simhash"):
        raise typer.BadParameter("is for --method simhash", param_hint="--max-bits")
    say_unsettled(root)
    how = near_method(
        method,
        k=max_bits,
        stop_lengths=stop_lengths,
        stop_hosts=stop_hosts,
        length_ratio=length_ratio,
        slack=slack,
    )
    named = extraction or None
    part = wanted_task(task, finish=finish)
    if part is not None or finish:
        on_cluster = engine != "local" or spark_master or ray_address or tasks
        if on_cluster or partitions or show or threads:
            message = "not with --task: fingerprints alone are made"
            raise typer.BadParameter(message, param_hint="--engine, --groups, --threads")
        with progress_shown() as progress:
            progress("tasks", 0, None)
            done = (
                finish_near_tasks(root, how)
                if part is None
                else near_task(root, part, how, extraction=named, least_chars=min_chars)
            )
        print_report(done)
        return
    if tasks and engine != "ray":
        raise typer.BadParameter("needs --engine ray", param_hint="--tasks")
    if engine == "ray":
        if partitions:
            raise typer.BadParameter("needs --engine spark", param_hint="--partitions")
        with (
            opened_tasks(None, engine, spark_master, ray_address, tasks) as job_tasks,
            progress_shown() as progress,
        ):
            assert job_tasks is not None  # Ray is a cluster
            progress("tasks", 0, None)
            near_task(root, job_tasks, how, extraction=named, least_chars=min_chars)
    elif ray_address:
        raise typer.BadParameter("needs --engine ray", param_hint="--ray-address")
    if engine == "ray" or not (engine != "local" or spark_master or partitions):
        with progress_shown() as progress:
            report = find_near(
                root,
                how,
                extraction=named,
                least_chars=min_chars,
                memory_bytes=memory_bytes(memory, "256 MiB"),
                threads=threads,
                on_progress=progress,
            )
    else:
        with (
            opened_engine(engine, spark_master, memory, partitions) as opened,
            progress_shown() as progress,
        ):
            assert not isinstance(opened, DuckEngine)  # which knows no such options
            report = find_near_on_cluster(
                opened, root, how, extraction=named, least_chars=min_chars, on_progress=progress
            )
    if show:
        for group in near_groups(root, how) if report.texts else ():
            typer.echo(json.dumps(group, ensure_ascii=False))
    else:
        typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
