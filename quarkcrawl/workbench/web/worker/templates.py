"""Templates, in the worker process: pages matched, shown and read, positions labeled."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import StoreError
from quarkcrawl.page import Page
from quarkcrawl.page.urls import host_key
from quarkcrawl.segment import escape, shortened
from quarkcrawl.template import Position, extract_fields, sequence_of_page, write_templates
from quarkcrawl.template.model import align_page
from quarkcrawl.template.structure import DEFAULT_POLICY, THESIS_POLICY
from quarkcrawl.workbench.report import position_kind
from quarkcrawl.workbench.web.worker.analyzed import analyzed, body_of, template_set
from quarkcrawl.workbench.web.worker.frames import run_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.template import TemplateFields, TemplateSet
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
    all_templates = template_set(templates)
    page = analyzed(document).page
    page_fields = extract_fields(page, all_templates, host_key(page.url) or None)
    if not page_fields.template:  # no template of its own site; perhaps one of another
        page_fields = extract_fields(page, all_templates)
    page_sequence = sequence_of_page(page, all_templates.sequence)
    near = (
        all_templates.nearest(page_sequence.sequence, None, 0.0, url=page.url)
        if not page_fields.template
        else None
    )
    return {
        "id": document.id,
        "url": document.url,
        "title": shortened(page.title, _VALUE_CHARS),
        "template": page_fields.template,
        "similarity": round(page_fields.similarity, 4),
        "nearest": near.template.id if near else "",
        "nearest_similarity": round(near.similarity, 4) if near else 0.0,
        "fields": _shown(page_fields.fields),
        "missing": list(page_fields.missing),
        "n_templates": len(all_templates),
        "made_by": made_by(all_templates, page_fields.template),
    }


def made_by(templates: TemplateSet, template_id: str = "") -> dict[str, str]:
    """The options of `template train` that templates were made with, and how one of them was found.

    Args:
        templates: all of a file.
        template_id: id of that one; "": of none.
    """
    buffer_pages = templates[template_id].buffer_pages if template_id else 0
    how, cluster = templates.sequence, templates.cluster
    policies = {DEFAULT_POLICY: "default", THESIS_POLICY: "thesis"}
    return {
        "measure": cluster.measure or "lcs",
        "weight": cluster.weight,
        "min_similarity": f"{cluster.min_similarity:g}",
        "tags": policies.get(how.policy, "own"),
        "repeats": how.repeats,
        "mask": "yes" if how.mask_prose else "no",
        **({"buffer": f"{buffer_pages}"} if buffer_pages else {}),
    }


def _shown(fields: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {
        name: [shortened(value, _VALUE_CHARS) for value in values[:_MOST_VALUES]]
        for name, values in fields.items()
    }


def cluster_rows(
    documents: Sequence[DocumentSource], templates: str, template: str, limit_s: float
) -> tuple[int, list[dict[str, Any]]]:
    """Those of some pages that have a template, as rows; as many pages as the time allows.

    Returns:
        How many pages were read, and the rows; ``whole`` has all values of each field as one text.
    """
    n_done, fields_of_pages = cluster_fields(documents, templates, template, limit_s)
    by_url = {document.url: document.id for document in documents}
    rows = [
        {
            "id": by_url[one.url],
            "url": one.url,
            "similarity": round(one.similarity, 4),
            "fields": _shown(one.fields),
            "whole": {name: "\n".join(values) for name, values in one.fields.items()},
        }
        for one in fields_of_pages
    ]
    return n_done, rows


def cluster_fields(
    documents: Sequence[DocumentSource], templates: str, template: str, limit_s: float
) -> tuple[int, list[TemplateFields]]:
    """What a template gives of those of some pages that have it, as ``template apply --by-host``.

    Returns:
        How many pages were read, at least one, and what was given.
    """
    all_templates, start = template_set(templates), time.perf_counter()
    fields_of_pages: list[TemplateFields] = []
    n_done = 0
    for document in documents:
        if n_done and time.perf_counter() - start > limit_s:
            break
        n_done += 1
        try:
            body, content_type = body_of(document)
        except StoreError:
            continue  # a damaged record has no fields
        page = Page.from_bytes(body, document.url, content_type)
        given = extract_fields(page, all_templates, host_key(page.url))
        if given.template == template:
            fields_of_pages.append(given)
    return n_done, fields_of_pages


def label(templates: str, template: str, name: str, position: str) -> dict[str, str]:
    """Name a position of a template, or take a name away (position ""), and write the file.

    Raises:
        InputError: there is no such template or position, or the name cannot be used.
    """
    all_templates = template_set(templates)
    page_template = all_templates[template]
    if position:
        page_template = page_template.with_label(name, Position.parse(position))
    else:
        labels = {word: place for word, place in page_template.labels.items() if word != name}
        page_template = replace(page_template, labels=labels)
    write_templates(all_templates.with_template(page_template), templates)
    return {word: str(place) for word, place in page_template.labels.items()}


def template_frame(document: DocumentSource, templates: str, template: str, nonce: str) -> Any:
    """A page with each text run in the color of what its template says about it.

    Where ``template`` is "", the nearest one is asked.
    """
    all_templates = template_set(templates)
    page = analyzed(document).page
    page_sequence = sequence_of_page(page, all_templates.sequence)
    if template:
        page_template = all_templates[template]
    else:
        nearest = all_templates.nearest(page_sequence.sequence, url=page.url)
        if nearest is None:
            return tuple(run_frame(page, {}, nonce))
        page_template = nearest.template
    alignment = align_page(page_template, page_sequence.sequence, all_templates.cluster.weight)
    return tuple(run_frame(page, _labels(page_sequence, alignment), nonce))


def _labels(page_sequence: PageSequence, alignment: Alignment) -> dict[int, str]:
    template, tree = alignment.template, page_sequence.page.tree
    names = {position: name for name, position in template.labels.items()}
    of_run: dict[int, str] = {}
    for run, place in enumerate(page_sequence.run_position.tolist()):
        if place < 0 or not tree.run_chars[run]:
            continue
        position = alignment.positions[place]
        kind = position_kind(position, is_repeated=len(page_sequence.nodes(place)) > 1)
        where = position or f"gap:{alignment.gaps[place]}"
        label_ = f' data-qk-label="{escape(names[position])}"' if position in names else ""
        of_run[run] = f' data-qk-fill="{kind}" data-qk-position="{where}"{label_}'
    return of_run
