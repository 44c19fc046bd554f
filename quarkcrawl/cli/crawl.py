"""``quarkcrawl crawl``: hosts in, corpus out."""

from __future__ import annotations

import dataclasses
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    INTERRUPTED,
    AsJson,
    InProcess,
    OtherSettings,
    Quiet,
    assigned,
)
from quarkcrawl.config import CrawlConfig


def crawl(  # noqa: PLR0913, PLR0917 - options of a command
    hosts: Annotated[
        str, Argument(metavar="HOSTS", help="File of hosts or URLs, one a line; - is stdin.")
    ],
    out: Annotated[Path, Option(metavar="CORPUS", help="Folder of the corpus.")],
    levels: Annotated[
        int | None, Option(min=1, help="Levels; the home page is 1.", show_default="3")
    ] = None,
    delay_s: Annotated[
        float | None,
        Option(
            min=0,
            help="Least time between requests to a host, in seconds.",
            show_default="1; 0 with --replay",
        ),
    ] = None,
    concurrency: Annotated[
        int | None, Option(min=1, help="Most requests out at once.", show_default="64")
    ] = None,
    workers: Annotated[
        int | None,
        Option(min=0, help="Processes that work on pages; 0: one per core.", show_default="0"),
    ] = None,
    in_process: InProcess = False,
    refresh: Annotated[
        bool, Option("--refresh", help="Ask again for stored pages that are due.")
    ] = False,
    watch: Annotated[
        bool, Option("--watch", help="The same, and go on as pages become due; ends by Ctrl-C.")
    ] = False,
    redis: Annotated[
        str | None, Option(metavar="URL", help="Share the campaign URL#NAME with other workers.")
    ] = None,
    replay: Annotated[
        list[Path] | None,
        Option(
            metavar="PATH",
            help="Serve these stored pages locally and crawl them; may be repeated.",
        ),
    ] = None,
    setting: OtherSettings = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> int:
    """Crawl the hosts of a file, three levels each, into a corpus.

    \b
    Examples:
      quarkcrawl crawl hosts.txt --out corpus
      quarkcrawl crawl hosts.txt --out corpus --levels 2 --delay-s 2 --set max_host_pages=500
      quarkcrawl crawl hosts.txt --out corpus --refresh
      quarkcrawl crawl hosts.txt --out corpus --watch --set refresh_home_s=10min
      quarkcrawl crawl hosts.txt --out corpus --replay pages.jsonl.gz
      quarkcrawl crawl hosts.txt --out corpus --redis redis://server/0#news

    HOSTS has one host or URL a line; "-" is standard input. A run that was stopped (Ctrl-C
    once: finish what is out; twice: at once) goes on when the same command is given again. With
    --refresh stored pages are visited again, each as often as its changes let expect; a new
    version is stored beside the old one. With
    --redis any number of workers on any machines share a campaign; each writes a shard below
    CORPUS/workers. Its URL may be several with commas between: then each server has its hosts.
    At the end a terminal gets tables, a pipe or --json the run's summary.
    """
    given: dict[str, Any] = {"levels": levels, "delay_s": delay_s, "concurrency": concurrency}
    given |= {"workers": workers, "in_process": in_process or None, "redis": redis}
    given |= {"refresh": refresh or watch or None, "watch": watch or None}
    config = {name: value for name, value in given.items() if value is not None}
    config |= assigned(setting or [])
    config["out"] = str(out)
    if quiet:
        config["progress"] = False
    if redis is not None:
        from quarkcrawl.frontier.redis import AddressList  # noqa: PLC0415 - help needs no Redis

        AddressList.parse(redis)
    summary = crawl_with(hosts, config, replay or [])
    if as_json or not sys.stdout.isatty():
        typer.echo(json.dumps(summary, ensure_ascii=False))
    else:
        from rich.console import Console  # noqa: PLC0415

        from quarkcrawl.cli.tables import crawl_tables  # noqa: PLC0415 - help needs no rich

        Console(file=sys.stdout, highlight=False).print(crawl_tables(summary))
    return exit_code(summary["finish_reason"])


def crawl_with(hosts: str, config: dict[str, Any], replay: list[Path]) -> dict[str, Any]:
    """Crawl, with a local web of stored pages if any are given; returns the run summary.

    After a run that leaves nothing to fetch, contents are cleaned (setting ``site_pages``).
    """
    from quarkcrawl.crawl import run_crawl  # noqa: PLC0415 - Scrapy is slow to import
    from quarkcrawl.lab.mockweb import ServerProcess  # noqa: PLC0415

    with ExitStack() as stack:
        if replay:
            server = stack.enter_context(ServerProcess.for_replay(replay, upgrade_http=True))
            config = server.info.crawl_settings() | config
        level = "INFO" if wants_progress(config) and not sys.stderr.isatty() else "WARNING"
        result = run_crawl(hosts, config, log_level=level)
    if result.is_cleanable:
        from quarkcrawl.corpus import clean_crawl  # noqa: PLC0415 - a crawl starts without it

        report = clean_crawl(result.config)
        result.add("cleaned", dataclasses.asdict(report) if report else None)
    return result.summary | {"summary": str(result.summary_path)}


def wants_progress(config: dict[str, Any]) -> bool:
    """Whether progress is on, also where ``--set`` gave it as text."""
    given = {name: value for name, value in config.items() if name == "progress"}
    return CrawlConfig.from_mapping(given, source="--set").progress


def exit_code(finish_reason: str) -> int:
    """0 for a run that finished, 130 for one that was interrupted, 1 for any other."""
    return {"finished": 0, "shutdown": INTERRUPTED}.get(finish_reason, 1)
