"""What the default extractor knows about each line of a page: one row of numbers a line."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines import around, columns
from quarkcrawl.content.lines import tree as trees
from quarkcrawl.content.lines.cut import cut_lines
from quarkcrawl.content.lines.linear import class_scores, text_scores
from quarkcrawl.content.lines.names import GROUPS, NameReader, node_words
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
_P: Final = TAG_IDS["p"]
_MIN_REPEATS: Final = 3
_MIN_REPEAT_CHARS: Final = 8
_POST, _COMMENT, _PRODUCT = (GROUPS.index(name) for name in ("post", "comment", "product"))

_PARTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("text", columns.TEXT_COLUMNS),
    ("place", columns.PLACE_COLUMNS),
    ("levels", columns.LEVEL_COLUMNS),
    ("tree", columns.TREE_COLUMNS),
    ("repeats", around.REPEAT_COLUMNS),
    ("inside", tuple(f"inside_{name}" for name in GROUPS)),
    ("near", tuple(f"near_{name}" for name in GROUPS)),
    ("around", tuple(f"around_{name}" for name in GROUPS)),
    ("meaning", tuple(f"in_{name}" for name in MEANINGS)),
    ("whole", tuple(f"path_{name}" for name in around.LOOK_COLUMNS)),
    ("look", tuple(f"look_{name}" for name in around.LOOK_COLUMNS)),
    ("neighbours", around.neighbour_columns()),
    ("windows", around.WINDOW_COLUMNS),
    ("same", around.SAME_COLUMNS),
    ("page", around.PAGE_COLUMNS),
)

COLUMNS: Final[tuple[str, ...]] = tuple(name for _, names in _PARTS for name in names)
"""Names of the columns of the matrix."""

_ENDS: Final = np.cumsum([len(names) for _, names in _PARTS]).tolist()
_SLICES: Final = {
    part: slice(end - len(names), end) for (part, names), end in zip(_PARTS, _ENDS, strict=True)
}
_NEIGHBOURS: Final = [COLUMNS.index(name) for name in around.NEIGHBOUR_BASES]


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
    """

    matrix: Matrix
    cut: LineCut
    text: LineText
    weight: FloatArray
    levels: IntArray
    look: tuple[NDArray[np.int64], NDArray[np.int64]]


