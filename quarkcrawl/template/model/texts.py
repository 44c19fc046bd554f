"""What stands at the positions of a template: text that all pages share, and samples."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.model.fields import own_texts
from quarkcrawl.template.model.model import NodeText
from quarkcrawl.template.structure import sequence_of_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.page import Page
    from quarkcrawl.template.model.model import Position, Template
    from quarkcrawl.template.model.templateset import TemplateSet


CONSTANT_SHARE: Final = 0.9
"""Text that at least this share of a template's pages has at one node is boilerplate."""

LEAST_PAGES: Final = 4
"""Fewer pages show nothing: what two posts of one author have in common may be content."""

_SAMPLES: Final = 3
_SAMPLE_CHARS: Final = 80


def observe(template: Template, pages: Iterable[Page], templates: TemplateSet) -> Template:
    """Note what pages have at the positions of their template.

    Args:
        template: what the pages are laid on; it stays as it is.
        pages: pages of its cluster, all or some.
        templates: how pages are prepared.

    Returns:
        The template with ``texts``.
    """
    values: defaultdict[Position, Counter[str]] = defaultdict(Counter)
    n_pages = 0
    for page in pages:
        n_pages += 1
        page_sequence = sequence_of_page(page, templates.sequence)
        alignment = align_page(template, page_sequence.sequence, templates.cluster.weight)
        texts = own_texts(page_sequence)
        for position, place in alignment.places.items():
            if texts[place]:
                values[position][texts[place]] += 1
    texts_at = {position: _text(counts, n_pages) for position, counts in sorted(values.items())}
    return replace(template, texts=texts_at)


def _text(counts: Counter[str], n_pages: int) -> NodeText:
    text, count = counts.most_common(1)[0]
    if n_pages >= LEAST_PAGES and count >= CONSTANT_SHARE * n_pages:
        return NodeText(text)
    samples = tuple(value[:_SAMPLE_CHARS] for value in list(counts)[:_SAMPLES])
    return NodeText(None, samples)
