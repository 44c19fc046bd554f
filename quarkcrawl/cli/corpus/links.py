"""``quarkcrawl corpus links``: the links of a corpus as one table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusOrCollection,
    check_output,
    progress_shown,
    say_unsettled,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def links(
    root: CorpusOrCollection,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Parquet file to write.",
            show_default="JSON lines to standard output",
        ),
    ] = None,
    with_duplicates: Annotated[
        bool, Option("--with-duplicates", help="Duplicates, too; needs no dedup before.")
    ] = False,
) -> None:
    """Write every link: source, target, anchor text, nofollow, kind, position.

    \b
    Examples:
      quarkcrawl corpus links corpus --out links.parquet
      quarkcrawl corpus links corpus | head
    """
    from quarkcrawl.corpus import link_batches  # noqa: PLC0415 - needs Arrow

    say_unsettled(root)
    check_output(out)
    with progress_shown(prints=out is None) as show:
        batches = link_batches(root, duplicates=with_duplicates, on_progress=show)
        if out is None:
            for batch in batches:
                for row in batch.to_pylist():
                    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
            return
        with writing(out):
            n_links = _write(out, batches)
    typer.echo(json.dumps({"out": str(out), "links": n_links}))


def _write(out: Path, batches: Iterator[Any]) -> int:
    """Write a Parquet file; it gets its name when it is whole."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    from quarkcrawl.corpus import LINK_TABLE  # noqa: PLC0415
    from quarkcrawl.store import write_whole  # noqa: PLC0415

    n_links = 0
    with (
        write_whole(out) as file,
        pq.ParquetWriter(file, LINK_TABLE, compression="zstd") as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
            n_links += batch.num_rows
    return n_links
