"""``quarkcrawl corpus near``: pages of a corpus that hold the same article."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusFolder,
    FinishTasks,
    NumberOfTasks,
    OneTask,
    PageEngine,
    Partitions,
    RayAddress,
    SparkMaster,
    opened_engine,
    opened_tasks,
    print_report,
    say_unsettled,
    wanted_task,
)


def near(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    root: CorpusFolder,
    method: Annotated[
        str,
        Option(
            help="default, three-codes, featurecode-2004, code-only, simhash (four-grams of "
            "letters), simhash-words or minhash."
        ),
    ] = "default",
    k: Annotated[int | None, Option(help="Most differing bits of 64, for simhash. [3]")] = None,
    stop_lengths: Annotated[
        int, Option(help="Feature codes in texts of so many lengths say nothing; 0: never.")
    ] = 0,
    stop_hosts: Annotated[
        int, Option(help="Feature codes in texts of so many hosts say nothing; 0: never.")
    ] = 0,
    length_ratio: Annotated[
        float | None,
        Option(help="Longest text to shortest, for feature codes (a of the paper). [1.10]"),
    ] = None,
    slack: Annotated[
        int | None,
        Option(help="Characters of ten in which feature codes may differ, 0 to 2. [1]"),
    ] = None,
    extraction: Annotated[
        str, Option(help="Compare the texts of this extraction. [those of the crawl]")
    ] = "",
    least: Annotated[int, Option("--least-chars", help="Shorter texts are not compared.")] = 50,
    memory: Annotated[int, Option("--memory-mb", help="Most memory, from 256 on.")] = 2048,
    threads: Annotated[int, Option(help="Of the database; 0: one a core.")] = 0,
    engine: PageEngine = "duckdb",
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
      quarkcrawl corpus near corpus --method simhash --k 6
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

    say_unsettled(root)
    how = near_method(
        method,
        k=k,
        stop_lengths=stop_lengths,
        stop_hosts=stop_hosts,
        length_ratio=length_ratio,
        slack=slack,
    )
    named = extraction or None
    part = wanted_task(task, finish=finish)
    if part is not None or finish:
        on_cluster = engine != "duckdb" or spark_master or ray_address or tasks
        if on_cluster or partitions or show or threads:
            message = "not with --task: fingerprints alone are made"
            raise typer.BadParameter(message, param_hint="--engine, --groups, --threads")
        print_report(
            finish_near_tasks(root, how)
            if part is None
            else near_task(root, part, how, extraction=named, least_chars=least)
        )
        return
    if tasks and engine != "ray":
        raise typer.BadParameter("needs --engine ray", param_hint="--tasks")
    if engine == "ray":
        if partitions:
            raise typer.BadParameter("needs --engine spark", param_hint="--partitions")
        with opened_tasks(None, engine, spark_master, ray_address, tasks) as wanted:
            assert wanted is not None  # Ray is a cluster
            near_task(root, wanted, how, extraction=named, least_chars=least)
    elif ray_address:
        raise typer.BadParameter("needs --engine ray", param_hint="--ray-address")
    if engine == "ray" or not (engine != "duckdb" or spark_master or partitions):
        report = find_near(
            root,
            how,
            extraction=named,
            least_chars=least,
            memory_bytes=memory << 20,
            threads=threads,
        )
    else:
        with opened_engine(engine, spark_master, memory, partitions) as opened:
            assert not isinstance(opened, DuckEngine)  # which knows no such options
            report = find_near_on_cluster(opened, root, how, extraction=named, least_chars=least)
    if show:
        for group in near_groups(root, how) if report.texts else ():
            typer.echo(json.dumps(group, ensure_ascii=False))
    else:
        typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
