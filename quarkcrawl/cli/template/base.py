"""``quarkcrawl template``: look at templates and use them; see also ``template_*`` beside this."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    FinishTasks,
    NumberOfTasks,
    OneTask,
    PageEngine,
    PageSource,
    PageUrl,
    Processes,
    RayAddress,
    SparkMaster,
    check_no_cluster,
    complain,
    corpus_of,
    opened_tasks,
    print_report,
    progress_shown,
    wanted_task,
)
from quarkcrawl.errors import StoreError
from quarkcrawl.progress import reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from quarkcrawl.corpus.tasks import Task
    from quarkcrawl.page import Page
    from quarkcrawl.template.model import Template, TemplateSet


app = typer.Typer(
    help="Group pages by structure, find their templates, extract fields.", no_args_is_help=True
)

Sources = Annotated[
    list[str],
    Argument(metavar="PAGES", help="One corpus; or HTML files, URLs, JSON lines (url, html)."),
]
TemplateFile = Annotated[Path, Argument(metavar="TEMPLATES", help="Template file.")]


OutForm = Literal["json", "xml", "csv", "parquet"]
"""How fields are printed."""


def show(
    templates: TemplateFile,
    name: Annotated[str, Argument(metavar="ID", help="One template.")] = "",
) -> None:
    """List templates, or show one with its variable positions.

    \b
    Examples:
      quarkcrawl template show templates.json
      quarkcrawl template show templates.json 8d1f
    """
    template_set = read_set(templates)
    if name:
        show_one(template_set[name])
        return
    for template in template_set.templates:
        line = {
            "id": template.id,
            "host": template.host,
            "pages": template.n_pages,
            "essential": len(template.essential),
            "kind": str(template.kind or ""),
            "labels": sorted(template.labels),
            "example": template.example,
        }
        typer.echo(json.dumps(line, ensure_ascii=False))


def show_one(template: Template) -> None:
    """Print a template and what varies between its pages."""
    from quarkcrawl.template.model import variables  # noqa: PLC0415

    head = f"{template.id} {template.host} ({template.n_pages} pages, such as {template.example})"
    if template.kind is not None:
        head += f"\nkind: {template.kind}"
    if template.buffer_pages:
        head += f"\nfound in a buffer of {template.buffer_pages} unknown pages"
    if template.content:
        head += f"\ncontent: {' '.join(map(str, template.content))}"
    typer.echo(f"{head}\n\n{template}\n")
    names = {position: name for name, position in template.labels.items()}
    for entry in variables(template):
        label = f" = {names[entry.position]}" if entry.position in names else ""
        share = "" if entry.probability == 1 else f" p={entry.probability:.2f}"
        typer.echo(f"{entry.position}{label} {entry.node}{share}: {' | '.join(entry.samples)}")


def apply(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    templates: TemplateFile,
    sources: Sources,
    form: Annotated[OutForm, Option("--format", help="What fields are printed as.")] = "json",
    by_host: Annotated[
        bool, Option("--by-host", help="Only templates of the page's own host.")
    ] = False,
    only: Annotated[
        str, Option("--template", metavar="ID", help="Only pages that have this template.")
    ] = "",
    unknown: Annotated[Path | None, Option(metavar="FILE", help="Keep unknown pages here.")] = None,
    buffer_pages: Annotated[
        int, Option(min=1, help="Unknown pages before templates are looked for in them.")
    ] = 500,
    min_pages: Annotated[int, Option(min=1, help="Smaller clusters of pages are no template.")] = 5,
    max_rounds: Annotated[int, Option(min=1, help="A page that fits nowhere so often goes.")] = 3,
    task: OneTask = "",
    finish: FinishTasks = False,
    name: Annotated[
        str, Option(metavar="NAME", help="Name of the table.", show_default="that of the file")
    ] = "",
    out: Annotated[
        Path | None,
        Option(
            metavar="FOLDER", help="The table goes here.", show_default="CORPUS/analysis/fields"
        ),
    ] = None,
    workers: Processes = 0,
    engine: PageEngine = "local",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
) -> int:
    """Extract the labeled fields of pages; unknown pages may become templates.

    Exit code 1 if a page of a corpus cannot be read; the others are printed all the same.

    With --task K/N only a slice of a corpus is done, on whatever machine, in --workers processes.
    All N tasks together have what would be printed as rows of CORPUS/analysis/fields/NAME.parquet,
    a folder of Parquet parts (url, host, offset, template, similarity, fields, dynamic, reason),
    and a task that was stopped goes on when it is given again. With --engine ray or spark a
    cluster does all tasks.

    \b
    Examples:
      quarkcrawl template apply templates.json corpus > fields.jsonl
      quarkcrawl template apply templates.json corpus --template 8d1f --format csv > fields.csv
      quarkcrawl template apply templates.json corpus --task 3/32
      quarkcrawl template apply templates.json page.html --format xml
      quarkcrawl template apply templates.json new.jsonl --unknown unknown.jsonl
    """
    part = wanted_task(task, finish=finish)
    is_on_cluster = engine != "local" or bool(spark_master or ray_address or tasks)
    if part is not None or finish or is_on_cluster:
        given = {"--format": form != "json", "--template": only, "--unknown": unknown is not None}
        for word in filter(given.get, given):
            raise typer.BadParameter("not with tasks, which write Parquet", param_hint=word)
        corpus = corpus_of(sources)
        if corpus is None:
            word = "--engine, --tasks" if is_on_cluster else "--task, --finish"
            raise typer.BadParameter("is for a corpus", param_hint=word)
        if finish:
            check_no_cluster(engine, spark_master, ray_address, tasks)
        with opened_tasks(part, engine, spark_master, ray_address, tasks) as job_tasks:
            _as_tasks(templates, corpus, job_tasks, name or templates.stem, out, workers, by_host)
        return 0
    if name or out is not None or workers:
        raise typer.BadParameter("are for tasks, see --task", param_hint="--name, --out, --workers")
    from quarkcrawl.cli.template.pages import read_pages  # noqa: PLC0415
    from quarkcrawl.template import BufferOptions, TemplateMatcher  # noqa: PLC0415
    from quarkcrawl.template.model import field_names, write_fields  # noqa: PLC0415

    buffer = BufferOptions(buffer_pages, min_pages, max_rounds)
    if unknown is None and buffer != BufferOptions():
        word = "--buffer-pages, --min-pages, --max-rounds"
        raise typer.BadParameter("are for --unknown", param_hint=word)
    matcher = TemplateMatcher(templates, unknown, by_host=by_host, options=buffer)
    template = matcher.templates[only] if only else None
    names = field_names(matcher.templates.templates if template is None else [template])
    unread: list[str] = []
    pages = read_pages(sources).pages
    with progress_shown(prints=True) as show:
        numbers = reported(range(len(pages)), "pages", show, total=len(pages))
        done = map(matcher.match, _readable(pages, numbers, unread))
        rows = (row for row in done if template is None or row.template == template.id)
        write_fields(typer.get_binary_stream("stdout"), form, rows, names)
    return 1 if unread else 0


def _as_tasks(
    templates: Path,
    corpus: str,
    task: Task | None,
    name: str,
    out: Path | None,
    workers: int,
    by_host: bool,
) -> None:
    """Do a task or all, or publish what all have made."""
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
    from quarkcrawl.corpus import finish_template_fields, template_task  # noqa: PLC0415

    if task is None:
        print_report(finish_template_fields(corpus, name, out=out))
        return
    pool = PoolOptions(workers)
    with progress_shown() as show:
        show("tasks", 0, None)
        report = template_task(
            corpus, templates, task, by_host=by_host, name=name, out=out, pool=pool
        )
    print_report(report)


def _readable(pages: Sequence[Page], numbers: Iterable[int], unread: list[str]) -> Iterator[Page]:
    """Pages without those whose records are damaged, which are told."""
    for number in numbers:
        try:
            page = pages[number]
        except StoreError as error:
            complain(error.message, where=error.where)
            unread.append(str(error))
            continue
        yield page


def preview(
    templates: TemplateFile,
    source: PageSource,
    url: PageUrl = "",
) -> None:
    """Show a page against its template as HTML.

    \b
    Example:
      quarkcrawl template preview templates.json page.html > shown.html
    """
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415
    from quarkcrawl.workbench.report import template_view  # noqa: PLC0415

    typer.echo(template_view(read_source(source, url=url).page, read_set(templates)))


def read_set(path: Path) -> TemplateSet:
    """The templates of a file."""
    from quarkcrawl.template.model import read_templates  # noqa: PLC0415

    return read_templates(path)
