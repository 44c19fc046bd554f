"""The one place that knows the HTML parser: source text in, flat event lists out.

turbohtml builds the tree as the HTML Standard prescribes (implied elements, adoption agency,
foster parenting) and walks it in document order; we keep names, attributes and text, and one
number per start and end, from which `quarkcrawl.page.tree.walk` finds all else. Its cost is linear
in everything but unclosed formatting elements and links, which are reopened, attributes and all, in
each following block, and ``html`` and ``body`` written again, whose attributes are copied: the
``bound_`` functions keep these in bounds.

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

MAX_COPIED_BYTES: Final = 192_000_000
"""Bound on (bytes of open formatting elements) × (tags), the most that reopening can copy. A link
may reach it besides, and elements whose end is in doubt `MAX_DOUBTFUL` times."""

MIN_OPEN_BYTES: Final = 512
"""So many bytes of formatting elements may be open however many tags a page has."""

ELEMENT_BYTES: Final = 256
"""What an element takes in the parser and in `Events`, besides one for each character."""

ATTRIBUTE_BYTES: Final = 128
"""What each of its attributes takes, the same way."""

MAX_EQUAL: Final = 3
"""Equal formatting elements that the standard keeps open."""

MAX_DOUBTFUL: Final = 2
"""The parser ignores an end tag in some places: in a comment, or in a cell for what was opened
before it. So a start tag counts for the whole page, unless its end tag follows with only text and
`_INLINE` tags between; those that count may come to so many times the bytes that may be open."""

_MAX_SURE_CHARS: Final = 2_000
"""An end tag farther away is in doubt."""

_FORMATTING: Final = frozenset(
    {"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
PLAIN_BYTES: Final = MAX_EQUAL * ELEMENT_BYTES * (len(_FORMATTING) + 1)
"""What formatting elements without attributes can cost."""

MAX_READ: Final = 4
"""Tags can be hidden in the values of tags; when those read come to so many times the page, the
next ones are taken to be too long."""

MAX_ROOTS: Final = 32
"""So many start tags of ``html`` and ``body`` with attributes are read."""

_ROOM: Final = 64
"""So many elements more than tags find room: html, head, body and others that are implied."""

_TOO_LONG: Final = (0, 1 << 32)
_LONGEST: Final = max(map(len, _FORMATTING))
_FORMATTING_TAG: Final = re.compile(
    rf"<(/?)({'|'.join(sorted(_FORMATTING))})(?=[ \t\n\r\f/>])", re.IGNORECASE | re.ASCII
)
_LINK_TAG: Final = re.compile(r"<(a)(?=[ \t\n\r\f/])", re.IGNORECASE)
_LINK_END: Final = re.compile(r"</a[ \t\n\r\f/>]", re.IGNORECASE)
_INLINE: Final = re.compile(
    rf"(?>(?:[^<]++|</?(?:a|abbr|br|img|span|sub|sup|{'|'.join(sorted(_FORMATTING))})"
    r"""(?=[ \t\n\r\f/>])[^<>"']*+(?>(?:"[^"]*"[^<>"']*+|'[^']*'[^<>"']*+)*)>)*)""",
    re.IGNORECASE | re.ASCII,
)
"""Text and tags between which no end tag is ignored."""

_ROOT_TAG: Final = re.compile(r"<(html|body)(?=[ \t\n\r\f/])", re.IGNORECASE)
_FOREIGN: Final = re.compile("<[sSmM](?:[vV][gG]|[aA][tT][hH])")
_SHADOW_MODE: Final = re.compile("shadowrootmode", re.IGNORECASE)
_IS_SHADOW: Final = re.compile(
    r"""(?<=[\s/])shadowrootmode\s*=\s*["']?(?:open|closed)(?=["'\s/]|\Z)""", re.IGNORECASE
)
_VALUES: Final = r"""(?>(?:[^<>"']|"[^"]*"|'[^']*')*)"""
_TEMPLATE_TAG: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>]).*?(?:</\1(?=[\s/>])|\Z)"
    rf"|<(/?)(template)(?=[\s/>])({_VALUES})|<[a-z]{_VALUES}",
    re.IGNORECASE | re.DOTALL,
)
"""Templates, and before them what only looks as if it held some: comments, text, attributes."""

