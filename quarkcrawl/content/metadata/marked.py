"""Names that stand in elements marked as those of an author: by class, id, rel, itemprop or link.

``<a rel=author>``, ``<span class="entry-author vcard">``, ``<a href="/authors/jane-doe">``. Parts of
a page that hold other people (comments, related articles, menus) are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.metadata.bylines import MAX_CHARS, is_label, names_in

if TYPE_CHECKING:
    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page.tree import Attributes, PageTree


_MAX_NODES: Final = 8_000
_MAX_FOUND: Final = 60
_MAX_RUNS: Final = 16
_MAX_VALUE_CHARS: Final = 200
_LINES_BEFORE: Final = 8
_LINES_BEHIND: Final = 25
_MOST_OF_PAGE: Final = 0.4
_HINTS: Final = (
    *("uthor", "utor", "uteur", "yline", "riter", "ontributor", "sername", "reator", "oster"),
    *("eporter", "/user", "/member", "/profile", "/people", "/staff", "/u/", "/@", "zuozhe"),
)
_NAMED: Final = frozenset(("class", "id", "itemprop", "rel", "href", "data-testid", "data-test"))
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AUTHOR: Final = re.compile(
    r"auth?or(?:s|en|in|es|name|names|link|text|info|box|block|title|card|wrapper|zeile|inf|nam)?"
    r"|auteurs?|autore|bylines?|byname|writer|verfasser|redakteur|contributors?|reporter|journalist"
    r"|columnist|zuozhe|byl"
)
_POSTER: Final = re.compile(r"(?:big)?usernames?|poster|creator|threadauthor|nickname|submitter")
_OTHERS: Final = frozenset(
    """bio about image images img avatar photo pic picture desc description social follow title role
    job position count date time comment comments reply replies icon excerpt tooltip login signup
    summary headshot thumb thumbnail reactions company email website quote""".split()
)
"""Words beside that of the author that say that the element holds something else."""

_ELSEWHERE: Final = frozenset(
    """comment comments commentlist disqus respond related recommend recommended recommendations
    sidebar footer nav navigation navbar menu teaser teasers latest popular trending carousel
    slider breadcrumb breadcrumbs quote quotebox blockquote testimonial testimonials
    newsletter modal toc mentions reactions answers replies suggested""".split()
)
_WHOLE: Final = frozenset(("html", "body", "main", "article", "form"))
_OF_AUTHOR: Final = re.compile(
    r"/(?:authors?|autor(?:en|es)?|auteurs?|contributors?|columnists?|writers?|reporters?|redakteure?)"
    r"/[^/]|[?&]_?author=",
    re.IGNORECASE,
)
_OF_USER: Final = re.compile(
    r"/(?:profiles?|users?|members?|people|staff|team|u)/[^/]+/?$|/@[^/]+/?$|mode=viewprofile|member\.php",
    re.IGNORECASE,
)
_STRONG, _PLAIN, _WEAK = 3, 2, 1


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
        lines: its lines.
        source: its source, in which the marks are sought first.
        place: number of the line of the headline.

    Returns:
        The names, and how clearly they are marked: 3 by an element made for it, 1 by a link to
        some user, 0 if there are none.
    """
    if not any(hint in source for hint in _HINTS):
        return [], 0
    marks = _marks(tree, lines)
    near = [mark for mark in marks if _is_near(mark, place)]
    behind = [mark for mark in near if mark.line >= place]
    if all(mark.weight == _WEAK for mark in behind):
        near.sort(key=lambda mark: -mark.weight)
        behind = [] if near and near[0].weight == _STRONG else behind
    for group in (behind, near):
        if group:
            most = max(mark.weight for mark in group)
            first = next(mark for mark in group if mark.weight >= min(most, _PLAIN))
            return _with_neighbors(first, group), first.weight
    told = [mark for mark in marks if mark.weight >= _PLAIN]
    if len({mark.names[0].casefold() for mark in told}) == 1:
        return told[0].names, told[0].weight
    below = [mark for mark in told if mark.line > place]
    if below and (below[0].weight == _STRONG or all(m.names == below[0].names for m in below[:2])):
        return _with_neighbors(below[0], below), _WEAK
    return [], 0


