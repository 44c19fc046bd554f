"""Fields of a page, by the labels of its template.

A field is the text of a labeled node: one value for each element of the page that the node stands
for, so that repeated records become lists. What the template does not explain is the dynamic part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.segment import lines_of
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.structure import sequence_of_page

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.page.tree import PageTree
    from quarkcrawl.template.model.alignment import Alignment
    from quarkcrawl.template.model.model import Position
    from quarkcrawl.template.model.templateset import TemplateSet
    from quarkcrawl.template.structure import PageSequence


UNKNOWN: Final = ""


@dataclass(frozen=True, slots=True)
class DynamicPart:
    """Text of elements that are not in the template.

    Args:
        gap: number of essential nodes before it.
    """

    gap: int
    text: str


@dataclass(frozen=True, slots=True)
class TemplateFields:
    """What a template gave of a page.

    Args:
        url: address of the page.
        template: id of the template, "" if the page is unknown.
        similarity: to the template's center.
        fields: values of each label that the page has.
        dynamic: what the template does not explain.
        missing: labels that the page has nothing for.
    """

    url: str
    template: str
    similarity: float
    fields: dict[str, tuple[str, ...]]
    dynamic: tuple[DynamicPart, ...] = ()
    missing: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Values of the columns of the table of pages; none of a page without a template."""
        if not self.template:
            return {}
        pairs = [(name, value) for name, values in self.fields.items() for value in values]
        return {
            "template": self.template,
            "template_similarity": round(self.similarity, 4),
            "template_fields": [{"name": name, "value": value} for name, value in pairs],
        }

    def first(self, name: str) -> str:
        """First value of a field, "" if there is none.

        Args:
            name: name of the field.
        """
        values = self.fields.get(name, ())
        return values[0] if values else ""


def extract_fields(page: Page, templates: TemplateSet, host: str | None = None) -> TemplateFields:
    """Match a page with its template and read the labeled fields.

    Args:
        page: any page; one without a template gives an extraction without fields.
        templates: the set to match with; its nearest template is used, if it is near enough.
        host: compare only with templates of this host; None: with all.
    """
    page_sequence = sequence_of_page(page, templates.sequence)
    nearest = templates.nearest(page_sequence.sequence, host, url=page.url)
    if nearest is None:
        return TemplateFields(page.url, UNKNOWN, 0.0, {})
    alignment = align_page(nearest.template, page_sequence.sequence, templates.cluster.weight)
    values = {
        name: _values(page_sequence, alignment, position)
        for name, position in nearest.template.labels.items()
    }
    return TemplateFields(
        page.url,
        nearest.template.id,
        nearest.similarity,
        {name: texts for name, texts in values.items() if texts},
        _dynamic(page_sequence, alignment),
        tuple(name for name, texts in values.items() if not texts),
    )


def node_text(tree: PageTree, node: int) -> str:
    """Readable text of a subtree."""
    is_of_node = np.zeros(len(tree.runs), np.bool_)
    is_of_node[tree.run_start[node] : tree.run_end[node]] = True
    if tree.tags[node] == "title":
        return " ".join("".join(tree.runs[tree.run_start[node] : tree.run_end[node]]).split())
    return lines_of(tree, is_of_node & ~tree.run_raw)


def own_texts(page_sequence: PageSequence) -> list[str]:
    """For each element of the sequence the text that is directly in what it stands for."""
    texts: list[list[str]] = [[] for _ in range(len(page_sequence.sequence))]
    runs = page_sequence.page.tree.runs
    for run, place in enumerate(page_sequence.run_position.tolist()):
        if place >= 0:
            texts[place].append(runs[run])
    return [" ".join("".join(parts).split()) for parts in texts]


def _values(
    page_sequence: PageSequence, alignment: Alignment, position: Position
) -> tuple[str, ...]:
    if position.part < 0:
        parts = [
            part.text for part in _dynamic(page_sequence, alignment) if part.gap == position.node
        ]
        return tuple(parts)
    place = alignment.places.get(position)
    if place is None:
        return ()
    texts = [node_text(page_sequence.page.tree, node) for node in page_sequence.nodes(place)]
    return tuple(text for text in texts if text)


def _dynamic(page_sequence: PageSequence, alignment: Alignment) -> tuple[DynamicPart, ...]:
    tree = page_sequence.page.tree
    parts = []
    for run in alignment.dynamic:
        text = lines_of(tree, np.isin(page_sequence.run_position, run.places))
        if text:
            parts.append(DynamicPart(run.gap, text))
    return tuple(parts)
