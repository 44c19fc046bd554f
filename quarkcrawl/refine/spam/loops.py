"""The compiled loops of spam: where words may stand, and what a text says again.

All of them only propose: who calls them compares what they found. Types of arguments and the
compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    ByteArray = NDArray[np.uint8]
    BoolArray = NDArray[np.bool_]
    IntArray = NDArray[np.int32]
    PlaceArray = NDArray[np.intp]
    AllAttributes = list[tuple[tuple[str, str | None], ...]]


def holds_any(text: str, marked: ByteArray) -> bool:
    """Whether a text has one of the marked characters, or one of the class of another."""
    n_marked = len(marked)
    for place in range(len(text)):
        code = ord(text[place])
        if code < n_marked and marked[code]:
            return True
    return False


def head_places(text: str, classes: ByteArray, pairs: ByteArray) -> list[int]:
    """Where a word may begin: a first character, no more than two signs, a second one.

    A class has 1 for a first character, 2 for a sign; ``pairs`` has a place for each pair of first
    and second one, some of which share it; their number is a power of two, as everywhere here.
    """
    n_classes = len(classes)
    last = len(pairs) - 1
    end = len(text)
    places: list[int] = []
    for place in range(end - 1):
        code = ord(text[place])
        if code >= n_classes or not classes[code] & 1:
            continue
        for further in range(place + 1, min(place + 4, end)):
            following = ord(text[further])
            if pairs[(code * 31 + following) & last]:
                places.append(place)
                break
            if following >= n_classes or not classes[following] & 2:
                break
    return places


def _is_part(code: int) -> bool:
    """a-z, 0-9."""
    return 97 <= code <= 122 or 48 <= code <= 57


def _is_sign(code: int) -> bool:
    """What stands inside of words: . * _ @ $ ! · -."""
    return code in {46, 42, 95, 64, 36, 33, 183, 45}


def latin_words(text: str, read_as: ByteArray, is_known: ByteArray) -> list[str]:
    """The words that may be known ones, as they stand or as they are read, in their order.

    A word is letters, digits, $ and @, then one or two signs and letters or digits again, and so
    on. ``read_as`` has the letter of each character, 0 where it is passed over; ``is_known`` has a
    place for each known word, some of which share it.
    """
    last = len(is_known) - 1
    n_read = len(read_as)
    end = len(text)
    words: list[str] = []
    place = 0
    while place < end:
        code = ord(text[place])
        if not (_is_part(code) or code in {36, 64}):
            place += 1
            continue
        start = place
        written = 0
        read = 0
        is_first = True
        while place < end:
            code = ord(text[place])
            if not _is_part(code) and not (is_first and (code in {36, 64})):
                is_first = False
                further = place + 1
                if not _is_sign(code) or further >= end:
                    break
                if _is_sign(ord(text[further])):
                    further += 1
                if further >= end or not _is_part(ord(text[further])):
                    break
                for inner in range(place, further):
                    code = ord(text[inner])
                    written = (written * 31 + code) & last
                    if read_as[code]:
                        read = (read * 31 + int(read_as[code])) & last
                place = further
                continue
            written = (written * 31 + code) & last
            if code < n_read and read_as[code]:
                read = (read * 31 + int(read_as[code])) & last
            place += 1
        if is_known[written] or is_known[read]:
            words.append(text[start:place])
    return words


def count_grams(text: str, n_gram: int, counts: ByteArray) -> None:
    """Count the runs of so many characters, by their last 64 bits; some share a place."""
    ones = 0xFFFFFFFFFFFFFFFF
    mixer = 0x9E3779B97F4A7C15
    shift = (63 + n_gram) // n_gram
    last = len(counts) - 1
    value = 0
    for place in range(len(text)):
        value = ((value << shift) ^ ord(text[place])) & ones
        slot = (((value * mixer) & ones) >> 40) & last
        if place >= n_gram - 1 and counts[slot] < 255:
            counts[slot] += 1


def counted(text: str, start: int, n_gram: int, counts: ByteArray) -> int:
    """How often at most `count_grams` met what stands at a place."""
    ones = 0xFFFFFFFFFFFFFFFF
    mixer = 0x9E3779B97F4A7C15
    shift = (63 + n_gram) // n_gram
    value = 0
    for place in range(start, start + n_gram):
        value = ((value << shift) ^ ord(text[place])) & ones
    n = int(counts[(((value * mixer) & ones) >> 40) & (len(counts) - 1)])
    return n if n < 255 else 0xFFFFFF


def places_again(text: str, n_gram: int, places: Sequence[int], counts: ByteArray) -> list[int]:
    """Those of some places whose run of characters may stand elsewhere, too."""
    return [place for place in places if counted(text, place, n_gram, counts) > 1]


def _names_host(value: str) -> bool:
    """Whether there are two slashes in the first twelve characters."""
    for place in range(min(len(value), 12) - 1):
        if value[place] == "/" and value[place + 1] == "/":
            return True
    return False


def absolute_links(
    all_attrs: AllAttributes, links: PlaceArray, own: tuple[str, ...]
) -> list[tuple[int, str]]:
    """Links that name a host, without those that begin as one's own do."""
    addresses: list[tuple[int, str]] = []
    for row in range(len(links)):
        for attr in all_attrs[links[row]]:
            if attr[0] == "href":
                value = attr[1]
                if value and _names_host(value) and not value.startswith(own):
                    addresses.append((int(links[row]), value))
                break
    return addresses