def _is_near(mark: _Mark, place: int) -> bool:
    """Whether a marked element stands where bylines stand: by the headline."""
    before = _LINES_BEHIND if mark.weight == _STRONG else _LINES_BEFORE
    return place - before <= mark.line <= place + _LINES_BEHIND


def _with_neighbors(first: _Mark, marks: list[_Mark]) -> list[str]:
    """The names of an element and of those beside it that are marked alike."""
    names = list(first.names)
    for mark in marks[marks.index(first) + 1 :]:
        if mark.weight != first.weight or mark.line > first.line:
            break
        names += [name for name in mark.names if name not in names]
    return names if len(names) <= 6 else first.names


def _marks(tree: PageTree, lines: PageLines) -> list[_Mark]:
    """Marked elements that hold a name, innermost ones, in document order."""
    found, passed = list[_Mark](), 0
    n_runs, known = max(len(tree.runs), 1), dict[object, tuple[int, bool]]()
    for node, attrs in enumerate(tree.all_attrs[:_MAX_NODES]):
        if not attrs or node < passed:
            continue
        said = known.get(attrs)
        if said is None:
            said = known[attrs] = _said(attrs)
        weight, is_elsewhere = said
        if not weight and not is_elsewhere:
            continue
        first, last = int(tree.run_start[node]), int(tree.run_end[node])
        if is_elsewhere and not weight:
            share = (last - first) / n_runs
            if tree.tags[node] not in _WHOLE and share < _MOST_OF_PAGE:
                passed = int(tree.end[node])
            continue
        if tree.tags[node] in _WHOLE or first == last:
            continue
        names = _names_of(tree, first, last)
        if names:
            while found and node < int(tree.end[found[-1].node]):
                outer = found.pop()
                if len(outer.names) > len(names) and set(names) <= set(outer.names):
                    names = outer.names  # the element around it names more people
                    node = outer.node
                weight = max(weight, outer.weight)
            found.append(_Mark(weight, node, lines.line_of_run(_first_shown(tree, first)), names))
            if len(found) >= _MAX_FOUND:
                break
    return found


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
        if number == piece:
            is_apart = texts[-1][-1:].isalnum() and text[:1].isupper()
            texts[-1] += f" {text}" if is_apart else text
        else:
            texts.append(text)
        piece = number
    for text in texts[:3]:
        folded = " ".join(text.split())
        if not is_label(folded):
            return names_in(folded)
    return []


def _said(attrs: Attributes) -> tuple[int, bool]:
    """How clearly the attributes of an element mark an author, and whether they mark others."""
    weight, is_elsewhere, is_other, is_about = 0, False, False, False
    for key, value in attrs:
        if not value or key not in _NAMED:
            continue
        if key == "href":
            if _OF_AUTHOR.search(value):
                weight = max(weight, _PLAIN)
            elif _OF_USER.search(value):
                weight = max(weight, _WEAK)
            continue
        if key in ("rel", "itemprop"):
            if value.lower() in ("author", "creator"):
                weight = _STRONG
            continue
        words = [word.lower() for word in _WORD.findall(value[:_MAX_VALUE_CHARS])]
        for word in words:
            if _AUTHOR.fullmatch(word):
                is_about = True
            elif _POSTER.fullmatch(word):
                weight = max(weight, _WEAK)
            if word in _OTHERS:
                is_other = True
            if word in _ELSEWHERE:
                is_elsewhere = True
        if is_about:
            is_named = not {"name", "link", "authorname", "authorlink", "fn"}.isdisjoint(words)
            weight = max(weight, _STRONG if is_named else _PLAIN)
    if is_other and weight < _STRONG:
        weight = 0
    return (0, True) if is_elsewhere else (weight, False)
