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
    MemoryMb,
    Partitions,
    SparkMaster,
    opened_engine,
    say_unsettled,
)
from quarkcrawl.config import byte_count


def sample(  # noqa: PLR0913, PLR0917 - options of a command
    root: CorpusFolder,
    out: Annotated[Path, Option(help="Folder of the collection; must not exist.")],
    name: Annotated[str, Option(help="Name; document numbers begin with it.")] = "CWT",
    seed: Annotated[int, Option(help="Of the draw: the same seed, the same bytes.")] = 1,
    group: Annotated[int, Option(help="Site sizes in a group.")] = 20,
    draw: Annotated[int, Option(help="Sizes drawn from each group.")] = 10,
    pages: Annotated[int, Option(help="About so many pages, instead of --draw.")] = 0,
    size: Annotated[str, Option("--bytes", help='About so many bytes of bodies, as "2 GiB".')] = "",
    docno: Annotated[str, Option(help="Pattern of document numbers.")] = "{name}-{n:08d}",
    with_duplicates: Annotated[
        bool, Option("--with-duplicates", help="Draw without a dedup before.")
    ] = False,
    tables_only: Annotated[
        bool, Option("--tables-only", help="Write rows but no page.dat.")
    ] = False,
    engine: EngineName = "duckdb",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory_mb: MemoryMb = 4096,
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
    with opened_engine(engine, spark_master, memory_mb, partitions) as opened:
        report = sample_corpus(opened, root, out, options)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
