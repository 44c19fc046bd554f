"""A small language model of characters: how surprising is a text, in bits a character?

Counts of sequences of up to n characters, each order interpolated with the one below by the rule of
Witten and Bell: where many different characters have followed, the order below weighs more. Texts
like those the model was trained on cost few bits; menus, lists of words and text in the wrong
charset cost many.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from quarkcrawl.content import model_arrays
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]


_FORMAT: Final = 1
_ALPHABET: Final = 1 << 16  # of the lowest order, where all characters are alike
_BATCH_CHARS: Final = 4 << 20
_END: Final = "\n"
_ROUND: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class PerplexityOptions:
    """Size of a model.

    Args:
        order: longest sequence that is counted, 1 to 8 characters.
        most_ngrams: most sequences of each length that are kept, the most frequent; 0: all.
    """

    order: int = 5
    most_ngrams: int = 0

    def check(self) -> None:
        """See that there can be such a model.

        Raises:
            InputError: there cannot.
        """
        if not 1 <= self.order <= 8 or self.most_ngrams < 0:
            raise InputError("order has to be 1 to 8, most_ngrams at least 0", where="perplexity")


@dataclass(frozen=True, slots=True)
class _Order:
    """Counts of one length; the arrays of hashes are sorted.

    Args:
        ngrams: sequences.
        counts: how often each occurs.
        contexts: sequences without their last character.
        totals: how often each is followed by something.
        kinds: by how many different characters.
    """

    ngrams: Hashes
    counts: NDArray[np.int64]
    contexts: Hashes
    totals: NDArray[np.int64]
    kinds: NDArray[np.int64]


class CharacterModel:
    """A trained model; `train` makes one, `load` reads one.

    Args:
        orders: counts by length, the shortest first.
        about: what it was trained on.
    """

    def __init__(self, orders: tuple[_Order, ...], about: dict[str, Any]) -> None:
        self._orders = orders
        self.about = about

    @classmethod
    def train(
        cls, texts: Iterable[str], options: PerplexityOptions | None = None, note: str = ""
    ) -> Self:
        """Count the sequences of texts; their order does not matter.

        Args:
            texts: what is counted.
            options: size of the model.
            note: what the texts are, for whoever reads the model.

        Raises:
            InputError: there is no text, or there can be no such model.
        """
        options = options or PerplexityOptions()
        options.check()
        counts: list[tuple[Hashes, NDArray[np.int64]]] = [_NOTHING] * options.order
        ends: list[tuple[Hashes, Hashes]] = [(_NO_HASHES, _NO_HASHES)] * options.order
        n_chars = n_texts = 0
        for batch in _batches(texts):
            n_texts += len(batch)
            codes = [_codes(text) for text in batch]
            n_chars += sum(map(len, codes))
            for n in range(1, options.order + 1):
                pairs = [_hashes(one, n) for one in codes]
                ngrams = np.concatenate([ngram for ngram, _ in pairs])
                contexts = np.concatenate([context for _, context in pairs])
                counts[n - 1] = _added(counts[n - 1], ngrams)
                ends[n - 1] = _paired(ends[n - 1], ngrams, contexts)
        if not n_chars:
            raise InputError("no text to learn from", where="perplexity")
        orders = tuple(
            _order(counted, pairs, options.most_ngrams)
            for counted, pairs in zip(counts, ends, strict=True)
        )
        about = {"note": note, "texts": n_texts, "chars": n_chars, "order": options.order}
        return cls(orders, about)

    def bits_per_char(self, text: str) -> float:
        """How many bits a character of a text takes, its end included.

        Args:
            text: any text.
        """
        return float(-np.log2(self.probabilities(text)).mean())

    def probabilities(self, text: str) -> NDArray[np.float64]:
        """How likely each character is after those before it; the last entry is the text's end.

        Args:
            text: any text.
        """
        codes = _codes(text)
        likely = np.full(len(codes), 1 / _ALPHABET)
        for n, order in enumerate(self._orders, start=1):
            ngrams, contexts = _hashes(codes, n)
            count = _looked_up(order.ngrams, order.counts, ngrams)
            total = _looked_up(order.contexts, order.totals, contexts)
            kinds = _looked_up(order.contexts, order.kinds, contexts)
            weight = np.maximum(total + kinds, 1)
            better = (count + kinds * likely) / weight
            likely = np.where(total > 0, better, likely)
        return likely

    def save(self, path: Path) -> None:
        """Write the model.

        Args:
            path: the file.
        """
        note = {"format": _FORMAT, "about": self.about}
        text = np.frombuffer(json.dumps(note, ensure_ascii=False).encode(), np.uint8)
        arrays = {
            f"{name}{n}": getattr(order, name)
            for n, order in enumerate(self._orders)
            for name in _Order.__slots__
        }
        with path.open("wb") as file:  # a name without .npz stays as it is
            np.savez_compressed(file, note=text, **arrays)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote.

        Args:
            path: the file.

        Raises:
            InputError: the file is missing or is no such model.
        """
        with model_arrays(path, "model of characters") as arrays:
            note = json.loads(arrays["note"].tobytes())
            if note["format"] != _FORMAT:
                raise ValueError(f"format {note['format']}")
            orders = tuple(
                _Order(*(arrays[f"{name}{n}"] for name in _Order.__slots__))
                for n in range(int(note["about"]["order"]))
            )
            return cls(orders, note["about"])


