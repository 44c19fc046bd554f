"""``quarkcrawl template label``: name the fields of a template."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import writing
from quarkcrawl.cli.template.base import TemplateFile, read_set, show_one
from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page import Page
    from quarkcrawl.template.model import Template, TemplateSet


def label(
    templates: TemplateFile,
    name: Annotated[str, Argument(metavar="ID", help="The template.")],
    fields: Annotated[
        list[str] | None, Argument(metavar="NAME=POSITION", help="Fields to name.")
    ] = None,
    propose: Annotated[
        list[str] | None,
        Option(metavar="PAGES", help="Propose fields from these pages; may be repeated."),
    ] = None,
    spread: Annotated[
        bool, Option("--spread", help="Also label like templates of the host.")
    ] = False,
) -> None:
    """Name positions of a template; without fields, asks for them.

    \b
    Examples:
      quarkcrawl template label templates.json 8d1f title=0.18 body=0.16
      quarkcrawl template label templates.json 8d1f --propose pages.jsonl --spread
      quarkcrawl template label templates.json 8d1f
    """
    from quarkcrawl.template.model import spread as spread_labels  # noqa: PLC0415
    from quarkcrawl.template.model import write_templates  # noqa: PLC0415

    template_set = read_set(templates)
    template = template_set[name]
    if propose:
        template = _proposed(template, propose, template_set)
    if not fields and not propose:
        show_one(template)
        typer.echo("\nNAME=POSITION, one a line; an empty line ends.", err=True)
    for word in fields or (() if propose else _typed()):
        template = _labeled(template, word)
    template_set = template_set.with_template(template)
    if spread:
        template_set = spread_labels(template_set, template.id)
    with writing(templates):
        write_templates(template_set, templates)
    labels = {one.id: {k: str(v) for k, v in one.labels.items()} for one in template_set.templates}
    typer.echo(json.dumps({k: v for k, v in labels.items() if v}, ensure_ascii=False))


def _typed() -> Iterator[str]:
    for line in sys.stdin:
        if not line.strip():
            return
        yield line.strip()


def _labeled(template: Template, word: str) -> Template:
    from quarkcrawl.template.model import Position  # noqa: PLC0415

    name, equals, place = word.partition("=")
    if not equals:
        raise ConfigError(f"{word!r} is not NAME=POSITION")
    return template.with_label(name.strip(), Position.parse(place.strip()))


def _proposed(template: Template, words: list[str], template_set: TemplateSet) -> Template:
    """The template with the proposals of those of the pages that it is nearest to."""
    from quarkcrawl.cli.template.pages import read_pages  # noqa: PLC0415
    from quarkcrawl.template.model import (  # noqa: PLC0415
        extract_fields,
        propose,
    )

    own: list[Page] = []
    for page in read_pages(words).pages:
        if extract_fields(page, template_set).template == template.id:
            own.append(page)
        if len(own) == 20:
            break
    if not own:
        raise InputError(f"none of the pages has the template {template.id}")
    for name, position in propose(template, own, template_set).items():
        template = template.with_label(name, position)
    return template
