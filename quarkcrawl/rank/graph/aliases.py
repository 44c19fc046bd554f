"""For which URL each URL counts: redirects, exact duplicates, canonical URLs, chains of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.rank.graph.urlnumbers import hosts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.graph.rawtables import RawTables

    IntArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Aliases:
    """For which URL each URL counts.

    Args:
        counts_for: number of the URL that each URL counts for, itself for most.
        reasons: how many URLs count for another, by ``redirect``, ``duplicate``, ``canonical``.
    """

    counts_for: IntArray
    reasons: dict[str, int]


def ends_of_chains(following: IntArray) -> IntArray:
    """Where the chains of a mapping end.

    Args:
        following: what comes after each number; itself at the end of a chain.

    Returns:
        For each number the end of its chain. What lies on a circle is an end itself.

    >>> ends_of_chains(np.array([1, 2, 2, 4, 3, 4])).tolist()
    [2, 2, 2, 3, 4, 4]
    """
    first = following.copy()
    ends = _jumped(first)
    circling = np.unique(ends[first[ends] != ends])
    if len(circling):
        first[circling] = circling
        ends = _jumped(first)
    return ends


def _jumped(first: IntArray) -> IntArray:
    """Each number after at least as many steps as there are numbers."""
    ends = first
    for _ in range(len(first).bit_length() + 1):
        further = ends[ends]
        if np.array_equal(further, ends):
            break
        ends = further
    return ends


def resolve(tables: RawTables, is_page: NDArray[np.bool_], *, canonical: bool) -> Aliases:
    """Follow redirects and duplicates, then canonical URLs.

    A stored page is never taken for another because of a redirect or duplicate row with its URL.
    A canonical URL is believed where it leads, by whatever redirects, to another stored page. One
    that is not stored counts for the page that declares it, if no other page does and both are on
    one host: many pages on https name their address on http.

    Args:
        tables: what the corpus says.
        is_page: for each URL, whether it is a stored page.
        canonical: whether to believe canonical URLs.
    """
    following = np.arange(len(tables.urls), dtype=np.int32)
    copies, owners = tables.duplicate
    source, target = tables.redirect
    for left, right in ((source, target), (copies, owners)):
        is_alias = ~is_page[left]
        following[left[is_alias]] = right[is_alias]
    moved = following != np.arange(len(following))
    is_copy = np.zeros(len(following), bool)
    is_copy[copies] = moved[copies]
    ends = ends_of_chains(following)
    reasons = {"redirect": int((moved & ~is_copy).sum()), "duplicate": int(is_copy.sum())}
    declared = (
        _declared(tables, ends, is_page) if canonical else np.arange(len(ends), dtype=np.int32)
    )
    reasons["canonical"] = int((declared != np.arange(len(declared))).sum())
    return Aliases(ends_of_chains(declared)[ends], reasons)


def _declared(tables: RawTables, ends: IntArray, is_page: NDArray[np.bool_]) -> IntArray:
    following = np.arange(len(ends), dtype=np.int32)
    with_one = tables.canonical >= 0
    page, target = tables.page[with_one], ends[tables.canonical[with_one]]
    believed = is_page[target]
    following[page[believed]] = target[believed]
    owner, name = _own_names(tables, page[~believed], target[~believed])
    following[name] = owner
    return following


def _own_names(tables: RawTables, page: IntArray, name: IntArray) -> tuple[IntArray, IntArray]:
    """URLs that are not stored and that one page, on the same host, calls its own."""
    pairs = np.unique(np.stack([name, page]), axis=1)
    name, page = pairs[0], pairs[1]
    _, first, n_owners = np.unique(name, return_index=True, return_counts=True)
    name, page = name[first[n_owners == 1]], page[first[n_owners == 1]]
    ours, theirs = (hosts_of(tables.urls.take(pa.array(x))) for x in (page, name))
    same = pc.equal(ours, theirs).to_numpy(zero_copy_only=False).astype(bool)
    return page[same], name[same]
