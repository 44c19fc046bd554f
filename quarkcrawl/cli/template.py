"""``quarkcrawl template``: find templates, look at them, name their fields, use them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page import Page
    from quarkcrawl.template.model import Template
    from quarkcrawl.template.templateset import TemplateSet
    from quarkcrawl.template.train import TrainOptions

__all__ = ["app"]

app = typer.Typer(
    help="Group pages by structure, find their templates, extract fields.", no_args_is_help=True
)


class GroupBy(StrEnum):
    """Which pages may share a template."""

    HOST = "host"
    SECTION = "section"
    ALL = "all"


class OutForm(StrEnum):
    """How fields are printed."""

    JSON = "json"
    XML = "xml"


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="PAGES...", help="One corpus; or HTML files, URLs, JSON lines (url, html)."
    ),
]
TemplateFile = Annotated[Path, typer.Argument(metavar="TEMPLATES", help="Template file.")]
Similarity = Annotated[
    float, typer.Option("--min-similarity", help="Least similarity of two joined centres.")
]
Group = Annotated[GroupBy, typer.Option("--group-by", help="Which pages may share a template.")]
Undivided = Annotated[
    bool, typer.Option("--no-kinds", help="Leave lists of equal structure together.")
]
Unmasked = Annotated[bool, typer.Option("--no-mask", help="Also compare what is inside articles.")]
Workers = Annotated[int, typer.Option(help="Processes for a corpus. [0: one per core]")]


@app.command()
def train(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Sources,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Templates go here.")],
    min_similarity: Similarity = 0.9,
    group_by: Group = GroupBy.HOST,
    least_pages: Annotated[int, typer.Option(help="Smaller clusters are no template.")] = 2,
    no_mask: Unmasked = False,
    no_kinds: Undivided = False,
    curve: Annotated[bool, typer.Option("--curve", help="Also try other similarities.")] = False,
    details_only: Annotated[
        bool, typer.Option("--details-only", help="Leave out error, short and directory pages.")
    ] = False,
    detail_url: Annotated[
        str, typer.Option(help="Pattern of addresses of detail pages (with --details-only).")
    ] = "",
    content: Annotated[
        bool, typer.Option("--content", help="Also learn where content stands.")
    ] = False,
    workers: Workers = 0,
) -> None:
    """Find the templates of pages.

    \b
    Examples:
      quarkcrawl template train corpus --out templates.json
      quarkcrawl template train pages.jsonl.gz --out templates.json --curve
    """
    from quarkcrawl.cli.templatepages import prepared, read_pages  # noqa: PLC0415
    from quarkcrawl.template import learn_content  # noqa: PLC0415
    from quarkcrawl.template.curve import threshold_curve  # noqa: PLC0415
    from quarkcrawl.template.filters import FilterOptions  # noqa: PLC0415
    from quarkcrawl.template.groups import groups_of  # noqa: PLC0415
    from quarkcrawl.template.templatefile import write_templates  # noqa: PLC0415
    from quarkcrawl.template.train import train_sequences  # noqa: PLC0415

    how = _options(min_similarity, group_by, least_pages, no_mask=no_mask, no_kinds=no_kinds)
    given = read_pages(sources)
    filters = FilterOptions(detail_url=detail_url) if details_only else None
    read = list(enumerate(prepared(given, how.sequence, workers, filters)))
    sequences = [sequence for _, sequence in read if not isinstance(sequence, str)]
    numbers = [number for number, sequence in read if not isinstance(sequence, str)]
    urls = given.urls
    kept = [urls[number] for number in numbers]
    done = train_sequences(sequences, kept, how, lambda page: given.pages[numbers[page]])
    found = done.templates
    if content:
        found = learn_content(found, (given.pages[number] for number in numbers))
    write_templates(found, out)
    summary = {
        "pages": len(urls),
        "left_out": Counter(reason for _, reason in read if isinstance(reason, str)),
        "distinct": done.clustering.n_distinct,
        "clusters": len(done.clustering),
        "templates": len(done.templates),
        "without_template": done.template_of.count(""),
        "approximate": done.clustering.n_approximate,
        "out": str(out),
    }
    if curve:
        groups = groups_of(kept, group_by.value)
        points = threshold_curve(sequences, groups, how.cluster)
        summary["curve"] = [point._asdict() for point in points]
    typer.echo(json.dumps(summary, ensure_ascii=False))


def _options(
    min_similarity: float,
    group_by: GroupBy,
    least_pages: int,
    *,
    no_mask: bool,
    no_kinds: bool,
) -> TrainOptions:
    from quarkcrawl.template.cluster import ClusterOptions  # noqa: PLC0415 - help needs no numba
    from quarkcrawl.template.questions import KindOptions  # noqa: PLC0415
    from quarkcrawl.template.sequence import SequenceOptions  # noqa: PLC0415
    from quarkcrawl.template.train import TrainOptions  # noqa: PLC0415

    return TrainOptions(
        SequenceOptions(mask_prose=not no_mask),
        ClusterOptions(min_similarity),
        group_by.value,
        least_pages,
        kinds=None if no_kinds else KindOptions(),
    )


@app.command()
def show(
    templates: TemplateFile,
    name: Annotated[str, typer.Argument(metavar="[ID]", help="One template.")] = "",
) -> None:
    """List templates, or show one with its variable positions.

    \b
    Examples:
      quarkcrawl template show templates.json
      quarkcrawl template show templates.json 8d1f
    """
    found = _read(templates)
    if name:
        _show_one(found[name])
        return
    for template in found.templates:
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


def _show_one(template: Template) -> None:
    from quarkcrawl.template.labels import variables  # noqa: PLC0415

    head = f"{template.id} {template.host} ({template.n_pages} pages, such as {template.example})"
    if template.kind is not None:
        head += f"\nkind: {template.kind}"
    if template.content:
        head += f"\ncontent: {' '.join(map(str, template.content))}"
    typer.echo(f"{head}\n\n{template}\n")
    names = {position: name for name, position in template.labels.items()}
    for entry in variables(template):
        label = f" = {names[entry.position]}" if entry.position in names else ""
        share = "" if entry.probability == 1 else f" p={entry.probability:.2f}"
        typer.echo(f"{entry.position}{label} {entry.node}{share}: {' | '.join(entry.samples)}")


@app.command()
def label(
    templates: TemplateFile,
    name: Annotated[str, typer.Argument(metavar="ID", help="The template.")],
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=POSITION...]", help="Fields to name.")
    ] = None,
    propose: Annotated[
        list[str] | None,
        typer.Option("--propose", metavar="PAGES", help="Propose fields from these pages."),
    ] = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="Also label like templates of the host.")
    ] = False,
) -> None:
    """Name positions of a template; without fields, asks for them.

    \b
    Examples:
      quarkcrawl template label templates.json 8d1f title=0.18 body=0.16
      quarkcrawl template label templates.json 8d1f --propose pages.jsonl --spread
      quarkcrawl template label templates.json 8d1f
    """
    from quarkcrawl.template.labels import spread as spread_labels  # noqa: PLC0415
    from quarkcrawl.template.templatefile import write_templates  # noqa: PLC0415

    found = _read(templates)
    template = found[name]
    if propose:
        template = _proposed(template, propose, found)
    if not fields and not propose:
        _show_one(template)
        typer.echo("\nNAME=POSITION, one a line; an empty line ends.", err=True)
    for word in fields or (() if propose else _typed()):
        template = _labelled(template, word)
    found = found.with_template(template)
    if spread:
        found = spread_labels(found, template.id)
    write_templates(found, templates)
    labels = {one.id: {k: str(v) for k, v in one.labels.items()} for one in found.templates}
    typer.echo(json.dumps({k: v for k, v in labels.items() if v}, ensure_ascii=False))


def _typed() -> Iterator[str]:
    for line in sys.stdin:
        if not line.strip():
            return
        yield line.strip()


def _labelled(template: Template, word: str) -> Template:
    from quarkcrawl.template.model import Position  # noqa: PLC0415

    name, equals, place = word.partition("=")
    if not equals:
        raise ConfigError(f"{word!r} is not NAME=POSITION")
    return template.with_label(name.strip(), Position.parse(place.strip()))


def _proposed(template: Template, words: list[str], found: TemplateSet) -> Template:
    """The template with the proposals of those of the pages that it is nearest to."""
    from quarkcrawl.cli.templatepages import read_pages  # noqa: PLC0415
    from quarkcrawl.template.fields import extract_fields  # noqa: PLC0415
    from quarkcrawl.template.labels import propose  # noqa: PLC0415

    own: list[Page] = []
    for page in read_pages(words).pages:
        if extract_fields(page, found).template == template.id:
            own.append(page)
        if len(own) == 20:
            break
    if not own:
        raise InputError(f"none of the pages has the template {template.id}")
    for name, position in propose(template, own, found).items():
        template = template.with_label(name, position)
    return template


@app.command()
def apply(
    templates: TemplateFile,
    sources: Sources,
    form: Annotated[OutForm, typer.Option("--format", help="Of the fields.")] = OutForm.JSON,
    by_host: Annotated[
        bool, typer.Option("--by-host", help="Only templates of the page's own host.")
    ] = False,
    unknown: Annotated[
        Path | None, typer.Option("--unknown", metavar="FILE", help="Keep unknown pages here.")
    ] = None,
) -> None:
    """Extract the labelled fields of pages; unknown pages may become templates.

    \b
    Examples:
      quarkcrawl template apply templates.json corpus > fields.jsonl
      quarkcrawl template apply templates.json page.html --format xml
      quarkcrawl template apply templates.json new.jsonl --unknown unknown.jsonl
    """
    from quarkcrawl.cli.templatepages import read_pages  # noqa: PLC0415
    from quarkcrawl.template.matcher import TemplateMatcher  # noqa: PLC0415
    from quarkcrawl.template.output import json_lines, xml_lines  # noqa: PLC0415

    matcher = TemplateMatcher(templates, unknown, by_host=by_host)
    done = map(matcher.match, read_pages(sources).pages)
    for line in json_lines(done) if form is OutForm.JSON else xml_lines(done):
        typer.echo(line)


@app.command()
def evaluate(
    sources: Sources,
    truth: Annotated[str, typer.Option(help="Key of a page's class.")] = "template_label",
    min_similarity: Similarity = 0.9,
    group_by: Group = GroupBy.HOST,
    no_mask: Unmasked = False,
    no_kinds: Undivided = False,
) -> None:
    """Compare clusters with known classes (JSON lines with a class).

    \b
    Example:
      quarkcrawl template evaluate sites/*.jsonl.gz
    """
    from quarkcrawl.cli.templatepages import prepared, read_pages  # noqa: PLC0415
    from quarkcrawl.template.cluster import cluster  # noqa: PLC0415
    from quarkcrawl.template.groups import groups_of  # noqa: PLC0415
    from quarkcrawl.template.kinds import divide_by_kind  # noqa: PLC0415
    from quarkcrawl.template.scores import adjusted_rand_index, purity  # noqa: PLC0415

    how = _options(min_similarity, group_by, 1, no_mask=no_mask, no_kinds=no_kinds)
    given = read_pages(sources, truth)
    if not any(given.classes):
        raise InputError(f"no page has a class ({truth!r})")
    sequences = [one for one in prepared(given, how.sequence) if not isinstance(one, str)]
    if len(sequences) < len(given.pages):
        raise InputError("some pages cannot be read")
    found = cluster(sequences, how.cluster, groups_of(given.urls, group_by.value))
    if how.kinds is not None:
        found = divide_by_kind(found, sequences, how.kinds, how.cluster.weight)
    pairs = zip(groups_of(given.urls), given.classes, strict=True)
    classes = [f"{host}|{name}" for host, name in pairs]
    scores = {
        "pages": len(classes),
        "classes": len(set(classes)),
        "clusters": len(found),
        "distinct": found.n_distinct,
        "adjusted_rand_index": round(adjusted_rand_index(found.labels.tolist(), classes), 4),
        "purity": round(purity(found.labels.tolist(), classes), 4),
        "options": asdict(how.cluster) | {"kinds": how.kinds and asdict(how.kinds)},
    }
    typer.echo(json.dumps(scores))


@app.command()
def preview(
    templates: TemplateFile,
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page.")],
    url: Annotated[str, typer.Option(help="Address of a page read from a file or stdin.")] = "",
) -> None:
    """Show a page against its template as HTML.

    \b
    Example:
      quarkcrawl template preview templates.json page.html > shown.html
    """
    from quarkcrawl.cli.sources import read_source  # noqa: PLC0415
    from quarkcrawl.report.template import template_view  # noqa: PLC0415

    typer.echo(template_view(read_source(source, url=url).page, _read(templates)))


def _read(path: Path) -> TemplateSet:
    from quarkcrawl.template.templatefile import read_templates  # noqa: PLC0415

    return read_templates(path)
