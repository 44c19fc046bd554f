"""The compiled loops over sequences: what two have in common, pairs, clusters, the nearest one.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md. Many
sequences lie in one array one after the other, a place and an end say which one is meant. What runs
long gives the interpreter's lock up, which is said here: a .pxd has no word for it.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import cython
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]
else:  # Cython has read the import all the same
    cython = SimpleNamespace(nogil=nullcontext())


def one() -> int:
    """Similarities are whole numbers of this part inside, so that sums of them are exact."""
    return 1 << 24


def ratio(common: int, most: int) -> int:
    """Similarity from weights, in parts of `one`; two empty sequences are equal."""
    return common * one() // most if most > 0 else one()


def needed(floor: int, most: int) -> int:
    """Least common weight whose `ratio` is at least ``floor``."""
    return -(-floor * most // one())


def common_weight(
    a: IntArray,
    start_a: int,
    end_a: int,
    b: IntArray,
    start_b: int,
    end_b: int,
    weights: LongArray,
    least: int,
    row: LongArray,
) -> int:
    """See `quarkcrawl.template.clustering.lcs.common_weight`; ``weights`` are those of ``a``.

    ``row`` has a place more than the longest sequence.
    """
    ends = 0
    while start_a < end_a and start_b < end_b and a[start_a] == b[start_b]:
        ends += weights[start_a]
        start_a += 1
        start_b += 1
    while start_a < end_a and start_b < end_b and a[end_a - 1] == b[end_b - 1]:
        end_a -= 1
        end_b -= 1
        ends += weights[end_a]
    if start_a == end_a or start_b == end_b:
        return ends if ends >= least else -1
    return middle_weight(a, start_a, end_a, b, start_b, end_b, weights, ends, least, row)


def middle_weight(
    a: IntArray,
    start_a: int,
    end_a: int,
    b: IntArray,
    start_b: int,
    end_b: int,
    weights: LongArray,
    ends: int,
    least: int,
    row: LongArray,
) -> int:
    """The weight where the ends differ: first near the diagonal, then wherever it may be.

    A path that leaves a band around the diagonal passes over so many tokens of ``a`` that it can
    weigh no more than what is left of them; what is found inside is often at least that.
    """
    band = 5
    n_a = end_a - start_a
    n_b = end_b - start_b
    rest = 0
    lightest = weights[start_a]
    for i in range(start_a, end_a):
        rest += weights[i]
        lightest = min(lightest, weights[i])
    if min(n_a, n_b) > 3 * band:
        inside = ends + banded(a, start_a, n_a, b, start_b, n_b, weights, band, row)
        outside = ends + rest - (max(0, n_a - n_b) + band + 1) * lightest
        if inside >= outside:
            return inside if inside >= least else -1
        if outside < least:
            return -1
    for j in range(n_b + 1):
        row[j] = 0
    for i in range(start_a, end_a):
        if ends + row[n_b] + rest < least:
            return -1
        rest -= weights[i]
        token = a[i]
        weight = weights[i]
        diagonal = before = row[0]
        for j in range(n_b):
            above = row[j + 1]
            before = diagonal + weight if b[start_b + j] == token else max(above, before)
            row[j + 1] = before
            diagonal = above
    return ends + row[n_b] if ends + row[n_b] >= least else -1


def banded(
    a: IntArray,
    start_a: int,
    n_a: int,
    b: IntArray,
    start_b: int,
    n_b: int,
    weights: LongArray,
    band: int,
    row: LongArray,
) -> int:
    """Weight of the heaviest common subsequence near the diagonal."""
    low = min(0, n_b - n_a) - band
    high = max(0, n_b - n_a) + band
    for j in range(n_b + 1):
        row[j] = 0
    for i in range(n_a):
        token = a[start_a + i]
        weight = weights[start_a + i]
        first = max(0, i + low)
        last = min(n_b, i + high + 1)
        diagonal = before = row[first]
        for j in range(first, last):
            above = row[j + 1]
            before = diagonal + weight if b[start_b + j] == token else max(above, before)
            row[j + 1] = before
            diagonal = above
        if last < n_b:
            row[last + 1] = row[last]
    return int(row[n_b])


def align(
    a: IntArray,
    b: IntArray,
    weights: LongArray,
    row: LongArray,
    is_step: BoolArray,
    places: IntArray,
) -> int:
    """See `quarkcrawl.template.clustering.lcs.align`; returns where ``places`` begin.

    ``is_step`` has a place for each pair of elements that differ: whether nothing is lost without
    that of ``a``. ``row`` holds zeros.
    """
    i = len(a)
    j = len(b)
    n = min(i, j)
    while i > 0 and j > 0 and a[i - 1] == b[j - 1]:
        i -= 1
        j -= 1
        n -= 1
        places[0, n] = i
        places[1, n] = j
    width = j
    for x in range(i):
        token = a[x]
        weight = weights[x]
        diagonal = before = row[0]
        for y in range(width):
            above = row[y + 1]
            is_step[x * width + y] = above >= before
            before = diagonal + weight if b[y] == token else max(above, before)
            row[y + 1] = before
            diagonal = above
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            i -= 1
            j -= 1
            n -= 1
            places[0, n] = i
            places[1, n] = j
        elif is_step[(i - 1) * width + j - 1]:
            i -= 1
        else:
            j -= 1
    return n


def find_prefix_ends(
    begin: LongArray, weights: LongArray, total: LongArray, floor: int, ends: LongArray
) -> None:
    """Where what is left of each sequence is too light to be all that a similar one shares."""
    for item in range(len(total)):
        rest = total[item]
        place = begin[item]
        least = needed(floor, total[item])
        while place < begin[item + 1] and rest >= least:
            rest -= weights[place]
            place += 1
        ends[item] = place


def probe(
    item: int,
    last: int,
    floor: int,
    tokens: IntArray,
    token_begin: LongArray,
    token_weights: LongArray,
    total: LongArray,
    order: LongArray,
    ids: IntArray,
    weights: LongArray,
    begin: LongArray,
    prefix_end: LongArray,
    posting: IntArray,
    posting_begin: LongArray,
    row: LongArray,
    seen: IntArray,
    pairs: IntArray,
    counts: LongArray,
) -> int:
    """Similar pairs whose heavier member is in ``item … last``, as far as there is room for them.

    ``counts`` has how many pairs share a rare token, are within the bound, and were found.

    Returns:
        Where to go on; ``pairs`` must have room for as many pairs as there are sequences.
    """
    with cython.nogil:
        while item < last and counts[2] + item <= len(pairs):
            least = needed(floor, total[item])
            a = order[item]
            for place in range(begin[item], prefix_end[item]):
                for entry in range(posting_begin[ids[place]], posting_begin[ids[place] + 1]):
                    other = posting[entry]
                    if other >= item:
                        break
                    if seen[other] == item or total[other] < least:
                        continue
                    seen[other] = item
                    counts[0] += 1
                    if not bag_reaches(item, other, least, ids, weights, begin):
                        continue
                    counts[1] += 1
                    b = order[other]
                    common = common_weight(
                        tokens, token_begin[a], token_begin[a + 1],
                        tokens, token_begin[b], token_begin[b + 1], token_weights, least, row,
                    )  # fmt: skip
                    if common >= 0:
                        pairs[counts[2], 0] = a
                        pairs[counts[2], 1] = b
                        pairs[counts[2], 2] = ratio(common, total[item])
                        counts[2] += 1
            item += 1
    return item


def bag_reaches(
    item: int, other: int, least: int, ids: IntArray, weights: LongArray, begin: LongArray
) -> bool:
    """Whether two sequences, order aside, have enough in common."""
    common = 0
    i = begin[item]
    j = begin[other]
    while i < begin[item + 1] and j < begin[other + 1]:
        if ids[i] == ids[j]:
            common += weights[i]
            i += 1
            j += 1
        elif ids[i] < ids[j]:
            i += 1
        else:
            j += 1
    return common >= least


def agglomerate(
    similarity: IntArray,
    floor: int,
    tokens: IntArray,
    begin: LongArray,
    weights: LongArray,
    total: LongArray,
    count: LongArray,
    row: LongArray,
    following: IntArray,
    head: IntArray,
    spread: LongArray,
    best: IntArray,
    center: IntArray,
) -> None:
    """See `quarkcrawl.template.clustering.centers.agglomerate`.

    ``following`` has the members of each cluster as a list that begins at ``head``, the first
    member of the cluster with this center, or -1; ``spread`` is the sum of distances of each item
    to the pages of its cluster, ``best`` the center most like each, or -1.
    """
    with cython.nogil:
        for item in range(len(similarity)):
            find_partner(item, similarity, floor, head, best)
        a = closest(similarity, head, best)
        while a >= 0:
            i = head[a]
            while i >= 0:
                j = head[best[a]]
                while j >= 0:
                    if similarity[i, j] < 0:
                        common = common_weight(
                            tokens, begin[i], begin[i + 1],
                            tokens, begin[j], begin[j + 1], weights, 0, row,
                        )  # fmt: skip
                        similarity[i, j] = similarity[j, i] = ratio(common, max(total[i], total[j]))
                    distance = one() - similarity[i, j]
                    spread[i] += count[j] * distance
                    spread[j] += count[i] * distance
                    j = following[j]
                i = following[i]
            middle = join(a, best[a], head, following, spread, center)
            update_partners(middle, similarity, floor, head, best)
            a = closest(similarity, head, best)


def find_partner(c: int, similarity: IntArray, floor: int, head: IntArray, best: IntArray) -> None:
    """The center most like this one; of equal ones the first."""
    best[c] = -1
    most = floor - 1
    for other in range(len(similarity)):
        if head[other] >= 0 and other != c and similarity[c, other] > most:
            most = similarity[c, other]
            best[c] = other


def closest(similarity: IntArray, head: IntArray, best: IntArray) -> int:
    """The center whose partner is nearest; -1 if nothing can be joined any more."""
    center = most = -1
    for c in range(len(similarity)):
        if head[c] >= 0 and best[c] >= 0 and similarity[c, best[c]] > most:
            center = c
            most = similarity[c, best[c]]
    return center


def join(
    a: int, b: int, head: IntArray, following: IntArray, spread: LongArray, center: IntArray
) -> int:
    """Make one cluster of two and return its center."""
    last = begin = head[a]
    while following[last] >= 0:
        last = following[last]
    following[last] = head[b]
    head[a] = head[b] = -1
    middle = item = begin
    while item >= 0:
        if spread[item] < spread[middle] or (spread[item] == spread[middle] and item < middle):
            middle = item
        item = following[item]
    item = begin
    while item >= 0:
        center[item] = middle
        item = following[item]
    head[middle] = begin
    return int(middle)


def update_partners(
    middle: int, similarity: IntArray, floor: int, head: IntArray, best: IntArray
) -> None:
    """Put the partners right after a join; only those of the two clusters are searched anew."""
    find_partner(middle, similarity, floor, head, best)
    for c in range(len(similarity)):
        if head[c] < 0 or c == middle:
            continue
        old = best[c]
        if old >= 0 and head[old] < 0:
            find_partner(c, similarity, floor, head, best)
        elif similarity[c, middle] >= floor:
            more = one() if old < 0 else similarity[c, middle] - similarity[c, old]
            if more > 0 or (more == 0 and middle < old):
                best[c] = middle


def lead(
    order: LongArray,
    floor: int,
    tokens: IntArray,
    begin: LongArray,
    weights: LongArray,
    total: LongArray,
    row: LongArray,
    leaders: LongArray,
    leader_of: LongArray,
) -> None:
    """See `quarkcrawl.template.clustering.centers.lead`; ``leader_of`` has the items themselves."""
    with cython.nogil:
        n_leaders = 0
        for place in range(len(order)):
            item = order[place]
            leaders[n_leaders] = item
            for number in range(n_leaders):
                leader = leaders[number]
                least = max(needed(floor, max(total[item], total[leader])), 1)
                if min(total[item], total[leader]) < least:
                    continue
                common = common_weight(
                    tokens, begin[item], begin[item + 1],
                    tokens, begin[leader], begin[leader + 1], weights, least, row,
                )  # fmt: skip
                if common >= 0:
                    leader_of[item] = leader
                    break
            n_leaders += leader_of[item] == item


def nearest(
    page: IntArray,
    heavy: LongArray,
    candidates: LongArray,
    floors: LongArray,
    tokens: IntArray,
    begin: LongArray,
    weights: LongArray,
    total: LongArray,
    row: LongArray,
) -> int:
    """See `quarkcrawl.template.clustering.centers.nearest`; ``row`` gets the similarity.

    Returns the number of the nearest sequence, -1 if none is near enough.
    """
    own = 0
    for place in range(len(page)):
        own += heavy[place]
    best = most = -1
    for place in range(len(candidates)):
        number = candidates[place]
        heavier = max(own, total[number])
        least = needed(max(most + 1, floors[number]), heavier)
        if min(own, total[number]) < least:
            continue
        common = common_weight(
            tokens, begin[number], begin[number + 1], page, 0, len(page), weights, least, row
        )
        value = ratio(common, heavier)
        if common >= 0 and value > most and value >= floors[number]:
            best = number
            most = value
    row[0] = most
    return int(best)
