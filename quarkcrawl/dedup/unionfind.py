"""Which numbers are connected: union-find over an array of parents, compiled.

A parent is never larger than its child, so the root of a set is its smallest number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def _root(parents: NDArray[Any], number: int) -> int:
    while parents[number] != number:
        parents[number] = parents[parents[number]]
        number = parents[number]
    return number


@compiled
def unite(parents: NDArray[Any], one: int, other: int) -> None:
    """Connect two numbers."""
    first, second = _root(parents, one), _root(parents, other)
    if first != second:
        parents[max(first, second)] = min(first, second)


@compiled
def flatten(parents: NDArray[Any]) -> None:
    """Make the root of each number its parent."""
    for number in range(len(parents)):
        parents[number] = parents[parents[number]]
