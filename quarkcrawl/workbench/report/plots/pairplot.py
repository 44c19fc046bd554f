"""Two rankings of the same pages, as numbers that a template draws as inline SVG.

What `quarkcrawl.workbench.report.plots.rankplot` draws into a file, for pages that must not load
anything and may be dark: the macro ``rank_pair`` draws it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.rank import Mover

    DoubleArray = NDArray[np.float64]
    Ticks = list[tuple[float, str]]


_WIDTH, _HEIGHT = 460, 300
_LEFT, _RIGHT, _HIGH, _LOW = 58, _WIDTH - 16, 12, _HEIGHT - 40
_MOST_DOTS: Final = 1000
_LINE_POINTS: Final = 120


def rank_pair_plot(
    first: DoubleArray, second: DoubleArray, gained: Sequence[Mover], lost: Sequence[Mover]
) -> dict[str, Any]:
    """Where lines and dots are: rank by place, and each page's rank in both, on log axes.

    Args:
        first: ranks of the pages in one ranking.
        second: those in another ranking, in the same order of pages.
        gained: pages that get dots of their own, with their URLs.
        lost: others.

    Returns:
        Empty if no page has a rank in both. Of many pages the 1,000 with the highest rank have
        dots.
    """
    a, b = first / (first.sum() or 1.0), second / (second.sum() or 1.0)
    both = (a > 0) & (b > 0)
    if not both.any():
        return {}
    shown = np.argsort(-np.maximum(a, b), kind="stable")
    shown = shown[both[shown]][:_MOST_DOTS]
    values = np.concatenate([a[a > 0], b[b > 0]])
    ranks = _Axis(float(values.min()), float(values.max()))
    places = _Axis(1, max(2, len(a)))
    return {
        "width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "right": _RIGHT, "high": _HIGH,
        "low": _LOW, "n_dots": len(shown), "n_pages": len(a),
        "x_ranks": ranks.ticks(_LEFT, _RIGHT), "y_ranks": ranks.ticks(_LOW, _HIGH),
        "x_places": places.ticks(_LEFT, _RIGHT),
        "lines": [_falling(one, places, ranks) for one in (a, b)],
        "dots": [_dot(float(a[one]), float(b[one]), ranks) for one in shown],
        "movers": [
            (*_dot(*mover.rank, ranks), mover.url, name)
            for name, movers in (("gained", gained), ("lost", lost))
            for mover in movers
            if min(mover.rank) > 0
        ],
        "diagonal": [*_dot(10**ranks.low, 10**ranks.low, ranks),
                     *_dot(10**ranks.high, 10**ranks.high, ranks)],
    }  # fmt: skip


class _Axis:
    """A logarithmic axis in whole decades."""

    def __init__(self, least: float, most: float) -> None:
        self.low = math.floor(math.log10(least) + 1e-9)
        self.high = max(self.low + 1, math.ceil(math.log10(most) - 1e-9))

    def at(self, value: float, begin: float, end: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(begin + (end - begin) * min(max(share, 0.0), 1.0), 1)

    def ticks(self, begin: float, end: float) -> Ticks:
        """Places of the decades, some left out if there are many, and what they are called."""
        step = -(-(self.high - self.low) // 6)
        powers = range(self.low, self.high + 1, step)
        return [(self.at(10.0**power, begin, end), _power(power)) for power in powers]


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"1e{power}"


def _dot(x: float, y: float, ranks: _Axis) -> tuple[float, float]:
    return ranks.at(x, _LEFT, _RIGHT), ranks.at(y, _LOW, _HIGH)


def _falling(values: DoubleArray, places: _Axis, ranks: _Axis) -> str:
    """The points of a line: rank by place."""
    falling = np.sort(values[values > 0])[::-1]
    at = np.unique(np.geomspace(1, len(falling), _LINE_POINTS).astype(np.int64))
    points = ((places.at(int(k), _LEFT, _RIGHT), ranks.at(falling[k - 1], _LOW, _HIGH)) for k in at)
    return " ".join(f"{x},{y}" for x, y in points)
