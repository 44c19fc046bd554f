"""The compiled loops over the lines of a page: trees climbed, columns filled.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md. Nodes
stand in preorder: forwards, parents come before their children, backwards behind them. Each
``fill_…`` fills the columns of its names in `quarkcrawl.content.lines.columns`, in that order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    TagArray = NDArray[np.int16]
    CategoryArray = NDArray[np.int8]
    PlaceArray = NDArray[np.intp]


# Nodes


def sum_subtrees(parent: IntArray, node: IntArray, values: FloatArray, total: FloatArray) -> None:
    """See `quarkcrawl.content.lines.tree.subtree_sums`."""
    n_kinds = values.shape[1]
    for line in range(len(node)):
        for kind in range(n_kinds):
            total[node[line], kind] += values[line, kind]
    for v in range(len(parent) - 1, 0, -1):
        for kind in range(n_kinds):
            total[parent[v], kind] += total[v, kind]


def count_kinds(
    parent: IntArray, tag: TagArray, is_link: ByteArray, image: int, field: int, n_of: FloatArray
) -> None:
    """Links, images and fields of forms in the subtree of each node."""
    for v in range(len(parent)):
        n_of[v, 0] = is_link[v]
        n_of[v, 1] = tag[v] == image
        n_of[v, 2] = tag[v] == field
    for v in range(len(parent) - 1, 0, -1):
        for kind in range(3):
            n_of[parent[v], kind] += n_of[v, kind]


def inherit_bits(parent: IntArray, bits: LongArray) -> None:
    """Give each node the bits of its ancestors."""
    for v in range(1, len(parent)):
        bits[v] |= bits[parent[v]]


def climb(
    parent: IntArray,
    node: IntArray,
    chars: FloatArray,
    outermost: IntArray,
    above: IntArray,
    ancestors: IntArray,
) -> None:
    """See `quarkcrawl.content.lines.tree.distinct_ancestors`."""
    # What stands around the outermost wrapper is known before the wrapper is met.
    for v in range(1, len(parent)):
        if chars[parent[v]] == chars[v]:
            outermost[v] = outermost[parent[v]]
            above[v] = above[parent[v]]
        else:
            outermost[v] = v
            above[v] = parent[v]
    for line in range(len(node)):
        here = node[line]
        for level in range(ancestors.shape[1]):
            ancestors[line, level] = outermost[here]
            here = above[here]


def find_main(end: IntArray, good: FloatArray) -> int:
    """See `quarkcrawl.content.lines.tree.main_end`."""
    last = 0
    best = 0
    while best >= 0:
        last = best
        best = -1
        child = last + 1
        while child < end[last]:
            if good[child] > 0 and (best < 0 or good[child] > good[best]):
                best = child
            child = end[child]
    return last


def find_commons(
    parent: IntArray, path_ends: IntArray, on_paths: BoolArray, commons: IntArray
) -> None:
    """See `quarkcrawl.content.lines.tree.common_ancestors`."""
    for path in range(len(path_ends)):
        v = path_ends[path]
        while v >= 0:
            on_paths[path, v] = True
            v = parent[v]
        for v in range(1, len(parent)):
            commons[path, v] = v if on_paths[path, v] else commons[path, parent[v]]


def sign(
    parent: IntArray, tag: TagArray, class_id: LongArray, whole: LongArray, near: LongArray
) -> None:
    """See `quarkcrawl.content.lines.tree.signatures`."""
    mask, factor = 0x7FFFFFFFFFFFFFFF, 0x1E3779B97F4A7C15  # no pattern: small sums do not meet
    for v in range(len(parent)):
        name = int(tag[v])
        number = int(class_id[v])
        own = (name << 32) + number
        whole[v] = near[v] = own
        above = parent[v]
        if above >= 0:
            path = int(whole[above])
            whole[v] = (path * factor + own) & mask
            name = int(tag[above])
            number = int(class_id[above])
            near[v] = (own * factor + (name << 32) + number) & mask


def sort_places(places: PlaceArray, n: int, keys: LongArray, spare: PlaceArray) -> None:
    """Sort the first places by their keys, equal ones as they came."""
    width = 1
    while width < n:
        start = 0
        while start < n:
            middle = min(start + width, n)
            stop = min(middle + width, n)
            left = start
            right = middle
            for at in range(start, stop):
                if right >= stop or (left < middle and keys[places[left]] <= keys[places[right]]):
                    spare[at] = places[left]
                    left += 1
                else:
                    spare[at] = places[right]
                    right += 1
            start = stop
        for at in range(n):
            places[at] = spare[at]
        width *= 2


def group_siblings(
    end: IntArray,
    tag: TagArray,
    class_id: LongArray,
    chars: FloatArray,
    children: PlaceArray,
    spare: PlaceArray,
    keys: LongArray,
    count: IntArray,
    index: IntArray,
    total: FloatArray,
    largest: FloatArray,
) -> None:
    """See `quarkcrawl.content.lines.tree.repeats`."""
    for v in range(len(end)):
        count[v] = 1
        index[v] = 0
        total[v] = largest[v] = chars[v]
        name = int(tag[v])
        keys[v] = name * 1000003 + class_id[v]
    for v in range(len(end)):
        n = start = 0
        in_order = True
        child = v + 1
        while child < end[v]:
            if chars[child] > 0:
                in_order = in_order and (n == 0 or keys[children[n - 1]] <= keys[child])
                children[n] = child
                n += 1
            child = end[child]
        if n < 2:
            continue
        if not in_order:
            sort_places(children, n, keys, spare)
        while start < n:
            stop = start
            sum_chars = most = 0.0
            while stop < n and keys[children[stop]] == keys[children[start]]:
                sum_chars += chars[children[stop]]
                most = max(most, chars[children[stop]])
                stop += 1
            for place in range(start, stop):
                child = children[place]
                count[child] = stop - start
                index[child] = place - start
                total[child] = sum_chars
                largest[child] = most
            start = stop


def weigh_repeats(
    count: IntArray, total: FloatArray, least_count: int, least_chars: int, weight: FloatArray
) -> int:
    """Weigh each repeated structure by its characters; returns the heaviest one."""
    top = 0
    for v in range(len(count)):
        is_repeated = count[v] >= least_count and total[v] >= least_chars * count[v]
        weight[v] = total[v] if is_repeated else 0.0
        if weight[v] > weight[top]:
            top = v
    return top


def find_heaviest(parent: IntArray, weight: FloatArray, best: IntArray) -> None:
    """See `quarkcrawl.content.lines.tree.best_repeats`."""
    for v in range(1, len(parent)):
        above = best[parent[v]]
        best[v] = v if weight[v] > weight[above] else above


# Columns


def column_sum(values: FloatArray, column: int) -> float:
    """Sum of a column from its first to its last row."""
    total = 0.0
    for row in range(len(values)):
        total += values[row, column]
    return total


def fill_text(
    out: Matrix,
    basics: FloatArray,
    counts: IntArray,
    first: IntArray,
    last: IntArray,
    n_runs: IntArray,
    title_chars: int,
    scores: FloatArray,
) -> None:
    """What a line itself tells."""
    for line in range(len(out)):
        chars = basics[line, 0]
        out[line, 0] = chars
        out[line, 1] = basics[line, 6]
        out[line, 2] = math.log1p(basics[line, 6])
        out[line, 3] = basics[line, 1] / chars
        out[line, 4] = n_runs[line]
        out[line, 5] = counts[line, 12] / chars
        out[line, 6] = chars / title_chars
        out[line, 7] = counts[line, 2]
        out[line, 8] = counts[line, 1]
        out[line, 9] = counts[line, 7]
        out[line, 10] = counts[line, 9]
        out[line, 11] = counts[line, 4]
        out[line, 12] = counts[line, 8]
        out[line, 13] = counts[line, 10]
        out[line, 14] = counts[line, 2] / chars
        out[line, 15] = counts[line, 1] / chars
        out[line, 16] = counts[line, 9] / chars
        out[line, 17] = counts[line, 4] / chars
        out[line, 18] = counts[line, 8] / chars
        out[line, 19] = counts[line, 3] / chars
        out[line, 20] = counts[line, 5] / chars
        out[line, 21] = counts[line, 6] / chars
        out[line, 22] = counts[line, 0] / chars
        out[line, 23] = first[line] >> 4 & 1
        out[line, 24] = first[line] >> 1 & 1
        out[line, 25] = first[line] >> 3 & 1
        out[line, 26] = first[line] >> 6 & 1
        out[line, 27] = first[line] >> 8 & 1
        out[line, 28] = last[line] >> 4 & 1
        out[line, 29] = last[line] >> 1 & 1
        out[line, 30] = last[line] >> 7 & 1
        out[line, 31] = last[line] >> 8 & 1
        out[line, 32] = scores[line]


def find_title(text: Matrix, share: int, ratio: int, least_share: float, most_chars: float) -> int:
    """See `quarkcrawl.content.lines.text.title_place`; two columns and two bounds."""
    title_chars = text[0, 0] / text[0, ratio]
    least_chars = min(most_chars, title_chars)
    best = -1
    most = 0.0
    for line in range(len(text)):
        if text[line, share] > least_share and text[line, 0] >= least_chars:
            match = min(text[line, ratio], 1.0)
            if match > most:
                most = match
                best = line
    return best


def fill_places(
    out: Matrix, basics: FloatArray, h1_line: int, title_line: int, text: Matrix
) -> None:
    """Where a line stands on the page."""
    n = len(out)
    total = max(column_sum(basics, 6), 1.0)
    total_good = max(column_sum(basics, 4), 1.0)
    longest = 0
    for line in range(n):
        if basics[line, 6] > basics[longest, 6]:
            longest = line
    most = max(basics[longest, 6], 1.0)
    weight = good = 0.0
    for line in range(n):
        out[line, 7] = 1 - good / total_good
        weight += basics[line, 6]
        good += basics[line, 4]
        out[line, 0] = basics[line, 6] / most
        out[line, 1] = basics[line, 6] / total
        out[line, 2] = line / n
        out[line, 3] = line
        out[line, 4] = n - line
        out[line, 5] = weight / total
        out[line, 6] = good / total_good
        out[line, 8] = line - h1_line if h1_line >= 0 else -999
        out[line, 9] = line - title_line if title_line >= 0 else -999
        out[line, 10] = line - longest
        out[line, 11] = text[line, 5] > 0.9 and text[line, 6] >= 0.4


def fill_levels(
    out: Matrix,
    levels: IntArray,
    n_levels: int,
    sums: FloatArray,
    first_run: IntArray,
    run_start: IntArray,
    chars_before: FloatArray,
    basics: FloatArray,
    category: CategoryArray,
    n_of: FloatArray,
    count: IntArray,
    index: IntArray,
    total: FloatArray,
    largest: FloatArray,
) -> None:
    """The subtrees around a line, from the smallest outwards; see `distinct_ancestors`."""
    before = 0.0
    done = 0
    for v in range(len(run_start)):
        while done < len(first_run) and first_run[done] < run_start[v]:
            before += basics[done, 0]
            done += 1
        chars_before[v] = before
    all_chars = max(sums[0, 0], 1.0)
    all_good = max(sums[0, 4], 1.0)
    before = 0.0
    for line in range(len(out)):
        for level in range(n_levels):
            v = levels[line, level]
            at = 17 * level
            chars = max(sums[v, 0], 1.0)
            out[line, at] = chars
            out[line, at + 1] = sums[v, 1] / chars
            out[line, at + 2] = sums[v, 2] / chars
            out[line, at + 3] = sums[v, 3]
            out[line, at + 4] = sums[v, 4] / all_good
            out[line, at + 5] = sums[v, 4] / max(sums[v, 6], 1.0)
            out[line, at + 6] = chars / all_chars
            out[line, at + 7] = category[v]
            out[line, at + 8] = n_of[v, 0]
            out[line, at + 9] = n_of[v, 1]
            out[line, at + 10] = n_of[v, 2]
            out[line, at + 11] = count[v]
            out[line, at + 12] = total[v] / count[v]
            out[line, at + 13] = total[v] / all_chars
            out[line, at + 14] = index[v]
            out[line, at + 15] = chars / max(largest[v], 1.0)
            out[line, at + 16] = (before - chars_before[v]) / chars
        before += basics[line, 0]


def fill_tree(
    out: Matrix,
    node: IntArray,
    parent: IntArray,
    depth: IntArray,
    category: CategoryArray,
    hidden: LongArray,
    scores: FloatArray,
    levels: IntArray,
    on_main: BoolArray,
    main_end: int,
    commons: IntArray,
    end_depths: IntArray,
    sums: FloatArray,
) -> None:
    """Where a line hangs in the tree, seen from the main text, the title and the first h1, too."""
    all_chars = max(sums[0, 0], 1.0)
    all_good = max(sums[0, 4], 1.0)
    for line in range(len(out)):
        v = node[line]
        common = commons[0, v]
        out[line, 0] = category[v]
        out[line, 1] = category[max(parent[v], 0)]
        out[line, 2] = depth[v]
        out[line, 3] = hidden[v]
        out[line, 4] = scores[v]
        out[line, 5] = on_main[levels[line, 1]]
        out[line, 6] = v > main_end
        out[line, 7] = end_depths[0] - depth[common]
        out[line, 8] = category[common]
        out[line, 9] = sums[common, 4] / max(sums[common, 6], 1.0)
        for path in range(len(end_depths)):
            at = 10 + 5 * path
            if end_depths[path] < 0:
                for column in range(at, at + 5):
                    out[line, column] = -1
                continue
            common = commons[path, v]
            out[line, at] = sums[common, 4] / all_good
            out[line, at + 1] = sums[common, 0] / all_chars
            out[line, at + 2] = depth[v] - depth[common]
            out[line, at + 3] = sums[common, 1] / max(sums[common, 0], 1.0)
            out[line, at + 4] = end_depths[path] - depth[common]


def fill_repeats(
    out: Matrix,
    node: IntArray,
    best: IntArray,
    parent: IntArray,
    depth: IntArray,
    category: CategoryArray,
    sums: FloatArray,
    count: IntArray,
    index: IntArray,
    total: FloatArray,
) -> None:
    """The largest repeated structure that a line lies in: posts, comments, items of a list."""
    all_chars = max(sums[0, 0], 1.0)
    all_good = max(sums[0, 4], 1.0)
    for line in range(len(out)):
        v = best[node[line]]
        chars = max(sums[v, 0], 1.0)
        out[line, 0] = count[v]
        out[line, 1] = total[v] / count[v]
        out[line, 2] = total[v] / all_chars
        out[line, 3] = index[v]
        out[line, 4] = sums[v, 1] / chars
        out[line, 5] = sums[v, 2] / chars
        out[line, 6] = sums[max(parent[v], 0), 4] / all_good
        out[line, 7] = depth[node[line]] - depth[v]
        out[line, 8] = category[v]
        out[line, 9] = chars


def fill_words(
    inside: Matrix,
    near: Matrix,
    around: Matrix,
    node: IntArray,
    parent: IntArray,
    levels: IntArray,
    groups: LongArray,
    inherited: LongArray,
) -> None:
    """Groups of words in the names of a line's elements: all, the nearest, those farther out."""
    for line in range(len(node)):
        v = node[line]
        all_bits = inherited[v]
        near_bits = groups[v] | groups[levels[line, 0]] | groups[max(parent[v], 0)]
        wider_bits = groups[levels[line, 1]] | groups[levels[line, 2]]
        for bit in range(inside.shape[1]):
            inside[line, bit] = all_bits >> bit & 1
            near[line, bit] = near_bits >> bit & 1
            around[line, bit] = wider_bits >> bit & 1


