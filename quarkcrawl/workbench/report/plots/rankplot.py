"""A picture of rankings: how rank falls with the place, and how two rankings disagree."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    DoubleArray = NDArray[np.float64]


_COLORS: Final = ("#0b6fb8", "#c2410c", "#3f7d20", "#7c3aed")
_MOST_POINTS: Final = 4000


def check_picture(path: Path) -> None:
    """See that a picture can be drawn.

    Args:
        path: its file; the ending says the format.

    Raises:
        ConfigError: matplotlib is not installed, or does not know the format.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow
    except ImportError as error:
        message = "plots need matplotlib: pip install 'quarkcrawl[plot]'"
        raise ConfigError(message, where="--plot") from error
    formats = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:] not in formats:
        raise ConfigError(f"not one of the formats {', '.join(formats)}", where=path)


def plot_ranks(ranks: Mapping[str, DoubleArray], path: Path) -> None:
    """Draw the distribution of ranks; with two rankings, also each page's rank in both.

    Args:
        ranks: ranks of the pages by the ranking's name; of two, the same pages in both.
        path: the picture; its ending says the format (svg, png, pdf).

    Raises:
        ConfigError: matplotlib is not installed, or does not know the format.
        StoreError: the file cannot be written.
    """
    check_picture(path)
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow

    two = len(ranks) == 2
    figure = Figure(figsize=(10.5 if two else 5.5, 4.5), layout="constrained")
    axes = figure.subplots(1, 2 if two else 1, squeeze=False)[0]
    _distribution(axes[0], ranks)
    if two:
        _against(axes[1], ranks)
    with storage_errors(path):
        figure.savefig(path, dpi=120)


def _distribution(axis: Any, ranks: Mapping[str, DoubleArray]) -> None:
    for color, (name, values) in zip(cycle(_COLORS), ranks.items(), strict=False):
        falling = np.sort(values[values > 0])[::-1]
        if len(falling):
            places = _thinned(len(falling))
            axis.plot(places + 1, falling[places], color=color, label=name, linewidth=1.6)
    axis.set(xscale="log", yscale="log", xlabel="place", ylabel="rank")
    axis.set_title("Rank by place")
    _finish(axis)
    if axis.get_lines():
        axis.legend(frameon=False)


def _thinned(n: int) -> NDArray[np.int64]:
    """Places that a logarithmic axis can tell apart."""
    return np.unique(np.geomspace(1, n, min(n, _MOST_POINTS)).astype(np.int64)) - 1


def _against(axis: Any, ranks: Mapping[str, DoubleArray]) -> None:
    (first, a), (second, b) = ranks.items()
    shown = np.argsort(-np.maximum(a, b), kind="stable")[:_MOST_POINTS]
    shown = shown[(a[shown] > 0) & (b[shown] > 0)]
    if len(shown):
        axis.scatter(a[shown], b[shown], s=7, alpha=0.45, color=_COLORS[0], linewidths=0)
        ends = [min(a[shown].min(), b[shown].min()), max(a[shown].max(), b[shown].max())]
        axis.plot(ends, ends, color="#888888", linewidth=1, linestyle="--", label="equal ranks")
        axis.legend(frameon=False)
    axis.set(xscale="log", yscale="log", xlabel=first, ylabel=second)
    axis.set_title("Each page in both rankings")
    _finish(axis)


def _finish(axis: Any) -> None:
    axis.grid(visible=True, color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
