"""Words that tell the kind of a page, by where they stand, as hashes.

Names of classes and ids, the address, short texts such as buttons and titles, and what the page
declares. Each word counts once a page. Words are hashed, so that a model is an array of weights
and knows no list of words, and no host.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np

from quarkcrawl.content.declared import described
from quarkcrawl.content.kind.hints import hint_words, short_texts
from quarkcrawl.content.kind.loops import label_codes, name_codes, naming_values, word_codes
from quarkcrawl.page.text import n_inked
from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    HashArray = NDArray[np.int32]


FAMILIES: Final = ("names", "address", "labels", "declared", "hints")
"""Where words stand; each family has a linear model of its own."""

WORD_BITS: Final = 20
"""Hashes are below two to the power of it; a model knows those that several sites use."""

_MASK: Final = (1 << WORD_BITS) - 1


def _crc_state(state: int, n_bits: int) -> int:
    for _ in range(n_bits):
        state = (state >> 1) ^ (0xEDB88320 if state & 1 else 0)
    return state


_CRC_TABLE: Final = np.array([_crc_state(byte, 8) for byte in range(256)], np.uint32)
_BEFORE_TEXT: Final = crc32(b"is ") ^ 0xFFFFFFFF
_BEFORE_WORD: Final = crc32(b"has ") ^ 0xFFFFFFFF
"""What each byte does to a CRC-32, and its states before a short text and before a word of one."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TITLE_WORD: Final = re.compile(
    r"[^\W\d_\u3040-\u9fff\uac00-\ud7af]+|[\u3040-\u9fff\uac00-\ud7af]|\d+"
)
_PATH_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_DIGITS: Final = re.compile(r"\d+")
_NO_NAME: Final = (
    *("script", "link", "meta", "style", "img", "br", "input", "option", "path", "svg"),
    *("iframe", "source"),
)
_GIVEN: Final = frozenset(("class", "id"))
_MAX_NAME_CHARS: Final = 300
_MAX_LABEL_CHARS: Final = 24
_MAX_TITLE_CHARS: Final = 200
_MAX_URL_CHARS: Final = 500
_MAX_TYPES: Final = 5
_MAX_STEP_WORDS: Final = 12
_MAX_WHOLE_WORDS: Final = 2
_MAX_SUFFIX_CHARS: Final = 5


def _named() -> NDArray[np.bool_]:
    table = np.ones(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in _NO_NAME]] = False
    return table


_IS_NAMED: Final = _named()


def page_words(page: Page, *, with_names: bool = True) -> tuple[HashArray, ...]:
    """Hashes of the words of each of `FAMILIES`, each once, in ascending order.

    Args:
        page: any page.
        with_names: whether class names and ids are read; roles and properties of items are.
    """
    tree = page.tree
    all_attrs = tree.all_attrs
    if not with_names:
        all_attrs = [tuple(attr for attr in attrs if attr[0] not in _GIVEN) for attrs in all_attrs]
    values, types = naming_values(all_attrs, _IS_NAMED.take(tree.tag))
    declared = {f"item {value[-40:].rpartition('/')[2]}" for value in types}
    declared.update(_declared_words(tree))
    names = {name for value in values for name in value[:_MAX_NAME_CHARS].split()}
    texts = short_texts(tree)
    return (
        _ascending(name_codes(list(names), _CRC_TABLE, _MASK)),
        _ascending(_codes(_address_words(page.url))),
        _ascending(_label_codes(tree, texts)),
        _ascending(_codes(declared)),
        _ascending(_codes(hint_words(tree, page.url, names, texts))),
    )


def _codes(words: Iterable[str]) -> set[int]:
    return word_codes(list(words), _MASK)


def _ascending(codes: set[int]) -> HashArray:
    return np.sort(np.fromiter(codes, np.int32, len(codes)))


