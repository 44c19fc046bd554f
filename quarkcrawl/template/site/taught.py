"""Contents corrected by the rules that people taught (`quarkcrawl.template.site.rules`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content import find_headline, squeezed
from quarkcrawl.page import PdfPage, UnparsedPage
from quarkcrawl.page.tree import CssFinder
from quarkcrawl.segment import LineReader, segmentation_of
from quarkcrawl.template.site.lines import text_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.page import Page

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


class RuleEffect(NamedTuple):
    """What a rule says of a page, and what a method had said of the same text.

    Args:
        rule: its number among the rules of the host, from 0.
        blocks: numbers of the Quark blocks that have the text.
        content_chars: visible characters there that the method had taken.
        noise_chars: visible characters there that it had left out.
    """

    rule: int
    blocks: list[int]
    content_chars: int
    noise_chars: int


def rule_effects(content: Content, taught: str) -> list[RuleEffect]:
    """What each rule of a site decides on a page; those that decide nothing there are left out.

    Args:
        content: what a method found, without the rules.
        taught: the rules, see `SiteRules.of`.
    """
    page = content.page
    if not taught or content.failure is not None or isinstance(page, PdfPage | UnparsedPage):
        return []
    tree, cut = page.tree, segmentation_of(page)
    decided_by = np.where(tree.run_chars > 0, _decided_by(page, taught), -1)
    effects = []
    for rule in sorted(set(decided_by.tolist()) - {-1}):
        is_meant = decided_by == rule
        content_chars, noise_chars = (
            int(tree.run_chars[is_meant & mask].sum()) for mask in (content.runs, ~content.runs)
        )
        blocks = sorted(set(cut.run_block[is_meant].tolist()))
        effects.append(RuleEffect(rule, blocks, content_chars, noise_chars))
    return effects


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
    said = said_of_runs(page, taught)
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


def said_of_runs(page: Page, taught: str) -> NDArray[np.int8]:
    """What the rules say of each text run: 1 content, 0 noise, -1 nothing."""
    kinds = [kind == "content" for kind, *_ in json.loads(taught)]
    return np.array([*kinds, -1], np.int8)[_decided_by(page, taught)]


def _decided_by(page: Page, taught: str) -> NDArray[np.intp]:
    """Which rule decides about each text run: the last of those innermost; -1 for none."""
    tree = page.tree
    finder = CssFinder(page.html, tree)
    rule_of_run = np.full(len(tree.runs), -1, np.intp)
    depth = np.full(len(tree.runs), -1, np.int32)
    cut = None
    for number, (_, select, is_own, *only_on) in enumerate(json.loads(taught)):
        if only_on and page.url not in only_on:
            continue
        for node in finder.select(select):
            inside = slice(int(tree.run_start[node]), int(tree.run_end[node]))
            is_meant = depth[inside] <= tree.depth[node]
            if is_own:
                cut = cut or segmentation_of(page)
                is_meant &= cut.run_block[inside] == cut.node_block[node]
            rule_of_run[inside][is_meant] = number
            depth[inside][is_meant] = tree.depth[node]
    return rule_of_run


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
    headline = content.extraction.headline or find_headline(tree, content.extraction.declared)
    headline_text = squeezed(headline.text)
    todo &= ~before | _is_in_lines(lines.runs, len(todo))
    pieces += [
        (run, text)
        for run, text in reader.lines(todo)
        if not headline_text or squeezed(text) != headline_text
    ]
    return "\n".join(text for _, text in sorted(pieces, key=lambda piece: piece[0]))


def _is_in_lines(lines: list[range], n_runs: int) -> BoolArray:
    """Which runs the text has; it may lack some of those that are content, such as the headline."""
    in_lines = np.zeros(n_runs, np.bool_)
    for here in lines:
        in_lines[here.start : here.stop] = True
    return in_lines
