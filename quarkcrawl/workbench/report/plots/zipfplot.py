"""Number of sites against site size as inline SVG: no library, no inline styles, any colours.

The picture of `quarkcrawl.workbench.report.plots.sizeplot` for pages that must not load anything
and may be dark: its parts carry classes (``axis``, ``dot``, ``fit``) and take their colours from
the page around it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quarkcrawl.segment import escape
from quarkcrawl.select import SizeHistogram, fit_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.workbench.theme import Words


_LEAST_SIZES = 5
_WIDTH, _HEIGHT = 460, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 24, 12, 40


def zipf_plot(pages: Sequence[int], t: Words) -> str:
    """Draw sizes on log axes; with the least-squares line, if there are enough of them.

    Args:
        pages: pages of each site.
        t: what the axes and the line are called, in the language of the page around.

    Returns:
        An ``svg`` element; "" if there is nothing to draw.
    """
    x_label, y_label = escape(t("sizes.x")), escape(t("sizes.y"))
    histogram = SizeHistogram.of(pages)
    if not len(histogram.pages):
        return ""
    widest = _decades(int(histogram.pages[-1]))
    tallest = _decades(int(histogram.sites.max()))
    dots = "".join(
        f'<circle class="dot" cx="{_x(size, widest):.1f}" cy="{_y(n, tallest):.1f}" r="3">'
        f"<title>{n} × {size}</title></circle>"
        for size, n in zip(histogram.pages.tolist(), histogram.sites.tolist(), strict=True)
    )
    labels = (
        f'<text class="label" x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 6}"'
        f' text-anchor="middle">{x_label}</text>'
        f'<text class="label" transform="translate(12 {(_HEIGHT - _BOTTOM + _TOP) / 2:.0f})'
        f' rotate(-90)" text-anchor="middle">{y_label}</text>'
    )
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{y_label} / {x_label}">{_grid(widest, tallest)}'
        f"{_fit(histogram, widest, tallest, t)}{dots}{labels}</svg>"
    )


def _decades(most: int) -> int:
    """How many powers of ten an axis has."""
    return max(1, math.ceil(math.log10(most + 1)))


def _x(size: float, decades: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * math.log10(size) / decades


def _y(sites: float, decades: int) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * math.log10(sites) / decades


def _grid(widest: int, tallest: int) -> str:
    low, high = _HEIGHT - _BOTTOM, _TOP
    left, right = _LEFT, _WIDTH - _RIGHT
    parts = []
    for power in range(widest + 1):
        x = _x(10**power, widest)
        parts.append(f'<line class="axis" x1="{x:.1f}" y1="{low}" x2="{x:.1f}" y2="{high}"/>')
        parts.append(_tick(x, low + 16, "middle", power))
    for power in range(tallest + 1):
        y = _y(10**power, tallest)
        parts.append(f'<line class="axis" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(_tick(left - 6, y + 4, "end", power))
    return "".join(parts)


def _tick(x: float, y: float, anchor: str, power: int) -> str:
    number = f"{10**power:,}"
    return f'<text class="tick" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{number}</text>'


def _fit(histogram: SizeHistogram, widest: int, tallest: int, t: Words) -> str:
    """The line, as far as it lies in the plot; its slope stands in its title."""
    line = fit_line(histogram) if len(histogram.pages) >= _LEAST_SIZES else None
    if line is None:
        return ""
    sizes = (histogram.pages[0], histogram.pages[-1])
    ends = [(float(size), float(line.at(size))) for size in sizes]
    (x1, y1), (x2, y2) = ((_x(size, widest), _y(max(n, 1e-3), tallest)) for size, n in ends)
    low, high = float(_HEIGHT - _BOTTOM), float(_TOP)
    if y2 > low and y2 != y1:
        x2, y2 = x1 + (x2 - x1) * (low - y1) / (y2 - y1), low
    if y1 < high and y2 != y1:
        x1, y1 = x1 + (x2 - x1) * (high - y1) / (y2 - y1), high
    return (
        f'<line class="fit" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}">'
        f"<title>{escape(t('sizes.slope', slope=f'{line.slope:.2f}'))}</title></line>"
    )
