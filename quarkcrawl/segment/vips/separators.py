"""Separators between visual blocks, and their weights (VIPS, section 4.2).

A separator is a strip right across the blocks that crosses none of them. The report finds them by
starting with one strip over all blocks that each block splits, shrinks or removes; what is left are
the gaps between the blocks' projections on one axis, so here the projections are sorted and the
gaps read off. Blocks that touch leave a separator without width.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.segment.vips.view import Box, Look


Axis = Literal["horizontal", "vertical"]
"""Direction of the strip: a horizontal one has blocks above and below."""

_TOUCH_PX: Final = 2.0
"""Blocks that overlap by no more than this touch; browsers round."""

_PX_PER_WEIGHT: Final = 10.0
_MAX_DISTANCE: Final = 6.0
_RULE: Final = 4.0
_GROUND: Final = (1.5, 5.0)
_CONTRAST: Final = 8.0
_PX_PER_FONT: Final = 8.0
_MAX_FONT: Final = 1.0
_BOLD: Final = 0.5
_RISING: Final = 1.0
_ALIKE: Final = 1.5


class PlacedBlock(NamedTuple):
    """A block as far as separators look at it.

    Args:
        box: where it is.
        look: how its text is drawn.
        is_text: whether there is nothing but text in it.
        around: ground that it stands out from by one of its own; its own if it does not.
    """

    box: Box
    look: Look
    is_text: bool
    around: int


class Separator(NamedTuple):
    """A strip between blocks.

    Args:
        axis: its direction.
        start: its upper or left edge.
        end: its lower or right edge.
        weight: how strongly it separates, 0 to 10.
    """

    axis: Axis
    start: float
    end: float
    weight: float


def find_separators(
    blocks: Sequence[PlacedBlock], axis: Axis, rules: Sequence[Box] = ()
) -> list[Separator]:
    """The separators of one direction, from above or the left; ``rules`` are drawn lines."""
    low, high = (1, 3) if axis == "horizontal" else (0, 2)
    order = sorted(blocks, key=lambda block: block.box[low])
    lying = _rules_beside(rules, blocks) if axis == "horizontal" else []
    separators: list[Separator] = []
    before: list[PlacedBlock] = []
    reached = float("-inf")
    for number, block in enumerate(order):
        start = block.box[low]
        if before and start >= reached - _TOUCH_PX and block.box[high] > reached:
            near = [b for b in before if b.box[high] >= reached - _TOUCH_PX]
            last = bisect_right(order, start + _TOUCH_PX, number, key=lambda b: b.box[low])
            edge = min(reached, start)
            weight = _greatest_weight(near, order[number:last], axis, start - edge)
            weight += _RULE * _holds_rule(lying, edge, start)
            separators.append(Separator(axis, edge, start, min(weight, 10.0)))
            before = []
        before.append(block)
        reached = max(reached, block.box[high])
    return separators


def _greatest_weight(
    near: Sequence[PlacedBlock], beyond: Sequence[PlacedBlock], axis: Axis, distance_px: float
) -> float:
    """The weight between the two sides; blocks that look alike are compared once."""
    ones, others = ({block[1:]: block for block in side}.values() for side in (near, beyond))
    return max(weight_between(one, other, axis, distance_px) for one in ones for other in others)


def _rules_beside(rules: Sequence[Box], blocks: Sequence[PlacedBlock]) -> list[Box]:
    """The horizontal rules that stand above or below some of the blocks, from above."""
    left = min((block.box.left for block in blocks), default=0.0)
    right = max((block.box.right for block in blocks), default=0.0)
    beside = (rule for rule in rules if rule.left < right and rule.right > left)
    return sorted(beside, key=lambda rule: rule.top)


def _holds_rule(rules: Sequence[Box], start: float, end: float) -> bool:
    """Whether one of the rules, which come from above, lies in a strip."""
    place = bisect_left(rules, start - _TOUCH_PX, key=lambda rule: rule.top)
    while place < len(rules) and rules[place].top <= end + _TOUCH_PX:
        if rules[place].bottom <= end + _TOUCH_PX:
            return True
        place += 1
    return False


def weight_between(one: PlacedBlock, other: PlacedBlock, axis: Axis, distance_px: float) -> float:
    """Weight of a separator between two blocks, without what lies in it.

    The report says which cues raise and which lower it, but not by how much: the numbers are ours,
    on the scale of the DoC, so that a weight of w makes a block of coherence 10 − w.

    Args:
        one: the block above or to the left.
        other: the block below or to the right.
        axis: direction of the separator.
        distance_px: its width.
    """
    weight = min(max(distance_px, 0.0) / _PX_PER_WEIGHT, _MAX_DISTANCE)
    contrast = _contrast(one, other, distance_px)
    differs = contrast > 0
    if differs:
        weight += min(_GROUND[0] + _CONTRAST * contrast, _GROUND[1])
    if axis == "vertical" or not (one.look.font_px and other.look.font_px):
        return weight
    rise = other.look.font_px - one.look.font_px
    is_bolder = one.look.font_weight != other.look.font_weight
    weight += min(abs(rise) / _PX_PER_FONT, _MAX_FONT) + _BOLD * is_bolder
    if rise > 0:
        weight += _RISING
    if one.is_text and other.is_text and not (differs or rise or is_bolder):
        weight = max(weight - _ALIKE, 0.0)
    return weight


def _contrast(one: PlacedBlock, other: PlacedBlock, distance_px: float) -> float:
    """How much the grounds differ on both sides, or from that of the strip itself, 0 to 1."""
    pairs = [(one.look.ground, other.look.ground)]
    if distance_px > _TOUCH_PX:
        pairs += [(one.look.ground, one.around), (other.look.ground, other.around)]
    return max(_color_distance(a, b) for a, b in pairs)


def _color_distance(one: int, other: int) -> float:
    """Greatest difference of a channel."""
    return max(abs((one >> shift & 0xFF) - (other >> shift & 0xFF)) for shift in (24, 16, 8)) / 255
