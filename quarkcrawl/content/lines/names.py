"""What authors say about the parts of a page in class names, ids, roles and styles."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Final, Literal, cast

import numpy as np

from quarkcrawl.content.lines.scoring import CLASS_BITS, word_hash
from quarkcrawl.content.loops import attr_names, name_words, read_rows, spread_names
from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.content.loops import Said
    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import Attributes


ROWS: Final = (
    ("content", "article artical arti content body story entry detail neirong zhengwen wenzhang",
     "endtext maintext text news"),
    ("main", "main center middle wrap container primary page", ""),
    ("navigation", "nav menu header top crumb path position location logo skip", ""),
    ("foot", "foot copyright bottom icp beian friend legal contact", ""),
    ("side", "side aside right left widget rank hot column col", ""),
    ("comment", "comment pinglun disqus respond cmt feedback review", ""),
    ("share", "share social weibo jiathis like follow facebook twitter addthis toolbar tool", ""),
    ("related", "relat recommend more tuijian xiangguan list guess read popular latest also",
     "trend teaser card promo"),
    ("advertising", "ad ads banner sponsor guanggao adv advert google gg", ""),
    ("byline", "meta info date time author source byline laiyuan editor publi credit", ""),
    ("keyword", "tag keyword categor label topic cat", ""),
    ("title", "title headline head hd subject biaoti", ""),
    ("form", "login user search form btn button member register account sign avatar profile",
     "vote badge"),
    ("hidden", "hidden hide popup modal dialog tooltip dropdown tab overlay cookie consent",
     "subscribe newsletter paywall none sr screen"),
    ("picture", "caption figure pic photo image img video gallery media thumb album", ""),
    ("post", "post thread floor answer question message reply quote signature pcb bbs forum", ""),
    ("pager", "pager pagination prev next pages paging fanye", ""),
    ("product", "product price shop cart goods buy order event ticket venue", ""),
    ("summary", "description desc summary abstract intro lead zhaiyao excerpt standfirst dek",
     "para paragraph prose rich markdown md typo"),
)  # fmt: skip
_SHORT: Final = """
    ad ads gg hd col cat top arti tab sr md text page pic img list time date info tag head read
    more none hot nav like tool also dek pcb body main path form user next prev desc lead rich
    card post icp
"""
WHOLE_WORDS: Final = frozenset(_SHORT.split())
"""Too short or too frequent in other words to be looked for inside them."""

GROUPS: Final = tuple(name for name, _, _ in ROWS)
"""Names of the groups of words, by bit."""

_HIDING: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE: Final = (
    *("a", "img", "script", "link", "meta", "br", "input", "style", "option", "iframe", "path"),
    *("svg", "b", "strong", "i", "em", "font"),
)
_MAX_KNOWN: Final = 30_000
_MAX_KNOWN_CHARS: Final = 1 << 24
"""What is kept of attributes between pages: some pages carry whole pictures in them."""
MAX_NAME_CHARS: Final = 300


def _named() -> NDArray[np.bool_]:
    table = np.ones(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in _INLINE]] = False
    return table


_IS_NAMED: Final = _named()


def _groups_of_words() -> dict[str, int]:
    """Groups of each word of the rows, as bits."""
    groups: dict[str, int] = {}
    for bit, (_, first, more) in enumerate(ROWS):
        for word in f"{first} {more}".split():
            groups[word] = groups.get(word, 0) | 1 << bit
    return groups


_GROUPS_OF_WORD: Final = _groups_of_words()
_GROUPS_OF_INNER: Final = {
    word: bits for word, bits in _GROUPS_OF_WORD.items() if word not in WHOLE_WORDS
}
"""The same of words that are looked for inside others, too."""

_MIN_INNER_CHARS: Final = min(map(len, _GROUPS_OF_INNER))
_MAX_INNER_CHARS: Final = max(map(len, _GROUPS_OF_INNER))
_INNER_BEGINNINGS: Final = {word[:_MIN_INNER_CHARS] for word in _GROUPS_OF_INNER}
_READS: Final = {"none": 0, "declared": 1, "all": 2}
_HAS_NAME: Final = 6
_IS_TOLD: Final = 7
_DECLARES: Final = 8
_N_SAID: Final = 9
"""Columns of a reader's table that are read here, and how many there are."""


class _Memory:
    """Attributes that were read before: their rows in a table."""

    def __init__(self, n_rows: int) -> None:
        self.rows: dict[Attributes, int] = {}
        self.class_numbers: dict[str, int] = {}
        self.table = np.zeros((n_rows + 1, _N_SAID))
        self.n_chars = 0


