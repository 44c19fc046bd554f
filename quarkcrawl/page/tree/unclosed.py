"""Text elements and comments that are never closed, and so take the rest of a page.

Scripts, styles, titles, text areas, embedded frames and the like hold text in which no tag is read
but their own end tag. Written as XHTML (``<iframe src="…"/>``) or left open, they take all that
follows as their text, and comments that never end do the same. Browsers show such a page where
they have not read the element at all: an ``iframe`` inside ``noscript`` is mere text to a browser
that runs scripts. Where this happens to most of a page, the element is read as empty: an end tag is
put before the first tag that stands in its text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.loops import longest
from quarkcrawl.page.tree.tags import tag_flags
from quarkcrawl.page.tree.walk import HIDDEN, structure

if TYPE_CHECKING:
    from numpy.typing import NDArray


COMMENT: Final = "comment"
"""Stands for the name of an element where a comment does not end."""

_NAMES: Final = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
_SHOWS_SOURCE: Final = tag_flags(("textarea", "xmp"))
_PROGRAMS: Final = ("script", "style")
MIN_SHARE: Final = 0.2
"""A text run that is a smaller part of the source has not taken a page."""

MIN_CHARS: Final = 100
"""Nor has a shorter one."""

MIN_GROWTH: Final = 2.0
"""A page is read anew only if so many times as many characters become visible by it."""

MAX_CLOSED: Final = 200
"""So many elements of a page are closed at most."""

_MAX_DEPTH: Final = 512
_OPENING: Final = re.compile(
    "<!--|<(" + "|".join(_NAMES) + r")(?=[\s/>])[^>]{0,2000}>", re.IGNORECASE
)
_COMMENT_END: Final = re.compile("--!?>")
_TAG: Final = re.compile("</?[a-zA-Z]")
_LINE_TAG: Final = re.compile(r"(?:\A|[\r\n])[ \t]{0,100}(?=</?[a-zA-Z])")
"""A tag in a program: text in quotes has some, but hardly one that starts a line."""

_TAG_NEXT: Final = re.compile(r"\s{0,100}(?=</?[a-zA-Z])")
"""A tag in place of the program."""

_ESCAPED_END: Final = re.compile(r"<\\/script", re.IGNORECASE)
_END: Final = {name: re.compile(f"</{name}(?=[\\s/>])", re.IGNORECASE) for name in _NAMES}
_START: Final = {name: re.compile(f"<{name}(?=[\\s/>])", re.IGNORECASE) for name in _NAMES}


def may_be_swallowed(html: str, runs: list[str]) -> bool:
    """Whether one run is so large that it may hold the rest of a page, or a comment does.

    Args:
        html: the source.
        runs: text that the parser found in it.
    """
    least = max(MIN_SHARE * len(html), MIN_CHARS)
    if longest(runs) >= least and "</" in max(runs, key=len):
        return True
    start = html.rfind("<!--")
    if start < 0 or html.find("-->", start) >= 0:
        return False
    return len(html) - html.find("<!--", html.rfind("-->") + 1) >= least


def closed(html: str) -> tuple[str, str]:
    """The source with an end for each text element and comment that has none of its own.

    Args:
        html: the source.

    Returns:
        The source, and the name of what took most of it; both as they were and "" if there is
        nothing to be closed.
    """
    pieces: list[str] = []
    taken, name_of_largest = 0, ""
    done = place = 0
    ends = dict.fromkeys((COMMENT, *_NAMES), -1)
    while len(pieces) < 2 * MAX_CLOSED and (opening := _OPENING.search(html, place)):
        name, start = (opening[1] or COMMENT).lower(), opening.end()
        if name == COMMENT:  # <!--> and <!---> are whole comments
            start = opening.start() + 2
        if ends[name] < start:
            end = (_COMMENT_END if name == COMMENT else _END[name]).search(html, start)
            ends[name] = end.start() if end else len(html)
        end_place = ends[name]
        is_self_closed = opening[0].endswith("/>")
        close_at = _place_of_end(
            html, name, opening.end(), end_place, is_self_closed=is_self_closed
        )
        if close_at < 0:
            place = max(end_place, opening.end())
            continue
        if end_place - close_at > taken:
            taken, name_of_largest = end_place - close_at, name
        end_tag = "-->" if name == COMMENT else f"</{name}>"
        pieces += (html[done:close_at], end_tag)
        done = place = close_at
    pieces.append(html[done:])
    return ("".join(pieces), name_of_largest) if name_of_largest else (html, "")


def _place_of_end(html: str, name: str, start: int, end: int, *, is_self_closed: bool) -> int:
    """Where an end should be put into a text from ``start`` to ``end``; -1 where it needs none."""
    is_open = end == len(html)
    if name == COMMENT:
        tag = _TAG.search(html, start) if is_open else None
        return tag.start() if tag else -1
    if not is_open and not is_self_closed:
        is_open = _START[name].search(html, start, end) is not None
    if not is_open and not is_self_closed:
        return -1
    if name not in _PROGRAMS:
        tag = _TAG.search(html, start, end)
        return tag.start() if tag else -1
    if tag := _TAG_NEXT.match(html, start, end):
        return tag.end()
    tag = _LINE_TAG.search(html, start, end)
    if tag is None or (not is_self_closed and _ESCAPED_END.search(html, start, end)):
        return -1
    return tag.end()


def visible_chars(marks: NDArray[np.int32], tag: NDArray[np.int16], runs: list[str]) -> int:
    """Characters shown as text, white space at the ends of runs left out.

    Not those of ``textarea`` and ``xmp``, which show the source of what they have taken.
    """
    arrays = structure(marks, tag, len(runs), HIDDEN, _MAX_DEPTH)[1]
    is_source = _SHOWS_SOURCE.take(tag[arrays[-2]]) > 0
    shown = np.flatnonzero(~arrays[-1] & ~is_source).tolist()
    return sum(len(runs[run].strip()) for run in shown)
