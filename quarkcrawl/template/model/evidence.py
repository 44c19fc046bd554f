"""The site's own witness about a page: what all pages of its template have in common.

The page model of an extractor sees one page; the site model sees what the pages of a template have
in common. Text that stands at the same place on nearly all of them is not what a page is about.
And where the extractor keeps nearly everything on most pages, it should keep everything on all:
what it leaves out there (code, a table, a short line) is content, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content import Content, Extraction, extract
from quarkcrawl.page.urls import host_key
from quarkcrawl.segment import lines_of
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.model.fields import own_texts
from quarkcrawl.template.structure import sequence_of_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.template.model.alignment import Alignment
    from quarkcrawl.template.model.model import Position
    from quarkcrawl.template.model.templateset import TemplateSet
    from quarkcrawl.template.structure import PageSequence

    BoolArray = NDArray[np.bool_]


_LEAST_KEPT: Final = 0.8
"""Share of the text at a position that an extractor keeps for the position to be content."""

_LEAST_PAGES: Final = 10
_MOST_PAGES: Final = 30


def learn_content(
    templates: TemplateSet, pages: Iterable[Page], method: str = "default"
) -> TemplateSet:
    """Note at which positions of the templates an extractor keeps nearly all text.

    Args:
        templates: the set that the pages are matched with; it stays as it is.
        pages: any pages; of each template up to 30 are looked at.
        method: extraction method, see `quarkcrawl.content.METHODS`.

    Returns:
        The templates; those that at least ten of the pages have, with ``content``.
    """
    seen: Counter[str] = Counter()
    votes: defaultdict[str, defaultdict[Position, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0])
    )
    for page in pages:
        laid = _laid(page, templates, host_key(page.url) or None)
        if laid is None or seen[laid[1].template.id] >= _MOST_PAGES:
            continue
        seen[laid[1].template.id] += 1
        _vote(votes[laid[1].template.id], *laid, extract(page, method=method).runs)
    for name, by_position in votes.items():
        content = tuple(
            position
            for position, (n_kept, total, n_pages) in sorted(by_position.items())
            if n_pages >= _LEAST_PAGES and n_kept >= _LEAST_KEPT * total
        )
        templates = templates.with_template(replace(templates[name], content=content))
    return templates


def _vote(
    votes: defaultdict[Position, list[int]],
    page_sequence: PageSequence,
    alignment: Alignment,
    is_kept: BoolArray,
) -> None:
    """Add a page's characters: kept, all, and one page for each position that has any."""
    chars = page_sequence.page.tree.run_chars
    has_position = page_sequence.run_position >= 0
    place = page_sequence.run_position[has_position]
    n = len(page_sequence.sequence)
    total = np.bincount(place, chars[has_position], minlength=n)
    held = np.bincount(place, (chars * is_kept)[has_position], minlength=n)
    for position, where in alignment.places.items():
        if total[where]:
            vote = votes[position]
            vote[0] += int(held[where])
            vote[1] += int(total[where])
            vote[2] += 1


def _laid(
    page: Page, templates: TemplateSet, host: str | None
) -> tuple[PageSequence, Alignment] | None:
    """A page with its alignment to its template, None if it has none."""
    page_sequence = sequence_of_page(page, templates.sequence)
    nearest = templates.nearest(page_sequence.sequence, host, url=page.url)
    if nearest is None:
        return None
    return page_sequence, align_page(
        nearest.template, page_sequence.sequence, templates.cluster.weight
    )


def boilerplate_runs(page: Page, templates: TemplateSet, host: str | None = None) -> BoolArray:
    """Mark the text runs that repeat what the page's template has nearly everywhere.

    Args:
        page: any page; its template is the nearest one, if that is near enough.
        templates: templates with observed texts, see `quarkcrawl.template.model.texts`.
        host: compare only with templates of this host; None: with all.

    Returns:
        A mask over the runs of ``page.tree``; empty if the page has no template.
    """
    laid = _laid(page, templates, host)
    return _none(page) if laid is None else _repeated(*laid)


def content_runs(page: Page, templates: TemplateSet, host: str | None = None) -> BoolArray:
    """Mark the text runs at positions of the page's template that are content.

    Args:
        page: any page; its template is the nearest one, if that is near enough.
        templates: templates with content, see `learn_content`.
        host: compare only with templates of this host; None: with all.

    Returns:
        A mask over the runs of ``page.tree``; empty if the page has no template.
    """
    laid = _laid(page, templates, host)
    return _none(page) if laid is None else _held(*laid)


def _none(page: Page) -> BoolArray:
    return np.zeros(len(page.tree.runs), np.bool_)


def _repeated(page_sequence: PageSequence, alignment: Alignment) -> BoolArray:
    texts, template_texts = own_texts(page_sequence), alignment.template.texts
    constant = [
        place
        for position, place in alignment.places.items()
        if position in template_texts
        and texts[place]
        and template_texts[position].constant == texts[place]
    ]
    return np.isin(page_sequence.run_position, constant)


def _held(page_sequence: PageSequence, alignment: Alignment) -> BoolArray:
    places = [alignment.places.get(position, -2) for position in alignment.template.content]
    return np.isin(page_sequence.run_position, places)


def site_content(
    page: Page, templates: TemplateSet, method: str = "default", host: str | None = None
) -> Content:
    """The content of a page by an extractor and by its site.

    Args:
        page: any page; without a template, the extractor decides alone.
        templates: templates with observed texts, perhaps also with content (`learn_content`).
        method: extraction method, see `quarkcrawl.content.METHODS`.
        host: compare only with templates of this host; None: with all.

    Returns:
        What the extractor finds, with the rest of the positions that are content, if it found any
        of them; without what the site repeats.
    """
    content = extract(page, method=method)
    laid = _laid(page, templates, host)
    if laid is None or content.failure is not None:
        return content
    held = _held(*laid)
    runs = content.runs | held if (content.runs & held).any() else content.runs
    runs = runs & ~_repeated(*laid)
    if (runs == content.runs).all():
        return content
    text = lines_of(page.tree, runs & ~page.tree.run_raw)
    return Content(Extraction(page, content.method, text=text, runs=runs))