_TEMPLATE: Final = re.compile("<[tT][eE][mM][pP][lL][aA][tT][eE]")
_FOREIGN_OR_TEMPLATE: Final = re.compile(r"<(/?)(svg|math|template)(?=[\s/>])", re.IGNORECASE)


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
    n_tags, n_bytes, link_bytes, n_roots, n_foreign, n_templates = count_tags(html)
    if n_templates:
        html = with_shadows(html)
    if n_foreign and n_templates and _FOREIGN.search(html) and _TEMPLATE.search(html):
        html = without_foreign_templates(html)
    if n_tags > MAX_TAGS:
        html, n_tags = _cut(html, MAX_TAGS), MAX_TAGS
    if n_roots > MAX_ROOTS:
        html = bound_roots(html)
    max_bytes = max(MIN_OPEN_BYTES, MAX_COPIED_BYTES // max(n_tags, 1))
    if link_bytes > max_bytes:
        html = bound_links(html, max_bytes)
    if n_bytes + PLAIN_BYTES > max_bytes:
        html = bound_formatting(html, max_bytes)
    try:
        return _whole_events(html, n_tags)
    except UnicodeError:  # a lone surrogate in a name or attribute
        return _whole_events(without_surrogates(html), n_tags)


def count_tags(html: str) -> tuple[int, int, int, int, int, int]:
    """Tags, bytes of formatting elements and of the longest link, roots, foreign ones, templates.

    All but the first are told by their first letters and at most so many: none is missed, whatever
    is around it, but what stands in comments, scripts and values is counted, too.
    """
    n_tags = n_bytes = link_bytes = n_roots = n_foreign = n_templates = n_read = 0
    n, last, longest, most_read = len(html), len(html) - 3, _LONGEST, MAX_READ * len(html)
    formatting, name = _FORMATTING, ""
    place = html.find("<")
    while place >= 0:
        n_tags += 1
        letter = html[place + 1] if place <= last else "/"
        if letter != "/":
            second = html[place + 2]
            if letter in "aAbBcCeEfFiInNsStTuU" and second in " \t\n\r\f/iImMoOtT":
                end = place + 2
                while end < n and end - place <= longest and html[end].isalpha():
                    end += 1
                if end < n and html[end] in " \t\n\r\f/":
                    is_link = second in " \t\n\r\f/" and letter in "aA"
                    if not is_link:
                        name = html[place + 1 : end].lower()
                    if is_link or name in formatting:
                        chars, cost = tag_size(html, place) if n_read <= most_read else _TOO_LONG
                        n_read += chars
                        if not is_link:
                            n_bytes += cost
                        elif cost > link_bytes:
                            link_bytes = cost
            n_roots += letter in "bBhH" and second in "oOtT"
            n_foreign += letter in "sSmM" and second in "vVaA"
            n_templates += letter in "tT" and second in "eE"
        place = html.find("<", place + 1)
    return n_tags, n_bytes, link_bytes, n_roots, n_foreign, n_templates


def tag_size(html: str, start: int) -> tuple[int, int]:
    """Characters of the tag that starts here, as the standard reads it; bytes of its element."""
    n = len(html)
    place = start + 1
    while place < n and html[place] not in " \t\n\r\f/>":
        place += 1
    n_attrs = 0
    while place < n and html[place] != ">":
        if html[place] in " \t\n\r\f/":
            place += 1
        else:
            n_attrs += 1
            place = _attribute_end(html, place)
    chars = min(place + 1, n) - start
    return chars, ELEMENT_BYTES + ATTRIBUTE_BYTES * n_attrs + chars


def _attribute_end(html: str, start: int) -> int:
    """Where the attribute that starts here ends, its value included."""
    n = len(html)
    place = start + 1
    while place < n and html[place] not in " \t\n\r\f/>=":
        place += 1
    while place < n and html[place] in " \t\n\r\f":
        place += 1
    if place == n or html[place] != "=":
        return place
    place += 1
    while place < n and html[place] in " \t\n\r\f":
        place += 1
    if place < n and html[place] in "\"'":
        end = html.find(html[place], place + 1)
        return n if end < 0 else end + 1
    while place < n and html[place] not in " \t\n\r\f>":
        place += 1
    return place


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


def bound_links(html: str, max_bytes: int) -> str:
    """Rename ``a`` to ``span`` where one of them would take more than ``max_bytes``.

    Each ends the one before it, so their number does not matter. Those that end soon are never
    reopened, and stay.
    """
    renamed: list[tuple[int, int]] = []
    n_read, most_read = 0, MAX_READ * len(html)
    for match in _LINK_TAG.finditer(html):
        if n_read > most_read:
            renamed.append(match.span(1))
            continue
        chars, cost = tag_size(html, match.start())
        n_read += chars
        if cost > max_bytes:
            after = match.start() + chars
            end = _LINK_END.search(html, after, after + _MAX_SURE_CHARS)
            n_read += end.end() - after if end else _MAX_SURE_CHARS
            if not (end and _INLINE.fullmatch(html, after, end.start())):
                renamed.append(match.span(1))
    return _replace(html, renamed, "span")


def bound_formatting(html: str, max_bytes: int) -> str:
    """Rename formatting start tags to ``span`` where more than ``max_bytes`` would be open.

    Counts as the standard's list of active formatting elements does: equal elements at most
    three times (the "Noah's Ark clause"), an end tag takes back the latest of its name. What stands
    in comments and scripts counts, too.
    """
    open_tags: dict[str, list[tuple[str, int, int, int]]] = {name: [] for name in _FORMATTING}
    n_equal: Counter[str] = Counter()
    n_doubtful: Counter[str] = Counter()
    open_bytes = doubtful_bytes = n_read = n_checked = 0
    most_read = MAX_READ * len(html)
    renamed: list[tuple[int, int]] = []
    for match in _FORMATTING_TAG.finditer(html):
        same, start = open_tags[match[2].lower()], match.start()
        if match[1]:
            if same:
                tag, end, cost, doubtful_cost = same.pop()
                n_equal[tag] -= 1
                open_bytes -= cost
                is_near = start - end <= _MAX_SURE_CHARS and n_checked <= most_read
                n_checked += start - end if is_near else 0
                if is_near and _INLINE.fullmatch(html, end, start):
                    n_doubtful[tag] -= 1
                    doubtful_bytes -= doubtful_cost
            continue
        if n_read > most_read:
            renamed.append(match.span(2))
            continue
        chars, cost = tag_size(html, start)
        n_read += chars
        tag = html[start : start + chars]
        if n_equal[tag] >= MAX_EQUAL:
            continue
        doubtful_cost = cost if n_doubtful[tag] < MAX_EQUAL else 0
        if (
            open_bytes + cost > max_bytes
            or doubtful_bytes + doubtful_cost > MAX_DOUBTFUL * max_bytes
        ):
            renamed.append(match.span(2))
        else:
            same.append((tag, start + chars, cost, doubtful_cost))
            n_equal[tag] += 1
            n_doubtful[tag] += 1
            open_bytes += cost
            doubtful_bytes += doubtful_cost
    return _replace(html, renamed, "span") if renamed else html


def bound_roots(html: str) -> str:
    """Rename start tags of ``html`` and ``body`` behind the first `MAX_ROOTS` to ``head``.

    Each of them gives its attributes to the one element, and turbohtml copies those it has; a
    second ``head`` the standard ignores.
    """
    roots = [match.span(1) for match in _ROOT_TAG.finditer(html)]
    return _replace(html, roots[MAX_ROOTS:], "head")


def with_shadows(html: str) -> str:
    """Rename ``template`` to ``slot`` where it declares what browsers show of an element.

    The parser keeps such a shadow tree apart from the page, and tells nothing of it. A slot has no
    box and no rules of its own in HTML; which end tag is whose is told by counting.
    """
    if not _SHADOW_MODE.search(html):
        return html
    is_renamed: list[bool] = []
    places: list[tuple[int, int]] = []
    for match in _TEMPLATE_TAG.finditer(html):
        _, end_sign, name, attributes = match.groups()
        if name is None:
            continue
        if end_sign:
            is_shadow = bool(is_renamed) and is_renamed.pop()
        else:
            is_shadow = _IS_SHADOW.search(attributes) is not None
            is_renamed.append(is_shadow)
        if is_shadow:
            places.append(match.span(3))
    return _replace(html, places, "slot") if places else html


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
