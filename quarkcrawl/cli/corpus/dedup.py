"""``quarkcrawl corpus dedup``: exact duplicates of a corpus."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusFolder,
    EngineName,
    Memory,
    Partitions,
    SparkMaster,
    opened_engine,
    progress_shown,
    say_unsettled,
)


def dedup(
    root: CorpusFolder,
    engine: EngineName = "local",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory: Memory = "4 GiB",
    method: Annotated[
        Literal["default", "thesis"],
        Option(help="Which copy stays; thesis: the first by host, in 1024 databases."),
    ] = "default",
) -> None:
    """Find pages with the same MD5; nothing is deleted. Prints a JSON report.

    Of equal pages the one with the shortest URL is kept, of equally short ones the smallest. The
    others go to CORPUS/analysis/dedup/duplicates (url, duplicate_of); sample and stats leave them
    out. With --method thesis the page that comes first is kept, as in CWT200g: the first by host
    and place in page.dat.

    \b
    Examples:
      quarkcrawl corpus dedup corpus
      quarkcrawl corpus dedup corpus --method thesis
      quarkcrawl corpus dedup corpus --engine spark --spark-master spark://127.0.0.1:7077
    """
    from quarkcrawl.corpus import dedup_corpus  # noqa: PLC0415 - help needs no Arrow

    say_unsettled(root)
    with (
        opened_engine(engine, spark_master, memory, partitions) as opened,
        progress_shown() as show,
    ):
        report = dedup_corpus(opened, root, method, on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