def fill_bits(out: Matrix, node: IntArray, bits: LongArray) -> None:
    """The bits of each line's node, one column a bit."""
    for line in range(len(out)):
        for bit in range(out.shape[1]):
            out[line, bit] = bits[node[line]] >> bit & 1


def fill_looks(
    out: Matrix, look: LongArray, order: PlaceArray, basics: FloatArray, total: FloatArray
) -> None:
    """All lines of the page that look the same; see `signatures`. ``order`` sorts them by look."""
    n = len(out)
    all_weight = max(column_sum(basics, 6), 1.0)
    all_good = max(column_sum(basics, 4), 1.0)
    start = 0
    while start < n:
        for kind in range(len(total)):
            total[kind] = 0
        stop = start
        while stop < n and look[order[stop]] == look[order[start]]:
            for kind in range(len(total)):
                total[kind] += basics[order[stop], kind]
            stop += 1
        for place in range(start, stop):
            line = order[place]
            out[line, 0] = total[3]
            out[line, 1] = total[6] / all_weight
            out[line, 2] = total[1] / total[0]
            out[line, 3] = total[6] / total[3]
            out[line, 4] = total[2] / total[0]
            out[line, 5] = total[4] / all_good
        start = stop


def fill_neighbors(
    out: Matrix, matrix: Matrix, bases: PlaceArray, reach: int, values: Matrix
) -> None:
    """Some columns of the lines before and behind; ``values`` has room for them between margins."""
    for line in range(len(out)):
        for number in range(len(bases)):
            values[number, line + reach] = matrix[line, bases[number]]
    for line in range(len(out)):
        for number in range(len(bases)):
            at = 2 * reach * number
            for offset in range(reach):
                out[line, at + offset] = values[number, line + offset]
                out[line, at + reach + offset] = values[number, line + reach + 1 + offset]


