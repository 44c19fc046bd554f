"""The compiled loops of a page: characters counted, marks walked, attributes looked through.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint16] | NDArray[np.uint32]
    IntArray = NDArray[np.int32]
    TagArray = NDArray[np.int16]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    PlaceArray = NDArray[np.intp]
    AllAttributes = list[tuple[tuple[str, str | None], ...]]


def count_chars(
    codes: Codes,
    left_out: BoolArray,
    classes: ByteArray,
    space: int,
    punctuation: int,
    stop: int,
    starts: IntArray,
    inked: IntArray,
    marks: IntArray,
    stops: IntArray,
) -> bool:
    """Count classes of characters run by run; each that is not left out is ended by NUL.

    Returns whether there are as many NUL as such runs.
    """
    last = len(classes) - 1
    n = len(codes)
    start = 0
    for run in range(len(left_out)):
        n_inked = n_marks = n_stops = 0  # local: half the time of adding to the arrays
        if not left_out[run]:
            while start < n and codes[start] != 0:
                kind = classes[min(codes[start], last)]
                n_inked += (kind & space) == 0
                n_marks += (kind & punctuation) != 0
                n_stops += (kind & stop) != 0
                start += 1
            start += 1
        inked[run] = n_inked
        marks[run] = n_marks
        stops[run] = n_stops
        starts[run + 1] = start
    return start == n


def flatten(marks: IntArray, max_depth: int, flat: IntArray) -> int:
    """Make elements nested deeper than that siblings at this depth; returns the number of marks."""
    n = level = 0
    for mark in marks:
        if mark < 0:
            level -= 1
        elif level > max_depth:
            flat[n] = ~mark
            n += 1
        if mark >= 0 or level <= max_depth:
            flat[n] = mark
            n += 1
        if mark >= 0:
            level += 1
    return n


def fill_structure(
    marks: IntArray,
    tag: TagArray,
    hides: ByteArray,
    stack: IntArray,
    parent: IntArray,
    end: IntArray,
    depth: IntArray,
    hidden: BoolArray,
    run_start: IntArray,
    run_end: IntArray,
    run_node: IntArray,
    run_hidden: BoolArray,
) -> int:
    """See `quarkcrawl.page.tree.walk.structure`; returns the greatest depth."""
    top = node = done = n_hidden = deepest = 0
    for mark in marks:
        here = mark if mark >= 0 else ~mark
        while done < here:
            run_node[done] = stack[top - 1] if top > 0 else 0
            run_hidden[done] = n_hidden > 0
            done += 1
        if mark >= 0:
            parent[node] = stack[top - 1] if top > 0 else -1
            depth[node] = top
            deepest = max(deepest, top)
            run_start[node] = here
            n_hidden += hides[tag[node]]
            hidden[node] = n_hidden > 0
            stack[top] = node
            top += 1
            node += 1
        else:
            top -= 1
            ended = stack[top]
            end[ended] = node
            run_end[ended] = here
            n_hidden -= hides[tag[ended]]
    return deepest


def sort_by_tag(tag: TagArray, first: PlaceArray, order: PlaceArray) -> None:
    """Nodes with known tags sorted by these; ``first`` tells where each begins, and the end."""
    n_known = len(first) - 1
    total = 0
    for node in range(len(tag)):
        if tag[node] < n_known:
            first[tag[node]] += 1
    for number in range(n_known):
        total += first[number]
        first[number] = total
    first[n_known] = total
    for node in range(len(tag) - 1, -1, -1):
        if tag[node] < n_known:
            first[tag[node]] -= 1
            order[first[tag[node]]] = node


def fill_lines(
    marks: IntArray,
    tag: TagArray,
    hidden: BoolArray,
    breaks: ByteArray,
    is_link: ByteArray,
    line: int,
    cell: int,
    preformat: int,
    stack: IntArray,
    run_piece: IntArray,
    run_row: IntArray,
    linked: BoolArray,
    preformatted: BoolArray,
) -> None:
    """See `quarkcrawl.page.tree.RunLines`."""
    top = node = done = piece = row = n_links = n_pre = 0
    for mark in marks:
        here = mark if mark >= 0 else ~mark
        while done < here:
            run_piece[done] = piece
            run_row[done] = row
            linked[done] = n_links > 0
            preformatted[done] = n_pre > 0
            done += 1
        step = 1 if mark >= 0 else -1
        if step < 0:
            top -= 1
        parent = stack[top - 1] if top > 0 else 0
        if step > 0:
            this = node
            stack[top] = node
            top += 1
            node += 1
        else:
            this = stack[top]
        kind = breaks[tag[this]]
        if not hidden[parent]:  # nothing breaks a line from within a hidden element
            piece += (kind & (line | cell)) != 0
            row += (kind & line) != 0
        n_pre += step * ((kind & preformat) != 0)
        if is_link[this]:
            n_links += step


def find_inked(run_chars: IntArray, runs: PlaceArray, inked: PlaceArray) -> None:
    """For each run the last one before it with characters, -1 if there is none."""
    for number in range(len(runs)):
        run = runs[number] - 1
        while run >= 0 and not run_chars[run]:
            run -= 1
        inked[number] = run


def longest(texts: list[str]) -> int:
    """Characters of the longest of some texts, 0 if there are none."""
    most = 0
    for text in texts:
        most = max(most, len(text))
    return most


def has_formula_name(value: str) -> bool:
    """Whether a class may be that of a picture of a formula."""
    if "tex" in value or "math" in value or "eq" in value:
        return True
    return "formula" in value or "TeX" in value


def formula_hints(
    all_attrs: AllAttributes, scripts: PlaceArray, pictures: PlaceArray
) -> tuple[list[int], list[int], list[int]]:
    """Scripts and pictures worth a look by whoever seeks formulas, and scripts without address.

    Most pages have none of the first two.
    """
    programs: list[int] = []
    shown: list[int] = []
    inline: list[int] = []
    for place in range(len(scripts)):
        attrs = all_attrs[scripts[place]]
        is_inline = True
        is_program = False
        for attr in attrs:
            name = attr[0]
            value = attr[1]
            if name == "src":
                is_inline = False
            if not value:
                continue
            if (name == "type" and value[0] in "mM") or (
                name == "src" and ("ath" in value or "atex" in value or "tex-" in value)
            ):
                is_program = True
        if is_program:
            programs.append(scripts[place])
        elif is_inline:
            inline.append(scripts[place])
    for place in range(len(pictures)):
        attrs = all_attrs[pictures[place]]
        for attr in attrs:
            name = attr[0]
            value = attr[1]
            if not value:
                continue
            if (
                (name == "src" and ("latex" in value or "LaTeX" in value))
                or (name == "alt" and value[0] in "$\\")
                or (name == "class" and has_formula_name(value))
                or "?tex=" in value
            ):
                shown.append(pictures[place])
                break
    return programs, shown, inline


def formula_names(all_attrs: AllAttributes) -> tuple[bool, bool]:
    """Whether elements may state the TeX of what they show, and whether some mark text as TeX."""
    has_stated = False
    has_marked = False
    for node in range(len(all_attrs)):
        attrs = all_attrs[node]
        for attr in attrs:
            name = attr[0]
            value = attr[1]
            if not value:
                continue
            if name == "class":
                if "katex" in value:
                    has_stated = True
                if "math" in value or "arithmatex" in value:
                    has_marked = True
            elif name == "data-tex" or name == "data-latex":  # noqa: PLR1714
                has_stated = True
    return has_stated, has_marked


def count_inked(text: str, classes: ByteArray, space: int) -> int:
    """How many characters of a text are not of the class ``space``."""
    last = len(classes) - 1
    n_inked = 0
    for place in range(len(text)):
        if not classes[min(ord(text[place]), last)] & space:
            n_inked += 1
    return n_inked
