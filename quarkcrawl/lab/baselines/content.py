"""How the teams of SEWM2008 found content, as far as the Quark thesis tells (section 4.3.2).

The teams' own reports are not at hand; the thesis gives each method in a sentence or two. What it
says and what is our reading stands with each function. All work on the blocks or the tree of
quarkcrawl, not on the teams' own segmentation, so they show what an idea is worth, not how a team
scored. Those that compare pages of a site are in `quarkcrawl.lab.baselines.site`. Of RUC's method
the thesis says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content import Extraction, find_headline, noise_words
from quarkcrawl.content.quark import extraction_of_blocks, features, posterior
from quarkcrawl.segment import QuarkRecognizer, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree
    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]


EFFECTIVE_CHARS: Final = 80
"""Text of a leaf that counts as effective for SCUT1, in characters outside links: the best of 30,
50, 80, 120 and 200 on the Chinese development articles."""

MAX_ANCHOR_SHARE: Final = 0.5
"""Share of link text above which DLUT's rules take a block for navigation."""


def largest_block(segmentation: Segmentation) -> BoolArray:
    """SDU: the block with the most text is the content.

    The thesis says exactly this, and that pages with several content blocks suffer.

    Args:
        segmentation: the blocks of a page.

    Returns:
        Which blocks are content.
    """
    is_largest = np.zeros(len(segmentation), np.bool_)
    if segmentation.n_chars.any():
        is_largest[np.argmax(segmentation.n_chars)] = True
    return is_largest


def size_outliers(segmentation: Segmentation) -> BoolArray:
    """SCU: content blocks are outliers in size, found by their deviation.

    The thesis names "deviation-based outlier detection" with the size as only attribute. Our
    reading is the textbook method of that name, sequential exceptions (Arning, Agrawal, Raghavan
    1996): of all sets of k largest blocks that one is the exception whose removal makes
    (blocks left) × (fall of the variance) greatest.

    Args:
        segmentation: the blocks of a page.

    Returns:
        Which blocks are content.
    """
    size = segmentation.n_chars.astype(np.float64)
    n_blocks = len(size)
    if n_blocks < 2:
        return largest_block(segmentation)
    order = np.argsort(size, kind="stable")
    n_left = np.arange(1, n_blocks + 1)
    mean = np.cumsum(size[order]) / n_left
    variance = np.cumsum(size[order] ** 2) / n_left - mean**2  # of the 1, 2 … smallest blocks
    smoothing = n_left * (variance[-1] - variance)
    is_outlier = np.zeros(n_blocks, np.bool_)
    if smoothing.max() > 0:
        is_outlier[order[int(np.argmax(smoothing)) + 1 :]] = True
    return is_outlier


def covering_node(
    tree: PageTree, effective_chars: int = EFFECTIVE_CHARS, ignored: BoolArray | None = None
) -> BoolArray:
    """SCUT1: the lowest node that holds all effective text.

    From the thesis: from the leaves upwards to the nearest node that contains all effective text;
    whether text is effective depends on the text length of each node. Our reading: text outside
    links that stands directly in a node is effective if it has at least so many characters. If no
    text has, that of the longest leaf is.

    Args:
        tree: the page.
        effective_chars: least length of effective text.
        ignored: text runs that are not effective whatever their length.

    Returns:
        Which text runs are content.
    """
    is_other = tree.run_anchor if ignored is None else tree.run_anchor | ignored
    plain = np.where(is_other, 0, tree.run_chars)
    own = np.bincount(tree.run_node, plain, len(tree))
    inside = np.zeros(len(tree.runs), np.bool_)
    if own.any():
        effective = np.flatnonzero(own >= min(effective_chars, own.max()))
        holders = (np.arange(len(tree)) <= effective[0]) & (tree.end > effective[-1])
        node = np.flatnonzero(holders)[-1]
        inside[tree.run_start[node] : tree.run_end[node]] = True
    return inside & ~tree.run_raw


def rules_and_bayes(segmentation: Segmentation) -> BoolArray:
    """DLUT: the kind of each block by rules and by probability together.

    The thesis says that Quark took the Bayes side from DLUT, but not which rules and features DLUT
    had. Our reading: the Bayes side of Quark with its published priors, and two rules: more than
    half link text is navigation, and content has a comma or full stop.

    Args:
        segmentation: the blocks of a page.

    Returns:
        Which blocks are content.
    """
    if not len(segmentation):
        return np.zeros(0, np.bool_)
    likely = posterior(features(segmentation, noise_words())) > 0.5
    is_plain = segmentation.n_anchor_chars <= MAX_ANCHOR_SHARE * segmentation.n_chars
    is_content: BoolArray = likely & is_plain & (segmentation.n_stops > 0)
    return is_content


def _of_blocks(
    name: str, choose: Callable[[Segmentation], BoolArray]
) -> Callable[[Page], Extraction]:
    def find(page: Page) -> Extraction:
        segmentation = QuarkRecognizer().recognize(page)
        return extraction_of_blocks(page, name, segmentation, choose(segmentation))

    return find


def _scut1(page: Page) -> Extraction:
    runs = covering_node(page.tree)
    text = lines_of(page.tree, runs)
    return Extraction(page, "scut1", text=text, runs=runs, headline=find_headline(page.tree))


BASELINES: Final[dict[str, Callable[[Page], Extraction]]] = {
    "sdu": _of_blocks("sdu", largest_block),
    "scu": _of_blocks("scu", size_outliers),
    "scut1": _scut1,
    "dlut": _of_blocks("dlut", rules_and_bayes),
}
"""Content methods of the teams by name, of the same kind as `quarkcrawl.content.METHODS`."""