def fill_windows(
    out: Matrix, basics: FloatArray, kinds: PlaceArray, sizes: PlaceArray, total: FloatArray
) -> None:
    """Sums over the lines before and behind."""
    n = len(basics)
    for line in range(n):
        for number in range(len(kinds)):
            total[line + 1, number] = total[line, number] + basics[line, kinds[number]]
    for line in range(n):
        for step in range(len(sizes)):
            start = max(line - sizes[step], 0)
            stop = min(line + sizes[step] + 1, n)
            for number in range(len(kinds)):
                place = 2 * (number * len(sizes) + step)
                out[line, place] = total[line, number] - total[start, number]
                out[line, place + 1] = total[stop, number] - total[line + 1, number]


def fill_same(out: Matrix, look: LongArray, node: IntArray, parent: IntArray) -> None:
    """Whether the next lines look the same or have the same parent."""
    for line in range(1, len(out)):
        same_look = look[line] == look[line - 1]
        same_parent = parent[node[line]] == parent[node[line - 1]]
        out[line, 0] = same_look
        out[line, 2] = same_parent
        out[line - 1, 1] = same_look
        out[line - 1, 3] = same_parent


def fill_page(
    out: Matrix,
    counts: IntArray,
    basics: FloatArray,
    sums: FloatArray,
    parent: IntArray,
    tag: TagArray,
    groups: LongArray,
    count: IntArray,
    total: FloatArray,
    main_end: int,
    top: int,
    n_h1: int,
    tags: PlaceArray,
    bits: PlaceArray,
) -> None:
    """The page as a whole, the same in each line; ``tags`` and ``bits`` of groups are counted."""
    above = max(parent[top], 0)
    n_han = 0
    longest = basics[0, 6]
    for line in range(len(out)):
        n_han += counts[line, 3]
        longest = max(longest, basics[line, 6])
    for v in range(len(parent)):
        for number in range(len(tags)):
            out[0, 10 + number] += tag[v] == tags[number]
        for number in range(len(bits)):
            out[0, 12 + number] += groups[v] >> bits[number] & 1
    out[0, 0] = len(out)
    out[0, 1] = sums[0, 6]
    out[0, 2] = sums[0, 1] / sums[0, 0]
    out[0, 3] = sums[0, 4]
    out[0, 4] = sums[0, 7]
    out[0, 5] = n_han / sums[0, 0]
    out[0, 6] = sums[0, 4] / max(sums[0, 6], 1.0)
    out[0, 7] = sums[main_end, 4] / max(sums[0, 4], 1.0)
    out[0, 8] = longest
    out[0, 9] = n_h1
    out[0, 15] = count[top]
    out[0, 16] = total[top] / sums[0, 0]
    out[0, 17] = sums[above, 1] / max(sums[above, 0], 1.0)
    out[0, 18] = total[top] / count[top]
    for line in range(1, len(out)):
        for column in range(out.shape[1]):
            out[line, column] = out[0, column]
