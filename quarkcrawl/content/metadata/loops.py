"""The compiled loops over lines and attributes: hints of dates, letters of scripts, authors.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import Attributes

    IntArray = NDArray[np.int32]


def is_digit(text: str, place: int, last: int) -> bool:
    """Whether an ASCII digit stands at a place before the last one."""
    return place < last and 48 <= ord(text[place]) <= 57


def hint_end(text: str, place: int, last: int) -> int:
    """One past what a digit begins that may be a date; 0 if it is none.

    That is a year such as 1999, or a mark between two numbers, blanks around it or not.
    """
    is_year = text[place] in "12" and place + 3 < last and text[place + 1] in "09"
    if is_year and is_digit(text, place + 2, last) and is_digit(text, place + 3, last):
        return place + 4
    place += 1
    if place < last and text[place].isspace():
        place += 1
    if place >= last or text[place] not in "-/.年月":
        return 0
    place += 1
    if place < last and text[place].isspace():
        place += 1
    return place + 1 if is_digit(text, place, last) else 0


def hinted_lines(text: str, first: int, last: int, number: int) -> tuple[list[int], bool]:
    """Numbers of the lines that may hold a date, ascending; and whether a rare form may be there.

    Args:
        text: lines.
        first: first character that is looked at.
        last: one past the last one.
        number: number of the line in which the first one stands.
    """
    numbers: list[int] = []
    is_found = has_rare = False
    last = min(last, len(text))
    place = first
    while place < last:
        char = text[place]
        code = ord(char)
        if code == 10:
            number += 1
            is_found = False
        elif 48 <= code <= 57:
            end = hint_end(text, place, last)
            if end:
                if not is_found:
                    numbers.append(number)
                is_found = True
                for passed in range(place, end):
                    if ord(text[passed]) == 10:
                        number += 1
                        is_found = False
                place = end - 1
        elif char in "〇○民２":
            has_rare = True
        place += 1
    return numbers, has_rare


def is_behind_day(line: str, place: int) -> bool:
    """Whether some blanks or commas part a place from a day such as 5 or 5th."""
    n_between = 0
    while n_between < 4 and place > 0 and (line[place - 1] == "," or line[place - 1].isspace()):
        n_between += 1
        place -= 1
    if n_between == 0 or n_between > 3 or place == 0:
        return False
    return line[place - 1] in "0123456789tdhTDH"


def is_behind_month(line: str, place: int) -> bool:
    """Whether at most three signs part a place from a word, as the name of a month."""
    n_between = 0
    while n_between < 4 and place > 0 and (line[place - 1] in ",/-" or line[place - 1].isspace()):
        n_between += 1
        place -= 1
    if n_between > 3 or place == 0:
        return False
    char = line[place - 1]
    return char in ".eE" or (n_between > 0 and char.isalnum())


def date_places(line: str, roc: int, has_year: int, day_first: int) -> list[list[int] | None]:
    """Where each form of dates may begin in a line, see `quarkcrawl.content.metadata.dates.forms`.

    The forms stand in the order of that module; None stands for anywhere. No form at all if the
    line must be translated first.
    """
    n = len(line)
    is_plain = True
    has_numerals = has_roc = has_moon = has_comma = has_slash = has_day = False
    before = False
    full: list[int] = []
    bare: list[int] = []
    slashed: list[int] = []
    short: list[int] = []
    dotted: list[int] = []
    yearless: list[int] = []
    days: list[int] = []
    named: list[int] = []
    place = n_years = 0
    while place < n:
        char = line[place]
        code = ord(char)
        if 48 <= code <= 57:
            start = place
            while place < n and 48 <= ord(line[place]) <= 57:
                place += 1
            n_digits = place - start
            mark = line[place] if place < n else "0"
            is_year_mark = mark in "年-/."
            if n_digits == 4:
                first = line[start]
                second = line[start + 1]
                if (first == "1" and second == "9") or (first == "2" and second == "0"):
                    n_years += 1
                    if is_year_mark or mark.isspace():
                        full.append(start)
                    if start > 0 and line[start - 1] in "-/.":
                        has_slash = True
                    has_day = has_day or is_behind_day(line, start)
                    if is_behind_month(line, start):
                        named.append(start)
            elif n_digits < 4:
                if is_year_mark and n_digits > 1:
                    bare.append(start)
                if n_digits < 3:
                    days.append(start)
                    if mark in "-/.":
                        slashed.append(start)
                    if is_year_mark and n_digits == 2:
                        short.append(start)
                    if mark == ".":
                        dotted.append(start)
                    if mark in "月-/" or mark.isspace():
                        yearless.append(start)
            before = False
            continue
        if code == 44:
            has_comma = True
        elif code > 127:
            if char in "○零Ｏ：／－．" or 0xFF10 <= code <= 0xFF19:
                return []
            if char == "年":
                has_numerals = has_numerals or before
            elif char == "月":
                has_moon = True
            elif char == "民":
                has_roc = True
            elif is_plain and char.isdecimal():
                is_plain = False
            before = char in "〇一二三四五六七八九"
        else:
            before = False
        place += 1
    anywhere = None
    if not is_plain:
        return [
            *(anywhere, anywhere, anywhere, anywhere if roc else [], *[anywhere] * 4),
            *([] if day_first else anywhere, anywhere if day_first else []),
            anywhere if has_year else [],
        ]
    month_days: list[int] = []
    n_passed = 0
    for day in days:
        while n_passed < len(named) and named[n_passed] < day:
            n_passed += 1
        if n_passed < len(named) and named[n_passed] < day + 32:  # no month's name is longer
            month_days.append(day)
    return [
        full,
        anywhere if has_numerals else [],
        anywhere if has_roc else [],
        bare if roc else [],
        anywhere if has_moon and has_comma and n_years > 0 else [],
        anywhere if has_day else [],
        month_days,
        slashed if has_slash else [],
        [] if day_first else short,
        dotted if day_first else [],
        yearless if has_year else [],
    ]


def count_scripts(text: str, ranges: IntArray, counts: IntArray) -> int:
    """Count the characters of some scripts; returns how many are not ASCII.

    Args:
        text: any text.
        ranges: first and last character of a script and its number, a row each.
        counts: for each script; the characters are added.
    """
    n_foreign = 0
    for place in range(len(text)):
        code = ord(text[place])
        if code < 128:
            continue
        n_foreign += 1
        for row in range(ranges.shape[0]):
            if ranges[row, 0] <= code <= ranges[row, 1]:
                counts[ranges[row, 2]] += 1
                break
    return n_foreign


def holders(
    all_attrs: list[Attributes], attributes: set[tuple[str, str]], values: set[str]
) -> list[int]:
    """Numbers of the nodes that have one of some attributes.

    Args:
        all_attrs: attributes of each node.
        attributes: pairs of name and value.
        values: their values.
    """
    nodes: list[int] = []
    for node in range(len(all_attrs)):
        attrs = all_attrs[node]
        for attr in attrs:
            if attr[1] in values and attr in attributes:
                nodes.append(node)
                break
    return nodes