def _address_words(url: str) -> Iterator[str]:
    """Words of an address by the part that they stand in, and the shapes of its parts."""
    try:
        parts = urlsplit(url[:_MAX_URL_CHARS])
    except ValueError:
        return
    if not parts.netloc:
        return
    host = (parts.hostname or "").removeprefix("www.").split(".")
    yield f"labels {min(len(host), 4)}"
    for label in host[:-2]:
        yield f"sub {label}"
    for word in _PATH_WORD.findall(".".join(host)):
        yield f"host {word}"
    steps = [step for step in parts.path.lower().split("/") if step]
    yield f"depth {min(len(steps), 6)}"
    yield "slash" if parts.path.endswith("/") else "no slash"
    for step in steps[:-1]:
        yield from _step_words(step, "inner")
    if steps:
        yield from _step_words(steps[-1], "last")
        name, _, suffix = steps[-1].rpartition(".")
        if name and len(suffix) <= _MAX_SUFFIX_CHARS:
            yield f"suffix {suffix}"
    if parts.query:
        for key in parts.query.split("&")[:8]:
            yield f"key {key.partition('=')[0].lower()[:20]}"


def _step_words(step: str, where: str) -> Iterator[str]:
    """Words of one part of a path, and its shape."""
    words = _PATH_WORD.findall(step)[:_MAX_STEP_WORDS]
    for word in words:
        yield f"path {_DIGITS.sub('0', word)}"
    if len(words) <= _MAX_WHOLE_WORDS:
        yield f"step {_DIGITS.sub('0', step)}"
    yield f"{where} words {min(len(words), 8)}"
    n_digits = max((len(word) for word in words if word[0].isdigit()), default=0)
    yield f"{where} digits {min(n_digits, 9)}"
    if step.isdigit():
        yield f"{where} number {min(len(step), 8)}"


def _title_words(text: str, prefix: str) -> Iterator[str]:
    """Words and pairs of words; single characters of scripts without spaces and their pairs."""
    words = [
        "0" if word[0].isdigit() else word
        for word in _TITLE_WORD.findall(text[:_MAX_TITLE_CHARS].lower())
    ]
    for word in words:
        yield f"{prefix} {word}"
    for first, second in itertools.pairwise(words):
        yield f"{prefix} {first} {second}"


def _label_codes(tree: PageTree, texts: Iterable[str]) -> set[int]:
    """Short texts (buttons, labels, links) and their words, and words of title and headings."""
    labels = [
        _DIGITS.sub("0", text.lower()) for text in texts if 1 < n_inked(text) <= _MAX_LABEL_CHARS
    ]
    words = list(_title_words(tree.title, "title"))
    for text in tree.texts(tree.nodes("h1")[:2]):
        words += _title_words(" ".join(text.split()), "h1")
    return _codes(words) | label_codes(labels, _CRC_TABLE, _BEFORE_TEXT, _BEFORE_WORD, _MASK)


def _declared_words(tree: PageTree) -> Iterator[str]:
    """Types of JSON-LD, names of meta elements, and those of their values that are few."""
    for record in described(tree):
        kinds = record.get("@type")
        for kind in kinds[:_MAX_TYPES] if isinstance(kinds, list) else [kinds]:
            if isinstance(kind, str):
                yield f"ld {kind[-40:].rpartition('/')[2]}"
        for key in list(record)[:40]:
            yield f"ld key {key[:30]}"
    for node in tree.nodes("meta")[:200]:
        attrs = dict(tree.raw_attrs(node))
        name = (attrs.get("property") or attrs.get("name") or "")[:40].lower()
        value = (attrs.get("content") or "")[:40].lower()
        if name:
            yield f"meta {name}"
        if name in ("og:type", "twitter:card", "robots") and value:
            yield f"{name} {value}"
        if name == "generator":
            yield from (f"by {word}" for word in _WORD.findall(value))
    for node in tree.nodes("link")[:200]:
        attrs = dict(tree.raw_attrs(node))
        yield f"rel {(attrs.get('rel') or '')[:30].lower()} {(attrs.get('type') or '')[:30]}"
