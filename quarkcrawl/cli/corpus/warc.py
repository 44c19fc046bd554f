"""``quarkcrawl corpus export-warc`` and ``import-warc``: WARC files out and in."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.archives import refuse_no_archive
from quarkcrawl.cli.options import MaxFileSize, Processes, file_bytes, progress_shown

if TYPE_CHECKING:
    from quarkcrawl.store.warc import WarcDamage


def export_warc(
    root: Annotated[
        Path, Argument(metavar="CORPUS", help="Corpus, shared crawl, or a page.dat file.")
    ],
    out: Annotated[Path, Option(metavar="FOLDER", help="New folder.")],
    prefix: Annotated[
        str, Option(metavar="TEXT", help="What the names of the files begin with.")
    ] = "quarkcrawl",
    max_file_size: MaxFileSize = "1 GB",
    operator: Annotated[
        str, Option(metavar="TEXT", help="Who is responsible, for the warcinfo records.")
    ] = "",
    requests: Annotated[
        bool, Option("--requests", help="Also request records, made of the URLs.")
    ] = False,
) -> int:
    """Write all pages, redirects and duplicates as WARC 1.1, a gzip member a record.

    Redirects become responses made of status and target, duplicates revisit records. A CDXJ index
    stands beside each file. The folder appears when it is complete. Pages that cannot be read are
    listed in the JSON report.

    \b
    Example:
      quarkcrawl corpus export-warc corpus --out warcs --operator "NLP group, crawl@example.cn"
    """
    from quarkcrawl.corpus.warc import export_warc as export  # noqa: PLC0415

    with progress_shown() as show:
        report = export(
            root,
            out,
            prefix=prefix,
            max_file_bytes=file_bytes(max_file_size),
            operator=operator,
            requests=requests,
            on_progress=show,
        )
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    return 0


def import_warc(
    sources: Annotated[
        list[str], Argument(metavar="WARC", help="WARC files, or folders of them, also s3://….")
    ],
    out: Annotated[Path, Option(metavar="CORPUS", help="New corpus.")],
    mime: Annotated[
        list[str] | None,
        Option(
            metavar="TYPE",
            help="Only this media type; may be repeated.",
            show_default="HTML, XHTML, plain text",
        ),
    ] = None,
    any_mime: Annotated[bool, Option("--any-mime", help="Store every media type.")] = False,
    workers: Processes = 0,
) -> int:
    """Make a corpus of WARC files: our own exports, or those of other crawlers.

    Of a URL the first capture is kept, of a body the first page. Damaged files give every record
    that is whole. --mime chooses among pages of other crawlers; our own exports are restored whole.
    Prints a JSON report; damages are in it with file, offset and reason.

    \b
    Examples:
      quarkcrawl corpus import-warc warcs --out corpus
      quarkcrawl corpus import-warc crawl-00000.warc.gz crawl-00001.warc.gz --out corpus
    """
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
    from quarkcrawl.corpus.warc import WarcImportOptions  # noqa: PLC0415
    from quarkcrawl.corpus.warc import import_warc as import_files  # noqa: PLC0415

    if any_mime and mime:
        raise typer.BadParameter("not with --any-mime", param_hint="--mime")
    for source in sources:
        refuse_no_archive(source)
    options = WarcImportOptions()
    if any_mime or mime:
        options = dataclasses.replace(options, mime_types=() if any_mime else tuple(mime or ()))
    with progress_shown() as show:
        done = import_files(
            sources, out, options=options, pool=PoolOptions(workers=workers), on_progress=show
        )
    report = {
        field.name: getattr(done, field.name)
        for field in dataclasses.fields(done)
        if field.name != "damages"
    }
    damages = [_damage(path, damage) for path, damage in done.damages]
    typer.echo(json.dumps({**report, "damages": damages}, ensure_ascii=False))
    if damages:
        sys.stderr.write(f"{len(damages)} damaged places; every whole record was taken\n")
    return 0


def _damage(path: object, damage: WarcDamage) -> dict[str, object]:
    return {"file": str(path), **dataclasses.asdict(damage)}