class NameReader:
    """Reads the attributes of nodes; knows the words and the attributes it has met.

    Args:
        weights: one number for each hash of a word in class names: first those of words of any
            ancestor, then as many of words of near ones. A word without a weight counts as none.
        reads: ``declared`` takes class names and ids for unknown ones, as on a page whose names are
            made up; ``none`` also what is declared: roles and properties of items.
    """

    def __init__(
        self,
        weights: NDArray[np.float32],
        *,
        reads: Literal["all", "declared", "none"] = "all",
    ) -> None:
        self.weights = weights
        self.reads = reads
        self._weights: list[float] = weights.tolist()
        self._parts: dict[str, Said] = {}
        self._words: dict[str, Said] = {}
        self._memory = _Memory(_MAX_KNOWN)

    def rows(self, all_attrs: list[Attributes]) -> tuple[NDArray[np.float64], list[int]]:
        """What the attributes of some nodes say.

        Args:
            all_attrs: attributes of each node.

        Returns:
            A table, and the row of each node in it; the first row is that of a node without names.
            Columns: group bits, weight far and near, words, number of the class attribute (equal
            for equal ones of these nodes, 0 for none), whether the node is hidden, whether it has a
            class name or an id, whether one of these is known, and whether it has a declared name.
        """
        memory = self._memory
        is_full = memory.n_chars > _MAX_KNOWN_CHARS or len(memory.table) > _MAX_KNOWN + 1
        if is_full or len(memory.rows) + len(all_attrs) > _MAX_KNOWN:
            memory = self._memory = _Memory(max(_MAX_KNOWN, len(all_attrs)))
        rows = list(map(memory.rows.get, all_attrs))
        if None not in rows:
            return memory.table, cast("list[int]", rows)
        read = self._read(all_attrs, memory)
        if not read:  # another thread has filled it
            memory = _Memory(len(all_attrs))
            read = self._read(all_attrs, memory)
        return memory.table, read

    def _read(self, all_attrs: list[Attributes], memory: _Memory) -> list[int]:
        rows, n_chars = read_rows(
            all_attrs,
            _READS[self.reads],
            MAX_NAME_CHARS,
            memory.rows,
            memory.table,
            memory.class_numbers,
            self._parts,
            self._words,
            _MAX_KNOWN,
            self._said_by,
            _HIDING.search,
        )
        memory.n_chars += n_chars
        return rows

    def _said_by(self, word: str) -> Said:
        far = near = 0.0
        if len(word) > 1:
            code = word_hash(word)
            far, near = self._weights[code], self._weights[code + (1 << CLASS_BITS)]
        is_known = far != 0 or near != 0
        return _word_groups(word), far, near, int(is_known)


def _word_groups(word: str) -> int:
    """Groups that a word belongs to, as bits; see `GROUPS`."""
    groups, n = _GROUPS_OF_WORD.get(word, 0), len(word)
    for start in range(n - _MIN_INNER_CHARS + 1):
        if word[start : start + _MIN_INNER_CHARS] in _INNER_BEGINNINGS:
            for stop in range(start + _MIN_INNER_CHARS, min(n, start + _MAX_INNER_CHARS) + 1):
                groups |= _GROUPS_OF_INNER.get(word[start:stop], 0)
    return groups


def name_hashes(value: str) -> list[int]:
    """Hashes of all words of the names of a node."""
    return [word_hash(word) for word in name_words(value[:MAX_NAME_CHARS]) if len(word) > 1]


@dataclass(frozen=True, slots=True, eq=False)
class NodeWords:
    """What the attributes of each node say.

    Args:
        groups: bits of `GROUPS`.
        far: weight of the names for all nodes in the subtree.
        near: their weight for the nearest ones.
        n_words: number of words in the names.
        class_id: number of the class attribute within the page, 0 for none.
        is_link: 1 for an ``a`` with ``href``.
        is_hidden: 1 where the author hides the node.
        told_share: share of nodes with a known name among those with a class name or an id; 1 if
            there is none.
        declaring: nodes with a role or a property of an item.
    """

    groups: NDArray[np.int64]
    far: NDArray[np.float64]
    near: NDArray[np.float64]
    n_words: NDArray[np.int32]
    class_id: NDArray[np.int64]
    is_link: NDArray[np.uint8]
    is_hidden: NDArray[np.int64]
    told_share: float
    declaring: NDArray[np.intp]


def node_words(tree: PageTree, reader: NameReader) -> NodeWords:
    """Read the attributes of all nodes of a page.

    Args:
        tree: the page.
        reader: reads the names.
    """
    is_named, n = _IS_NAMED.take(tree.tag), len(tree)
    table, rows = reader.rows(list(compress(tree.all_attrs, is_named.tolist())))
    n_named, n_told = table[rows, _HAS_NAME].sum(), table[rows, _IS_TOLD].sum()
    words = NodeWords(
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int32),
        np.empty(n, np.int64),
        np.zeros(n, np.uint8),
        np.empty(n, np.int64),
        float(n_told / n_named) if n_named else 1.0,
        is_named.nonzero()[0][table[rows, _DECLARES] > 0],
    )
    said = words.groups, words.far, words.near, words.n_words, words.class_id, words.is_hidden
    spread_names(table, rows, is_named, *said, np.zeros(len(table), np.int32))
    words.is_link[tree.link_nodes] = 1
    return words


def declared_words(tree: PageTree, words: NodeWords, reader: NameReader) -> NodeWords:
    """What a reader says that reads only what is declared, which few nodes do.

    Args:
        tree: the page.
        words: what another reader says of it.
        reader: reads what is declared.
    """
    nodes, n = words.declaring, len(tree)
    all_attrs = tree.all_attrs
    table, rows = reader.rows([all_attrs[node] for node in nodes.tolist()])
    groups, far, near = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
    n_words = np.zeros(n, np.int32)
    groups[nodes], far[nodes], near[nodes], n_words[nodes] = table[rows, :4].T
    return replace(words, groups=groups, far=far, near=near, n_words=n_words)


def node_names(tree: PageTree, *, is_declared: bool = False) -> Iterator[tuple[int, str]]:
    """Number and names of each node that has names, or has declared ones; for training."""
    attrs, reads = tree.all_attrs, _READS["declared" if is_declared else "all"]
    for node in np.flatnonzero(_IS_NAMED[tree.tag]).tolist():
        if names := attr_names(attrs[node], reads, _HIDING.search)[0]:
            yield node, names
