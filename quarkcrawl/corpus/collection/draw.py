"""Which site sizes are drawn (CWT200g thesis, 3.5).

The sizes that occur are listed in order and cut into groups of twenty; ten of each group are
drawn, of a last group of n ⌈n/2⌉; all hosts of a drawn size are taken with all their pages. So
large sites are as likely to be taken as small ones, and about half of all pages come along.

Chance is a hash of seed and size: the same on every machine, in every version of Python, and
independent of the order in which sizes arrive.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


GROUP: Final = 20
"""Sizes in a group."""

DRAW: Final = 10
"""Sizes drawn from a group."""


@dataclass(frozen=True, slots=True)
class DrawnSize:
    """A site size that occurs.

    Args:
        pages: the size: pages of a host.
        group: number of its group, from 0.
        is_drawn: whether the hosts of this size are taken.
    """

    pages: int
    group: int
    is_drawn: bool


def draw_sizes(
    sizes: Collection[int], seed: int, *, group: int = GROUP, draw: int = DRAW
) -> list[DrawnSize]:
    """Draw as the thesis does.

    Args:
        sizes: the sizes that occur; repetitions do not matter.
        seed: another one draws others.
        group: sizes in a group.
        draw: sizes drawn from a whole group; of a smaller one as large a part, rounded up.

    Returns:
        All sizes, ascending.

    Raises:
        ConfigError: group and draw do not go together.

    >>> drawn = draw_sizes(range(1, 46), seed=1)
    >>> [sum(x.is_drawn for x in drawn if x.group == g) for g in range(3)]
    [10, 10, 3]
    """
    if not 0 < draw <= group:
        raise ConfigError(f"of {group} sizes {draw} cannot be drawn", where="sample")
    taken: set[int] = set()
    groups = _groups(sizes, group)
    for members in groups:
        taken.update(_shuffled(members, seed)[: -(-len(members) * draw // group)])
    return _marked(groups, taken)


def draw_towards(
    weights: Mapping[int, int], target: int, seed: int, *, group: int = GROUP
) -> list[DrawnSize]:
    """Draw until a number of pages or bytes is reached, evenly over the groups.

    Groups give one size each in turn, in the order of chance, until taking the next one would lead
    further away from what is wanted. That may be the first one already: then none is taken.

    Args:
        weights: pages or bytes of all hosts of each size.
        target: how many of them.
        seed: another one draws others.
        group: sizes in a group.

    Returns:
        All sizes, ascending.

    Raises:
        ConfigError: less than one is wanted, or groups have no sizes.
    """
    if target < 1:
        raise ConfigError("at least one page or byte has to be wanted", where="sample")
    if group < 1:
        raise ConfigError(f"no group has {group} sizes", where="sample")
    groups = _groups(weights, group)
    shuffled = [_shuffled(members, seed) for members in groups]
    taken: set[int] = set()
    total = 0
    for turn in zip_longest(*shuffled):
        for size in _shuffled([size for size in turn if size is not None], seed):
            after = total + weights[size]
            if abs(after - target) > abs(target - total):
                return _marked(groups, taken)
            taken.add(size)
            total = after
    return _marked(groups, taken)


def _groups(sizes: Collection[int], group: int) -> list[list[int]]:
    ordered = sorted(set(sizes))
    return [ordered[start : start + group] for start in range(0, len(ordered), group)]


def _shuffled(sizes: Sequence[int], seed: int) -> list[int]:
    """The sizes in an order that looks random and is not."""
    return sorted(sizes, key=lambda size: hashlib.sha256(f"{seed}:{size}".encode()).digest())


def _marked(groups: Sequence[Sequence[int]], taken: Collection[int]) -> list[DrawnSize]:
    return [
        DrawnSize(size, number, size in taken)
        for number, members in enumerate(groups)
        for size in members
    ]
