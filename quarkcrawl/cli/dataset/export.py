"""``quarkcrawl export``: the documents of a corpus as a data set."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusPlace,
    EngineName,
    MaxFileSize,
    Memory,
    Partitions,
    SparkMaster,
    StoredExtraction,
    file_bytes,
    listed,
    opened_engine,
    progress_shown,
)


class LeftOutReason(StrEnum):
    """Reasons for which documents are left out by default."""

    SHORT = "short"
    SPAM = "spam"
    HEURISTICS = "heuristics"
    CONTAMINATED = "contaminated"
    OPTED_OUT = "opted_out"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"


def export(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    root: CorpusPlace,
    out: Annotated[str, Option(metavar="FOLDER", help="Folder of the data set, also s3://….")],
    where: Annotated[
        list[str] | None,
        Option(metavar="SQL", help="Only documents for which this holds, as \"language = 'zh'\"."),
    ] = None,
    without: Annotated[
        list[LeftOutReason] | None,
        Option(help="Leave nothing out for this reason; may be repeated."),
    ] = None,
    fields: Annotated[
        str, Option("--fields", metavar="NAMES", help="Fields of a document, comma between.")
    ] = "",
    form: Annotated[
        Literal["parquet", "jsonl", "text"],
        Option("--format", help="In what documents are written."),
    ] = "parquet",
    personal: Annotated[
        Literal["mask", "keep", "drop"], Option(help="What is done with personal data.")
    ] = "mask",
    repeats: Annotated[
        Literal["remove", "keep"], Option(help="What is done with repeated passages.")
    ] = "remove",
    extraction: StoredExtraction = "default",
    name: Annotated[
        str, Option(metavar="NAME", help="Name of the data set.", show_default="that of the folder")
    ] = "",
    validation: Annotated[
        float, Option(min=0, max=1, help="Share of hosts of the validation split, 0 to 1.")
    ] = 0.0,
    test: Annotated[
        float, Option(min=0, max=1, help="Share of hosts of the test split, 0 to 1.")
    ] = 0.0,
    seed: Annotated[int, Option(help="Seed of chance: the same seed, the same result.")] = 1,
    no_shuffle: Annotated[
        bool, Option("--no-shuffle", help="Order by host and URL, not by chance.")
    ] = False,
    max_file_size: MaxFileSize = "256 MiB",
    tokenizer: Annotated[
        Path | None, Option(metavar="FILE", help="tokenizer.json that counts tokens.")
    ] = None,
    contact: Annotated[
        str, Option(metavar="TEXT", help="Where owners of pages may write, for the card.")
    ] = "",
    license: Annotated[  # noqa: A002
        str, Option(metavar="TEXT", help="License of the collection, for the card.")
    ] = "other",
    replace: Annotated[
        bool, Option("--replace", help="Replace an earlier data set there.")
    ] = False,
    engine: EngineName = "local",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory: Memory = "4 GiB",
) -> None:
    """Write a corpus with labels as a data set. Prints a JSON report.

    Left out by default: what has no text, exact and near duplicates, texts under 100 characters,
    spam, texts that fail a heuristic, contain benchmarks, or whose hosts opted out of training.
    FOLDER/left_out lists each with its reason, FOLDER/README.md the sums. Personal data is masked
    and repeated passages are taken out.

    \b
    Examples:
      quarkcrawl export corpus --out texts
      quarkcrawl export corpus --out zh --where "language = 'zh'" --where "page_type = 'article'"
      quarkcrawl export corpus --out all --without heuristics --without short --format jsonl
      quarkcrawl export corpus --out split --validation 0.02 --test 0.02 --seed 7
    """
    from quarkcrawl.dataset import DEFAULT_FIELDS, ExportOptions, export_dataset  # noqa: PLC0415
    from quarkcrawl.store import StoragePath, corpus_places, folder_here  # noqa: PLC0415

    if engine != "local":
        folder_here(root, "clusters")
        folder_here(out, "clusters")
    corpus_places(root)
    place = StoragePath(out)
    options = ExportOptions(
        name=name or (place.name if place.is_uri else Path(out).resolve().name),
        method=extraction,
        where=tuple(where or ()),
        without=tuple(without or ()),
        fields=tuple(listed(fields)) if fields else DEFAULT_FIELDS,
        form=form,
        personal=personal,
        repeats=repeats,
        validation=validation,
        test=test,
        seed=seed,
        shuffle=not no_shuffle,
        part_bytes=file_bytes(max_file_size),
        tokenizer=tokenizer,
        contact=contact,
        license=license,
    )
    with (
        opened_engine(engine, spark_master, memory, partitions) as opened,
        progress_shown() as show,
    ):
        report = export_dataset(opened, root, out, options, replace=replace, on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
