"""``quarkcrawl evaluate``: topic pages, content spans, extractors side by side."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    AsJson,
    ContentMethods,
    Folds,
    GoldData,
    MaxPages,
    Processes,
    WorkerTimeout,
    check_output,
    listed,
    listed_all,
    progress_shown,
    writing,
)
from quarkcrawl.progress import CountedStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.table import Table

    from quarkcrawl.lab.evaluate import Comparison, Differences


app = typer.Typer(
    help="Score topic decisions and extraction against marked pages.", no_args_is_help=True
)

_TABLE_WIDTH = 180
T = TypeVar("T")

JsonOut = Annotated[
    Path | None,
    Option("--json-out", metavar="FILE", help="Also write JSON to this file."),
]
Runs = Annotated[
    list[Path] | None, Option("--run", metavar="FILE", help="Run file; may be repeated.")
]
WriteRun = Annotated[
    Path | None,
    Option("--write-run", metavar="FILE", help="Write the run of the one --method here."),
]
Unknown = Annotated[
    bool, Option("--ignore-unknown", help="Pass over documents without gold in run files.")
]
ByPage = Annotated[bool, Option("--by-page", help="Put every page's scores into the JSON.")]
OnlySets = Annotated[
    str,
    Option("--sets", metavar="NAMES", help="Only these sets, comma between.", show_default="all"),
]
Gold = Annotated[
    Path, Argument(metavar="GOLD", help="Folder of marked pages NUMBER.html, or JSON lines.")
]


OffsetUnit = Literal["bytes", "chars"]
"""What offsets in run files count."""


OffsetsIn = Literal["original", "marked"]
"""Which page offsets in run files refer to."""


WhichPages = Literal["all", "common"]
"""Which pages are scored."""


class TopicMethod(StrEnum):
    """Methods that decide what is a topic page."""

    DLUT = "dlut"
    SCU = "scu"
    SCUT = "scut"


@app.command("topic")
def topic(  # noqa: PLR0913, PLR0917  (one for each option)
    gold: Gold,
    run: Runs = None,
    method: Annotated[
        list[TopicMethod] | None,
        Option(help="Method that decides what is a topic page; may be repeated."),
    ] = None,
    write_run: WriteRun = None,
    ignore_unknown: Unknown = False,
    workers: Processes = 0,
    timeout_s: WorkerTimeout = 30.0,
    as_json: AsJson = False,
    json_out: JsonOut = None,
) -> None:
    """Task 1 of SEWM2008: which pages are topic pages.

    Gold pages are topic pages if content is marked on them, or as is_topic in the JSON lines says.
    A run file has one document number a line.

    \b
    Examples:
      quarkcrawl evaluate topic gold/ --run team1.txt --run team2.txt
      quarkcrawl evaluate topic gold.jsonl.gz --method dlut --method scu --json
    """
    from quarkcrawl.lab.evaluate import (  # noqa: PLC0415
        find_topics,
        load_gold,
        read_topic_run,
        score_topic,
        stored_page,
        topic_gold,
        topic_json,
        topic_table,
        write_topic_run,
    )

    check_output(write_run, json_out)
    methods = _methods(method, run, write_run)
    pages = load_gold(gold)
    truth = topic_gold(pages)
    runs = [
        read_topic_run(path, truth.__contains__, ignore_unknown=ignore_unknown)
        for path in run or []
    ]
    stored = {page.number: stored_page(page) for page in pages} if methods else {}
    find = partial(find_topics, pages=stored, workers=workers, timeout_s=timeout_s)
    runs += _runs_of(methods, len(stored), find)
    if write_run:
        with writing(write_run):
            write_topic_run(write_run, sorted(runs[-1].documents))
    results = [score_topic(topic_run.name, topic_run.documents, truth) for topic_run in runs]
    show_tables([topic_table(results)], topic_json(results), json_out, as_json=as_json)


@app.command("content")
def content(  # noqa: PLR0913, PLR0917  (one for each option)
    gold: Gold,
    run: Runs = None,
    method: ContentMethods = None,
    write_run: WriteRun = None,
    unit: Annotated[OffsetUnit, Option(help="What offsets count.")] = "bytes",
    offsets: Annotated[
        OffsetsIn, Option(help="Page that offsets refer to: without marks, or with them.")
    ] = "original",
    scored: Annotated[
        WhichPages, Option(help="All pages with content, or those common to all runs.")
    ] = "all",
    ignore_unknown: Unknown = False,
    workers: Processes = 0,
    timeout_s: WorkerTimeout = 30.0,
    by_page: ByPage = False,
    as_json: AsJson = False,
    json_out: JsonOut = None,
) -> None:
    """Task 2 of SEWM2008: where on a page its content stands.

    Gold pages carry quark="content", "rel_link" or "noise" on elements. A run file has lines
    "number start length", counted from 0 in the page as it was before it was marked.

    Of the teams' methods, dlut, sdu, scu and scut1 see a page alone; scut2, scut3 and scut4 compare
    it with others of its host among the marked pages (twenty at most).

    Pages whose marks began from what a method proposed (the workbench keeps that in marks.json)
    say little about this method: they are left out of its row and listed in one of their own.

    \b
    Examples:
      quarkcrawl evaluate content gold/ --run team.txt --method quark --scored common
      quarkcrawl evaluate content gold/ --method quark --write-run quark.txt --json-out scores.json
      quarkcrawl evaluate content gold/ --method dlut --method scut3
    """
    from quarkcrawl.lab.evaluate import (  # noqa: PLC0415
        StoredPage,
        content_gold,
        content_json,
        content_table,
        find_content,
        load_gold,
        read_content_run,
        score_content,
        write_content_run,
    )

    check_output(write_run, json_out)
    methods = _methods(method, run, write_run)
    documents = load_gold(gold)
    truth = content_gold(documents, unit, keep_marks=offsets == "marked")
    _tell_unlocated(page.places.n_unlocated for page in truth.values())
    sizes = {number: page.places.size for number, page in truth.items()}
    runs = [read_content_run(path, sizes.get, ignore_unknown=ignore_unknown) for path in run or []]
    stored = {
        number: StoredPage(number, page.page.body, page.page.url) for number, page in truth.items()
    }
    find = partial(find_content, pages=stored, unit=unit, workers=workers, timeout_s=timeout_s)
    runs += _runs_of(methods, len(stored), find)
    if write_run:
        with writing(write_run):
            write_content_run(write_run, runs[-1].spans)
    origins = {page.number: page.origin for page in documents}
    results = score_content(runs, truth, pages=scored, origins=origins)
    _tell_origins(origins)
    title = f"Content of {len(results[0].by_page) + len(results[0].own)} pages ({scored})"
    table = content_table(results, title)
    show_tables([table], content_json(results, by_page=by_page), json_out, as_json=as_json)


@app.command("extractors")
def extractors(  # noqa: PLR0913, PLR0917  (one for each option)
    data: GoldData,
    method: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Method, baseline or peer; may be repeated, or several with commas between.",
            show_default="all known",
        ),
    ] = None,
    sets: OnlySets = "",
    title_in: Annotated[
        str | None,
        Option(metavar="NAMES", help="Sets whose gold includes the headline, comma between."),
    ] = None,
    against: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Extractor the others are compared with.",
            show_default="the first",
        ),
    ] = None,
    bootstrap_pages: Annotated[
        bool, Option("--bootstrap-pages", help="Bootstrap over pages instead of whole hosts.")
    ] = False,
    max_pages: MaxPages = None,
    folds: Folds = 0,
    models: Annotated[
        Path | None, Option(metavar="FOLDER", help="Folder that keeps the models of --folds.")
    ] = None,
    workers: Processes = 0,
    timeout_s: WorkerTimeout = 30.0,
    by_page: ByPage = False,
    as_json: AsJson = False,
    json_out: JsonOut = None,
) -> None:
    """Our methods, the baselines of SEWM2008 and installed peers on the same pages.

    Scores compare texts without white space (NFKC) by their longest common subsequence. Pages per
    second count CPU time, all in the same processes with the same allocator. NAME+title asks a
    peer for its headline where the gold includes it. With --folds N the default extractor is also
    trained N times, each time without the sites of a part of the pages, and measured on that part
    (5: 15 minutes for 800 pages); the kinds of pages are told by the model of the package, which
    has seen the public sets (benchmarks/kinds.py trains both).

    \b
    Examples:
      quarkcrawl evaluate extractors pages.jsonl.gz
      quarkcrawl evaluate extractors data/ --method default,quark,readability+title --json
      quarkcrawl evaluate extractors data/ --folds 5 --models folds/ --by-page --json-out all.json
    """
    from quarkcrawl.lab.evaluate import (  # noqa: PLC0415
        DEFAULT_EXTRACTORS,
        compare,
        comparison_json,
        comparison_tables,
        extractor,
        load_jobs,
    )

    check_output(json_out)
    names = listed_all(method) or list(DEFAULT_EXTRACTORS)
    for name in [*names, *filter(None, [against])]:
        extractor(name)  # a wrong name is told before anything runs
    names += [against] if against and against not in names else []
    jobs = load_jobs(data, sets=listed(sets), title_in=listed(title_in), limit=max_pages)
    with progress_shown() as show:
        tick = CountedStep("pages", show, len(names) * len(jobs)).add
        compared = compare(names, jobs, workers=workers, timeout_s=timeout_s, tick=tick)
        if folds:
            from quarkcrawl.lab.evaluate import with_left_out  # noqa: PLC0415

            tick = CountedStep("pages of sites left out", show, len(jobs)).add
            compared = with_left_out(compared, n_folds=folds, models=models, tick=tick)
    reference = against or next(iter(compared.measured), None)
    differences = _differences(compared, reference, by_host=not bootstrap_pages)
    comparison = comparison_json(compared, reference, differences, by_page=by_page)
    show_tables(
        comparison_tables(compared, reference, differences), comparison, json_out, as_json=as_json
    )


def _differences(compared: Comparison, reference: str | None, *, by_host: bool) -> Differences:
    if reference is None or reference not in compared.measured:
        return {}
    sets = {job.set_name for job in compared.jobs}
    groups = [name for name in compared.groups() if name not in sets] or sorted(sets)
    return {
        name: {
            group: compared.difference(reference, name, group, by_host=by_host) for group in groups
        }
        for name in compared.measured
        if name != reference
    }


def _methods(
    method: Sequence[str] | None, run: list[Path] | None, write_run: Path | None
) -> list[str]:
    methods = listed_all(method)
    if not methods and not run:
        raise typer.BadParameter("give --run FILE or --method NAME, or both")
    if write_run and len(methods) != 1:
        raise typer.BadParameter("--write-run needs exactly one --method")
    return methods


def _tell_unlocated(n_chars: Iterable[int]) -> None:
    lost = [n for n in n_chars if n]
    if lost:
        message = f"{sum(lost)} characters on {len(lost)} pages have no known place: not counted"
        typer.echo(message, err=True)


def _tell_origins(origins: Mapping[str, str]) -> None:
    from quarkcrawl.lab.gold import UNKNOWN_ORIGIN  # noqa: PLC0415

    n_unknown = sum(origin == UNKNOWN_ORIGIN for origin in origins.values())
    if n_unknown:
        message = f"what the marks of {n_unknown} pages began from is not known: they count"
        typer.echo(message, err=True)


def _runs_of(
    methods: Sequence[str], n_pages: int, find: Callable[..., tuple[T, dict[str, str]]]
) -> Iterator[T]:
    """The runs of methods of ours; pages on which one fails are told."""
    with progress_shown() as show:
        tick = CountedStep("pages", show, len(methods) * n_pages).add
        for name in methods:
            run, failures = find(name, tick=tick)
            for number, failure in failures.items():
                typer.echo(f"{name} failed on {number}: {failure}", err=True)
            yield run


def show_tables(
    tables: Iterable[Table], report: Any, json_out: Path | None, *, as_json: bool
) -> None:
    """Tables or JSON to standard output, and JSON to a file where it is asked for."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    if as_json:
        typer.echo(text)
    else:
        _print_tables(tables)
    if json_out:
        with writing(json_out):
            json_out.write_text(text + "\n", "utf-8")


def _print_tables(tables: Iterable[Table]) -> None:
    from rich.console import Console  # noqa: PLC0415

    console = Console(file=sys.stdout, width=_TABLE_WIDTH)
    for table in tables:
        console.print(table)