def hinted_scripts(
    runs: list[str], scripts: PlaceArray, run_start: IntArray, run_end: IntArray, most: int
) -> list[int]:
    r"""The first runs of scripts that may hold a hint in their first characters.

    Hints are ``referrer``, ``userAgent``, ``fromCharCode``, ``unescape(``, ``eval(``, ``atob(``,
    ``&#`` and ``\x``; parts of two to four characters of them are sought.
    """
    script_runs: list[int] = []
    for row in range(len(scripts)):
        node = scripts[row]
        if run_start[node] == run_end[node]:
            continue
        source = runs[run_start[node]]
        before = 0
        for place in range(min(len(source), most)):
            code = ord(source[place])
            is_hint = False
            if code == 40:  # ( behind l, b or e
                is_hint = before in {108, 98, 101}
                is_hint = is_hint and place > 1 and ord(source[place - 2]) in {97, 111, 112}
            elif code == 114:  # the second r of ferr
                is_hint = before == 114 and place > 2 and ord(source[place - 3]) == 102
            elif code == 65:  # rA
                is_hint = before == 114
            elif code == 67:  # mC
                is_hint = before == 109
            elif code == 120:  # \\x
                is_hint = before == 92
            elif code == 35:  # &#
                is_hint = before == 38
            if is_hint:
                script_runs.append(int(run_start[node]))
                break
            before = code
    return script_runs


def link_texts(
    runs: list[str], run_raw: BoolArray, run_start: IntArray, run_end: IntArray, links: list[int]
) -> list[str]:
    """The visible texts of some links."""
    texts: list[str] = []
    for node in links:
        start = run_start[node]
        end = run_end[node]
        if end - start == 1 and not run_raw[start]:
            texts.append(runs[start])
        else:
            texts.append("".join([runs[run] for run in range(start, end) if not run_raw[run]]))
    return texts


def declarations(all_attrs: AllAttributes, metas: PlaceArray) -> tuple[str, str]:
    """The first keywords and the first description that say something."""
    keywords = ""
    description = ""
    for row in range(len(metas)):
        said = ""
        named = ""
        for attr in all_attrs[metas[row]]:
            if attr[0] == "name":
                named = attr[1] or ""
            elif attr[0] == "content":
                said = attr[1] or ""
        if not said or len(named) not in {8, 11}:
            continue
        named = named.lower()
        if named == "keywords" and not keywords:
            keywords = said
        elif named == "description" and not description:
            description = said
    return keywords, description
