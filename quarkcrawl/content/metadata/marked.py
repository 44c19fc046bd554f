"""Names that stand in elements marked as those of an author: by class, id, rel, itemprop or link.

``<a rel=author>``, ``<span class="entry-author vcard">``, ``<a href="/authors/jane-doe">``. Parts
of a page that hold other people (comments, related articles, menus) are passed over.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.metadata.bylines import (
    MAX_CHARS,
    is_full_name,
    is_job,
    is_label,
    line_names,
    names_in,
)
from quarkcrawl.content.metadata.loops import holders
from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page.tree import Attributes, PageTree


_MAX_NODES: Final = 8_000
_MAX_FOUND: Final = 60
_MAX_NODES_BELOW: Final = 12
_MAX_RUNS: Final = 16
_MAX_VALUE_CHARS: Final = 200
_LINES_BEFORE: Final = 8
_LINES_BEHIND: Final = 25
_MAX_ANCESTORS: Final = 30
_MOST_OF_PAGE: Final = 0.4
_STEMS: Final = ("uthor",)
_MAX_SOURCE_CHARS: Final = 400_000
_MAX_STEMS: Final = 120
_ATTRIBUTE: Final = re.compile(
    r"""(?=[cirhCIRH])(class|id|itemprop|rel|href)\s?=\s?(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))""",
    re.IGNORECASE,
)
_NAMES: Final = frozenset(("class", "id", "data-testid", "data-test"))
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AUTHOR: Final = re.compile(
    r"auth?or(?:s|en|in|es|name|names|link|text|info|box|block|title|card|wrapper|zeile|inf|nam)?"
    r"|auteurs?|autore|bylines?|byname|writer|verfasser|redakteur|contributors?|reporter|journalist"
    r"|columnist|zuozhe|byl"
)
_POSTER: Final = re.compile(r"(?:big)?usernames?|poster|creator|threadauthor|nickname|submitter")
_OF_NAMES: Final = frozenset(("name", "link", "authorname", "authorlink", "fn"))
_OTHERS_TEXT: Final = """
    bio about image images img avatar photo pic picture desc description social follow title
    role job position count date time comment comments reply replies icon excerpt tooltip login
    signup summary headshot thumb thumbnail reactions company email website quote
"""
_OTHERS: Final = frozenset(_OTHERS_TEXT.split())
"""Words beside that of the author that say that the element holds something else."""

_ELSEWHERE_TEXT: Final = """
    comment comments commentlist disqus respond related recommend recommended recommendations
    sidebar footer nav navigation navbar menu teaser teasers latest popular trending carousel
    slider breadcrumb breadcrumbs quote quotebox blockquote testimonial testimonials newsletter
    modal toc mentions reactions answers replies suggested
