"""How far work is that takes a while: what functions tell whoever started them.

A step has a name, a number of things that are done, and how many there are, if that is known. Tell
it a batch, a file or a bucket at a time: what listens is fast, but not so fast as a loop over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["CountedStep", "Progress", "no_progress", "reported"]

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Takes the name of a step, how much of it is done, and how much there is (None: unknown)."""

_T = TypeVar("_T")


def no_progress(_step: str, _done: int, _total: int | None) -> None:
    """Tell nobody: the default of every function that takes a `Progress`."""


class CountedStep:
    """A step of which is told piece by piece; first when it is made.

    Args:
        name: what it is called.
        on_progress: is told.
        total: how much there is; None: unknown.
    """

    def __init__(self, name: str, on_progress: Progress, total: int | None = None) -> None:
        self._name, self._on_progress, self._total = name, on_progress, total
        self._done = 0
        self.add(0)

    def add(self, n: int = 1) -> None:
        """Tell of so much more.

        Args:
            n: how much was done.
        """
        self._done += n
        self._on_progress(self._name, self._done, self._total)


def _one(_item: object) -> int:
    return 1


def reported(
    items: Iterable[_T],
    step: str,
    on_progress: Progress,
    *,
    total: int | None = None,
    size: Callable[[_T], int] = _one,
) -> Iterator[_T]:
    """The items one by one; how far they are is told before the first and after each.

    Args:
        items: what is gone through.
        step: name of the step.
        on_progress: is told.
        total: the sum of their sizes; None: unknown.
        size: how much an item counts.

    >>> list(reported("ab", "letters", lambda *told: print(*told), total=2))
    letters 0 2
    letters 1 2
    letters 2 2
    ['a', 'b']
    """
    under_way = CountedStep(step, on_progress, total)
    for item in items:
        yield item
        under_way.add(size(item))
