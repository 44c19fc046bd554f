"""What the default extractor knows about each line of a page: one row of numbers a line."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines import columns, loops
from quarkcrawl.content.lines import tree as trees
from quarkcrawl.content.lines.cut import cut_lines
from quarkcrawl.content.lines.names import GROUPS, NameReader, declared_words, node_words
from quarkcrawl.content.lines.scoring import class_scores, text_scores
from quarkcrawl.content.lines.tags import CATEGORY, H1_BIT, MEANING, MEANINGS
from quarkcrawl.content.lines.text import LineText, line_text, title_place
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.names import NodeWords
    from quarkcrawl.page import PageTree

    Matrix = NDArray[np.float32]
    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int32]
    Repeats = tuple[IntArray, IntArray, FloatArray, FloatArray]


_IMG: Final = TAG_IDS["img"]
_INPUT: Final = TAG_IDS["input"]
_PAGE_TAGS: Final = np.array([TAG_IDS["article"], TAG_IDS["p"]])
_PAGE_GROUPS: Final = np.array([GROUPS.index(name) for name in ("post", "comment", "product")])
_MIN_REPEATS: Final = 3
_MIN_REPEAT_CHARS: Final = 8

_PARTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("text", columns.TEXT_COLUMNS),
    ("place", columns.PLACE_COLUMNS),
    ("levels", columns.LEVEL_COLUMNS),
    ("tree", columns.TREE_COLUMNS),
    ("repeats", columns.REPEAT_COLUMNS),
    ("inside", tuple(f"inside_{name}" for name in GROUPS)),
    ("near", tuple(f"near_{name}" for name in GROUPS)),
    ("around", tuple(f"around_{name}" for name in GROUPS)),
    ("meaning", tuple(f"in_{name}" for name in MEANINGS)),
    ("whole", tuple(f"path_{name}" for name in columns.LOOK_COLUMNS)),
    ("look", tuple(f"look_{name}" for name in columns.LOOK_COLUMNS)),
    ("neighbours", columns.NEIGHBOR_COLUMNS),
    ("windows", columns.WINDOW_COLUMNS),
    ("same", columns.SAME_COLUMNS),
    ("page", columns.PAGE_COLUMNS),
)

COLUMNS: Final[tuple[str, ...]] = tuple(name for _, names in _PARTS for name in names)
"""Names of the columns of the matrix."""

_ENDS: Final = np.cumsum([len(names) for _, names in _PARTS]).tolist()
_SLICES: Final = {
    part: slice(end - len(names), end) for (part, names), end in zip(_PARTS, _ENDS, strict=True)
}
_NEIGHBORS: Final = np.array([COLUMNS.index(name) for name in columns.NEIGHBOR_BASES])
_WINDOW_BASICS: Final = np.array([columns.BASICS.index(name) for name in columns.WINDOW_BASICS])
_WINDOWS: Final = np.array(columns.WINDOWS)


@dataclass(frozen=True, slots=True)
class LineScorer:
    """The two linear models that read words.

    Args:
        text_weights: one number for each hash of words in a line, 2 to the power of `TEXT_BITS`.
        names: reader of class names with its weights.
    """

    text_weights: NDArray[np.float32]
    names: NameReader


@dataclass(frozen=True, slots=True, eq=False)
class LineFeatures:
    """Lines of a page and what is known about them.

    Args:
        matrix: one row a line, one column each of `COLUMNS`.
        cut: the lines.
        text: characters of the lines.
        weight: how much text each line is, see `line_basics`.
        levels: subtrees around each line, from the smallest outwards.
        look: equal for lines whose elements look the same, on the whole path and near the line.
        node_look: equal for nodes that look the same near them.
        told_share: share of the elements with class names or ids that have a known one, see
            `NodeWords`.
        declaring: elements with a role or a property of an item.
    """

    matrix: Matrix
    cut: LineCut
    text: LineText
    weight: FloatArray
    levels: IntArray
    look: tuple[NDArray[np.int64], NDArray[np.int64]]
    node_look: NDArray[np.int64]
    told_share: float
    declaring: NDArray[np.intp]


def line_features(tree: PageTree, scorer: LineScorer) -> LineFeatures:
    """Describe the lines of a page.

    Args:
        tree: the page.
        scorer: the linear models.
    """
    return _Builder(tree, scorer).build()


def both_readings(
    tree: PageTree, scorer: LineScorer, second: LineScorer
) -> tuple[LineFeatures, Matrix]:
    """Describe the lines of a page, and once more as another scorer reads its words.

    Args:
        tree: the page.
        scorer: the linear models.
        second: others, which read of the names only what is declared.

    Returns:
        The same as `line_features` with the first, and the matrix that it has with the second.

    Raises:
        ValueError: the second reads names.
    """
    if second.names.reads != "declared":
        raise ValueError("the second scorer must read only what is declared")
    builder = _Builder(tree, scorer)
    return builder.build(), builder.read_by(second)


class _Builder:
    """Arrays that several groups of columns share."""

    def __init__(self, tree: PageTree, scorer: LineScorer) -> None:
        self.tree, self.scorer, self.tag = tree, scorer, tree.tag
        self.words: NodeWords = node_words(tree, scorer.names)
        self.text = line_text(tree)
        self.cut = cut_lines(tree, self.words.is_link)
        self.text.sum_lines(self.cut)
        self.basics = columns.line_basics(self.text.counts, self.text.link_chars)
        self.sums = trees.subtree_sums(self.tree.parent, self.cut.node, self.basics)
        self.chars = np.ascontiguousarray(self.sums[:, 0])
        self.levels = trees.distinct_ancestors(self.tree.parent, self.cut.node, self.chars, 6)
        self.category = CATEGORY.take(self.tag)
        self.repeat: Repeats = trees.repeats(
            self.tree.end, self.tag, self.words.class_id, self.chars
        )
        looks = trees.signatures(self.tree.parent, self.tag, self.words.class_id)
        whole, self.node_look = looks
        self.look = (whole[self.cut.node], self.node_look[self.cut.node])
        self.out = np.zeros((len(self.cut), len(COLUMNS)), np.float32)

    def part(self, name: str) -> Matrix:
        return self.out[:, _SLICES[name]]

    def build(self) -> LineFeatures:
        if len(self.cut):
            self._text()
            self._words()
            self._tree()
            self._levels()
            self._around()
            self._page()
        weight = self.basics[:, 6]
        looks = self.look, self.node_look
        words = self.words
        line_parts = self.out, self.cut, self.text, weight, self.levels
        return LineFeatures(*line_parts, *looks, words.told_share, words.declaring)

    def read_by(self, scorer: LineScorer) -> Matrix:
        """The matrix as one reads it that knows no names; what does not depend on them stays."""
        self.scorer = scorer
        self.words = declared_words(self.tree, self.words, scorer.names)
        self.out = self.out.copy()
        if len(self.cut):
            self._text()
            self._words()
            self._tree()
            _fill_neighbors(self.part("neighbours"), self.out)
            self.part("page")[:] = 0
            self._page()
        return self.out

    def _text(self) -> None:
        text = self.text
        scores = text_scores(*text.tokens(self.cut), self.scorer.text_weights)
        loops.fill_text(
            self.part("text"),
            self.basics,
            text.counts,
            text.first,
            text.last,
            text.n_runs,
            text.title_chars,
            scores,
        )

    def _words(self) -> None:
        node, parent, groups = self.cut.node, self.tree.parent, self.words.groups
        loops.fill_words(
            self.part("inside"),
            self.part("near"),
            self.part("around"),
            node,
            parent,
            self.levels,
            groups,
            trees.inherited_bits(parent, groups),
        )
        meaning = trees.inherited_bits(parent, MEANING.take(self.tag))
        loops.fill_bits(self.part("meaning"), node, meaning)

    def _tree(self) -> None:
        tree, node, words = self.tree, self.cut.node, self.words
        in_h1 = self.part("meaning")[:, H1_BIT].nonzero()[0]
        self.n_h1, h1_line = len(in_h1), int(in_h1[0]) if len(in_h1) else -1
        title_line = title_place(self.part("text"))
        loops.fill_places(self.part("place"), self.basics, h1_line, title_line, self.part("text"))
        self.main_end = trees.main_end(tree.end, np.ascontiguousarray(self.sums[:, 4]))
        ends = [self.main_end, *(node[line] if line >= 0 else -1 for line in (title_line, h1_line))]
        on_paths, commons = trees.common_ancestors(tree.parent, np.array(ends, np.int32))
        end_depths = np.array([tree.depth[end] if end >= 0 else -1 for end in ends], np.int32)
        hidden = trees.inherited_bits(tree.parent, words.is_hidden)
        scores = class_scores(tree.parent, words.far, words.near, words.n_words)
        loops.fill_tree(
            self.part("tree"),
            node,
            tree.parent,
            tree.depth,
            self.category,
            hidden,
            scores,
            self.levels,
            on_paths[0],
            self.main_end,
            commons,
            end_depths,
            self.sums,
        )

    def _levels(self) -> None:
        tree, n = self.tree, len(self.tag)
        n_of = np.empty((n, 3))
        loops.count_kinds(tree.parent, self.tag, self.words.is_link, _IMG, _INPUT, n_of)
        loops.fill_levels(
            self.part("levels"),
            self.levels,
            columns.N_LEVELS,
            self.sums,
            self.cut.first_run,
            tree.run_start,
            np.empty(n),
            self.basics,
            self.category,
            n_of,
            *self.repeat,
        )

    def _around(self) -> None:
        tree, node, repeat = self.tree, self.cut.node, self.repeat
        weight = np.empty(len(self.tag))
        limits = _MIN_REPEATS, _MIN_REPEAT_CHARS
        self.top = loops.weigh_repeats(repeat[0], repeat[2], *limits, weight)
        loops.fill_repeats(
            self.part("repeats"),
            node,
            trees.best_repeats(tree.parent, weight),
            tree.parent,
            tree.depth,
            self.category,
            self.sums,
            *repeat[:3],
        )
        total = np.empty(len(columns.BASICS))
        for part, look in zip(("whole", "look"), self.look, strict=True):
            order = look.argsort(kind="stable")
            loops.fill_looks(self.part(part), look, order, self.basics, total)
        _fill_neighbors(self.part("neighbours"), self.out)
        total = np.zeros((len(self.cut) + 1, len(_WINDOW_BASICS)))
        loops.fill_windows(self.part("windows"), self.basics, _WINDOW_BASICS, _WINDOWS, total)
        loops.fill_same(self.part("same"), self.look[1], node, tree.parent)

    def _page(self) -> None:
        loops.fill_page(
            self.part("page"),
            self.text.counts,
            self.basics,
            self.sums,
            self.tree.parent,
            self.tag,
            self.words.groups,
            self.repeat[0],
            self.repeat[2],
            self.main_end,
            self.top,
            self.n_h1,
            _PAGE_TAGS,
            _PAGE_GROUPS,
        )


def fill_word_scores(
    matrix: Matrix, starts: NDArray[np.int64], text: FloatArray, names: FloatArray
) -> None:
    """Put other word scores into a matrix that was made with a blank scorer.

    Args:
        matrix: features of the lines of several pages.
        starts: first line of each page, and the end.
        text: score of each line's words.
        names: score of the names around it.
    """
    matrix[:, COLUMNS.index("text_score")] = text
    matrix[:, COLUMNS.index("class_score")] = names
    neighbors = matrix[:, _SLICES["neighbours"]]
    for start, end in itertools.pairwise(starts.tolist()):
        _fill_neighbors(neighbors[start:end], matrix[start:end])


def _fill_neighbors(out: Matrix, matrix: Matrix) -> None:
    """Values of the lines before and behind, -1 where there is none."""
    reach = columns.REACH
    values = np.full((len(_NEIGHBORS), len(out) + 2 * reach), -1, np.float32)
    loops.fill_neighbors(out, matrix, _NEIGHBORS, reach, values)
