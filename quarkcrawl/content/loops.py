"""The compiled loops of what is found in blocks and lines: words, features, decisions, counts.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    CodeArray = NDArray[np.uint32]
    ClassArray = NDArray[np.uint16]
    Codes = NDArray[np.uint16] | CodeArray
    IntArray = NDArray[np.int32]
    FloatArray = NDArray[np.float64]
    FloatMatrix = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


def is_english(codes: Codes, place: int, letters: CodeArray) -> bool:
    """Whether the letters around the blank before a place are those of words that lead on."""
    if place < 3 or place + 1 >= len(codes):
        return False
    for word in range(letters.shape[0]):
        if (
            codes[place - 3] == letters[word, 0]
            and codes[place - 2] == letters[word, 1]
            and codes[place] == letters[word, 2]
            and codes[place + 1] == letters[word, 3]
        ):
            return True
    return False


def find_beginnings(
    codes: Codes,
    kinds: ByteArray,
    letters: CodeArray,
    digit: int,
    mark: int,
    begins: int,
    second: int,
    gap: int,
    behind: int,
    places: Places,
    numbers: Places,
) -> bool:
    """See `quarkcrawl.content.topic.words`; returns whether English words may be there."""
    n_words = n_dates = before = between = 0
    has_english = False
    for place in range(len(codes)):
        kind = kinds[min(codes[place], len(kinds) - 1)]
        if kind and between:
            if kind & second and between & begins:
                places[0, n_words] = place - 1
                n_words += 1
            if kind & digit and between & mark and before & digit:
                places[1, n_dates] = place - 2
                n_dates += 1
            if kind & behind and between & gap and not has_english:
                has_english = is_english(codes, place, letters)
        before = between
        between = kind
    numbers[0] = n_words
    numbers[1] = n_dates
    return has_english


def fill_features(
    chars: Counts,
    anchor: Counts,
    marks: Counts,
    custom: BoolArray,
    links: Places,
    node_block: IntArray,
    marks_per_10_chars: float,
    max_marks: int,
    max_chars: int,
    max_links: int,
    anchor_ratio: float,
    n_links: IntArray,
    codes: ByteArray,
) -> None:
    """Features of blocks but noise words, one bit each as `quarkcrawl.content.quark` names them."""
    for node in links:
        block = node_block[node]
        if block >= 0:
            n_links[block] += 1
    for block in range(len(codes)):
        plain = chars[block] - anchor[block]
        codes[block] = (
            (custom[block] != 0)
            | (10 * marks[block] > marks_per_10_chars * chars[block]) << 2
            | (marks[block] > max_marks) << 3
            | (plain > max_chars) << 4
            | (n_links[block] > max_links) << 5
            | (anchor[block] > anchor_ratio * plain) << 6
        )


def judge(
    codes: ByteArray,
    is_short: BoolArray,
    decisions: BoolArray,
    unlinked: int,
    likely: BoolArray,
    matters: BoolArray,
) -> bool:
    """Decide each block (Quark thesis, 3.2); returns whether fewer links would change anything."""
    links_matter = False
    for block in range(len(codes)):
        code = codes[block]
        for row in range(2):
            if decisions[row, code] != decisions[row, code & unlinked]:
                links_matter = True
        likely[block] = decisions[0, code]
        matters[block] = is_short[block] and decisions[0, code] != decisions[1, code]
    return links_matter


def fill_distances(content: BoolArray, distances: Places) -> None:
    """How many blocks each block is away from the nearest content block."""
    n = len(content)
    last = -1
    for block in range(n):
        if content[block]:
            last = block
        distances[block] = block - last if last >= 0 else n + 1
    last = -1
    for block in range(n - 1, -1, -1):
        if content[block]:
            last = block
        if last >= 0:
            distances[block] = min(distances[block], last - block)


def count_classes(
    codes: CodeArray,
    bounds: IntArray,
    classes: ClassArray,
    in_title: BoolArray,
    counts: IntArray,
    first: IntArray,
    last: IntArray,
) -> None:
    """Count classes of characters run by run; tell those of the first and the last visible one.

    White space counts once between two visible characters, however much there is; that before the
    first and behind the last one is told by bit 14 of their classes.
    """
    highest = len(classes) - 1
    for run in range(len(first)):
        n_chars = n_shared = n_han = n_small = 0  # local: half the time of adding to the array
        gap = n_gaps = 0
        for place in range(bounds[run], bounds[run + 1] - 1):  # the last one ends the run
            code = min(codes[place], highest)
            class_bits = classes[code]
            if class_bits & 1:
                gap = 16384
            else:
                n_chars += 1
                n_shared += in_title[code]
                last[run] = class_bits | 32768
                if n_chars == 1:
                    first[run] = class_bits | 32768 | gap
                elif gap:
                    n_gaps += 1
                gap = 0
            if class_bits == 8:
                n_han += 1
            elif class_bits == 32:
                n_small += 1
            else:
                bit = 0
                while class_bits:
                    counts[run, bit] += class_bits & 1
                    class_bits >>= 1
                    bit += 1
        last[run] |= gap
        counts[run, 0] = n_gaps
        counts[run, 11] = n_chars
        counts[run, 12] = n_shared
        counts[run, 3] += n_han
        counts[run, 5] += n_small


def number_lines(
    pieces: IntArray, run_chars: IntArray, run_line: IntArray, first_run: IntArray
) -> int:
    """Line of each run with characters, and first run of each line; returns how many there are."""
    n_lines = 0
    last = -1
    for run in range(len(pieces)):
        run_line[run] = -1
        if run_chars[run] > 0:
            if pieces[run] != last:
                first_run[n_lines] = run
                n_lines += 1
                last = pieces[run]
            run_line[run] = n_lines - 1
    return n_lines


def number_shown(
    hidden: BoolArray,
    pieces: IntArray,
    run_chars: IntArray,
    max_lines: int,
    shown: Places,
    firsts: Places,
    chars: Places,
    line_of_run: Places,
) -> None:
    """See `quarkcrawl.content.page_lines`; lines of white space only are left out.

    How many shown runs and lines there are stands at the end of their arrays.
    """
    n = len(hidden)
    n_shown = n_lines = 0
    last = -1
    for run in range(n + 1):
        line_of_run[run] = -1
        if n_lines > max_lines or (run < n and hidden[run]):
            continue
        if run == n or n_lines == 0 or pieces[run] != last:
            if n_lines > 0 and chars[n_lines - 1] == 0:
                n_lines -= 1
                while n_shown > firsts[n_lines]:
                    n_shown -= 1
                    line_of_run[shown[n_shown]] = -1
            if run == n:
                break
            last = pieces[run]
            n_lines += 1
            if n_lines > max_lines:
                continue
            firsts[n_lines - 1] = n_shown
            chars[n_lines - 1] = 0
        shown[n_shown] = run
        n_shown += 1
        chars[n_lines - 1] += run_chars[run]
        line_of_run[run] = n_lines - 1
    shown[n] = n_shown
    firsts[n] = min(n_lines, max_lines)


def sum_lines(
    run_line: IntArray,
    counts: IntArray,
    first: IntArray,
    last: IntArray,
    run_link: BoolArray,
    stretch: IntArray,
    line_counts: IntArray,
    line_first: IntArray,
    line_last: IntArray,
    link_chars: IntArray,
    n_runs: IntArray,
) -> None:
    """Counts of lines, class of their first and last character, characters in links, runs."""
    before = -1
    gap = 0
    for run in range(len(run_line)):
        line = run_line[run]
        if line < 0:
            gap |= last[run]
            continue
        for kind in range(counts.shape[1]):
            line_counts[line, kind] += counts[run, kind]
        if n_runs[line] and (line_last[line] | first[run] | gap) & 16384:
            line_counts[line, 0] += 1
        gap = 0
        if line_first[line] == 0:
            line_first[line] = first[run]
        line_last[line] = last[run]
        if run_link[run]:
            link_chars[line] += counts[run, 11]
        if stretch[run] != before or not n_runs[line]:
            n_runs[line] += 1
        before = stretch[run]


def drop_wrappers(
    run_start: IntArray,
    run_end: IntArray,
    run_chars: IntArray,
    most_chars: int,
    total: Counts,
    is_link: ByteArray,
) -> None:
    """Take from the links those that hold more characters; ``total`` has room for sums of runs."""
    total[0] = 0
    for run in range(len(run_chars)):
        total[run + 1] = total[run] + run_chars[run]
    for node in range(len(is_link)):
        if is_link[node] and total[run_end[node]] - total[run_start[node]] > most_chars:
            is_link[node] = 0


def fill_basics(counts: IntArray, link_chars: IntArray, basics: FloatArray) -> None:
    """See `quarkcrawl.content.lines.columns.line_basics`."""
    for line in range(len(basics)):
        chars = counts[line, 11]
        linked = link_chars[line]
        weight = counts[line, 3] + 0.25 * counts[line, 5] + 0.3 * counts[line, 4]
        basics[line, 0] = chars
        basics[line, 1] = linked
        basics[line, 2] = counts[line, 2]
        basics[line, 3] = 1
        basics[line, 5] = counts[line, 1]
        basics[line, 6] = weight
        if counts[line, 9] >= 1 and chars - linked > 0.6 * chars and weight >= 12:
            basics[line, 4] = weight
            basics[line, 7] = 1


def spread_names(
    table: FloatMatrix,
    rows: list[int],
    is_named: BoolArray,
    groups: Counts,
    far: FloatArray,
    near: FloatArray,
    n_words: IntArray,
    class_id: Counts,
    is_hidden: Counts,
    numbers: IntArray,
) -> None:
    """What a table says of each node: of those with names in the rows of a list, else in the first.

    Rows beyond the table are taken for the first one. Classes are numbered anew as they come, for
    their numbers in the table tell of other pages; ``numbers`` are zeros, one for each of these.
    """
    n_read = n_classes = 0
    for node in range(len(groups)):
        row = 0
        if is_named[node] and n_read < len(rows):
            row = rows[n_read]
            n_read += 1
            if row < 0 or row >= len(table):
                row = 0
        groups[node] = int(table[row, 0])
        far[node] = table[row, 1]
        near[node] = table[row, 2]
        n_words[node] = int(table[row, 3])
        number = int(table[row, 4])
        if number <= 0 or number >= len(numbers):
            number = 0
        elif numbers[number] == 0:
            n_classes += 1
            numbers[number] = n_classes
        class_id[node] = numbers[number]
        is_hidden[node] = int(table[row, 5])
