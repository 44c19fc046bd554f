"""Which positions of a template to name: what varies, and proposals for the usual fields."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.template.clustering import similarity
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.model.fields import node_text
from quarkcrawl.template.model.model import Optional, sequence_of_nodes
from quarkcrawl.template.structure import sequence_of_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quarkcrawl.content import Content
    from quarkcrawl.page import Page
    from quarkcrawl.page.tree import PageTree
    from quarkcrawl.template.model.model import Position, Template
    from quarkcrawl.template.model.templateset import TemplateSet
    from quarkcrawl.template.structure import PageSequence


_LEAST_BODY: Final = 0.5
_LEAST_SUPPORT: Final = 0.5
_DATE_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class Variable:
    """A position whose text differs from page to page.

    Args:
        position: where.
        node: element there, such as ``h14+``.
        probability: share of pages that have it.
    """

    position: Position
    node: str
    probability: float
    samples: tuple[str, ...]


def variables(template: Template) -> Iterator[Variable]:
    """Positions of a template whose text varies, in order; the candidates for labels.

    Args:
        template: one with observed texts; without them there are no positions.
    """
    for position, node in template.positions():
        text = template.texts.get(position)
        if text is not None and text.constant is None:
            part = template.parts[position.part]
            probability = 1.0
            if isinstance(part, Optional):
                probability = part.alternatives[position.alternative].probability
            yield Variable(position, str(node), probability, text.samples)


def propose(
    template: Template, pages: Iterable[Page], templates: TemplateSet
) -> dict[str, Position]:
    """Propose positions of the usual fields from what the content extractor finds.

    Args:
        template: the template to be labeled; labels that it has do not matter.
        pages: pages of this template, not all need be given; each has one vote.
        templates: how pages are prepared.

    Returns:
        Positions of ``title``, ``date``, ``body`` and ``item`` (of a list), as far as at least
        half of the pages agree.
    """
    votes: dict[str, Counter[Position]] = {
        name: Counter() for name in ("title", "date", "body", "item")
    }
    n_pages = 0
    for page in pages:
        n_pages += 1
        page_sequence = sequence_of_page(page, templates.sequence)
        places = align_page(template, page_sequence.sequence, templates.cluster.weight).places
        content = extract(page)
        for name, place in _found(page_sequence, content, list(places.values())).items():
            position = next(where for where, at in places.items() if at == place)
            votes[name][position] += 1
    return {
        name: counts.most_common(1)[0][0]
        for name, counts in votes.items()
        if counts and counts.most_common(1)[0][1] >= _LEAST_SUPPORT * n_pages
    }


def spread(templates: TemplateSet, name: str, min_similarity: float = 0.5) -> TemplateSet:
    """Give the labels of a template to those of the same host that are like it.

    Several clusters of one site often are variants of one template: what a person named in one
    of them is found in the others by alignment. Labels that are there already stay.

    Args:
        templates: all templates.
        name: id of the labeled one.
        min_similarity: how alike the centers of both templates must be at least, 0–1.
    """
    source = templates[name]
    center = sequence_of_nodes(source.center)
    weight = templates.cluster.weight
    own = align_page(source, center, weight).places
    for other in templates.templates:
        if other.id == source.id or other.host != source.host:
            continue
        if similarity(center, sequence_of_nodes(other.center), weight) < min_similarity:
            continue
        there = align_page(other, center, weight).positions
        for label, position in source.labels.items():
            node = there[own[position]] if position in own else None
            if node is not None and label not in other.labels:
                other = other.with_label(label, node)  # noqa: PLW2901
        templates = templates.with_template(other)
    return templates


def _found(page_sequence: PageSequence, content: Content, places: list[int]) -> dict[str, int]:
    """Element of the page for each field that it seems to have."""
    place_of = {
        "title": _title(page_sequence, content, places),
        "date": _date(page_sequence, content, places),
        "body": _body(page_sequence, content, places),
    }
    if place_of["body"] is None or not content.is_topic:
        place_of["item"] = _item(page_sequence, places)
    return {name: place for name, place in place_of.items() if place is not None}


def _title(page_sequence: PageSequence, content: Content, places: list[int]) -> int | None:
    """The innermost element whose text is the headline; not the one in the head."""
    tree = page_sequence.page.tree
    title = "".join(content.title.split())
    best = None
    for place in sorted(places):
        nodes = page_sequence.nodes(place)
        is_seen = not tree.hidden[nodes[0]] and len(nodes) == 1
        if title and is_seen and "".join(tree.text(nodes[0]).split()) == title:
            best = place
    return best


def _date(page_sequence: PageSequence, content: Content, places: list[int]) -> int | None:
    """The element with the shortest text that has the numbers of the date of publication."""
    numbers = [int(part) for part in content.published[:10].split("-") if part.isdigit()]
    best, shortest = None, _DATE_CHARS + 1
    for place in sorted(places):
        node = page_sequence.nodes(place)[0]
        length = int(page_sequence.page.tree.text_chars[node])
        if len(numbers) == 3 and 0 < length < shortest:
            digits = _numbers(node_text(page_sequence.page.tree, node))
            if all(number in digits for number in numbers):
                best, shortest = place, length
    return best


def _numbers(text: str) -> set[int]:
    digits = "".join(char if char.isascii() and char.isdigit() else " " for char in text)
    return {int(word) for word in digits.split() if len(word) < 9}


def _body(page_sequence: PageSequence, content: Content, places: list[int]) -> int | None:
    """The element whose text overlaps most with the content."""
    tree = page_sequence.page.tree
    held = _overlaps(tree, content)
    best, most = None, _LEAST_BODY
    for place in sorted(places):
        nodes = page_sequence.nodes(place)
        if len(nodes) == 1 and held[nodes[0]] > most:
            best, most = place, float(held[nodes[0]])
    return best


def _overlaps(tree: PageTree, content: Content) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """F1 of the characters of each subtree against those of the content."""
    total = int(tree.run_chars[content.runs].sum())
    common = tree.over_runs(tree.run_chars * content.runs)
    overlap: np.ndarray[tuple[int], np.dtype[np.float64]] = (
        2 * common / np.maximum(1, tree.text_chars + total)
    )
    return overlap


def _item(page_sequence: PageSequence, places: list[int]) -> int | None:
    """The repeated element that holds most of the text of the page, at least three times."""
    tree = page_sequence.page.tree
    best, most = None, 0
    for place in sorted(places):
        nodes = page_sequence.nodes(place)
        chars = int(tree.text_chars[nodes].sum())
        if page_sequence.sequence.repeated[place] and len(nodes) >= 3 and chars > most:
            best, most = place, chars
    return best
