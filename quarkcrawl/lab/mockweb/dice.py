"""A seeded stream of choices that is the same in every process and Python version."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


T = TypeVar("T")


def number(*parts: object) -> int:
    """A 64-bit number that depends on all parts (never on Python's own salted hash)."""
    key = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(key, digest_size=8).digest())


class Dice:
    """Choices derived from a key.

    Only `random.Random.random` is used: its sequence for a seed is promised to stay, that of
    ``choice`` or ``sample`` is not.

    Args:
        parts: the key, for instance seed, host and path.
    """

    __slots__ = ("random",)

    def __init__(self, *parts: object) -> None:
        self.random = Random(number(*parts)).random  # noqa: S311 - reproducible on purpose

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1.

        Args:
            limit: first number that cannot come.
        """
        return int(self.random() * limit)

    def between(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included.

        Args:
            low: least number.
            high: greatest number.
        """
        return low + int(self.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with this probability.

        Args:
            probability: between 0 and 1.
        """
        return self.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One of the items.

        Args:
            items: at least one.
        """
        return items[int(self.random() * len(items))]
