"""A page laid on its template (thesis, section 5.3).

The page is aligned with the essential nodes; what it has between them is aligned with the
alternatives of the optional part there, the most frequent first. What is left is the dynamic part
of the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.template.clustering import align
from quarkcrawl.template.model.model import Optional, Position, tokens_of
from quarkcrawl.template.structure import token_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.template.model.model import Template
    from quarkcrawl.template.structure import TagSequence

    IntArray = NDArray[np.int32]


_LEAST_COVERAGE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Run:
    """Elements of a page that follow each other and are not in the template.

    Args:
        gap: number of essential nodes before them.
        places: their numbers in the page's sequence.
    """

    gap: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class Alignment:
    """Which element of a page is which node of the template.

    Args:
        template: what the page was laid on; positions are places in it.
        positions: for each element of the page its position, None for the dynamic part.
        gaps: for each element the number of essential nodes before it.
    """

    template: Template
    positions: tuple[Position | None, ...]
    gaps: tuple[int, ...]

    @cached_property
    def places(self) -> dict[Position, int]:
        """Element of the page at each position that it has."""
        return {
            position: place for place, position in enumerate(self.positions) if position is not None
        }

    @property
    def dynamic(self) -> Iterator[Run]:
        """The runs of elements that are not in the template, in order."""
        gaps = [
            gap if position is None else None
            for position, gap in zip(self.positions, self.gaps, strict=True)
        ]
        for gap, places in groupby(range(len(gaps)), gaps.__getitem__):
            if gap is not None:
                yield Run(gap, tuple(places))


def align_page(template: Template, sequence: TagSequence, weight: str = "inverse") -> Alignment:
    """Align a page with a template.

    Args:
        template: the page's own, or any other of the set.
        sequence: the page, made into a sequence with the options of the template set.
        weight: one of `quarkcrawl.template.structure.weights.WEIGHTS`.
    """
    essential = template.essential
    tokens = tokens_of(tuple(node for _, node in essential))
    theirs, ours = align(tokens, sequence.tokens, token_weights(tokens, weight))
    positions: list[Position | None] = [None] * len(sequence)
    for node, place in zip(theirs.tolist(), ours.tolist(), strict=True):
        positions[place] = essential[node][0]
    # Essential nodes that the page lacks belong to the gap of the one before them.
    gaps = _gaps(theirs, ours, len(sequence))
    for begin, end in _free_runs(positions):
        last = gaps[end] - 1 if end < len(gaps) else len(essential)
        _match_optional(template, sequence, weight, positions, (begin, end), (gaps[begin], last))
    return Alignment(template, tuple(positions), tuple(gaps))


def _gaps(theirs: IntArray, ours: IntArray, n: int) -> list[int]:
    """Essential nodes up to each element of the page, itself included."""
    before = np.zeros(n, np.int64)
    before[ours] = theirs + 1
    return [int(number) for number in np.maximum.accumulate(before)]


def _free_runs(positions: list[Position | None]) -> list[tuple[int, int]]:
    is_free = np.array([False, *(position is None for position in positions), False])
    changes = np.flatnonzero(is_free[1:] != is_free[:-1])
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))


def _match_optional(
    template: Template,
    sequence: TagSequence,
    weight: str,
    positions: list[Position | None],
    run: tuple[int, int],
    gaps: tuple[int, int],
) -> None:
    """Match a run with the first alternative of which it has at least half the weight."""
    begin, end = run
    run_tokens = sequence.tokens[begin:end]
    for gap in range(gaps[0], gaps[1] + 1):
        number = template.optional_at.get(gap)
        part = template.parts[number] if number is not None else None
        if number is None or not isinstance(part, Optional):
            continue
        for which, one in enumerate(part.alternatives):
            tokens = tokens_of(one.nodes)
            heavy = token_weights(tokens, weight)
            nodes, places = align(tokens, run_tokens, heavy)
            if heavy[nodes].sum() >= _LEAST_COVERAGE * heavy.sum():
                for node, place in zip(nodes.tolist(), places.tolist(), strict=True):
                    positions[begin + place] = Position(number, which, node)
                return
