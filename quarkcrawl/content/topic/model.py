"""The classifier of the topic decision: logistic regression, applied with NumPy alone.

Its weights are a readable JSON file: for each feature mean, scale and weight, so that the weight
says how much a page that is one standard deviation off counts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from math import exp
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Logistic regression on standardized features.

    Args:
        names: the features.
        mean: mean of each among the training examples.
        scale: its standard deviation.
        weight: its weight after standardisation.
        bias: the constant.
    """

    names: tuple[str, ...]
    mean: FloatArray
    scale: FloatArray
    weight: FloatArray
    bias: float

    def probability(self, features: FloatArray) -> FloatArray:
        """Probability of each example.

        Args:
            features: one row an example.
        """
        odds = ((features - self.mean) / self.scale) @ self.weight + self.bias
        bounded = np.minimum(np.maximum(odds, -500), 500)  # np.clip takes five times as long
        result: FloatArray = 1 / (1 + np.exp(-bounded))
        return result

    def probability_of(self, example: Sequence[float]) -> float:
        """Probability of one example, in less than half the time of `probability`.

        Args:
            example: its features.
        """
        weights, constant = self._folded
        odds = sum(map(mul, weights, example)) + constant
        return 1 / (1 + exp(-min(max(odds, -500.0), 500.0)))

    @cached_property
    def _folded(self) -> tuple[list[float], float]:
        """Weights and constant for features as they are."""
        weights = self.weight / self.scale
        return weights.tolist(), self.bias - float(weights @ self.mean)

    def as_json(self) -> dict[str, Any]:
        """The model as a readable mapping."""
        columns = (self.mean.tolist(), self.scale.tolist(), self.weight.tolist())
        rows = zip(self.names, *columns, strict=True)
        table = {
            name: {"mean": round(mean, 5), "scale": round(scale, 5), "weight": round(weight, 5)}
            for name, mean, scale, weight in rows
        }
        return {"bias": round(self.bias, 5), "features": table}

    @classmethod
    def from_json(cls, record: Any, names: Sequence[str]) -> LogisticModel:
        """The model of a mapping made by `as_json`.

        Args:
            record: the mapping.
            names: the features that the caller computes, in its order.
        """
        table = record["features"]
        mean, scale, weight = (
            np.array([float(table[name][key]) for name in names])
            for key in ("mean", "scale", "weight")
        )
        return cls(tuple(names), mean, scale, weight, float(record["bias"]))


def save_models(path: Path, models: dict[str, LogisticModel], trained_on: str) -> None:
    """Write models as JSON.

    Args:
        path: the file.
        models: by name.
        trained_on: a note on the examples.
    """
    tables = {name: model.as_json() for name, model in models.items()}
    record = {"trained_on": trained_on, **tables}
    path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", "utf-8")


def load_models(
    path: Path | Traversable, names: dict[str, tuple[str, ...]]
) -> dict[str, LogisticModel]:
    """Read models that `save_models` wrote.

    Args:
        path: the file.
        names: for each model the features that the caller computes.

    Raises:
        InputError: if the file is missing or is no such table.
    """
    try:
        record = json.loads(path.read_text("utf-8"))
        return {model: LogisticModel.from_json(record[model], names[model]) for model in names}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"no table of topic weights: {error!r}", where=path) from error
