"""Training data of the default extractor: lines of hand-marked pages with their labels.

A page comes with its gold text only. Its lines are aligned with it by the longest common
subsequence of characters, and a line most of which is found in the gold text is content. Two
kinds of lines are left out: those that equal the headline (it is extracted on its own, and the
gold of some sets includes it), and repetitions of a content line elsewhere on the page. Of some
pages only a few pieces of text are known to be content or not; of these the lines with such a
piece are learned, and no others.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from rapidfuzz.distance import LCSseq

from quarkcrawl.content import find_headline
from quarkcrawl.content.lines import (
    CLASS_BITS,
    TEXT_BITS,
    LineScorer,
    NameReader,
    line_features,
    line_texts,
    name_hashes,
    node_names,
)
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_all
from quarkcrawl.lab.gold import gold_page, load_gold, marked_text, set_name
from quarkcrawl.page import Page, host_key
from quarkcrawl.page.urls import split_host
from quarkcrawl.progress import no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.lines import LineFeatures
    from quarkcrawl.lab.gold import GoldPage
    from quarkcrawl.progress import Progress

    Tokens = tuple[NDArray[np.int32], NDArray[np.int32]]


_LINK_HOST: Final = re.compile(r"""(?:src|href|content)=["']?https?://([^/"'\s>:]+)""")
_SHARED_HOSTS: Final = ("facebook", "twitter", "w3", "schema", "google", "googleapis")
_SECOND_LEVEL: Final = frozenset(
    ["com", "co", "gov", "edu", "net", "org", "ac", "mil", "gob", "idv", "ne", "or", "go"]
)
_MIN_TWIN_CHARS: Final = 8
_MAX_GOLD_CHARS: Final = 60_000
_MAX_CELLS: Final = 8_000_000_000
_MIN_PIECE_SHARE: Final = 0.4
"""A line is no content if a piece that is none is so much of it; "Twitter" in a sentence tells
nothing of the sentence."""


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page with its gold text.

    Args:
        name: identifier.
        dataset: name of its set.
        site: name of its site; pages of one site are never split between training and test.
        body: the page.
        gold: squeezed gold text.
        url: address, may be "".
        must: squeezed pieces that are content.
        must_not: squeezed pieces that are none.
    """

    name: str
    dataset: str
    site: str
    body: bytes
    gold: str
    url: str
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def has_pieces_only(self) -> bool:
        """Whether no more is known of its content than some pieces of text."""
        return not self.gold and bool(self.must or self.must_not)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPage:
    """Lines of a marked page.

    Args:
        features: features of the lines; the columns of word scores are still empty.
        texts: squeezed text of the lines.
        headline: squeezed headline.
        label: whether each line is content.
        used: which lines are trained on.
        text_tokens: starts and hashed words of the lines.
        names: hashed words of the class names of each node that has any.
        parent: parent of each node.
        blind: features of the same lines as if all names were unknown.
    """

    page: MarkedPage
    features: LineFeatures
    texts: list[str]
    headline: str
    label: NDArray[np.bool_]
    used: NDArray[np.bool_]
    text_tokens: Tokens
    names: dict[int, list[int]]
    parent: list[int]
    blind: NDArray[np.float32]

    def name_tokens(self, is_known: NDArray[np.bool_]) -> Tokens:
        """Starts and hashed words of the names around the lines, as `class_scores` sums them.

        Args:
            is_known: which words count, by hash.
        """
        own = {
            node: codes
            for node, hashes in self.names.items()
            if (codes := [code for code in hashes if is_known[code]])
        }
        tokens: dict[int, list[int]] = {}
        rows = []
        for node in self.features.cut.node.tolist():
            if node not in tokens:
                tokens[node] = list(_tokens_around(node, self.parent, own))
            rows.append(tokens[node])
        starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int32)
        return starts, np.array([token for row in rows for token in row], np.int32)


def read_marked_pages(*folders: Path, on_progress: Progress = no_progress) -> Iterator[MarkedPage]:
    """Read marked pages: JSON lines, one set a file, or pages that were marked in the workbench.

    Args:
        folders: hold ``NAME.jsonl.gz`` with ``id``, ``url``, ``gold_text``, and ``body_b64`` (the
            bytes as received) or ``html``; or, if there is none, ``NAME.html`` with marks.
        on_progress: is told of each page, folder by folder.

    Raises:
        InputError: there is no such file, one cannot be read, or a line is no such page.
    """
    for folder in folders:
        paths = sorted(folder.glob("*.jsonl.gz"))
        if paths:
            yield from _sets(paths, folder, on_progress)
        elif any(folder.glob("*.htm*")):
            pages = list(load_gold(folder))
            step = f"pages of {folder.name}"
            for gold in reported(pages, step, on_progress, total=len(pages)):
                yield marked_page(marked_text(gold), set_name(folder))
        else:
            raise InputError("no NAME.jsonl.gz and no marked NAME.html here", where=folder)


def _sets(paths: Sequence[Path], folder: Path, on_progress: Progress) -> Iterator[MarkedPage]:
    for where, record in read_all(paths, f"pages of {folder.name}", on_progress):
        needs = {"id", "url"} if record.get("must") else {"id", "url", "gold_text"}
        if not needs <= record.keys():
            needed = "id, url, gold_text, and body_b64 or html are needed"
            raise InputError(needed, where=where)
        gold = gold_page(record, folder, where)
        is_marked = "passages" in record  # by the workbench, whose marks are in the page
        path = Path(where.rpartition(":")[0])
        yield marked_page(marked_text(gold) if is_marked else gold, set_name(path))


def marked_page(gold: GoldPage, dataset: str) -> MarkedPage:
    """A gold page for training.

    Args:
        gold: a page with its gold text.
        dataset: name of its set.
    """
    text = squeeze(gold.gold_text or "")[:_MAX_GOLD_CHARS]
    site = site_of(gold.url, gold.body) or gold.number
    pieces = (tuple(map(squeeze, of)) for of in (gold.must, gold.must_not))
    return MarkedPage(gold.number, dataset, site, gold.body, text, gold.url, *pieces)


def site_of(url: str, body: bytes) -> str:
    """Telling label of a page's host, such as ``sina``; "" if nothing tells.

    Args:
        url: address of the page; without a host in it, that which the page mentions most counts.
        body: the page.
    """
    host, _ = split_host(host_key(url))
    if host:
        return _label(host)
    hosts = _LINK_HOST.findall(body.decode("latin-1"))
    counts = Counter(label for label in map(_label, hosts) if label not in _SHARED_HOSTS)
    return counts.most_common(1)[0][0] if counts else ""


def _label(host: str) -> str:
    """``sina`` for ``news.sina.com.cn``; so cut, that it rather joins two sites than splits one."""
    labels = host.lower().split(".")
    if len(labels) > 1:
        labels.pop()
    while len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels.pop()
    return labels[-1]


def squeeze(text: str) -> str:
    """A text without white space, in compatibility form."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def blank_scorer(*, reads: Literal["all", "declared", "none"] = "all") -> LineScorer:
    """Linear models that know nothing, not even groups of names but those that ``reads`` says."""
    names = NameReader(np.zeros(2 << CLASS_BITS, np.float32), reads=reads)
    return LineScorer(np.zeros(1 << TEXT_BITS, np.float32), names)


_BLANK: Final = blank_scorer()
_BLIND: Final = blank_scorer(reads="none")
_DECLARED: Final = blank_scorer(reads="declared")


def prepare_page(marked: MarkedPage) -> TrainingPage | None:
    """Cut, describe and label a page; None if it has no text.

    Args:
        marked: the page.
    """
    tree = Page.from_bytes(marked.body, marked.url).tree
    features = line_features(tree, _BLANK)
    n_lines = len(features.cut)
    if not n_lines:
        return None
    texts = list(map(squeeze, line_texts(tree, features.cut, np.arange(n_lines))))
    headline = squeeze(find_headline(tree).text)
    if marked.has_pieces_only:
        label, is_known = _labels_of_pieces(texts, marked.must, marked.must_not)
    else:
        label = matched_share(texts, marked.gold) >= 0.5
        is_known = ~_twins(texts, label)
    used = is_known & np.array([text != headline for text in texts])
    return TrainingPage(
        marked,
        features,
        texts,
        headline,
        label,
        used,
        features.text.tokens(features.cut),
        _hashes(node_names(tree)),
        tree.parent.tolist(),
        line_features(tree, _BLIND).matrix,
    )


def without_names(page: TrainingPage) -> TrainingPage:
    """The same lines as if class names and ids were unknown; roles and properties of items stay.

    Args:
        page: described with all that it says.
    """
    tree = Page.from_bytes(page.page.body, page.page.url).tree
    names = _hashes(node_names(tree, is_declared=True))
    return replace(page, features=line_features(tree, _DECLARED), names=names)


def _hashes(names: Iterable[tuple[int, str]]) -> dict[int, list[int]]:
    return {node: hashes for node, said in names if (hashes := name_hashes(said))}


def matched_share(texts: list[str], gold: str) -> NDArray[np.float64]:
    """Share of each line that belongs to the longest common subsequence with the gold text.

    Args:
        texts: squeezed lines.
        gold: squeezed gold text.
    """
    whole = "".join(texts)
    ends = np.cumsum([len(text) for text in texts])
    matched = np.zeros(len(whole) + 1, np.int64)
    if len(whole) * len(gold) < _MAX_CELLS:
        for code in LCSseq.opcodes(whole, gold):
            if code.tag == "equal":
                matched[code.src_start : code.src_end] = 1
    total = np.append(0, np.cumsum(matched))
    starts = np.append(0, ends[:-1])
    share: NDArray[np.float64] = (total[ends] - total[starts]) / np.maximum(ends - starts, 1)
    return share


def _labels_of_pieces(
    texts: list[str], must: Sequence[str], must_not: Sequence[str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which lines are content by the pieces in them, and which lines have any.

    A piece of content that several lines have, such as a teaser of the text, says of none of them
    that it is content.

    >>> _labels_of_pieces(["天网搜索", "搜索引擎", "首页"], ["天网", "搜索"], ["首页"])
    (array([ True, False, False]), array([ True, False,  True]))
    """
    label, is_known = np.zeros(len(texts), np.bool_), np.zeros(len(texts), np.bool_)
    for piece in must:
        lines = [number for number, text in enumerate(texts) if piece in text]
        if len(lines) == 1:
            label[lines] = is_known[lines] = True
    for piece in must_not:
        for number, text in enumerate(texts):
            is_known[number] |= piece in text and len(piece) >= _MIN_PIECE_SHARE * len(text)
    return label, is_known


def _twins(texts: list[str], label: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Lines that are not matched themselves but read as one that is."""
    matched = {text for text, is_content in zip(texts, label, strict=True) if is_content}
    return np.array(
        [
            not is_content and len(text) >= _MIN_TWIN_CHARS and text in matched
            for text, is_content in zip(texts, label, strict=True)
        ]
    )


def _tokens_around(node: int, parent: list[int], own: dict[int, list[int]]) -> Iterable[int]:
    n_named = 0
    while node >= 0:
        if node in own:
            n_named += 1
            yield from own[node]
            if n_named <= 2:
                yield from (token + (1 << CLASS_BITS) for token in own[node])
        node = parent[node]
