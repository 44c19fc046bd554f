"""A rule for a block of one page, and whether it may hold on other pages of the site, too."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content import squeezed
from quarkcrawl.errors import InputError
from quarkcrawl.segment import segmentation_of
from quarkcrawl.template.site.places import names_of, places_of
from quarkcrawl.template.site.rules import SiteRule, SiteRules
from quarkcrawl.template.site.taught import said_of_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.page import PageTree
    from quarkcrawl.template.site.rules import RuleKind


_CONTROLS: Final = frozenset({"select", "button", "textarea", "label"})
_LEAST_SHARE: Final = 0.5
"""Of characters, and of pages."""


def proposed_rule(
    content: Content,
    block: int,
    kind: RuleKind,
    others: Sequence[Content] = (),
    *,
    host: str,
) -> SiteRule:
    """The rule for a block of a page that is content, or is not.

    It holds for the whole site where the text at that place speaks for it, else on this page only:
    content is what is mostly neither links nor repeated by the site; noise is what the site mostly
    repeats there, or what stands in controls of a form, and only if the method takes it for content
    on half of the other pages, too. A method that takes it out of most of them tells pages apart,
    and a rule from one page would not.

    Args:
        content: what a method found there.
        block: number of the block among the Quark blocks of the page.
        kind: what it is.
        others: what the method found on some other pages of the site.
        host: the site, as the table of pages has it.

    Raises:
        InputError: there is no such block, or it has no text.
    """
    page = content.page
    tree, cut = page.tree, segmentation_of(page)
    runs = cut.runs_of(block) if 0 <= block < len(cut) else np.zeros(0, np.intp)
    runs = runs[tree.run_chars[runs] > 0]
    if not len(runs):
        raise InputError(f"no block {block} with text", where=page.url or None)
    names = [names_of(other.page.tree) for other in others]
    rule = SiteRule(host, kind, *places_of(page, runs.tolist(), names), page.url)
    taught = SiteRules((rule,)).of(host)
    here, *there = (_Place(one, taught) for one in (content, *others))
    is_of_site = _speaks_for(kind, [here, *there]) and (kind == "content" or _is_usual(there))
    if is_of_site or not page.url:
        return rule
    return replace(rule, page_only=True)


class _Place:
    """The visible text runs that a rule finds on a page."""

    def __init__(self, content: Content, taught: str) -> None:
        tree = content.page.tree
        is_meant = (said_of_runs(content.page, taught) >= 0) & (tree.run_chars > 0)
        runs = is_meant.nonzero()[0]
        self.texts = [squeezed(tree.runs[run]) for run in runs.tolist()]
        self.chars = tree.run_chars[runs]
        self.is_content = content.runs[runs]
        self.is_link = tree.run_anchor[runs]
        self.is_control = _is_in_control(tree)[runs]


def _speaks_for(kind: RuleKind, places: Sequence[_Place]) -> bool:
    """Whether the text at some places of a site looks like what is said of it."""
    n_pages = Counter(text for place in places for text in set(place.texts))
    n_chars = n_for = 0
    for place in places:
        is_site = place.is_control | np.array([n_pages[text] > 1 for text in place.texts], np.bool_)
        is_for = is_site if kind == "noise" else ~(is_site | place.is_link)
        n_chars += int(place.chars.sum())
        n_for += int(place.chars[is_for].sum())
    return n_for >= _LEAST_SHARE * n_chars


def _is_usual(places: Sequence[_Place]) -> bool:
    """Whether a method takes most of the text for content on half of the pages with some place."""
    shares = [place.chars[place.is_content].sum() / place.chars.sum()
              for place in places if len(place.chars)]  # fmt: skip
    n_wrong = sum(bool(share > _LEAST_SHARE) for share in shares)
    return n_wrong >= _LEAST_SHARE * len(shares)


def _is_in_control(tree: PageTree) -> NDArray[np.bool_]:
    """Which text runs stand in a control of a form."""
    in_control = np.zeros(len(tree.runs), np.bool_)
    for node, tag in enumerate(tree.tags):
        if tag.lower() in _CONTROLS:
            in_control[tree.run_start[node] : tree.run_end[node]] = True
    return in_control
