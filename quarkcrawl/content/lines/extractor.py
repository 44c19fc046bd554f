"""The default extractor: every line of a page is judged by a small trained model.

A page is cut into lines (`quarkcrawl.content.lines.cut`), each line is described by some hundred
numbers (`quarkcrawl.content.lines.matrix`), boosted trees give the probability that it is content,
and the likely lines make the text. The headline stands apart and is not repeated in the text.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.declared import Declared
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import headline_among
from quarkcrawl.content.lines.compose import choose_lines, compose_text, kept_texts, line_texts
from quarkcrawl.content.lines.matrix import line_features
from quarkcrawl.content.lines.model import load_model
from quarkcrawl.content.lines.notices import notices, without_fields
from quarkcrawl.content.lines.whole import keep_whole, rows_and_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.model import BlockModel
    from quarkcrawl.page import Page, PageTree


def _without_notices(
    tree: PageTree,
    scores: NDArray[np.float64],
    cut: LineCut,
    chosen: NDArray[np.intp],
    texts: list[str],
) -> tuple[NDArray[np.intp], list[str]]:
    """Chosen lines and their texts without notices; where there is nothing else, the next best."""
    found = notices(texts, tree.title)
    if not any(found):
        return chosen, texts
    kept = ~np.array(found, np.bool_)
    if kept.any():
        return chosen[kept], list(itertools.compress(texts, kept.tolist()))
    others = np.delete(np.arange(len(cut)), chosen)
    if not len(others):
        return chosen, texts
    best = others[[int(scores[others].argmax())]]
    return best, line_texts(tree, cut, best)


def default_extraction(page: Page, model: BlockModel | None = None) -> Extraction:
    """Extract the content of a page.

    Args:
        page: any page; where it has no text, the content is empty.
        model: None for the trained model that comes with the package.
    """
    model = model or load_model()
    tree = page.tree
    features = line_features(tree, model.scorer)
    cut = features.cut
    scores = model.trees.scores(features.matrix)
    seen = without_fields(tree, features, choose_lines(scores, features))
    whole = keep_whole(tree, features, seen)
    chosen = whole.chosen.nonzero()[0]
    texts = line_texts(tree, cut, chosen)
    chosen, texts = _without_notices(tree, scores, cut, chosen, texts)
    declared = Declared(tree)
    headline = headline_among(tree, texts, declared)
    repeating = whole.may_repeat(chosen)
    kept = kept_texts(texts, headline.text if headline else "", repeating)
    lines = chosen[np.array(kept, np.bool_)]
    texts = list(itertools.compress(texts, kept))
    wanted = np.zeros(len(cut) + 1, np.bool_)  # the last one is for runs outside all lines
    wanted[lines] = True
    return Extraction(
        page,
        "default",
        headline=headline,
        declared=declared,
        text=compose_text(texts, *rows_and_columns(cut, lines, whole.cells)),
        runs=wanted[cut.run_line],
    )
