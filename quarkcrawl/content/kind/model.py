"""The model that tells the kind of a page: one row of weights a word or range of a number.

A multinomial logistic regression. What a page shows is a set of rows: words that the model knows
(`quarkcrawl.content.kind.words`), and for each number the range that it lies in
(`quarkcrawl.content.kind.numbers`). The rows of a family are summed and divided by the root of
their number.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.kind.numbers import COLUMNS, page_numbers
from quarkcrawl.content.kind.words import FAMILIES, WORD_BITS, page_words
from quarkcrawl.content.modelfile import model_arrays
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.page import Page

    HashArray = NDArray[np.int32]
    FloatArray = NDArray[np.float64]


KINDS: Final = (
    *("article", "forum", "qa", "product", "listing", "collection", "documentation", "service"),
    "other",
)
"""Kinds of pages: texts; threads; questions with answers; one thing that is sold; lists of pages;
lists of things that are sold; manuals and references; what somebody offers; events, jobs and
the rest."""

N_RANGES: Final = 6
"""Each number is told by the range that it lies in."""

_MODEL_FILE: Final = "kind_model.npz"
_FORMAT: Final = 1
_MOST: Final = 127


class PageKind(NamedTuple):
    """Kind of a page.

    Args:
        name: one of `KINDS`.
        probability: how likely it is that kind, 0–1.
    """

    name: str
    probability: float


class PageFacts(NamedTuple):
    """What is known of a page before a model looks at it.

    Args:
        words: hashes of the words of each family.
        numbers: one for each column.
    """

    words: tuple[HashArray, ...]
    numbers: FloatArray


def page_facts(page: Page, *, with_names: bool = True) -> PageFacts:
    """Describe a page.

    Args:
        page: any page.
        with_names: False to describe it as if it had no class names and ids; its roles and
            properties of items stay.
    """
    return PageFacts(page_words(page, with_names=with_names), page_numbers(page))


@dataclass(frozen=True, slots=True, eq=False)
class KindModel:
    """Weights of words and numbers.

    Args:
        codes: known words in ascending order: a hash, and above it the number of the family.
        bounds: where the ranges of each number meet, one row a column.
        weights: one row for each code, then one for each range of each number; one column a kind.
        scale: what the weights of each kind are multiplied by.
        start: score of each kind before anything is known.
        about: how it was trained.
    """

    codes: HashArray
    bounds: NDArray[np.float32]
    weights: NDArray[np.int8]
    scale: FloatArray
    start: FloatArray
    about: dict[str, object]

    def families(self, facts: PageFacts) -> list[NDArray[np.intp]]:
        """Rows of the weights that a page shows, one list a family, the numbers last.

        Args:
            facts: what is known of the page.
        """
        code_places = [
            known_places(self.codes, words | number << WORD_BITS)
            for number, words in enumerate(facts.words)
        ]
        return [*code_places, ranges(facts.numbers, self.bounds) + len(self.codes)]

    def probabilities(self, facts: PageFacts) -> FloatArray:
        """How likely the page is of each of `KINDS`, together 1.

        Args:
            facts: what is known of the page.
        """
        total = np.zeros(len(KINDS))
        for rows in self.families(facts):
            if len(rows):
                total += self.weights[rows].sum(0, np.float64) / np.sqrt(len(rows))
        scores = self.start + self.scale * total
        likely = np.exp(scores - scores.max())
        result: FloatArray = likely / likely.sum()
        return result


def known_places(codes: HashArray, sought: HashArray) -> NDArray[np.intp]:
    """Places of those wanted codes that are among others, which ascend."""
    if not len(codes):
        return np.zeros(0, np.intp)
    places = codes.searchsorted(sought)
    places[places == len(codes)] = 0
    matches: NDArray[np.intp] = places[codes[places] == sought]
    return matches


def ranges(numbers: FloatArray, bounds: NDArray[np.float32]) -> NDArray[np.intp]:
    """Number of the range of each number, those of one column behind those of the one before."""
    inside = (numbers.astype(np.float32)[:, None] > bounds).sum(1)
    places: NDArray[np.intp] = np.arange(len(bounds)) * N_RANGES + inside
    return places


def kind_probabilities(page: Page, model: KindModel | None = None) -> FloatArray:
    """How likely a page is of each of `KINDS`, from its bytes and its address.

    Args:
        page: any page.
        model: None for the trained model that comes with the package.
    """
    return (model or load_kind_model()).probabilities(page_facts(page))


def is_one_of(likely: FloatArray, *kinds: str) -> bool:
    """Whether a page is of one of some kinds rather than of the others.

    Args:
        likely: what `kind_probabilities` says of the page.
        kinds: their names, together as likely as not.

    >>> is_one_of(np.full(len(KINDS), 1 / len(KINDS)), "article", "other")
    False
    """
    return float(sum(likely[KINDS.index(kind)] for kind in kinds)) >= 0.5


def page_kind(page: Page, likely: FloatArray | None = None) -> PageKind:
    """Tell the kind of a page; no page makes it raise.

    A page that shows no text and declares nothing is ``other`` with a probability of 0.

    Args:
        page: any page.
        likely: what `kind_probabilities` says of it, None: it is asked.
    """
    if not page.tree.text_chars[0] and not page.tree.title:
        return PageKind("other", 0.0)
    if likely is None:
        likely = kind_probabilities(page)
    best = int(likely.argmax())
    return PageKind(KINDS[best], float(likely[best]))


def write_kind_model(path: Path, model: KindModel) -> None:
    """Store a model as arrays without pickles.

    Args:
        path: file to write, ``.npz``.
        model: is stored with what it says of its training.
    """
    about = {
        "format": _FORMAT,
        "kinds": KINDS,
        "columns": COLUMNS,
        "families": FAMILIES,
        "bits": WORD_BITS,
        **model.about,
    }
    np.savez_compressed(
        path,
        about=np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8),
        steps=np.diff(model.codes, prepend=0).astype(np.int32),
        bounds=model.bounds,
        weights=np.ascontiguousarray(model.weights.T),
        scale=model.scale,
        start=model.start,
    )


def read_kind_model(path: Path) -> KindModel:
    """Read a model.

    Args:
        path: file that `write_kind_model` wrote.

    Raises:
        InputError: if the file is no model or was made for other features.
    """
    with model_arrays(path, "model of page kinds") as stored:
        about = json.loads(stored["about"].tobytes())
        supported = [_FORMAT, list(KINDS), list(COLUMNS), list(FAMILIES), WORD_BITS]
        names = ("format", "kinds", "columns", "families", "bits")
        if [about[name] for name in names] != supported:
            raise InputError("trained for other features; train it again", where=path)
        codes = stored["steps"].astype(np.int32).cumsum(dtype=np.int32)
        bounds, weights = stored["bounds"], stored["weights"].T
        shapes = [(len(COLUMNS), N_RANGES - 1), (len(codes) + len(COLUMNS) * N_RANGES, len(KINDS))]
        scale, start = stored["scale"], stored["start"]
        if [bounds.shape, weights.shape] != shapes or weights.dtype != np.int8:
            raise ValueError("arrays of other shapes")
        if any(row.shape != (len(KINDS),) or not np.isfinite(row).all() for row in (scale, start)):
            raise ValueError("scales of other shapes")
        return KindModel(codes, bounds, np.ascontiguousarray(weights), scale, start, about)


def rounded(weights: FloatArray) -> tuple[NDArray[np.int8], FloatArray]:
    """Weights as small whole numbers, and what those of each kind are multiplied by.

    Args:
        weights: one column a kind.
    """
    scale = np.maximum(np.abs(weights).max(0, initial=0), 1e-9) / _MOST
    return np.rint(weights / scale).astype(np.int8), scale


@cache
def load_kind_model() -> KindModel:
    """The model that comes with the package."""
    return read_kind_model(files(__package__) / _MODEL_FILE)  # type: ignore[arg-type]
