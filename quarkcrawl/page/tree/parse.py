"""The one place that knows the HTML parser: source text in, flat event lists out.

turbohtml builds the tree as the HTML Standard prescribes (implied elements, adoption agency,
foster parenting) and walks it in document order; we keep names, attributes and text, and one
number per start and end, from which `quarkcrawl.page.tree.walk` finds all else. Its cost is linear
in everything but unclosed formatting elements, which are reopened in each following block;
`bound_formatting` keeps their product with the number of tags in bounds.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final, cast

from turbohtml.saxparse import SaxHandler, sax_parse

from quarkcrawl.page.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable


Attributes = tuple[tuple[str, str | None], ...]

MAX_TAGS: Final = 1_000_000
"""A page with more tags than this is cut after that many."""

MAX_REOPENED: Final = 750_000
"""Bound on (open formatting elements) × (tags), the most elements that reopening can create."""

PARSER_OPEN_LIMIT: Final = 512
"""turbohtml itself keeps at most this many formatting elements open."""

_WITH_ATTRIBUTES: Final = re.compile(
    r"<[bBcCeEfFiIsStTuU](?:[oO][nN][tT]|[mM]|[iI][gG]|[oO][dD][eE]|[mM][aA][lL]{2}|[tT]"
    r"|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG])?[\s/]"
)
"""Finds at least each formatting start tag with attributes. Spelt out because IGNORECASE would
take twice as long."""

MAX_EQUAL: Final = 3
"""Equal formatting elements that the standard keeps open."""

MAX_WITHOUT_ATTRIBUTES: Final = 12 * MAX_EQUAL
"""There are twelve formatting elements."""

_FOREIGN: Final = re.compile("<[sSmM](?:[vV][gG]|[aA][tT][hH])")
_TEMPLATE: Final = re.compile("<[tT][eE][mM][pP][lL][aA][tT][eE]")
_FOREIGN_OR_TEMPLATE: Final = re.compile(r"<(/?)(svg|math|template)(?=[\s/>])", re.IGNORECASE)
_FORMATTING: Final = re.compile(
    r"<(/?)(b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[\s/>])([^>]*)", re.IGNORECASE
)


class Events:
    """What the parser found, in document order.

    Attributes:
        tags: name of each element.
        attrs: attributes of each element.
        runs: text runs.
        marks: one number per start and end of an element: how many runs came before it, for an
            end as its bitwise complement (negative).
    """

    __slots__ = ("attrs", "marks", "runs", "tags")

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.attrs: list[Attributes] = []
        self.runs: list[str] = []
        self.marks = array("i")

    def handler(self) -> SaxHandler:
        """The parser's view of this record: callbacks that append.

        Text, the most frequent event, goes straight into the list without a Python call.
        """
        runs = self.runs
        add_tag, add_attrs, add_mark = self.tags.append, self.attrs.append, self.marks.append

        def start_element(tag: str, attrs: Attributes) -> None:
            add_tag(tag)
            add_attrs(attrs)
            add_mark(len(runs))

        def end_element(_tag: str) -> None:
            add_mark(~len(runs))

        return cast("SaxHandler", _Callbacks(start_element, end_element, runs.append))


class _Callbacks:
    """Takes the place of a SaxHandler; events that are not needed stay the base class's."""

    __slots__ = ("characters", "end_element", "start_element")
    comment = SaxHandler.comment
    doctype = SaxHandler.doctype
    processing_instruction = SaxHandler.processing_instruction

    def __init__(
        self,
        start_element: Callable[[str, Attributes], None],
        end_element: Callable[[str], None],
        characters: Callable[[str], None],
    ) -> None:
        self.start_element = start_element
        self.end_element = end_element
        self.characters = characters


def parse_events(html: str) -> Events:
    """Read HTML as a browser with scripting off does.

    Args:
        html: any text; neither NUL, lone surrogates nor hostile nesting are a problem.

    Returns:
        The events of the tree; for an empty text those of ``html``, ``head`` and ``body``.
    """
    if _FOREIGN.search(html) and _TEMPLATE.search(html):
        html = without_foreign_templates(html)
    n_tags = html.count("<")
    if n_tags > MAX_TAGS:
        html, n_tags = _cut(html, MAX_TAGS), MAX_TAGS
    if n_tags * PARSER_OPEN_LIMIT > MAX_REOPENED:
        limit = max(4, MAX_REOPENED // n_tags)
        if len(_WITH_ATTRIBUTES.findall(html)) + MAX_WITHOUT_ATTRIBUTES > limit:
            html = bound_formatting(html, limit)
    events = Events()
    try:
        sax_parse(html, events.handler())
    except UnicodeError:  # a lone surrogate in a name or attribute
        events = Events()
        sax_parse(without_surrogates(html), events.handler())
    return events


def _cut(html: str, n_tags: int) -> str:
    position = -1
    for _ in range(n_tags + 1):
        position = html.find("<", position + 1)
    return html[:position]


def bound_formatting(html: str, limit: int) -> str:
    """Rename formatting start tags to ``span`` where more than ``limit`` would be open.

    Counts as the standard's list of active formatting elements does: equal elements at most
    three times (the "Noah's Ark clause"), an end tag takes back the latest of its name.
    """
    waiting: dict[str, list[str]] = {}
    n_equal: Counter[tuple[str, str]] = Counter()
    n_open = 0
    renamed: list[tuple[int, int]] = []
    for match in _FORMATTING.finditer(html):
        is_end, name, attrs = match[1], match[2].lower(), match[3]
        same = waiting.setdefault(name, [])
        if is_end:
            if same:
                n_equal[name, same.pop()] -= 1
                n_open -= 1
        elif n_equal[name, attrs] < MAX_EQUAL:
            if n_open >= limit:
                renamed.append(match.span(2))
            else:
                same.append(attrs)
                n_equal[name, attrs] += 1
                n_open += 1
    return _replace(html, renamed, "span") if renamed else html


def without_foreign_templates(html: str) -> str:
    """Rename ``template`` to ``datalist``, another hidden element, behind ``svg`` and ``math``.

    turbohtml 1.15.4 takes an SVG or MathML element named ``template`` for an HTML one when it meets
    ``</template>`` and crashes the process (``<svg><template><desc><p></template><b><p>``). Where
    such a picture ends cannot be told without parsing, so all templates that start behind the
    first one are renamed, each with its end tag.
    """
    seen_foreign = False
    is_renamed: list[bool] = []
    places: list[tuple[int, int]] = []
    for match in _FOREIGN_OR_TEMPLATE.finditer(html):
        is_end, name = match.groups()
        if len(name) < len("template"):
            seen_foreign |= not is_end
        elif not is_end:
            is_renamed.append(seen_foreign)
            if seen_foreign:
                places.append(match.span(2))
        elif is_renamed and is_renamed.pop():
            places.append(match.span(2))
    return _replace(html, places, "datalist") if places else html


def _replace(html: str, places: list[tuple[int, int]], name: str) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in places:
        pieces += (html[done:start], name)
        done = end
    pieces.append(html[done:])
    return "".join(pieces)
