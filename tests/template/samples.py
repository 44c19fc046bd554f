"""Generated structures."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from quarkcrawl.template.structure.repeats import Repeats, repeats_of
from quarkcrawl.template.structure.sequence import TagSequence
from quarkcrawl.template.structure.skeleton import CODE_BITS, Skeleton


def skeleton_of(codes: list[int], depths: list[int]) -> Skeleton:
    """A skeleton from element numbers and depths in preorder, the first depth 0."""
    last: dict[int, int] = {}
    parent: list[int] = []
    for number, depth in enumerate(depths):
        last[depth] = number
        parent.append(last[depth - 1] if depth else -1)
    place = np.arange(len(codes), dtype=np.int32)
    above = np.array(parent, np.int32)
    code, level = np.array(codes, np.int32), np.array(depths, np.int32)
    end = [next((k for k in place[n + 1 :] if depths[k] <= depths[n]), len(codes)) for n in place]
    return Skeleton(place, code, level, above, np.array(end, np.int32), place, {})


def sequence_of(skeleton: Skeleton, repeats: Repeats = "all") -> TagSequence:
    """The sequence of a simplified page."""
    merged = repeats_of(skeleton, repeats)
    return TagSequence(skeleton.tokens[merged.elements], merged.repeated, skeleton.names)


tree = st.recursive(
    st.tuples(st.integers(1, 3), st.just(())),
    lambda inner: st.tuples(st.integers(1, 3), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=14,
)

"""(code, children) …"""


def flat(node, depth=0):
    codes, depths = [node[0]], [depth]
    for child in node[1]:
        below = flat(child, depth + 1)
        codes += below[0]
        depths += below[1]
    return codes, depths


def skeleton(node) -> Skeleton:
    return skeleton_of(*flat(node))


def sequence(codes, depths=None) -> TagSequence:
    levels = np.array(depths if depths is not None else [1] * len(codes), np.int32)
    tokens = (levels << CODE_BITS) | np.array(codes, np.int32)
    return TagSequence(tokens.astype(np.int32), np.zeros(len(tokens), np.bool_))


def letters(text: str) -> TagSequence:
    return sequence([ord(letter) for letter in text])


token = st.tuples(st.integers(0, 4), st.integers(0, 3))
sequences = st.lists(token, max_size=14).map(
    lambda pairs: sequence([code for code, _ in pairs], [depth for _, depth in pairs])
)

relaxed = settings(deadline=None)
"""The first call of a kernel compiles it."""
