"""Templates, in the worker process: pages matched, shown and read, positions labelled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import QuarkError
from quarkcrawl.page.urls import host_key
from quarkcrawl.segment import escape, shortened
from quarkcrawl.template import Position, extract_fields, sequence_of_page, write_templates
from quarkcrawl.template.model import align_page
from quarkcrawl.workbench.report import position_kind
from quarkcrawl.workbench.web.worker.analysed import analysed, template_set
from quarkcrawl.workbench.web.worker.frames import run_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.template.model import Alignment
    from quarkcrawl.template.structure import PageSequence
    from quarkcrawl.workbench.web.documents import DocumentSource


_VALUE_CHARS: Final = 300
_MOST_VALUES: Final = 5


def match(document: DocumentSource, templates: str) -> dict[str, Any]:
    """The template of a page and what it reads there.

    Args:
        document: the page.
        templates: the template file.
    """
    known = template_set(templates)
    page = analysed(document).page
    found = extract_fields(page, known, host_key(page.url) or None)
    if not found.template:  # no template of its own site; perhaps one of another
        found = extract_fields(page, known)
    made = sequence_of_page(page, known.sequence)
    near = known.nearest(made.sequence, None, 0.0, url=page.url) if not found.template else None
    return {
        "id": document.id,
        "url": document.url,
        "title": shortened(page.title, _VALUE_CHARS),
        "template": found.template,
        "similarity": round(found.similarity, 4),
        "nearest": near.template.id if near else "",
        "nearest_similarity": round(near.similarity, 4) if near else 0.0,
        "fields": _shown(found.fields),
        "missing": list(found.missing),
        "n_templates": len(known),
    }


def _shown(fields: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {
        name: [shortened(value, _VALUE_CHARS) for value in values[:_MOST_VALUES]]
        for name, values in fields.items()
    }


def preview(
    documents: Sequence[DocumentSource], templates: str, template: str
) -> list[dict[str, Any]]:
    """What a template reads from pages; those of other templates are left out.

    Args:
        documents: the pages.
        templates: the template file.
        template: id of the template.
    """
    rows = []
    for document in documents:
        try:
            found = match(document, templates)
        except QuarkError:
            continue  # a page that cannot be read has nothing to show
        if found["template"] == template:
            rows.append(found)
    return rows


def label(templates: str, template: str, name: str, position: str) -> dict[str, str]:
    """Name a position of a template, or take a name away (position ""), and write the file.

    Raises:
        InputError: there is no such template or position, or the name cannot be used.
    """
    known = template_set(templates)
    found = known[template]
    if position:
        found = found.with_label(name, Position.parse(position))
    else:
        kept = {word: place for word, place in found.labels.items() if word != name}
        found = replace(found, labels=kept)
    write_templates(known.with_template(found), templates)
    return {word: str(place) for word, place in found.labels.items()}


def template_frame(document: DocumentSource, templates: str, template: str, nonce: str) -> Any:
    """A page with each text run in the color of what its template says about it.

    Where ``template`` is "", the nearest one is asked.
    """
    known = template_set(templates)
    page = analysed(document).page
    made = sequence_of_page(page, known.sequence)
    if template:
        chosen = known[template]
    else:
        nearest = known.nearest(made.sequence, url=page.url)
        if nearest is None:
            return tuple(run_frame(page, {}, nonce))
        chosen = nearest.template
    alignment = align_page(chosen, made.sequence, known.cluster.weight)
    return tuple(run_frame(page, _labels(made, alignment), nonce))


def _labels(made: PageSequence, alignment: Alignment) -> dict[int, str]:
    template, tree = alignment.template, made.page.tree
    names = {position: name for name, position in template.labels.items()}
    of_run: dict[int, str] = {}
    for run, place in enumerate(made.run_position.tolist()):
        if place < 0 or not tree.run_chars[run]:
            continue
        position = alignment.positions[place]
        kind = position_kind(position, is_repeated=len(made.nodes(place)) > 1)
        where = position or f"gap:{alignment.gaps[place]}"
        label_ = f' data-qk-label="{escape(names[position])}"' if position in names else ""
        of_run[run] = f' data-qk-fill="{kind}" data-qk-position="{where}"{label_}'
    return of_run
