"""Number of sites against site size on log axes, as in the CWT200g thesis (figures 2, 6 and 7)."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.select import SizeHistogram, fit_line, outliers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_DOTS: Final = "#1f5fa8"
_OUTLIERS: Final = "#c02020"
_INK: Final = "#222222"


def size_plot(pages: ArrayLike, *, title: str, mark_outliers: bool = True) -> dict[str, bytes]:
    """Plot sizes; the line is the least-squares fit, outlying sizes below 500 are marked.

    Args:
        pages: pages of each site.
        title: over the plot.
        mark_outliers: mark them.

    Returns:
        The picture as ``svg`` and as ``png``; the same sizes give the same bytes.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    histogram = SizeHistogram.of(pages)
    figure, axes = _axes(title)
    axes.loglog(histogram.pages, histogram.sites, ".", color=_DOTS, markersize=4, label="sizes")
    line = fit_line(histogram)
    if line is not None:
        ends = np.array([histogram.pages[0], histogram.pages[-1]])
        label = f"least squares, slope {line.slope:.2f}"
        axes.loglog(ends, line.at(ends), "-", color=_INK, linewidth=1, label=label)
    outlying_sizes = outliers(histogram) if mark_outliers else np.empty(0, np.int64)
    if len(outlying_sizes):
        sites = histogram.dense()[outlying_sizes]
        style = {"markerfacecolor": "none", "color": _OUTLIERS, "markersize": 7}
        axes.loglog(
            outlying_sizes, sites, "o", label=f"{len(outlying_sizes)} outlying sizes", **style
        )
    axes.legend(frameon=False)
    return {"svg": _written(figure, "svg"), "png": _written(figure, "png")}


def _axes(title: str) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow
    except ImportError:
        raise ConfigError("plots need matplotlib: pip install 'quarkcrawl[plot]'") from None
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel("site size (pages)")
    axes.set_ylabel("number of sites")
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _written(figure: Any, form: str) -> bytes:
    from matplotlib import rc_context  # noqa: PLC0415

    # Without date and with a fixed salt: the same plot is the same file.
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    target = BytesIO()
    with rc_context({"svg.hashsalt": "quarkcrawl"}):
        figure.savefig(target, format=form, dpi=150, metadata=metadata, facecolor="white")
    return target.getvalue()
