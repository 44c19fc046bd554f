"""``quarkcrawl demo``: the main job on the bundled mini-web, and what came of it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from quarkcrawl.cli.crawl import exit_code, local_web
from quarkcrawl.cli.sizes import human_bytes
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from quarkcrawl.store.corpus import Corpus

__all__ = ["demo"]

MARKER = "demo.txt"
_SHOWN_REASONS = 4


def demo(
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the demo corpus; made anew each time.")
    ] = Path("demo-out"),
) -> int:
    """Crawl the bundled Chinese mini-web into a corpus and show what happened.

    A server on loopback plays some thirty hosts: news, forums, blogs and shops in GB18030, Big5,
    HZ and UTF-8, with aliases, duplicates, link farms, traps, errors and robots rules.

    \b
    Example:
      quarkcrawl demo --out demo-out
    """
    from quarkcrawl.crawl.project import project_folder  # noqa: PLC0415
    from quarkcrawl.crawl.run import run_crawl  # noqa: PLC0415
    from quarkcrawl.miniweb import MiniWeb, ServerProcess  # noqa: PLC0415
    from quarkcrawl.store.corpus import Corpus  # noqa: PLC0415

    _fresh(out)
    hosts = project_folder() / "seeds" / "demo_hosts.txt"
    with ServerProcess.for_web(MiniWeb.demo()) as server:
        config = {**local_web(server.info), "out": str(out), "retry_delay_s": 0.5}
        result = run_crawl(str(hosts), config, log_level="WARNING")
    (out / MARKER).write_text("Made by quarkcrawl demo, which may replace it.\n")
    console = Console(file=sys.stdout, width=110)
    corpus = Corpus.open(out)
    console.print(_host_table(result.summary, corpus))
    _results(console, result.summary, corpus)
    console.print(f"run summary    {result.summary_path}")
    return exit_code(result.finish_reason)


def _fresh(out: Path) -> None:
    """Remove an earlier demo; refuse to touch anything else."""
    if not out.exists():
        return
    if (out / MARKER).is_file():
        shutil.rmtree(out)
    elif not out.is_dir() or any(out.iterdir()):
        raise InputError("is there already and not a demo corpus; choose another --out", where=out)


def _host_table(summary: dict[str, Any], corpus: Corpus) -> Table:
    charsets: dict[str, Counter[str]] = {}
    for row in corpus.pages():
        charsets.setdefault(row.host, Counter())[row.charset] += 1
    table = Table(box=None, pad_edge=False, title="What became of each host", title_justify="left")
    table.add_column("host", no_wrap=True)
    table.add_column("stored", justify="right")
    table.add_column("charsets", no_wrap=True)
    table.add_column("ended otherwise")
    for host, reasons in sorted(summary["hosts"].items(), key=lambda x: -x[1].get("stored", 0)):
        others = [f"{reason} {n}" for reason, n in reasons.items() if reason != "stored"]
        if len(others) > _SHOWN_REASONS:
            others[_SHOWN_REASONS:] = [f"and {len(others) - _SHOWN_REASONS} more reasons"]
        seen = ", ".join(name for name, _ in charsets.get(host, Counter()).most_common(2))
        table.add_row(host, str(reasons.get("stored", 0)), seen, ", ".join(others))
    return table


def _results(console: Console, summary: dict[str, Any], corpus: Corpus) -> None:
    info = corpus.info()
    root = summary["corpus"]
    page = next((row for row in corpus.pages() if row.level == summary["config"]["levels"]), None)
    console.print()
    console.print(
        f"{info.pages} pages of {info.hosts} hosts in {summary['elapsed_s']:.1f} s: "
        f"{human_bytes(info.body_bytes)} of bodies in {human_bytes(info.stored_bytes)} on disk; "
        f"{info.duplicates} duplicates, {info.redirects} redirects, "
        f"{sum(info.drops.values())} drops"
    )
    if page is not None:
        console.print(f"a page         {root}/data_{page.bucket}/{page.host}/page.dat "
                      f"@{page.offset}: {page.title}")  # fmt: skip
    console.print(f"analysis       {root}/analysis (Parquet: pages, duplicates, redirects, drops)")
    console.print(f"frontier       {root}/frontier.sqlite")
