"""The dead weight of real pages: inline style sheets and scripts, the same on all of a site.

Real Chinese pages of the period have a mean of 23 KB, most of it not text; without this a
crawler would be measured on pages that nobody has.
"""

from __future__ import annotations

from functools import cache

from quarkcrawl.lab.mockweb.dice import Dice

_SELECTORS = ("ul", "li", "a", "a:hover", "h2", "h3", "p", "span", "img", "em", "dl", "dt", "td")
_RULES = (
    "margin:0 auto",
    "padding:%dpx",
    "color:#%03d",
    "font-size:%dpx",
    "line-height:%dpx",
    "border-bottom:1px dotted #ccc%.0d",
    "width:%dpx",
    "background:url(/images/bg_%d.gif) no-repeat",
)


@cache
def style(markup: str, variant: int) -> str:
    """Some 8 KB of style rules."""
    dice = Dice("style", markup, variant)
    lines = []
    for n in range(130):
        rules = [dice.pick(_RULES[1:]) % dice.between(1, 30) for _ in range(dice.between(1, 3))]
        lines.append(f".s{n % 17} {dice.pick(_SELECTORS)}{{{';'.join([*rules, _RULES[0]])}}}")
    return "\n".join(lines)


@cache
def script(markup: str, variant: int) -> str:
    """Some 3 KB of script, with comparison signs and strings of markup in it."""
    dice = Dice("script", markup, variant)
    lines = []
    for n in range(40):
        low, high = dice.below(9), dice.between(10, 99)
        lines.append(
            f"function f{n}(i){{if(i<{high}&&i>{low}){{"
            'document.write("<div id=ad"+i+"></div>");}}'
        )
    return "\n".join(lines)