def line_features(tree: PageTree, scorer: LineScorer) -> LineFeatures:
    """Describe the lines of a page.

    Args:
        tree: the page.
        scorer: the linear models.
    """
    return _Builder(tree, scorer).build()


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
        self.category = CATEGORY[self.tag]
        self.repeat: Repeats = trees.repeats(
            self.tree.end, self.tag, self.words.class_id, self.chars
        )
        whole, near = trees.signatures(self.tree.parent, self.tag, self.words.class_id)
        self.look = (whole[self.cut.node], near[self.cut.node])
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
        return LineFeatures(self.out, self.cut, self.text, weight, self.levels, self.look)

    def _text(self) -> None:
        text = self.text
        scores = text_scores(*text.tokens(self.cut), self.scorer.text_weights)
        columns.fill_text(
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
        node, parent = self.cut.node, self.tree.parent
        groups, inside = self.words.groups, trees.inherited_bits(parent, self.words.groups)
        around.fill_bits(self.part("inside"), inside[node], len(GROUPS))
        near = groups[node] | groups[self.levels[:, 0]] | groups[np.maximum(parent[node], 0)]
        around.fill_bits(self.part("near"), near, len(GROUPS))
        wider = groups[self.levels[:, 1]] | groups[self.levels[:, 2]]
        around.fill_bits(self.part("around"), wider, len(GROUPS))
        self.meaning = trees.inherited_bits(parent, MEANING[self.tag])[node]
        around.fill_bits(self.part("meaning"), self.meaning, len(MEANINGS))

    def _tree(self) -> None:
        tree, node, words = self.tree, self.cut.node, self.words
        in_h1 = np.flatnonzero(self.meaning >> H1_BIT & 1)
        self.n_h1, h1_line = len(in_h1), int(in_h1[0]) if len(in_h1) else -1
        title_line = title_place(self.part("text"))
        columns.fill_places(self.part("place"), self.basics, h1_line, title_line, self.part("text"))
        on_main, self.main_end = trees.main_path(tree.end, np.ascontiguousarray(self.sums[:, 4]))
        ends = [self.main_end, *(node[line] if line >= 0 else -1 for line in (title_line, h1_line))]
        ways = [on_main, *(trees.path_to(tree.parent, end) for end in ends[1:])]
        commons = np.stack([trees.common_ancestors(tree.parent, way) for way in ways])
        end_depths = np.array([tree.depth[end] if end >= 0 else -1 for end in ends], np.int32)
        hidden = trees.inherited_bits(tree.parent, words.is_hidden)
        scores = class_scores(tree.parent, words.far, words.near, words.n_words)
        columns.fill_tree(
            self.part("tree"), node, tree.parent, tree.depth, self.category, hidden, scores
        )
        columns.fill_paths(
            self.part("tree"),
            node,
            self.levels[:, 1],
            (on_main, self.main_end),
            (commons, end_depths),
            tree.depth,
            self.category,
            self.sums,
        )

    def _levels(self) -> None:
        tree = self.tree
        flags = np.zeros((len(self.tag) + 1, 3), np.int32)
        flags[1:, 0] = self.words.is_link
        flags[1:, 1] = self.tag == _IMG
        flags[1:, 2] = self.tag == _INPUT
        total = np.cumsum(flags, axis=0, dtype=np.int32)
        n_of = total[tree.end] - total[:-1]
        line_chars = np.ascontiguousarray(self.basics[:, 0])
        before = np.append(0.0, np.cumsum(line_chars))
        chars_before = before[np.searchsorted(self.cut.first_run, tree.run_start)]
        columns.fill_levels(
            self.part("levels"),
            self.levels,
            self.sums,
            chars_before,
            line_chars,
            self.category,
            n_of,
            self.repeat,
        )

    def _around(self) -> None:
        tree, node, repeat = self.tree, self.cut.node, self.repeat
        is_repeated = (repeat[0] >= _MIN_REPEATS) & (repeat[2] >= _MIN_REPEAT_CHARS * repeat[0])
        self.repeat_weight = np.where(is_repeated, repeat[2], 0.0)
        best = trees.best_repeats(tree.parent, self.repeat_weight)
        around.fill_repeats(
            self.part("repeats"),
            node,
            best,
            tree.parent,
            tree.depth,
            self.category,
            self.sums,
            repeat,
        )
        around.fill_looks(self.part("whole"), self.look[0], self.basics)
        around.fill_looks(self.part("look"), self.look[1], self.basics)
        around.fill_neighbours(self.part("neighbours"), self.out[:, _NEIGHBOURS])
        around.fill_windows(self.part("windows"), self.basics)
        around.fill_same(self.part("same"), self.look[1], tree.parent[node])

    def _page(self) -> None:
        sums, root, tag = self.sums, self.sums[0], self.tag
        n_groups = [
            int((self.words.groups >> bit & 1).sum()) for bit in (_POST, _COMMENT, _PRODUCT)
        ]
        count, _, total, _ = self.repeat
        top = int(np.argmax(self.repeat_weight))
        above = max(int(self.tree.parent[top]), 0)
        self.part("page")[:] = (
            *(len(self.cut), root[6], root[1] / root[0], root[4], root[7]),
            *(self.text.counts[:, 3].sum() / root[0], root[4] / max(root[6], 1.0)),
            *(sums[self.main_end, 4] / max(root[4], 1.0), self.basics[:, 6].max(), self.n_h1),
            *((tag == TAG_IDS["article"]).sum(), (tag == _P).sum(), *n_groups, count[top]),
            *(total[top] / root[0], sums[above, 1] / max(sums[above, 0], 1.0)),
            total[top] / count[top],
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
    neighbours = matrix[:, _SLICES["neighbours"]]
    for start, end in itertools.pairwise(starts.tolist()):
        around.fill_neighbours(neighbours[start:end], matrix[start:end][:, _NEIGHBOURS])
