"""The trained model of the default extractor, as it is stored beside this module."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

import numpy as np

from quarkcrawl.content.boosting import Trees
from quarkcrawl.content.features import COLUMNS, LineScorer
from quarkcrawl.content.featureswords import NameReader
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BlockModel", "load_model", "read_model", "write_model"]

MODEL_FILE: Final = "default_model.npz"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """All that the default extractor has learned.

    Args:
        scorer: linear models of words.
        trees: boosted trees over the features of lines.
        about: how it was trained: data, seed, settings, expected quality.
    """

    scorer: LineScorer
    trees: Trees
    about: dict[str, object]


def write_model(path: Path, model: BlockModel) -> None:
    """Store a model: arrays without pickles, weights of words as 16-bit floats.

    Args:
        path: file to write, ``.npz``.
        model: the model.
    """
    about = {"format": _FORMAT, "columns": list(COLUMNS), **model.about}
    trees = model.trees
    np.savez_compressed(
        path,
        about=np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8),
        text_weights=model.scorer.text_weights.astype(np.float16),
        name_weights=model.scorer.names.weights.astype(np.float16),
        roots=trees.roots,
        node=trees.node,
        value=trees.value,
        start=np.array([trees.start, trees.n_first, trees.give_up]),
    )


def read_model(path: Path) -> BlockModel:
    """Read a model.

    Args:
        path: file that `write_model` wrote.

    Raises:
        InputError: if the file is no model or was made for other features.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            stored = dict(arrays)
        about = json.loads(stored["about"].tobytes())
        start, n_first, give_up = stored["start"].tolist()
        roots, node, value = (stored[name] for name in ("roots", "node", "value"))
        trees = Trees(roots, node, value, start, int(n_first), give_up)
        names = NameReader(stored["name_weights"].astype(np.float32))
        scorer = LineScorer(stored["text_weights"].astype(np.float32), names)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(f"{path} is no model of the default extractor: {error}") from error
    if about.get("format") != _FORMAT or about.get("columns") != list(COLUMNS):
        raise InputError(f"{path} was trained for other features; train it again")
    return BlockModel(scorer, trees, about)


@cache
def load_model() -> BlockModel:
    """The model that comes with the package."""
    return read_model(files(__package__) / MODEL_FILE)  # type: ignore[arg-type]
