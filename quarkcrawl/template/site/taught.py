"""Contents corrected by the rules that people taught (`quarkcrawl.template.site.rules`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content import find_headline, squeezed
from quarkcrawl.errors import InputError
from quarkcrawl.page import PdfPage, UnparsedPage
from quarkcrawl.page.tree import CssFinder
from quarkcrawl.segment import LineReader, segmentation_of
from quarkcrawl.template.site.lines import text_lines
from quarkcrawl.template.site.places import places_of
from quarkcrawl.template.site.rules import SiteRule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.page import Page
    from quarkcrawl.template.site.rules import RuleKind

    BoolArray = NDArray[np.bool_]


LEAST_LEFT: Final = 0.25
"""Share of a content; rules that leave less of it mean something else than what a page is about."""


class Corrected(NamedTuple):
    """A content after the rules of its site.

    Args:
        content: the same object where no rule changes anything.
        added_chars: visible characters that the method had left out.
        removed_chars: visible characters that it had taken.
        is_kept: whether the rules would have left nearly nothing, and so nothing was changed.
    """

    content: Content
    added_chars: int = 0
    removed_chars: int = 0
    is_kept: bool = False


def corrected(content: Content, taught: str) -> Corrected:
    """Correct a content by the rules of its site.

    Where elements of several rules are in each other, the innermost decides; of two rules for one
    element, the later. What the page carries as data gives way to text that a rule says is content.

    Args:
        content: what a method found on a page; plain text and PDF files stay as they are.
        taught: the rules, see `SiteRules.of`.
    """
    page = content.page
    if not taught or content.failure is not None or isinstance(page, PdfPage | UnparsedPage):
        return Corrected(content)
    said = _said(page, taught)
    tree = page.tree
    before = content.runs & ~tree.run_raw
    is_content = ((before & (said != 0)) | (said == 1)) & ~tree.run_raw
    chars = tree.run_chars
    added, removed = (
        int(chars[mask].sum()) for mask in (is_content & ~before, before & ~is_content)
    )
    if not added and not removed:
        return Corrected(content)
    if removed and chars[is_content].sum() < LEAST_LEFT * chars[before].sum():
        return Corrected(content, is_kept=True)
    runs = (content.runs & (said != 0)) | is_content
    return Corrected(content.with_runs(runs, _text(content, is_content)), added, removed)


def _said(page: Page, taught: str) -> NDArray[np.int8]:
    """What the rules say of each text run: 1 content, 0 noise, -1 nothing."""
    tree = page.tree
    finder = CssFinder(page.html, tree)
    said = np.full(len(tree.runs), -1, np.int8)
    depth = np.full(len(tree.runs), -1, np.int32)
    cut = None
    for kind, select, is_own in json.loads(taught):
        for node in finder.select(select):
            inside = slice(int(tree.run_start[node]), int(tree.run_end[node]))
            is_meant = depth[inside] <= tree.depth[node]
            if is_own:
                cut = cut or segmentation_of(page)
                is_meant &= cut.run_block[inside] == cut.node_block[node]
            said[inside][is_meant] = kind == "content"
            depth[inside][is_meant] = tree.depth[node]
    return said


def _text(content: Content, is_content: BoolArray) -> str:
    """The text of other runs; lines of which nothing changes stay as the method wrote them."""
    tree, lines = content.page.tree, text_lines(content)
    reader = LineReader(tree)
    if any(text and not runs for text, runs in zip(lines.texts, lines.runs, strict=True)):
        return reader.text(is_content)  # some of its lines are no whole runs
    before, todo = content.runs & ~tree.run_raw, is_content.copy()
    pieces: list[tuple[int, str]] = []
    for text, here in zip(lines.texts, lines.runs, strict=True):
        inside = np.arange(here.start, here.stop)[before[here.start : here.stop]]
        if len(inside) and is_content[inside].all():
            pieces.append((int(inside[0]), text))
            todo[inside] = False
    found = content.extraction.headline or find_headline(tree, content.extraction.declared)
    headline = squeezed(found.text)
    todo &= ~before | _is_in_lines(lines.runs, len(todo))
    pieces += [
        (run, text)
        for run, text in reader.lines(todo)
        if not headline or squeezed(text) != headline
    ]
    return "\n".join(text for _, text in sorted(pieces, key=lambda piece: piece[0]))


def _is_in_lines(lines: list[range], n_runs: int) -> BoolArray:
    """Which runs the text has; it may lack some of those that are content, such as the headline."""
    found = np.zeros(n_runs, np.bool_)
    for here in lines:
        found[here.start : here.stop] = True
    return found


def proposed_rule(
    content: Content,
    block: int,
    kind: RuleKind,
    others: Iterable[frozenset[str]] = (),
    *,
    host: str,
) -> SiteRule:
    """The rule for a block of a page that is content, or is not.

    Args:
        content: what a method found there.
        block: number of the block among the Quark blocks of the page.
        kind: what it is.
        others: names of some other pages of the site, see `names_of`.
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
    return SiteRule(host, kind, *places_of(page, runs.tolist(), others), page.url)