_NO_HASHES: Final = np.zeros(0, np.uint64)
_NOTHING: Final = (_NO_HASHES, np.zeros(0, np.int64))


def _batches(texts: Iterable[str]) -> Iterable[list[str]]:
    batch: list[str] = []
    n_chars = 0
    for text in texts:
        batch.append(text)
        n_chars += len(text)
        if n_chars >= _BATCH_CHARS:
            yield batch
            batch, n_chars = [], 0
    if batch:
        yield batch


def _codes(text: str) -> Hashes:
    """The characters, the end of the text last."""
    data = (text + _END).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(data, np.uint32).astype(np.uint64) + np.uint64(1)


def _hashes(codes: Hashes, n: int) -> tuple[Hashes, Hashes]:
    """For each character the sequence of n that ends with it, and what stands before it there.

    Before the text stands a character that no text has.
    """
    padded = np.concatenate([np.zeros(n - 1, np.uint64), codes])
    context = np.full(len(codes), n, np.uint64)
    for shift in range(n - 1):
        context = _mixed(context, padded[shift : shift + len(codes)])
    return _mixed(context, codes), context


def _mixed(state: Hashes, codes: Hashes) -> Hashes:
    state = (state ^ codes) * _ROUND
    mixed: Hashes = (state ^ (state >> np.uint64(31))) * _MIX
    return mixed


def _added(
    weighted: tuple[Hashes, NDArray[np.int64]], hashes: Hashes
) -> tuple[Hashes, NDArray[np.int64]]:
    """Counts with those of further hashes."""
    new, counts = np.unique(hashes, return_counts=True)
    both = np.concatenate([weighted[0], new])
    merged, places = np.unique(both, return_inverse=True)
    weights = np.concatenate([weighted[1], counts])
    return merged, np.bincount(places, weights, len(merged)).astype(np.int64)


def _paired(
    pairs_before: tuple[Hashes, Hashes], ngrams: Hashes, contexts: Hashes
) -> tuple[Hashes, Hashes]:
    """Each different sequence with its context."""
    all_ngrams = np.concatenate([pairs_before[0], ngrams])
    merged, first = np.unique(all_ngrams, return_index=True)
    return merged, np.concatenate([pairs_before[1], contexts])[first]


def _order(
    counted: tuple[Hashes, NDArray[np.int64]], pairs: tuple[Hashes, Hashes], most: int
) -> _Order:
    """The counts of one length; what rare sequences weigh that go stays with the order below."""
    ngrams, counts = counted
    contexts, places, kinds = np.unique(pairs[1], return_inverse=True, return_counts=True)
    totals = np.bincount(places, counts, len(contexts)).astype(np.int64)
    if most and len(ngrams) > most:
        frequent = np.sort(np.lexsort((ngrams, -counts))[:most])
        ngrams, counts, places = ngrams[frequent], counts[frequent], places[frequent]
        used = np.unique(places)
        contexts, totals, kinds = contexts[used], totals[used], kinds[used]
    return _Order(ngrams, counts, contexts, totals, kinds.astype(np.int64))


def _looked_up(keys: Hashes, values: NDArray[np.int64], sought: Hashes) -> NDArray[np.int64]:
    """The values of keys; 0 for those that are not there."""
    if not len(keys):
        return np.zeros(len(sought), np.int64)
    places = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    looked_up: NDArray[np.int64] = np.where(keys[places] == sought, values[places], 0)
    return looked_up
