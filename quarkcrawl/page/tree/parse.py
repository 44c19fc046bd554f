"""The one place that knows the HTML parser: source text in, flat event lists out.

turbohtml builds the tree as the HTML Standard prescribes (implied elements, adoption agency,
foster parenting) and walks it in document order; we keep names, attributes and text, and one
number per start and end, from which `quarkcrawl.page.tree.walk` finds all else. Its cost is linear
in everything but unclosed formatting elements, which are reopened in each following block;
`bound_formatting` keeps their product with the number of tags in bounds.

The parser calls `Events` twice for each element; so this module is compiled, as the loops are.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from turbohtml.saxparse import SaxHandler, sax_parse

from quarkcrawl.page.text import without_surrogates
from quarkcrawl.page.tree.tags import MAX_TAG_ID, TAG_IDS
from quarkcrawl.page.tree.unclosed import MIN_GROWTH, closed, may_be_swallowed, visible_chars

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


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
"""Finds at least each formatting start tag with attributes. Spelled out because IGNORECASE would
take twice as long."""

MAX_EQUAL: Final = 3
"""Equal formatting elements that the standard keeps open."""

MAX_WITHOUT_ATTRIBUTES: Final = 12 * MAX_EQUAL
"""There are twelve formatting elements."""

_ROOM: Final = 64
"""So many elements more than tags find room: html, head, body and others that are implied."""

_FOREIGN: Final = re.compile("<[sSmM](?:[vV][gG]|[aA][tT][hH])")
_TEMPLATE: Final = re.compile("<[tT][eE][mM][pP][lL][aA][tT][eE]")
_FOREIGN_OR_TEMPLATE: Final = re.compile(r"<(/?)(svg|math|template)(?=[\s/>])", re.IGNORECASE)
_FORMATTING: Final = re.compile(
    r"<(/?)(b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[\s/>])([^>]*)", re.IGNORECASE
)


class Events:
    """What the parser found, in document order.

    Args:
        room: elements for which there is room at first; more of them make more room.

    Attributes:
        tags: name of each element.
        attrs: attributes of each element.
        runs: text runs.
        links: numbers of the ``a`` elements with ``href``.
        unclosed: name of the element that took most of the page and was read as empty, see
            `quarkcrawl.page.tree.unclosed`; "" if none did.
    """

    def __init__(self, room: int = 64) -> None:
        self.tags: list[str] = []
        self.attrs: list[Attributes] = []
        self.runs: list[str] = []
        self.links: list[int] = []
        self.unclosed = ""
        self._ids, self._last_id, self._anchor = TAG_IDS.copy(), MAX_TAG_ID, TAG_IDS["a"]
        self._tag = self._tags_kept = np.empty(room, np.int16)
        self._marks = self._marks_kept = np.empty(2 * room, np.int32)
        self._n_nodes = self._n_marks = self._depth = 0

    def start_element(self, tag: str, attrs: Attributes) -> None:
        """An element starts."""
        self._depth += 1
        number = self._ids.setdefault(tag, len(self._ids))
        if self._n_nodes == len(self._tag):
            self._tag = self._tags_kept = _doubled(self._tags_kept)
        self._tag[self._n_nodes] = min(number, self._last_id)
        if number == self._anchor:
            for name, _ in attrs:
                if name == "href":
                    self.links.append(self._n_nodes)
        self._n_nodes += 1
        self.tags.append(tag)
        self.attrs.append(attrs)
        self._mark(len(self.runs))

    def end_element(self, _tag: str) -> None:
        """The element that started last, of those that have not ended, ends; the root by `close`.

        For some pages nested deeper than 512 elements, turbohtml 1.15.4 tells of the root's end
        before that of the page.
        """
        if self._depth > 1:
            self._depth -= 1
            self._mark(~len(self.runs))

    def close(self) -> None:
        """The page ends, and with it all elements that have not."""
        for _ in range(self._depth):
            self._mark(~len(self.runs))
        self._depth = 0

    def _mark(self, value: int) -> int:
        if self._n_marks == len(self._marks):
            self._marks = self._marks_kept = _doubled(self._marks_kept)
        self._marks[self._n_marks] = value
        self._n_marks += 1
        return 0

    def has_rare_tag(self, name: str) -> bool:
        """Whether an element has a name that `TAG_IDS` does not list."""
        return name in self._ids

    @property
    def tag(self) -> NDArray[np.int16]:
        """Tag id of each element; names that `TAG_IDS` does not list get those that follow."""
        return self._tags_kept[: self._n_nodes]

    @property
    def marks(self) -> NDArray[np.int32]:
        """One number per start and end of an element: how many runs came before it.

        For an end it is the bitwise complement (negative).
        """
        return self._marks_kept[: self._n_marks]


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.resize(array, 2 * len(array))


class _Callbacks:
    """The parser's view of `Events`; takes the place of a SaxHandler.

    The parser looks each callback up for each event, so they are bound once. Text, the most
    frequent event, goes straight into the list; what is not needed stays the base class's.
    """

    __slots__ = ("characters", "end_element", "start_element")
    comment = SaxHandler.comment
    doctype = SaxHandler.doctype
    processing_instruction = SaxHandler.processing_instruction

    def __init__(self, events: Events) -> None:
        self.start_element = events.start_element
        self.end_element = events.end_element
        self.characters = events.runs.append


def parse_events(html: str) -> Events:
    """Read HTML as a browser with scripting off does.

    Args:
        html: any text; neither NUL, lone surrogates nor hostile nesting are a problem.

    Returns:
        The events of the tree; for an empty text those of ``html``, ``head`` and ``body``.
    """
    n_tags, n_formatting, n_foreign, n_templates = count_tags(html)
    if n_foreign and n_templates and _FOREIGN.search(html) and _TEMPLATE.search(html):
        html = without_foreign_templates(html)
    if n_tags > MAX_TAGS:
        html, n_tags = _cut(html, MAX_TAGS), MAX_TAGS
    if n_tags * PARSER_OPEN_LIMIT > MAX_REOPENED:
        limit = max(4, MAX_REOPENED // n_tags)
        if n_formatting + MAX_WITHOUT_ATTRIBUTES > limit:
            n_formatting = len(_WITH_ATTRIBUTES.findall(html))
        if n_formatting + MAX_WITHOUT_ATTRIBUTES > limit:
            html = bound_formatting(html, limit)
    try:
        return _whole_events(html, n_tags)
    except UnicodeError:  # a lone surrogate in a name or attribute
        return _whole_events(without_surrogates(html), n_tags)


def count_tags(html: str) -> tuple[int, int, int, int]:
    """Tags, and at most how many are formatting ones with attributes, foreign ones, templates.

    Told by their first two letters: patterns are only needed where these leave a doubt.
    """
    n_tags = n_formatting = n_foreign = n_templates = 0
    last = len(html) - 3
    place = html.find("<")
    while place >= 0:
        n_tags += 1
        letter = html[place + 1] if place <= last else "/"
        if letter != "/":
            second = html[place + 2]
            if letter in "bBcCeEfFiIsStTuU" and (second.isspace() or second in "/iImMoOtT"):
                n_formatting += 1
            n_foreign += letter in "sSmM" and second in "vVaA"
            n_templates += letter in "tT" and second in "eE"
        place = html.find("<", place + 1)
    return n_tags, n_formatting, n_foreign, n_templates


def _whole_events(html: str, n_tags: int) -> Events:
    """Events of a page; what took most of it by never ending is read as empty."""
    events = _events(html, n_tags)
    if may_be_swallowed(html, events.runs):
        html, name = closed(html)
        if name:
            again = _events(html, n_tags)
            before, after = (
                visible_chars(read.marks, read.tag, read.runs) for read in (events, again)
            )
            if after >= max(MIN_GROWTH * before, 1):
                again.unclosed = name
                return again
    return events


def _events(html: str, n_tags: int) -> Events:
    events = Events(n_tags + _ROOM)
    sax_parse(html, cast("SaxHandler", _Callbacks(events)))
    events.close()
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
