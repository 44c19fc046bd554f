"""``quarkcrawl corpus sample``: a collection drawn from a corpus."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

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
from quarkcrawl.config import byte_count


def sample(  # noqa: PLR0913, PLR0917 - options of a command
    root: CorpusFolder,
    out: Annotated[
        Path, Option(metavar="FOLDER", help="Folder of the collection; must not exist.")
    ],
    name: Annotated[
        str, Option(metavar="NAME", help="Name; document numbers begin with it.")
    ] = "CWT",
    seed: Annotated[int, Option(help="Seed of chance: the same seed, the same result.")] = 1,
    group: Annotated[int, Option(min=1, help="Site sizes in a group.")] = 20,
    draw: Annotated[int, Option(min=1, help="Site sizes drawn from each group.")] = 10,
    pages: Annotated[
        int, Option(min=0, help="About so many pages, instead of --draw; 0: by --draw.")
    ] = 0,
    size: Annotated[
        str, Option("--bytes", metavar="SIZE", help='About so much of bodies, as "2 GiB".')
    ] = "",
    docno: Annotated[
        str, Option(metavar="PATTERN", help="Pattern of document numbers.")
    ] = "{name}-{n:08d}",
    with_duplicates: Annotated[
        bool, Option("--with-duplicates", help="Duplicates, too; needs no dedup before.")
    ] = False,
    tables_only: Annotated[
        bool, Option("--tables-only", help="Write rows but no page.dat.")
    ] = False,
    engine: EngineName = "local",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory: Memory = "4 GiB",
) -> None:
    """Draw site sizes as CWT200g did and write all pages of these sites as a collection.

    Of every 20 site sizes that occur 10 are drawn. The collection is a corpus of its own, with
    document numbers, checksums and a README. Prints a JSON report.

    \b
    Examples:
      quarkcrawl corpus dedup corpus
      quarkcrawl corpus sample corpus --out cwt --name CWT2026 --seed 7
      quarkcrawl corpus sample corpus --out small --bytes "2 GiB"
    """
    from quarkcrawl.corpus.collection import SampleOptions, sample_corpus  # noqa: PLC0415

    say_unsettled(root)
    options = SampleOptions(
        name=name,
        seed=seed,
        group=group,
        draw=draw,
        pages=pages,
        body_bytes=byte_count(size or "0", source="--bytes"),
        docno=docno,
        dedup=not with_duplicates,
        tables_only=tables_only,
    )
    options.pattern()
    with (
        opened_engine(engine, spark_master, memory, partitions) as opened,
        progress_shown() as show,
    ):
        report = sample_corpus(opened, root, out, options, on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
