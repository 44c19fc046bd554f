"""The compiled loop that folds many texts, in UTF-8, as they lie one behind the other.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations


def fold_rows(
    source: memoryview,
    bounds: memoryview,
    first: int,
    codes: memoryview,
    odd: int,
    pieces: memoryview,
    piece_starts: memoryview,
    folded: memoryview,
    ends: memoryview,
) -> int:
    """Fold texts from the first one on, until one that needs its neighbors or finds no room.

    Args:
        source: texts, well-formed.
        bounds: where each begins, and the last one ends.
        first: number of the text to begin with.
        codes: what each character becomes.
        odd: what stands there for a character that becomes several, or may compose.
        pieces: what such characters become, those that may compose left out.
        piece_starts: where that begins for each character, and the last one ends.
        folded: the folded texts, from its beginning on.
        ends: filled with where each of them ends, from its beginning on.

    Returns:
        The number of the text that was not folded; if all were, how many there are.
    """
    n_texts = len(bounds) - 1
    most = len(folded) - 4
    done = 0
    for row in range(first, n_texts):
        place = bounds[row]
        end = bounds[row + 1]
        to = done
        while place < end:
            if to > most:
                return row
            lead = source[place]
            if lead < 0x80:
                code = lead
                place += 1
            elif lead < 0xE0:
                code = (lead & 0x1F) << 6 | source[place + 1] & 0x3F
                place += 2
            elif lead < 0xF0:
                code = (
                    (lead & 0x0F) << 12 | (source[place + 1] & 0x3F) << 6 | source[place + 2] & 0x3F
                )
                place += 3
            else:
                code = (
                    (lead & 0x07) << 18
                    | (source[place + 1] & 0x3F) << 12
                    | (source[place + 2] & 0x3F) << 6
                    | source[place + 3] & 0x3F
                )
                place += 4
            char = codes[code]
            if char == odd:
                start = piece_starts[code]
                stop = piece_starts[code + 1]
                if start == stop or to + stop - start > most:
                    return row
                for one in range(start, stop):
                    folded[to] = pieces[one]
                    to += 1
            elif char < 0x80:
                folded[to] = char
                to += 1
            elif char < 0x800:
                folded[to] = 0xC0 | char >> 6
                folded[to + 1] = 0x80 | char & 0x3F
                to += 2
            elif char < 0x10000:
                folded[to] = 0xE0 | char >> 12
                folded[to + 1] = 0x80 | char >> 6 & 0x3F
                folded[to + 2] = 0x80 | char & 0x3F
                to += 3
            else:
                folded[to] = 0xF0 | char >> 18
                folded[to + 1] = 0x80 | char >> 12 & 0x3F
                folded[to + 2] = 0x80 | char >> 6 & 0x3F
                folded[to + 3] = 0x80 | char & 0x3F
                to += 4
        ends[row - first] = to
        done = to
    return n_texts
