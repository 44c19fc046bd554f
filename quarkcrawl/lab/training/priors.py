"""Re-estimate the priors of the Bayes side from marked pages (thesis, section 3.2).

A marked page is HTML in which elements carry ``quark="content"``, ``"rel_link"`` or ``"noise"``
(spec/evaluation.md: the nearest marked ancestor decides, what is not marked is noise), or a page
with its content as plain text. In the second case a line of a block counts as content if it
stands in that text. A block is content if most of its text is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.classify import record_page
from quarkcrawl.content import noise_words, squeezed
from quarkcrawl.content.quark import Priors, features
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_bytes, read_records
from quarkcrawl.lab.gold import KINDS, run_kinds
from quarkcrawl.page import Page
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]


_LINES: Final = (".jsonl", ".json")


def read_marked(paths: Iterable[Path]) -> Iterator[tuple[Segmentation, BoolArray]]:
    """Blocks of marked pages, and which of them are content.

    Args:
        paths: HTML files with marks, or JSON-lines files with ``html`` or ``body_b64`` and
            ``gold_text`` (without it the page's own marks count); either may be gzipped.

    Raises:
        InputError: if a file cannot be read, or an HTML page has no mark.
    """
    for path in paths:
        body = None if path.suffix in _LINES else read_bytes(path)
        if body is None or (path.suffix == ".gz" and body.lstrip()[:1] == b"{"):
            for where, record in read_records(path):
                yield _of_record(record_page(record, where), record.get("gold_text"), where)
        else:
            yield _of_record(Page.from_bytes(body), None, str(path))


def _of_record(page: Page, gold: object, where: str) -> tuple[Segmentation, BoolArray]:
    segmentation = segmentation_of(page)
    if gold:
        return segmentation, labeled_by_text(segmentation, str(gold))
    return segmentation, labeled_by_marks(segmentation, where)


def labeled_by_text(segmentation: Segmentation, gold: str) -> BoolArray:
    """Which blocks are content: those of which most stands, line by line, in a text.

    Args:
        segmentation: the blocks of a page.
        gold: the content of the page.
    """
    gold_text = squeezed(gold)
    is_content = [_share_in(text, gold_text) > 0.5 for text in segmentation.texts]
    return np.array(is_content, np.bool_)


def _share_in(text: str, gold_text: str) -> float:
    lines = [squeezed(line) for line in text.split("\n")]
    inside = sum(len(line) for line in lines if line in gold_text)
    return inside / max(sum(map(len, lines)), 1)


def labeled_by_marks(segmentation: Segmentation, where: str = "") -> BoolArray:
    """Which blocks are content: those of which most is marked so.

    Args:
        segmentation: the blocks of a marked page.
        where: place of the page, for the error.

    Raises:
        InputError: if no element of the page is marked.
    """
    tree = segmentation.tree
    content = run_kinds(tree, where) == KINDS.index("content")
    inside = segmentation.over_runs(np.where(content, tree.run_chars, 0))
    is_content: BoolArray = 2 * inside > segmentation.n_chars
    return is_content


def count_priors(pages: Iterable[tuple[Segmentation, BoolArray]], name: str) -> Priors:
    """Count how often each feature occurs in content and in other blocks.

    One block of each kind with and one without each feature is added, so that no probability is
    0 or 1.

    Args:
        pages: blocks and which of them are content.
        name: label that says where the new priors come from.

    Raises:
        InputError: if there is no content block or nothing else.
    """
    rows, labels = [], []
    for segmentation, content in pages:
        rows.append(features(segmentation, noise_words()))
        labels.append(content)
    content = np.concatenate(labels) if labels else np.zeros(0, np.bool_)
    n_content = int(np.count_nonzero(content))
    n_noise = len(content) - n_content
    if not n_content or not n_noise:
        raise InputError(f"{n_content} content blocks and {n_noise} others: both are needed")
    present = np.concatenate(rows)
    given_content = (present[content].sum(axis=0) + 1) / (n_content + 2)
    given_noise = (present[~content].sum(axis=0) + 1) / (n_noise + 2)
    share = n_content / len(content)
    return Priors(share, tuple(given_content.tolist()), tuple(given_noise.tolist()), name)
