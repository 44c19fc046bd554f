"""What a data set holds, counted while it is written."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping


_COUNTED: Final = ("language", "script", "page_type")
_QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST: Final = 20


class Statistics:
    """Counts of documents and their lengths."""

    def __init__(self) -> None:
        self._n_chars = array("q")
        self._hosts: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {name: Counter() for name in _COUNTED}

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a document.

        Args:
            row: its fields.
        """
        self._n_chars.append(row["n_chars"])
        self._hosts[row["host"]] += 1
        for name, counts in self._values.items():
            if name in row:
                counts[row[name] or "none"] += 1

    def as_dict(self) -> dict[str, Any]:
        """The numbers of the card."""
        lengths = np.frombuffer(self._n_chars, np.int64) if self._n_chars else np.zeros(0, np.int64)
        quantiles: list[int] = []
        if len(lengths):
            quantiles = np.quantile(lengths, _QUANTILES, method="lower").tolist()
        return {
            "documents": len(lengths),
            "chars": int(lengths.sum()),
            "hosts": len(self._hosts),
            "n_chars": {
                f"{share:.0%}": int(value)
                for share, value in zip(_QUANTILES, quantiles, strict=False)
            },
            "largest_hosts": _sorted(self._hosts),
            **{name: _sorted(counts) for name, counts in self._values.items() if counts},
        }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The largest, of equal ones by name: the same in every run."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return dict(ordered[:_MOST])
