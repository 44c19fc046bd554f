"""Number of sites against site size, as numbers that a template draws as inline SVG.

The picture of `quarkcrawl.workbench.report.plots.sizeplot` for pages that must not load anything
and may be dark: its parts take their colors from the page around it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from quarkcrawl.select import SizeHistogram, fit_widest

if TYPE_CHECKING:
    from collections.abc import Sequence


_WIDTH, _HEIGHT = 460, 280
_LEFT, _RIGHT, _HIGH, _LOW = 46, _WIDTH - 24, 12, _HEIGHT - 40


def zipf_plot(pages: Sequence[int]) -> dict[str, Any]:
    """Where the dots, axes and the line of Zipf's law are, on log axes, for the macro ``sizes``.

    Args:
        pages: pages of each site.

    Returns:
        Empty if there is nothing to draw; ``fit`` is None if no line fits.
    """
    histogram = SizeHistogram.of(pages)
    if not len(histogram.pages):
        return {}
    widest, tallest = (_decades(int(most.max())) for most in (histogram.pages, histogram.sites))

    def x(size: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * math.log10(size) / widest, 1)

    def y(sites: float) -> float:
        return round(_LOW - (_LOW - _HIGH) * math.log10(max(sites, 1e-3)) / tallest, 1)

    plot: dict[str, Any] = {
        "width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "right": _RIGHT, "high": _HIGH,
        "low": _LOW, "fit": None,
        "columns": [(x(10**power), 10**power) for power in range(widest + 1)],
        "lines": [(y(10**power), 10**power) for power in range(tallest + 1)],
        "dots": [
            (x(size), y(n), size, n)
            for size, n in zip(histogram.pages.tolist(), histogram.sites.tolist(), strict=True)
        ],
    }  # fmt: skip
    fit = fit_widest(histogram)
    if fit is not None:
        sizes = fit.least_pages, fit.most_pages
        ends = [(x(size), y(float(fit.line.at(size)))) for size in sizes]
        plot |= {"fit": fit, "line": _inside(*ends)}
    return plot


def _decades(most: int) -> int:
    """How many powers of ten an axis has."""
    return max(1, math.ceil(math.log10(most + 1)))


def _inside(
    first: tuple[float, float], last: tuple[float, float]
) -> tuple[float, float, float, float]:
    """The part of a falling line that lies in the plot."""
    (x1, y1), (x2, y2) = first, last
    if y2 > _LOW and y2 != y1:
        x2, y2 = x1 + (x2 - x1) * (_LOW - y1) / (y2 - y1), _LOW
    if y1 < _HIGH and y2 != y1:
        x1, y1 = x1 + (x2 - x1) * (_HIGH - y1) / (y2 - y1), _HIGH
    return round(x1, 1), y1, round(x2, 1), y2
