"""The compiled loops of what is found in blocks and lines: words, features, decisions, counts.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import Attributes

    Said = tuple[int, float, float, int]
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


def attr_names(
    attrs: Attributes, reads: int, hides: Callable[[str], object]
) -> tuple[str, str, str, bool, bool]:
    """Names of a node in one string; those given to it; its class; whether it is hidden, declares.

    Makers of pages give classes and ids, and declare roles and properties of items, whose values
    are those of a standard and cannot be made up.

    Args:
        attrs: attributes of the node.
        reads: 1 if only what is declared stands in the string of names.
        hides: finds in a style that it hides the node.
    """
    names, given, class_name = "", "", ""
    hidden = declares = False
    for attr in attrs:
        key = attr[0]
        value = attr[1]
        if key == "class" or key == "id":  # noqa: PLR1714
            if key == "class":
                class_name = value or ""
            if value:
                given = given + " " + value if given else value
                if reads != 1:
                    names = names + " " + value
        elif key == "itemprop" or key == "role":  # noqa: PLR1714
            if value:
                names = names + " " + value
                declares = True
        elif key == "hidden" or (key == "style" and value and hides(value)):
            hidden = True
    return names, given, class_name, hidden, declares


def name_words(name: str) -> list[str]:
    """Words of a name such as ``navItem``, in small letters.

    A word is a row of capital letters, or of small ones behind one capital letter or none.
    """
    words: list[str] = []
    n = len(name)
    place = 0
    while place < n:
        start = place
        code = ord(name[place])
        place += 1
        if 65 <= code <= 90 and not (place < n and 97 <= ord(name[place]) <= 122):
            while place < n and 65 <= ord(name[place]) <= 90:
                place += 1
            if place < n and 97 <= ord(name[place]) <= 122:
                place -= 1  # the last capital letter begins the next word
        elif 65 <= code <= 90 or 97 <= code <= 122:
            while place < n and 97 <= ord(name[place]) <= 122:
                place += 1
        else:
            continue
        words.append(name[start:place].lower())
    return words


def sum_names(
    names: str,
    parts: dict[str, Said],
    words: dict[str, Said],
    most: int,
    learn: Callable[[str], Said],
) -> Said:
    """Groups, weights far and near, and number of the words of names.

    Args:
        names: the names, with white space between them.
        parts: what is known of single names; what is read is added.
        words: what is known of words; new ones are added.
        most: so many names, and words, are known at most.
        learn: tells what a word says.
    """
    groups, far, near, n_words = 0, 0.0, 0.0, 0
    for part in names.split():
        said = parts.get(part)
        if said is None:
            bits, of_any, of_near, n_of_part = 0, 0.0, 0.0, 0
            for word in name_words(part):
                of_word = words.get(word)
                if of_word is None:
                    if len(words) >= most:
                        words.clear()
                    of_word = learn(word)
                    words[word] = of_word
                bits |= of_word[0]
                of_any += of_word[1]
                of_near += of_word[2]
                n_of_part += of_word[3]
            if len(parts) >= most:
                parts.clear()
            said = (bits, of_any, of_near, n_of_part)
            parts[part] = said
        groups |= said[0]
        far += said[1]
        near += said[2]
        n_words += said[3]
    return groups, far, near, n_words


def read_rows(
    all_attrs: list[Attributes],
    reads: int,
    max_chars: int,
    rows: dict[Attributes, int],
    table: FloatMatrix,
    class_numbers: dict[str, int],
    parts: dict[str, Said],
    words: dict[str, Said],
    most: int,
    learn: Callable[[str], Said],
    hides: Callable[[str], object],
) -> tuple[list[int], int]:
    """Row of each node's attributes in a table, and how many characters were read.

    There are no rows at all where the table has no room: other threads may have filled it.

    Args:
        all_attrs: attributes of each node.
        reads: 0 for no names, 1 for declared ones, 2 for all.
        max_chars: so many characters of a node's names are read.
        rows: row of the attributes that were read before; the others are added behind them.
        table: see `quarkcrawl.content.lines.names.NameReader.rows`.
        class_numbers: number of each class attribute; new ones are added.
        parts: what single names say, see `sum_names`.
        words: what their words say.
        most: so many of either are remembered.
        learn: tells what a word says.
        hides: finds in a style that it hides the node.
    """
    places: list[int] = []
    n_chars = 0
    for attrs in all_attrs:
        place = rows.get(attrs)
        if place is not None:
            places.append(place)
            continue
        names, given, class_name, hidden, declares = attr_names(attrs, reads, hides)
        for attr in attrs:
            value = attr[1]
            if value:
                n_chars += len(value)
        said = sum_names(names[:max_chars] if reads else "", parts, words, most, learn)
        is_told = has_names = False
        if reads == 2 and given:
            has_names = True
            of_given = said  # the names are those of class and id, unless others are declared
            if declares or len(names) > max_chars:
                of_given = sum_names(given[:max_chars], parts, words, most, learn)
            is_told = of_given[0] != 0 or of_given[3] != 0
        number = 0
        if class_name:
            number = class_numbers.setdefault(class_name, len(class_numbers) + 1)
        row = len(rows) + 1
        if row >= len(table):
            return [], n_chars
        rows[attrs] = row
        places.append(row)
        table[row, 0] = said[0]
        table[row, 1] = said[1]
        table[row, 2] = said[2]
        table[row, 3] = said[3]
        table[row, 4] = number
        table[row, 5] = hidden
        table[row, 6] = has_names
        table[row, 7] = is_told
        table[row, 8] = declares
    return places, n_chars
