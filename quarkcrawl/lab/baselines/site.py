"""The teams of SEWM2008 that looked at several pages of a site (Quark thesis, section 4.3.2).

Of SCUT's second team (SCUT3, SCUT4) the thesis says: the algorithm DSE, the influence of likeness
of URLs on it, structure compared between pages, the ratio of link text to body text. DSE is
data-rich section extraction (Wang and Lochovsky, WISE 2002): two trees are walked from the top, and
what is equal at the same place is cut off. Which of the two runs chose pages by URL it does not
say; here ``scut3`` does and ``scut4`` does not. Of SCUT2 it prints the same figures as of SCUT1, to
the last digit; our ``scut2`` is SCUT1 with a site model: text that the site's templates have at a
place on nearly all pages is not effective. Each is our reading, on our trees and blocks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import md5
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content import Extraction, find_headline
from quarkcrawl.lab.baselines.content import MAX_ANCHOR_SHARE, covering_node
from quarkcrawl.segment import QuarkRecognizer, lines_of
from quarkcrawl.template import TrainOptions, boilerplate_runs, train
from quarkcrawl.template.structure import SequenceOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]


def shared_runs(tree: PageTree, other: PageTree) -> BoolArray:
    """DSE: which text runs of a page another one has at the same place.

    From the paper: both trees are walked from the root, equal subtrees at the same place are cut
    off, the walk goes on below what differs. Our reading of the same place: below two elements that
    are paired, equal subtrees are paired first, then the elements that are left, name by name in
    their order. Attributes are not compared.
    """
    mine, theirs = _Subtrees(tree), _Subtrees(other)
    shared = np.zeros(len(tree.runs), np.bool_)
    pairs = [(0, 0)] if len(tree) and len(other) else []
    while pairs:
        a, b = pairs.pop()
        if mine.digests[a] == theirs.digests[b]:
            shared[tree.run_start[a] : tree.run_end[a]] = True
            continue
        texts = {other.runs[run].strip() for run in theirs.runs[b]}
        for run in mine.runs[a]:
            shared[run] = tree.runs[run].strip() in texts
        equal = Counter(theirs.digests[child] for child in theirs.children[b])
        left: list[int] = []
        for child in mine.children[a]:
            if equal[mine.digests[child]] > 0:
                equal[mine.digests[child]] -= 1
                shared[tree.run_start[child] : tree.run_end[child]] = True
            else:
                left.append(child)
        by_name = defaultdict(list)
        for child in reversed(theirs.children[b]):
            if equal[theirs.digests[child]] > 0:
                equal[theirs.digests[child]] -= 1
                by_name[other.tags[child]].append(child)
        pairs += [
            (child, by_name[name].pop()) for child in left if by_name[name := tree.tags[child]]
        ]
    return shared


class _Subtrees:
    """What stands directly in each element, and a digest of all that stands below it."""

    def __init__(self, tree: PageTree) -> None:
        self.children: list[list[int]] = [[] for _ in range(len(tree))]
        self.runs: list[list[int]] = [[] for _ in range(len(tree))]
        for run, node in enumerate(tree.run_node.tolist()):
            self.runs[node].append(run)
        for node, parent in enumerate(tree.parent.tolist()):
            if parent >= 0:
                self.children[parent].append(node)
        self.digests: list[int] = [0] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            below = tuple(self.digests[child] for child in self.children[node])
            own = tuple(tree.runs[run].strip() for run in self.runs[node])
            self.digests[node] = hash((tree.tags[node], own, below))


def likeness_of_urls(one: str, other: str) -> tuple[int, int]:
    """How alike two addresses are: characters of their common beginning, then of their lengths."""
    unlike = (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other))), -abs(len(one) - len(other))


def _data_rich(page: Page, partner: Page | None, name: str) -> Extraction:
    """What the partner does not have, in blocks of which most of it is no link text."""
    tree, segmentation = page.tree, QuarkRecognizer().recognize(page)
    own = ~tree.run_raw & (segmentation.run_block >= 0)
    if partner is not None:
        own &= ~shared_runs(tree, partner.tree)
    chars = np.where(own, tree.run_chars, 0)
    n_chars = segmentation.over_runs(chars)
    n_anchor_chars = segmentation.over_runs(np.where(tree.run_anchor, chars, 0))
    is_plain = (n_chars > 0) & (n_anchor_chars <= MAX_ANCHOR_SHARE * n_chars)
    return _of_runs(page, name, own & segmentation.runs_in(is_plain))


def _of_runs(page: Page, name: str, runs: BoolArray) -> Extraction:
    headline = find_headline(page.tree)
    return Extraction(page, name, text=lines_of(page.tree, runs), runs=runs, headline=headline)


def _others(page: Page, pages: Sequence[Page]) -> list[Page]:
    """Those that are not the page itself under another address."""
    return [other for other in pages if other.html != page.html]


def scut2(page: Page, pages: Sequence[Page]) -> Extraction:
    """SCUT1 without what the templates of the site repeat, with less than three like it SCUT1."""
    others = _others(page, pages)
    repeated = np.zeros(len(page.tree.runs), np.bool_)
    if others:
        # The text at a place is looked for inside of articles, too: nothing is masked.
        options = TrainOptions(SequenceOptions(mask_prose=False))
        repeated = boilerplate_runs(page, train([page, *others], options).templates)
    runs = covering_node(page.tree, ignored=repeated) & ~repeated
    return _of_runs(page, "scut2", runs)


def scut3(page: Page, pages: Sequence[Page]) -> Extraction:
    """DSE against the page whose address is most alike."""
    others = _others(page, pages)
    partner = max(others, key=lambda one: likeness_of_urls(page.url, one.url), default=None)
    return _data_rich(page, partner, "scut3")


def scut4(page: Page, pages: Sequence[Page]) -> Extraction:
    """DSE against any page of the site: the first one by the MD5 of its address."""

    def drawn(one: Page) -> bytes:
        return md5(one.url.encode("utf-8", "replace"), usedforsecurity=False).digest()

    return _data_rich(page, min(_others(page, pages), key=drawn, default=None), "scut4")


SITE_BASELINES: Final[dict[str, Callable[[Page, Sequence[Page]], Extraction]]] = {
    "scut2": scut2,
    "scut3": scut3,
    "scut4": scut4,
}
"""Content methods that also take other pages of the site, by name."""
