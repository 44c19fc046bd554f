"""The site's own witness about a page: text that its template repeats everywhere.

The page model of an extractor sees one page; the site model sees what all pages of a template have
in common. Text that stands at the same place on nearly all of them is not what this page is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content import Content, extract
from quarkcrawl.segment import lines_of
from quarkcrawl.template.alignment import align_page
from quarkcrawl.template.fields import own_texts
from quarkcrawl.template.sequence import sequence_of_page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.template.templateset import TemplateSet

__all__ = ["boilerplate_runs", "site_content"]


def boilerplate_runs(
    page: Page, templates: TemplateSet, host: str | None = None
) -> NDArray[np.bool_]:
    """Mark the text runs that repeat what the page's template has nearly everywhere.

    Args:
        page: the page.
        templates: templates with observed texts, see `quarkcrawl.template.texts`.
        host: compare only with templates of this host; None: with all.

    Returns:
        A mask over the runs of ``page.tree``; empty if the page has no template.
    """
    made = sequence_of_page(page, templates.sequence)
    marked = np.zeros(len(page.tree.runs), np.bool_)
    nearest = templates.nearest(made.sequence, host, url=page.url)
    if nearest is None:
        return marked
    alignment = align_page(nearest.template, made.sequence, templates.cluster.weight)
    texts = own_texts(made)
    known = nearest.template.texts
    constant = [
        place
        for position, place in alignment.places.items()
        if position in known and texts[place] and known[position].constant == texts[place]
    ]
    return np.isin(made.run_position, constant)


def site_content(
    page: Page, templates: TemplateSet, method: str = "default", host: str | None = None
) -> Content:
    """The content of a page by an extractor, without what its site repeats.

    Args:
        page: the page.
        templates: templates with observed texts.
        method: extraction method, see `quarkcrawl.content.METHODS`.
        host: compare only with templates of this host; None: with all.

    Returns:
        What the extractor finds; if any of it is boilerplate, without that.
    """
    content = extract(page, method=method)
    repeated = boilerplate_runs(page, templates, host)
    if content.failure is not None or not (content.runs & repeated).any():
        return content
    runs = content.runs & ~repeated
    return Content(
        page, content.method, text=lines_of(page.tree, runs & ~page.tree.run_raw), runs=runs
    )
