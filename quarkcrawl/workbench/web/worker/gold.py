"""Marks on pages, in the worker process: written into the source, scored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quarkcrawl.content import Content, Extraction, extract
from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate import Rule, Score, mark_by_extraction, mark_by_rules, read_marks
from quarkcrawl.page import Page
from quarkcrawl.workbench.web.worker.analysed import analysed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.segment import Segmentation
    from quarkcrawl.workbench.web.documents import DocumentSource


_scores: dict[tuple[str, int, str], Score | None] = {}


def mark(document: DocumentSource, kinds: Sequence[str]) -> dict[str, Any]:
    """Write marks for the blocks of a page into its source.

    Args:
        document: the page.
        kinds: kind of each of its blocks.

    Raises:
        InputError: there are more or fewer blocks; the page cannot be marked.
    """
    held = analysed(document)
    page, segmentation = held.page, held.segmentation
    if len(kinds) != len(segmentation):
        raise InputError(f"{len(kinds)} kinds for {len(segmentation)} blocks", where=document.id)
    made = mark_by_extraction(_as_content(page, segmentation, kinds), document.id)
    if not made.n_marks:
        made = mark_by_rules(page, [Rule("noise", "body, html", "all noise")], document.id)
        if not made.n_marks:
            raise InputError("the page has no tag that could carry a mark", where=document.id)
    return {
        "body": made.body,
        "n_marks": made.n_marks,
        "problems": list(made.problems),
        "chars": segmentation.n_chars.tolist(),
    }


def _as_content(page: Page, segmentation: Segmentation, kinds: Sequence[str]) -> Content:
    """The marks as if a method had found them."""
    names: list[Any] = list(kinds)
    is_content = np.array([kind == "content" for kind in names] + [False], np.bool_)
    runs = is_content[segmentation.run_block]
    labelled = segmentation.with_kinds(names)
    return Content(Extraction(page, "marked", runs=runs, segmentation=labelled))


def score_marks(
    paths: Sequence[tuple[str, int]], methods: Sequence[str], limit_s: float
) -> dict[str, Any]:
    """Scores of methods on marked pages, as far as the time allows; what is done is kept.

    Args:
        paths: marked pages and when they were changed.
        methods: names of methods.
        limit_s: begin no other page after so long.

    Returns:
        For each method precision, recall and F1 a page, None where nothing is marked as content.
    """
    start = time.perf_counter()
    for path, changed in paths:
        for method in methods:
            if time.perf_counter() - start > limit_s:
                break
            key = path, changed, method
            if key not in _scores:
                _scores[key] = _score(path, method)
    return {
        method: [_plain((path, changed, method)) for path, changed in paths] for method in methods
    }


def _plain(key: tuple[str, int, str]) -> list[float] | str | None:
    """A score as numbers; None if there is nothing to score, "" if it is not known yet."""
    if key not in _scores:
        return ""
    score = _scores[key]
    if score is None:
        return None
    return [round(score.precision, 4), round(score.recall, 4), round(score.f1, 4)]


def _score(path: str, method: str) -> Score | None:
    marked = read_marks(Page.from_bytes(Path(path).read_bytes()), path)
    if not marked.is_topic:
        return None
    chars = marked.page.tree.run_chars
    found = extract(marked.page, method=method).runs & ~marked.page.tree.run_raw
    gold = marked.run_is_content
    n_correct = int(chars[found & gold].sum())
    return Score.of(n_correct, int(chars[found].sum()), int(chars[gold].sum()))
