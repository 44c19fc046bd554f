"""The trained model of the default extractor, as it is stored beside this module."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from quarkcrawl.content.lines.matrix import COLUMNS, LineScorer
from quarkcrawl.content.lines.names import NameReader
from quarkcrawl.content.lines.scoring import CLASS_BITS, TEXT_BITS, Trees
from quarkcrawl.content.modelfile import model_arrays
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.matrix import Matrix


MODEL_FILE: Final = "default_model.npz"
_FORMAT: Final = 1
_NAMELESS: Final = "nameless_"

NAMELESS_SHARE: Final = 0.35
"""Weight of the model that knows no names: F1 is .0009 higher than without it in three and in
five parts of the sites. From .3 to .4 it makes no difference, .2 and .5 gain less."""

_MIN_TOLD_SHARE: Final = 0.4
"""Where fewer of the elements with names have a known one, names are taken for made up, and both
models weigh the same. Of 2,158 real pages 10 have less; of the same with made-up names, some of
which look like known words by chance, 2,052."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """All that the default extractor has learned.

    Args:
        scorer: linear models of words.
        trees: boosted trees over the features of lines.
        about: how it was trained: data, seed, settings, expected quality.
        nameless: the same, learned as if class names and ids told nothing, which judges lines
            beside it; None if there is none.
    """

    scorer: LineScorer
    trees: Trees
    about: dict[str, object]
    nameless: BlockModel | None = None

    def scores(
        self, matrix: Matrix, nameless: Matrix | None = None, told_share: float = 1.0
    ) -> NDArray[np.float64]:
        """Judge lines.

        Args:
            matrix: features of the lines.
            nameless: the same as the scorer of the model without names reads them; None: it is not
                asked.
            told_share: share of the elements with class names or ids that have a known one.

        Returns:
            Logarithm of the odds that each is content.
        """
        scores = self.trees.scores(matrix)
        if self.nameless is None or nameless is None:
            return scores
        share = NAMELESS_SHARE if told_share >= _MIN_TOLD_SHARE else 0.5
        result: NDArray[np.float64] = (1 - share) * scores
        result += share * self.nameless.trees.scores(nameless)
        return result


def write_model(path: Path, model: BlockModel) -> None:
    """Store a model: arrays without pickles, weights of words as 16-bit floats.

    Args:
        path: file to write, ``.npz``.
        model: its trees, both its linear models and its ``about`` are stored, and those of the
            model that knows no names.
    """
    about = {"format": _FORMAT, "columns": list(COLUMNS), **model.about}
    arrays = _arrays(model)
    if model.nameless:
        arrays |= {_NAMELESS + key: value for key, value in _arrays(model.nameless).items()}
    described = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8)
    np.savez_compressed(path, about=described, **arrays)


def _arrays(model: BlockModel) -> dict[str, Any]:
    trees = model.trees
    return {
        "text_weights": model.scorer.text_weights.astype(np.float16),
        "name_weights": model.scorer.names.weights.astype(np.float16),
        "roots": trees.roots,
        "node": trees.node,
        "value": trees.value,
        "start": np.array([trees.start, trees.n_first, trees.give_up]),
    }


def read_model(path: Path) -> BlockModel:
    """Read a model.

    Args:
        path: file that `write_model` wrote.

    Raises:
        InputError: if the file is no model or was made for other features.
    """
    with model_arrays(path, "model of the default extractor") as stored:
        about = json.loads(stored["about"].tobytes())
        if about["format"] != _FORMAT or about["columns"] != list(COLUMNS):
            raise InputError("trained for other features; train it again", where=path)
        nameless = None
        if _NAMELESS + "roots" in stored:
            nameless = BlockModel(*_parts(stored, _NAMELESS, reads="declared"), {})
        return BlockModel(*_parts(stored, "", reads="all"), about, nameless)


def _parts(
    stored: dict[str, NDArray[Any]], prefix: str, *, reads: Literal["all", "declared"]
) -> tuple[LineScorer, Trees]:
    """Linear models and trees of a model among the arrays of a file."""
    start, n_first, give_up = stored[prefix + "start"].tolist()
    roots, node, value = (stored[prefix + name] for name in ("roots", "node", "value"))
    trees = Trees(roots, node, value, start, int(n_first), give_up)
    trees.check(len(COLUMNS))
    text_weights, name_weights = (
        _weights(stored[prefix + name], bits)
        for name, bits in (("text_weights", TEXT_BITS), ("name_weights", CLASS_BITS + 1))
    )
    return LineScorer(text_weights, NameReader(name_weights, reads=reads)), trees


def _weights(stored: NDArray[np.float16], bits: int) -> NDArray[np.float32]:
    if stored.shape != (1 << bits,):
        raise ValueError(f"{stored.shape} weights for hashes of {bits} bits")
    return stored.astype(np.float32)


@cache
def load_model() -> BlockModel:
    """The model that comes with the package."""
    return read_model(files(__package__) / MODEL_FILE)  # type: ignore[arg-type]
