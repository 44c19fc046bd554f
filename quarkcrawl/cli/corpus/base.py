"""``quarkcrawl corpus``: look at a stored corpus, check it, mend it."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from quarkcrawl.cli.options import (
    AsJson,
    CorpusFolder,
    CorpusPlace,
    harmless,
    human_bytes,
    progress_shown,
    say_unsettled,
)

app = typer.Typer(help="Look at a corpus, check it, mend it.", no_args_is_help=True)


@app.command("info")
def info(root: CorpusPlace, as_json: AsJson = False) -> None:
    """Counts and sizes: hosts, pages, media types, charsets, levels, drops by reason.

    \b
    Example:
      quarkcrawl corpus info corpus
    """
    from quarkcrawl.store import collect_info, working_copy  # noqa: PLC0415

    with working_copy(root) as job:
        with progress_shown() as show:
            show("counting", 0, None)
            figures = dataclasses.asdict(collect_info(job.path))
        say_unsettled(job.path)
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
        return
    from rich.console import Console  # noqa: PLC0415 - help needs no rich
    from rich.table import Table  # noqa: PLC0415

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), _shown(name, value))
    Console(file=sys.stdout, width=100).print(table)


def _shown(name: str, value: Any) -> str:
    if isinstance(value, dict):
        counts = (f"{harmless(str(key))} {count:,}" for key, count in value.items())
        return "  ".join(counts) or "none"
    return human_bytes(value) if name.endswith("_bytes") else f"{value:,}"


@app.command("versions")
def versions(
    root: CorpusFolder,
    url: Annotated[
        str, Option(metavar="URL", help="Only this page, also if it has one version.")
    ] = "",
) -> None:
    """Pages of which a crawl with --refresh stored several versions; a JSON line for each.

    The last of a page, ``"current": true``, is the one that all other commands read.

    \b
    Example:
      quarkcrawl corpus versions corpus --url http://www.example.cn/
    """
    from quarkcrawl.store import shard_roots  # noqa: PLC0415
    from quarkcrawl.store.tables import page_versions  # noqa: PLC0415

    with progress_shown() as show:
        for shard in shard_roots(root):
            for line in page_versions(shard, url, on_progress=show):
                with show.aside():
                    typer.echo(json.dumps(line, ensure_ascii=False))


@app.command("settle")
def settle(root: CorpusFolder) -> None:
    """Give each page one row again, after a crawl with --refresh or --watch was killed.

    The next such crawl does it when it ends; no crawl may be writing meanwhile.

    \b
    Example:
      quarkcrawl corpus settle corpus
    """
    from quarkcrawl.store import settle_corpus, shard_roots  # noqa: PLC0415

    with progress_shown() as show:
        n_moved = sum(settle_corpus(shard, on_progress=show) for shard in shard_roots(root))
    typer.echo(f"{root}: {n_moved} rows of earlier versions were moved", err=True)


@app.command("verify")
def verify(root: CorpusFolder) -> int:
    """Check every record against its row; a JSON line for each problem.

    Exit code 1 if there is any. Of a shared crawl each worker's shard is checked; a page that two
    of them hold is no problem yet, `corpus merge` keeps one.

    \b
    Example:
      quarkcrawl corpus verify corpus
    """
    from quarkcrawl.store import (  # noqa: PLC0415
        Corpus,
        shard_roots,
    )
    from quarkcrawl.store.repair import verify as problems  # noqa: PLC0415
    from quarkcrawl.store.tables import count_table  # noqa: PLC0415

    kinds: Counter[str] = Counter()
    pages = 0
    with progress_shown() as show:
        for shard in shard_roots(root):
            for problem in problems(shard, on_progress=show):
                kinds[problem.kind] += 1
                with show.aside():
                    typer.echo(json.dumps(dataclasses.asdict(problem), ensure_ascii=False))
            pages += count_table(Corpus.open(shard).table("page"))
    summary = ", ".join(f"{n} × {kind}" for kind, n in kinds.items()) or "no problems"
    typer.echo(f"{root}: {pages} pages checked: {summary}", err=True)
    return 1 if kinds else 0


@app.command("salvage")
def salvage(
    root: CorpusFolder,
    out: Annotated[
        Path | None,
        Option(metavar="CORPUS", help="Write a new corpus instead of mending in place."),
    ] = None,
    include_cut: Annotated[
        bool, Option("--include-cut", help="Also take records that recovery had cut.")
    ] = False,
) -> None:
    """Keep all but the damaged records; rebuild rows from page.dat. Prints a JSON report.

    What is taken out goes to CORPUS/salvage first.

    \b
    Example:
      quarkcrawl corpus salvage corpus --out mended
    """
    from quarkcrawl.store.repair import salvage as mend  # noqa: PLC0415

    with progress_shown() as show:
        report = dataclasses.asdict(mend(root, out, include_cut=include_cut, on_progress=show))
    damages = [{"file": str(path), **_plain(damage)} for path, damage in report.pop("damages")]
    typer.echo(json.dumps({**_plain(report), "damages": damages}, ensure_ascii=False))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Paths as text, for JSON."""
    return {
        name: [str(v) for v in value] if isinstance(value, list) else _text(value)
        for name, value in values.items()
    }


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value
