"""Block importance: how much a block matters on its page, learned from marked pages.

After Song, Liu, Wen and Ma, Learning Block Importance Models for Web Pages, WWW 2004: a block is
of high importance (content), middling (links that belong to the content) or low (the rest), and a
model tells by the features of `quarkcrawl.content.importance.features` how likely each is. Where
they have four levels and a support vector machine, here are three, as many as gold pages tell
apart, and boosted trees; the weight is the expected one, with the thesis' 1.5 and .5 for high and
low and 1 for what lies between. Trained by `quarkcrawl.lab.training.importance`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.content.importance.features import (
    BOX_FEATURES,
    FEATURES,
    block_counts_of,
    box_features,
    importance_features,
)
from quarkcrawl.content.lines import Trees
from quarkcrawl.content.modelfile import model_arrays
from quarkcrawl.errors import InputError
from quarkcrawl.segment import block_boxes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.content.importance.features import BlockCounts, Matrix
    from quarkcrawl.segment import Segmentation


LEVEL_WEIGHTS: Final = (0.5, 1.0, 1.5)
"""Weight of a block of low, middling and high importance."""

_FILES: Final = {False: "importance_model.npz", True: "importance_boxes_model.npz"}
_FORMAT: Final = 1
_PARTS: Final = ("roots", "node", "value", "start")
_AT_LEAST: Final = ("middling", "high")


@dataclass(frozen=True, slots=True, eq=False)
class ImportanceModel:
    """Two boosted models.

    Args:
        middling: how likely a block is of middling or high importance.
        high: how likely it is of high importance.
        about: how it was trained.
    """

    middling: Trees
    high: Trees
    about: dict[str, Any]

    def weights(self, matrix: Matrix) -> NDArray[np.float32]:
        """Weight of each block, from .5 to 1.5.

        Args:
            matrix: features of the blocks.
        """
        low, middle, high = LEVEL_WEIGHTS
        likely, most = (trees.probabilities(matrix) for trees in (self.middling, self.high))
        most = np.minimum(most, likely)  # two models need not agree that high is middling at least
        scores: NDArray[np.float32] = (
            low + (middle - low) * likely + (high - middle) * most
        ).astype(np.float32)
        return scores


def table_importance(
    blocks: BlockCounts, boxes: NDArray[np.floating] | None = None
) -> NDArray[np.float32]:
    """Weight of each block of some pages, by the models that come with the package.

    Args:
        blocks: their block tables.
        boxes: box of each block, NaN for none; pages without any are judged by their text alone.
    """
    if not len(blocks.n_chars):
        return np.zeros(0, np.float32)
    matrix = importance_features(blocks)
    importance = load_importance().weights(matrix)
    if boxes is None:
        return importance
    sizes = np.diff(blocks.ptr)
    page = np.repeat(np.arange(len(sizes)), sizes)
    is_drawn = (np.bincount(page, np.isfinite(boxes[:, 0]), len(sizes)) > 0)[page]
    if not is_drawn.any():
        return importance
    both = np.hstack([matrix, box_features(blocks.ptr, boxes)])
    return np.where(is_drawn, load_importance(drawn=True).weights(both), importance)


def block_importance(segmentation: Segmentation) -> NDArray[np.float32]:
    """Weight of each block of a page, from .5 to 1.5; by its boxes too, if it was rendered.

    Args:
        segmentation: the blocks; their kinds are not asked.
    """
    return table_importance(block_counts_of(segmentation), block_boxes(segmentation))


def write_importance(path: Path, model: ImportanceModel) -> None:
    """Store a model: arrays without pickles.

    Args:
        path: file to write, ``.npz``; one that is there is replaced.
        model: both its trees and its ``about`` are stored.
    """
    about = {"format": _FORMAT, "features": list(FEATURES), **model.about}  # its own, if it says
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for name in _AT_LEAST:
        trees = getattr(model, name)
        values = (trees.roots, trees.node, trees.value, np.array([trees.start]))
        arrays |= {f"{name}_{part}": value for part, value in zip(_PARTS, values, strict=True)}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def read_importance(path: Path) -> ImportanceModel:
    """Read a model that `write_importance` wrote.

    Args:
        path: the file.

    Raises:
        InputError: the file is no such model, or was made for other features.
    """
    with model_arrays(path, "model of block importance") as stored:
        about = json.loads(stored["about"].tobytes())
        feature_lists = ([*FEATURES], [*FEATURES, *BOX_FEATURES])
        if about["format"] != _FORMAT or about["features"] not in feature_lists:
            raise InputError("trained for other features; train it again", where=path)
        n_features = len(about["features"])
        middling, high = (_trees(stored, name, n_features) for name in _AT_LEAST)
        return ImportanceModel(middling, high, about)


def _trees(stored: dict[str, Any], name: str, n_features: int) -> Trees:
    roots, node, value, start = (stored[f"{name}_{part}"] for part in _PARTS)
    trees = Trees(roots, node, value, float(start[0]))
    trees.check(n_features)
    return trees


@cache
def load_importance(*, drawn: bool = False) -> ImportanceModel:
    """A model that comes with the package.

    Args:
        drawn: the one for pages that a browser has drawn.
    """
    return read_importance(files(__package__) / _FILES[drawn])  # type: ignore[arg-type]
