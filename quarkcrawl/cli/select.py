"""``quarkcrawl select``: seed sites from URL lists, one command a step."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    INTERRUPTED,
    Memory,
    OtherSettings,
    PageLanguage,
    Quiet,
    assigned,
    memory_bytes,
    progress_shown,
    refuse_binary,
)
from quarkcrawl.progress import reported

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.select import SelectionOptions, StepResult

app = typer.Typer(
    help="Choose seed sites: count, check, filter, report.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Work = Annotated[
    Path, Option("--work", metavar="FOLDER", help="Work folder of quarkcrawl select.")
]
_WORK = Path("seeds-work")


class SelectionStep(StrEnum):
    """Steps of the selection, as `quarkcrawl.select.STEPS`."""

    NAMES = "names"
    CHECK = "check"
    ALIASES = "aliases"
    SERVICES = "services"
    SPAM = "spam"
    OUTLIERS = "outliers"
    DIGITS = "digits"
    PAGES = "pages"


@app.command("count")
def count(
    lists: Annotated[list[str], Argument(metavar="LIST", help="URL lists; - is stdin.")],
    work: _Work = _WORK,
    column: Annotated[str, Option(metavar="NAME", help="URL column of Parquet files.")] = "url",
    memory: Memory = "2 GiB",
) -> None:
    """Count the pages of each host in URL lists, merged over the lists.

    A list is a text file (one URL a line; plain, gzip, zstd), a CDX or WARC file, a Parquet file
    with the column url (or with host and pages, counted on another machine), or a corpus. Lines
    that are no URLs are counted; the first ten are named with file and line.

    \b
    Examples:
      quarkcrawl select count urls-*.txt.gz --work seeds-work
      quarkcrawl select count old-corpus crawl.cdx.gz
    """
    from quarkcrawl.select import SelectionWork  # noqa: PLC0415 - help needs no NumPy

    refuse_binary(lists, "list of URLs")
    with progress_shown() as show:
        counts = SelectionWork(work).count(
            lists, column=column, memory_bytes=memory_bytes(memory), on_progress=show
        )
    for line in counts.bad_lines:
        typer.echo(f"{line.path}:{line.line}: no URL of a site: {line.text!r}", err=True)
    for one in counts.lists:
        if one.damage:
            typer.echo(f"warning: {one.damage}; what came before is counted", err=True)
    typer.echo(json.dumps(counts.summary(), ensure_ascii=False))


@app.command("check")
def check(
    work: _Work = _WORK,
    concurrency: Annotated[
        int | None, Option(min=1, help="Most requests out at once.", show_default="200")
    ] = None,
    timeout_s: Annotated[
        float | None,
        Option(min=0, help="Longest time for a request, in seconds.", show_default="20"),
    ] = None,
    setting: OtherSettings = None,
    quiet: Quiet = False,
) -> int:
    """Ask every counted host for its home page: alive or not, MD5, redirects.

    Two tries in all, 20 s each. A check that was stopped goes on when the command is given again;
    delete probes.jsonl in the work folder to ask all hosts anew. The same as
    "scrapy crawl seeds -a work=FOLDER -a until=check".

    \b
    Examples:
      quarkcrawl select check --work seeds-work
      quarkcrawl select check --concurrency 50 --set user_agent="me@example.org"
    """
    from quarkcrawl.crawl import run_check  # noqa: PLC0415 - Scrapy is slow to import
    from quarkcrawl.select import SelectionWork  # noqa: PLC0415

    given: dict[str, Any] = {"concurrency": concurrency, "timeout_s": timeout_s}
    config = {name: value for name, value in given.items() if value is not None}
    config |= assigned(setting or [])
    level = "WARNING" if quiet else "INFO"
    with progress_shown() as show:
        summary = run_check(SelectionWork(work), config, log_level=level, on_progress=show)
    typer.echo(json.dumps(summary, ensure_ascii=False))
    return 0 if summary["complete"] else INTERRUPTED


@app.command("filter")
def filter_(
    work: _Work = _WORK,
    spam_list: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="File of spam-domain patterns; may be repeated."),
    ] = None,
    min_pages: Annotated[int, Option(min=0, help="Hosts with fewer pages are dropped.")] = 10,
    aliases: Annotated[
        Literal["default", "md5"], Option(help="How aliases are found; md5: as in the thesis.")
    ] = "default",
    outliers: Annotated[
        Literal["default", "outlier-sizes", "line"],
        Option(help="How families of sites are found; line: as in the thesis."),
    ] = "default",
    drop_undecided: Annotated[
        bool, Option("--drop-undecided", help="Drop proposed families nobody decided on.")
    ] = False,
    unchecked: Annotated[
        bool, Option("--unchecked", help="Leave out the check and aliases.")
    ] = False,
    skip: Annotated[
        list[SelectionStep] | None, Option(help="Leave out this step; may be repeated.")
    ] = None,
) -> None:
    """Drop hosts step by step and write the seed sites (seeds.txt, a HOSTS file).

    Steps: names, check, aliases, services, spam, outliers, digits, pages. hosts.parquet says for
    every host at which step and why it was dropped. Domains that look like families of generated
    sites are proposed in proposals.tsv with five sample sites each: write accept or reject there
    and run the command again. Accepted domains are also in spam_domains.txt, for later crawls.
    Hosts in keep.txt of the work folder, one a line, are kept whatever a step says; the workbench
    (quarkcrawl serve) writes it, too.

    \b
    Examples:
      quarkcrawl select filter --work seeds-work
      quarkcrawl select filter --spam-list seeds/spam_domains.txt --min-pages 20
    """
    from quarkcrawl.select import SelectionWork  # noqa: PLC0415

    work_folder = SelectionWork(work)
    options = filter_options(
        spam_list=spam_list or [],
        min_pages=min_pages,
        aliases=aliases,
        outliers=outliers,
        drop_undecided=drop_undecided,
        skip=skip or [],
    )
    with progress_shown() as show:

        def say(done: StepResult) -> None:
            by_hand = f", {done.kept:,} kept by hand" if done.kept else ""
            line = f"{done.name}: {done.dropped:,} dropped, {done.left:,} left{by_hand}"
            with show.aside():
                typer.echo(line, err=True)

        work_folder.filter(options, checked=not unchecked, on_step=say, on_progress=show)
    typer.echo(json.dumps(work_folder.summary(), ensure_ascii=False))


def filter_options(
    *,
    spam_list: Iterable[Path],
    min_pages: int,
    aliases: str,
    outliers: str,
    drop_undecided: bool,
    skip: Iterable[str],
) -> SelectionOptions:
    """What the options of ``select filter`` mean, here and in the workbench.

    Raises:
        ConfigError: no such method or step.
        InputError: a spam list cannot be read, or a line of it is malformed.
    """
    from quarkcrawl.select import SelectionOptions, SpamList  # noqa: PLC0415

    lists = list(spam_list) or default_spam_lists()
    options = SelectionOptions(
        least_pages=min_pages,
        aliases=aliases,
        outliers=outliers,
        spam=SpamList.merged(SpamList.load(path) for path in lists),
        drop_undecided=drop_undecided,
        skip=frozenset(skip),
    )
    options.check()
    return options


def default_spam_lists() -> list[Path]:
    """The lists that hold where none is named: that of the project, if it has one."""
    from quarkcrawl.crawl import project_folder  # noqa: PLC0415 - loads Scrapy

    default = project_folder() / "seeds" / "spam_domains.txt"
    return [default] if default.is_file() else []


@app.command("report")
def report(
    work: _Work = _WORK,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="File to write.",
            show_default="report.html in the work folder",
        ),
    ] = None,
    lang: PageLanguage = "en",
) -> None:
    """Write the report: hosts left after each step, plots before and after, proposals.

    One HTML file that needs nothing else; the plots are also left as PNG and SVG files in plots/.

    \b
    Example:
      quarkcrawl select report --work seeds-work
    """
    from quarkcrawl.select import SelectionWork  # noqa: PLC0415
    from quarkcrawl.workbench.report import write_selection_report  # noqa: PLC0415

    with progress_shown() as show:
        show("report", 0, None)
        path = write_selection_report(SelectionWork(work), out, lang)
    typer.echo(json.dumps({"report": str(path)}, ensure_ascii=False))


@app.command("blocklist")
def blocklist(
    lists: Annotated[list[str], Argument(metavar="LIST", help="Public lists; - is stdin.")],
    out: Annotated[Path, Option(metavar="FILE", help="File of spam-domain patterns.")],
    keep: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Hosts and domains that are never taken; may be repeated."),
    ] = None,
) -> None:
    """Make a spam list of public lists of spam, adult, gambling or malware sites.

    Hosts files, plain domains, rules of ad blockers, dnsmasq and response policy zones, URLs and
    CSV with URLs are read, plain or compressed; each line by itself. Names below a listed domain
    are folded into it. Lines that cannot be read are counted; the first ten are named.

    \b
    Examples:
      quarkcrawl select blocklist hosts.txt adult.gz --out spam.txt
      quarkcrawl select blocklist malware.csv --keep good-hosts.txt --out spam.txt
    """
    from quarkcrawl.cli.options import check_output  # noqa: PLC0415
    from quarkcrawl.select import BlockList, SpamList, write_text  # noqa: PLC0415

    check_output(out)
    refuse_binary([*lists, *(keep or [])], "list of domains")
    gathered = BlockList(SpamList.merged(SpamList.load(path) for path in keep or []))
    with progress_shown() as show:
        counted = [
            gathered.read(Path(name)) for name in reported(lists, "lists", show, total=len(lists))
        ]
        domains = gathered.domains()
    for count in counted:
        for number, line in count.unreadable:
            typer.echo(f"{count.path}:{number}: no domain: {line!r}", err=True)
    head = "# Made by quarkcrawl select blocklist from public lists:\n"
    head += "".join(f"#   {one.path!r}, {one.lines:,} lines\n" for one in gathered.lists)
    write_text(out, head + "".join(f"{name}\n" for name in domains))
    summary = {
        "out": str(out),
        "domains": len(domains),
        "names": gathered.n_names,
        "excepted": gathered.n_excepted,
        "lists": [{"path": one.path, "lines": one.lines, **one.counts} for one in gathered.lists],
    }
    typer.echo(json.dumps(summary, ensure_ascii=False))
