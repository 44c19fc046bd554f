"""What authors say about the parts of a page in class names, ids, roles and styles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.featureslinear import CLASS_BITS, word_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree

__all__ = ["GROUPS", "NameReader", "NodeWords", "name_hashes", "node_names", "read_words"]

_ROWS: Final = (
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
_WHOLE_WORDS: Final = frozenset(
    [
        "ad",
        "ads",
        "gg",
        "hd",
        "col",
        "cat",
        "top",
        "arti",
        "tab",
        "sr",
        "md",
        "text",
        "page",
        "pic",
        "img",
        "list",
        "time",
        "date",
        "info",
        "tag",
        "head",
        "read",
        "more",
        "none",
        "hot",
        "nav",
        "like",
        "tool",
        "also",
        "dek",
        "pcb",
        "body",
        "main",
        "path",
        "form",
        "user",
        "next",
        "prev",
        "desc",
        "lead",
        "rich",
        "card",
        "post",
        "icp",
    ]
)
"""Too short or too frequent in other words to be looked for inside them."""

GROUPS: Final = tuple(name for name, _, _ in _ROWS)
"""Names of the groups of words, by bit."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HIDING: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE: Final = frozenset(
    [
        "a",
        "img",
        "script",
        "link",
        "meta",
        "br",
        "input",
        "style",
        "option",
        "iframe",
        "path",
        "svg",
        "b",
        "strong",
        "i",
        "em",
        "font",
    ]
)
_MAX_KNOWN: Final = 50_000
MAX_NAME_CHARS: Final = 300
_NAMES: Final = frozenset(("id", "itemprop", "role"))
_Names = tuple[int, float, float, int]


def _pattern(words: list[str]) -> re.Pattern[str]:
    parts = [rf"^{word}$" if word in _WHOLE_WORDS else word for word in words]
    return re.compile("|".join(parts))


_PATTERNS: Final = tuple(_pattern((first + " " + more).split()) for _, first, more in _ROWS)


class NameReader:
    """Reads class names and ids; knows the words it has met.

    Args:
        weights: of the class name model, first for words of any ancestor, then of near ones.
    """

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self.weights = weights
        self._weights: list[float] = weights.tolist()
        self._words: dict[str, _Names] = {}
        self._names: dict[str, _Names] = {}

    def read(self, value: str) -> _Names:
        """What the names of one node say: groups, weights far and near, number of words."""
        names = self._names.get(value)
        if names is None:
            if len(self._names) >= _MAX_KNOWN:
                self._names.clear()
            names = self._names[value] = self._read(value)
        return names

    def _read(self, value: str) -> _Names:
        groups, far, near, n_words = 0, 0.0, 0.0, 0
        known = self._words
        for word in _WORD.findall(value[:MAX_NAME_CHARS]):
            bits, of_any, of_near, counts = known.get(word) or self._learn(word)
            groups |= bits
            far += of_any
            near += of_near
            n_words += counts
        return groups, far, near, n_words

    def _learn(self, word: str) -> _Names:
        if len(self._words) >= _MAX_KNOWN:
            self._words.clear()
        lower = word.lower()
        groups = word_groups(lower)
        found: _Names = (groups, 0.0, 0.0, 0)
        if len(word) > 1:
            code = word_hash(lower)
            found = (groups, self._weights[code], self._weights[code + (1 << CLASS_BITS)], 1)
        self._words[word] = found
        return found


def word_groups(word: str) -> int:
    """Groups that a word belongs to, as bits; see `GROUPS`."""
    return sum(1 << bit for bit, find in enumerate(_PATTERNS) if find.search(word))


def name_hashes(value: str) -> list[int]:
    """Hashes of all words of the names of a node."""
    words = _WORD.findall(value[:MAX_NAME_CHARS])
    return [word_hash(word.lower()) for word in words if len(word) > 1]


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
    """

    groups: NDArray[np.int64]
    far: NDArray[np.float64]
    near: NDArray[np.float64]
    n_words: NDArray[np.int32]
    class_id: NDArray[np.int64]
    is_link: NDArray[np.uint8]
    is_hidden: NDArray[np.int64]


def read_words(tree: PageTree, reader: NameReader) -> NodeWords:
    """Read the attributes of all nodes of a page.

    Args:
        tree: the page.
        reader: reads the names.
    """
    n = len(tree)
    class_id, is_hidden = np.zeros(n, np.int64), np.zeros(n, np.int64)
    is_link = np.zeros(n, np.uint8)
    is_link[[v for v in tree.nodes("a") if tree.attr(v, "href") is not None]] = 1
    nodes: list[int] = []
    rows: list[_Names] = []
    numbers: dict[str, int] = {}
    for v, names, class_name, hidden in node_names(tree):
        if class_name:
            class_id[v] = numbers.setdefault(class_name, len(numbers) + 1)
        if names:
            nodes.append(v)
            rows.append(reader.read(names))
        if hidden:
            is_hidden[v] = 1
    groups, far, near, n_words = _scattered(nodes, rows, n)
    return NodeWords(groups, far, near, n_words, class_id, is_link, is_hidden)


def node_names(tree: PageTree) -> Iterator[tuple[int, str, str, bool]]:
    """Number, names, class attribute and whether it is hidden, of nodes with any of these."""
    for v, (tag, attrs) in enumerate(zip(tree.tags, tree.all_attrs, strict=True)):
        if not attrs or tag in _INLINE:
            continue
        names, class_name, hidden = "", "", False
        for key, value in attrs:
            if key == "class":
                class_name = value or ""
                names = f"{names} {class_name}"
            elif key in _NAMES:
                names = f"{names} {value}" if value else names
            elif key == "hidden" or (key == "style" and value and _HIDING.search(value)):
                hidden = True
        yield v, names, class_name, hidden


def _scattered(
    nodes: list[int], rows: list[_Names], n: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    groups, n_words = np.zeros(n, np.int64), np.zeros(n, np.int32)
    far, near = np.zeros(n), np.zeros(n)
    if nodes:
        bits, of_any, of_near, counts = zip(*rows, strict=True)
        groups[nodes], far[nodes], near[nodes], n_words[nodes] = bits, of_any, of_near, counts
    return groups, far, near, n_words
