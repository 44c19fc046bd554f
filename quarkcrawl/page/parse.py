"""The one place that knows the HTML parser: source text in, flat event lists out.

turbohtml builds the tree as the HTML Standard prescribes (implied elements, adoption agency,
foster parenting) and walks it in document order; we keep names, attributes and text, and one
code per event, from which `quarkcrawl.page.tree` computes everything else with array operations.
Its cost is linear in everything but unclosed formatting elements, which are reopened in each
following block; `bound_formatting` keeps their product with the number of tags in bounds.
"""

from __future__ import annotations

import re
from typing import Final

from turbohtml.saxparse import SaxHandler, sax_parse

__all__ = ["END", "START", "TEXT", "Attributes", "Events", "bound_formatting", "parse_events"]

Attributes = tuple[tuple[str, str | None], ...]

TEXT: Final = 0
START: Final = 1
END: Final = 2

MAX_TAGS: Final = 1_000_000
"""A page with more tags than this is cut after that many."""

MAX_REOPENED: Final = 750_000
"""Bound on (open formatting elements) × (tags), the most elements that reopening can create."""

PARSER_OPEN_LIMIT: Final = 512
"""turbohtml itself keeps at most this many formatting elements open."""

_FORMATTING: Final = re.compile(
    r"<(/?)(b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[\s/>])([^>]*)", re.IGNORECASE
)


class Events(SaxHandler):
    """What the parser found, in document order.

    Attributes:
        tags: name of each element.
        attrs: attributes of each element.
        runs: text runs.
        codes: one byte per event: `START`, `END` or `TEXT`.
    """

    __slots__ = ("attrs", "codes", "runs", "tags")

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.attrs: list[Attributes] = []
        self.runs: list[str] = []
        self.codes = bytearray()

    def start_element(self, tag: str, attrs: Attributes) -> None:
        self.tags.append(tag)
        self.attrs.append(attrs)
        self.codes.append(START)

    def end_element(self, tag: str) -> None:  # noqa: ARG002
        self.codes.append(END)

    def characters(self, data: str) -> None:
        self.runs.append(data)
        self.codes.append(TEXT)


def parse_events(html: str) -> Events:
    """Read HTML as a browser with scripting off does.

    Args:
        html: any text; neither NUL, lone surrogates nor hostile nesting are a problem.

    Returns:
        The events of the tree; for an empty text those of ``html``, ``head`` and ``body``.
    """
    n_tags = html.count("<")
    if n_tags > MAX_TAGS:
        html, n_tags = _cut(html, MAX_TAGS), MAX_TAGS
    if n_tags * PARSER_OPEN_LIMIT > MAX_REOPENED:
        html = bound_formatting(html, max(4, MAX_REOPENED // n_tags))
    events = Events()
    sax_parse(html, events)
    return events


def _cut(html: str, n_tags: int) -> str:
    position = -1
    for _ in range(n_tags):
        position = html.find("<", position + 1)
    return html[:position]


def bound_formatting(html: str, limit: int) -> str:
    """Rename formatting start tags to ``span`` where more than ``limit`` would be open.

    Counts as the standard's list of active formatting elements does: equal elements at most
    three times (the "Noah's Ark clause"), an end tag takes back the latest of its name.
    """
    waiting: dict[str, list[str]] = {}
    n_open = 0
    renamed: list[tuple[int, int]] = []
    for match in _FORMATTING.finditer(html):
        name = match[2].lower()
        same = waiting.setdefault(name, [])
        if match[1]:
            if same:
                same.pop()
                n_open -= 1
        elif n_open >= limit:
            renamed.append(match.span(2))
        elif same[-3:].count(match[3]) < 3:
            same.append(match[3])
            n_open += 1
    return _replace(html, renamed) if renamed else html


def _replace(html: str, places: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in places:
        pieces += (html[done:start], "span")
        done = end
    pieces.append(html[done:])
    return "".join(pieces)
