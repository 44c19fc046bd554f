"""From a cluster to its template (thesis, section 5.2 and algorithm 4).

What all pages have is found by folding the heaviest common subsequence over the distinct
sequences of the cluster, the nearest to the center first. What pages have between two common
elements is clustered like pages; each of those clusters is folded to an alternative. The fold
order, the traceback and flat alternatives are our choices where the thesis leaves them open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.template.clustering import ClusterOptions, align, cluster_counted, similarity
from quarkcrawl.template.model.model import (
    Alternative,
    Essential,
    Node,
    Optional,
    Template,
    nodes_of,
)
from quarkcrawl.template.structure import TagSequence, token_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.template.clustering import Kind

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class InduceOptions:
    """How a template is made.

    Args:
        cluster: how runs of optional elements are grouped; as pages are.
        essential_support: share of pages that must have an essential element; the thesis asks
            for all of them, so that one outlier removes an element for all.
    """

    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    essential_support: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    """A sequence and the number of pages that have it."""

    sequence: TagSequence
    count: int


def induce(
    sequences: Sequence[TagSequence],
    center: int = 0,
    options: InduceOptions | None = None,
    *,
    host: str = "",
    example: str = "",
    section: str = "",
    kind: Kind | None = None,
) -> Template:
    """Make the template of a cluster.

    Args:
        sequences: structure of each of the cluster's pages; at least one.
        center: number of the central page.
        options: how elements are grouped and supported; None for the defaults.
        host: host of the pages; "" for several.
        example: URL of the central page.
        section: section of the host, where these are told apart.
        kind: kind of the pages, where these are told apart.
    """
    how = options or InduceOptions()
    middle = sequences[center]
    members = _members((_Member(one, 1) for one in sequences), middle, how.cluster.weight)
    names = {code: name for member in members for code, name in member.sequence.names.items()}
    common = _common(members, how)
    aligned = [_aligned(common, member, how) for member in members]
    flags = _flags(common, members, aligned)
    gaps = [
        _alternatives(runs, len(sequences), how, names)
        for runs in _gaps(len(common), members, aligned)
    ]
    nodes = nodes_of(TagSequence(common, flags, names))
    central = nodes_of(TagSequence(middle.tokens, middle.repeated, names))
    origin = f"{host}\0{section}\0" + (f"{kind}\0" if kind is not None else "")
    digest = blake2b(origin.encode("utf-8", "replace") + middle.digest, digest_size=6).hexdigest()
    reach = similarity(middle, members[-1].sequence, how.cluster.weight)
    return Template(
        digest,
        host,
        len(sequences),
        central,
        _parts(nodes, gaps),
        example=example,
        reach=reach,
        section=section,
        kind=kind,
    )


def _members(given: Iterable[_Member], center: TagSequence, weight: str) -> list[_Member]:
    """One member for each distinct sequence, the nearest to the center first.

    What any of equal ones flags as repeated is repeated.
    """
    by_digest: dict[bytes, _Member] = {}
    for one in given:
        digest = one.sequence.digest
        earlier = by_digest.get(digest)
        if earlier is None:
            by_digest[digest] = one
            continue
        flags = earlier.sequence.repeated | one.sequence.repeated
        names = earlier.sequence.names | one.sequence.names
        both = TagSequence(one.sequence.tokens, flags, names)
        by_digest[digest] = _Member(both, earlier.count + one.count)
    return [
        member
        for _, _, member in sorted(
            (-similarity(center, member.sequence, weight), digest, member)
            for digest, member in by_digest.items()
        )
    ]


def _common(members: list[_Member], how: InduceOptions) -> IntArray:
    """What all members have in common, or the given share of their pages (algorithm 4)."""
    common = members[0].sequence.tokens
    weight = how.cluster.weight
    if how.essential_support >= 1:
        for member in members[1:]:
            places, _ = align(common, member.sequence.tokens, token_weights(common, weight))
            common = common[places]
        return common
    support = np.zeros(len(common), np.int64)
    for member in members:
        places, _ = align(common, member.sequence.tokens, token_weights(common, weight))
        support[places] += member.count
    n_pages = sum(member.count for member in members)
    return common[support >= how.essential_support * n_pages]


def _aligned(common: IntArray, member: _Member, how: InduceOptions) -> tuple[IntArray, IntArray]:
    return align(common, member.sequence.tokens, token_weights(common, how.cluster.weight))


def _flags(
    common: IntArray, members: list[_Member], aligned: list[tuple[IntArray, IntArray]]
) -> BoolArray:
    flags = np.zeros(len(common), np.bool_)
    for member, (places, theirs) in zip(members, aligned, strict=True):
        flags[places] |= member.sequence.repeated[theirs]
    return flags


def _gaps(
    n_common: int, members: list[_Member], aligned: list[tuple[IntArray, IntArray]]
) -> list[list[_Member]]:
    """For each gap the runs that members have there; gap 0 is before the first common element."""
    gaps: list[list[_Member]] = [[] for _ in range(n_common + 1)]
    for member, (places, theirs) in zip(members, aligned, strict=True):
        begins = [-1, *theirs.tolist()]
        ends = [*theirs.tolist(), len(member.sequence)]
        numbers = [0, *(place + 1 for place in places.tolist())]
        for gap, begin, end in zip(numbers, begins, ends, strict=True):
            if end > begin + 1:
                run = slice(begin + 1, end)
                tokens, flags = member.sequence.tokens[run], member.sequence.repeated[run]
                part = TagSequence(tokens, flags, member.sequence.names)
                gaps[gap].append(_Member(part, member.count))
    return gaps


def _alternatives(
    runs: list[_Member], n_pages: int, how: InduceOptions, names: dict[int, str]
) -> tuple[Alternative, ...]:
    """Cluster the runs of a gap and fold each cluster."""
    if not runs:
        return ()
    counts = np.array([run.count for run in runs], np.int64)
    clustering = cluster_counted([run.sequence for run in runs], counts, how.cluster)
    alternatives = []
    for number in range(len(clustering)):
        runs_of_cluster = [runs[place] for place in clustering.members(number).tolist()]
        center = runs[int(clustering.centers[number])].sequence
        members = _members(runs_of_cluster, center, how.cluster.weight)
        common = _common(members, how)
        if len(common):
            flags = _flags(common, members, [_aligned(common, one, how) for one in members])
            nodes = nodes_of(TagSequence(common, flags, names))
            alternatives.append(
                Alternative(nodes, sum(run.count for run in runs_of_cluster) / n_pages)
            )
    return tuple(sorted(alternatives, key=_likely_first))


def _likely_first(alternative: Alternative) -> tuple[float, int, tuple[str, ...]]:
    names = tuple(str(node) for node in alternative.nodes)
    return -alternative.probability, -len(alternative.nodes), names


def _parts(
    nodes: tuple[Node, ...], gaps: list[tuple[Alternative, ...]]
) -> tuple[Essential | Optional, ...]:
    """Essential nodes with nothing between them are one part."""
    parts: list[Essential | Optional] = []
    begin = 0
    for gap, alternatives in enumerate(gaps):
        if alternatives or gap == len(nodes):
            if gap > begin:
                parts.append(Essential(nodes[begin:gap]))
            if alternatives:
                parts.append(Optional(alternatives))
            begin = gap
    return tuple(parts)