"""
_ELSEWHERE: Final = frozenset(_ELSEWHERE_TEXT.split())
_WHOLE: Final = frozenset(("html", "body", "main", "article", "form"))
_OF_SOMEBODY: Final = re.compile(
    r"(?=[/?&m])(?:(?P<author>/(?:auth?or(?:s|en|es)?|auteurs?|contributors?|columnists?|writers?|reporters?"
    r"|redakteure?)/[^/]|[?&]_?author=)"
    r"|/(?:profiles?|users?|members?|people|staff|team|u)/[^/]+/?$|/@[^/]+/?$|mode=viewprofile"
    r"|member\.php)"
)


def _holders() -> NDArray[np.bool_]:
    """By tag id whether elements of that name hold names of people."""
    table = np.ones(MAX_TAG_ID + 1, np.bool_)
    nothing = (
        "script style link meta svg path img input option br source iframe button select ul nav"
    )
    table[[TAG_IDS[name] for name in nothing.split() if name in TAG_IDS]] = False
    return table


_HOLDS_NAMES: Final = _holders()
_STATED, _STRONG, _PLAIN, _WEAK = 4, 3, 2, 1
_AND_MORE: Final = re.compile(r"(?:, [^,]{2,50}){0,5},? (?:and|und|et|y|&) ")
_NICKNAME: Final = re.compile("nick[-_]?name", re.IGNORECASE)


class _Mark(NamedTuple):
    """A marked element with a name.

    Args:
        weight: how clearly it is marked.
        node: its number.
        line: number of the line that it stands on.
        names: names in it.
    """

    weight: int
    node: int
    line: int
    names: list[str]


def marked_authors(
    tree: PageTree, lines: PageLines, source: str, place: int
) -> tuple[list[str], int]:
    """The names in the best of the elements marked as those of an author.

    Args:
        tree: the page.
        lines: what readers see of it.
        source: its source, in which the marks are sought first.
        place: number of the line of the headline.

    Returns:
        The names, and how clearly they are marked: 3 by an element made for it, 1 by a link to
        some user, 0 if there are none.
    """
    first, last = lines.runs_between(place - _LINES_BEHIND, place + _LINES_BEHIND)
    is_there = (tree.run_start >= first) & (tree.run_start < last) & _HOLDS_NAMES.take(tree.tag)
    near = [m for m in _marks(tree, lines, np.flatnonzero(is_there).tolist()) if _is_near(m, place)]
    behind = [mark for mark in near if mark.line >= place]
    if all(mark.weight == _WEAK for mark in behind):
        near.sort(key=lambda mark: -mark.weight)
        behind = [] if near and near[0].weight >= _STRONG else behind
    for group in (behind, near):
        if group:
            most = max(mark.weight for mark in group)
            best = next(mark for mark in group if mark.weight >= min(most, _PLAIN))
            names = _with_neighbors(best, group)
            return _more_names(lines.lines[best.line], names), best.weight
    return _far_authors(tree, lines, source, place)


def _far_authors(
    tree: PageTree, lines: PageLines, source: str, place: int
) -> tuple[list[str], int]:
    """The same for elements elsewhere: a box below the text, the posts of a thread."""
    attributes = _marked_attributes(source)
    if not attributes:
        return [], 0
    nodes = holders(tree.all_attrs, attributes, {value for _, value in attributes})
    author_marks = [mark for mark in _marks(tree, lines, nodes) if mark.weight >= _PLAIN]
    if len({mark.names[0].casefold() for mark in author_marks}) == 1:
        return author_marks[0].names, author_marks[0].weight
    below = [mark for mark in author_marks if mark.line > place]
    if below and (below[0].weight >= _STRONG or all(m.names == below[0].names for m in below[:2])):
        return _with_neighbors(below[0], below), _WEAK
    return [], 0


def _marked_attributes(source: str) -> set[tuple[str, str]]:
    """Attributes of the source that may mark an author."""
    attributes = set[tuple[str, str]]()
    for stem in _STEMS:
        place = source.find(stem, 0, _MAX_SOURCE_CHARS)
        for _ in range(_MAX_STEMS):
            if place < 0:
                break
            opening = source.rfind("<", max(place - _MAX_VALUE_CHARS, 0), place)
            if opening >= 0 and source.find(">", opening, place) < 0:
                for match in _ATTRIBUTE.finditer(source, opening, place + _MAX_VALUE_CHARS):
                    if match.start() >= place:
                        break
                    if place < match.end():
                        name = match[1].lower()
                        attributes.add((name, match[2] or match[3] or match[4] or ""))
            place = source.find(stem, place + len(stem), _MAX_SOURCE_CHARS)
    return attributes


def _is_near(mark: _Mark, place: int) -> bool:
    """Whether a marked element stands where bylines stand: by the headline."""
    before = _LINES_BEHIND if mark.weight >= _STRONG else _LINES_BEFORE
    return place - before <= mark.line <= place + _LINES_BEHIND


def _with_neighbors(first: _Mark, marks: list[_Mark]) -> list[str]:
    """The names of an element and of those beside it that are marked alike."""
    names = list(first.names)
    for mark in marks[marks.index(first) + 1 :]:
        if mark.weight != first.weight or mark.line > first.line:
            break
        names += [name for name in mark.names if name not in names]
    return names if len(names) <= 6 else first.names


def _more_names(line: str, names: list[str]) -> list[str]:
    """All names of a byline of which only some are marked: ``By <a>Jane Doe</a> and John Roe``."""
    _, name, behind = line.partition(names[-1])
    if name and len(line) <= MAX_CHARS and _AND_MORE.match(behind):
        named = line_names(line) or names_in(line)
        if set(names) < set(named) and all(map(is_full_name, named)):
            return named
    return names


def _marks(tree: PageTree, lines: PageLines, nodes: list[int]) -> list[_Mark]:
    """Of some nodes in document order the marked ones that hold a name, innermost ones."""
    marks, all_attrs = list[_Mark](), tree.all_attrs
    for node in nodes[:_MAX_NODES]:
        attrs = all_attrs[node]
        weight = _weight(attrs) if attrs else 0
        if not weight or tree.tags[node] in _WHOLE:
            continue
        first, last = int(tree.run_start[node]), int(tree.run_end[node])
        names = _stated_names(tree, node) if weight == _STRONG else []
        if names:
            weight = _STATED
        elif first < last:
            names = _names_of(tree, first, last)
        if names and not _stands_elsewhere(tree, node):
            line = lines.line_of_run(_first_shown(tree, first))
            mark = _Mark(weight, node, line, names)
            while marks and node < int(tree.end[marks[-1].node]):
                mark = _inner(marks.pop(), mark)
            marks.append(mark)
            if len(marks) >= _MAX_FOUND:
                break
    return marks


def _stated_names(tree: PageTree, node: int) -> list[str]:
    """What microdata in an element state as a name, if the element shows it, too: no job."""
    for below in range(node + 1, min(int(tree.end[node]), node + _MAX_NODES_BELOW)):
        if tree.tags[below] == "meta" and tree.attr(below, "itemprop") == "name":
            names = names_in(tree.attr(below, "content") or "", is_shown=False)
            shown = tree.runs[int(tree.run_start[node]) : int(tree.run_end[node])][:_MAX_RUNS]
            return names if any(text.strip() in names for text in shown) else []
    return []


def _inner(outer: _Mark, inner: _Mark) -> _Mark:
    """Of an element and one in it the inner one, unless the outer one names more or states it."""
    if outer.weight == _STATED:
        return outer
    is_more = len(outer.names) > len(inner.names) and set(inner.names) <= set(outer.names)
    return (outer if is_more else inner)._replace(weight=max(outer.weight, inner.weight))


def _stands_elsewhere(tree: PageTree, node: int) -> bool:
    """Whether an element stands in comments, a menu or the like."""
    most = _MOST_OF_PAGE * len(tree.runs)
    for _ in range(_MAX_ANCESTORS):
        if node <= 0:
            return False
        if tree.tags[node] not in _WHOLE and tree.run_end[node] - tree.run_start[node] < most:
            for key, value in tree.all_attrs[node]:
                if key in _NAMES and value and _said(value[:_MAX_VALUE_CHARS])[1]:
                    return True
        node = int(tree.parent[node])
    return False


def _first_shown(tree: PageTree, run: int) -> int:
    """The first run from here that is shown."""
    while run + 1 < len(tree.runs) and (tree.run_raw[run] or not tree.runs[run].strip()):
        run += 1
    return run


def _names_of(tree: PageTree, first: int, last: int) -> list[str]:
    """Names in the first lines of an element."""
    piece, texts = -1, list[str]()
    n_chars = 0
    for run in range(first, min(last, first + _MAX_RUNS)):
        text = tree.runs[run]
        if tree.run_raw[run] or not text.strip():
            if texts and not tree.run_raw[run]:
                texts[-1] += " "
            continue
        n_chars += len(text)
        if n_chars > 2 * MAX_CHARS:
            break
        number = int(tree.run_lines.piece[run])
        if number == piece and texts[-1].strip() == text.strip():
            continue  # once for readers, once for machines
        if number == piece:
            texts[-1] += _between(texts[-1], text) + text
        else:
            texts.append(text)
        piece = number
    for text in texts[:3]:
        folded = " ".join(text.split())
        if not is_label(folded):
            return names_in(folded)
    return []


def _between(before: str, text: str) -> str:
    """What parts two pieces of a line: a bar where a job or paper follows a whole name."""
    if not (before.rstrip()[-1:].isalnum() and text[:1].isupper()):
        return ""
    names = names_in(" ".join(before.split()))
    is_whole = bool(names) and is_full_name(names[-1])
    return " | " if is_whole and (is_full_name(text.strip()) or is_job(text.strip())) else " "


def _weight(attrs: Attributes) -> int:
    """How clearly the attributes of an element mark an author."""
    weight, is_other = 0, False
    for key, value in attrs:
        if not value:
            continue
        if key in _NAMES:
            more, _, says_other = _said(value[:_MAX_VALUE_CHARS])
            weight = max(weight, more)
            is_other = is_other or says_other
        elif key == "href":
            linked = _OF_SOMEBODY.search(value)
            if linked:
                weight = max(weight, _PLAIN if linked["author"] else _WEAK)
        elif key in ("rel", "itemprop") and value.lower() in ("author", "creator"):
            return _STRONG
    return weight if weight == _STRONG or not is_other else 0


@lru_cache(maxsize=20_000)
def _said(value: str) -> tuple[int, bool, bool]:
    """What a class or id says.

    That is: how clearly it marks an author, whether it marks other parts of a page, and whether it
    is of something else about an author.
    """
    words = [word.lower() for word in _WORD.findall(_NICKNAME.sub("-nickname-", value))]
    # Who can be followed by a nickname is the author.
    words = [word for word in words if word != "follow"] if "nickname" in words else words
    weight = _WEAK if any(map(_POSTER.fullmatch, words)) else 0
    if any(map(_AUTHOR.fullmatch, words)):
        weight = _PLAIN if _OF_NAMES.isdisjoint(words) else _STRONG
    return weight, not _ELSEWHERE.isdisjoint(words), not _OTHERS.isdisjoint(words)
