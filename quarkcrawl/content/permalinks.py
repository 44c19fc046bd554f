"""Signs that link a heading or an entry to itself, as generators of manuals add them: ¶, #, §."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.page import PageTree


MAX_PERMALINK_CHARS: Final = 2
"""A sign and what says whether it is shown in color."""

_SIGNS: Final = frozenset("¶§#🔗⚓◆\uf0c1")
_UNSEEN: Final = " \xa0\t\r\n\f\u200b\ufeff\ufe0e\ufe0f"
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))
_LINK_LEVELS: Final = 3
_HEADING_LEVELS: Final = 3
_PLACE_LEVELS: Final = 5
"""So many elements, from the inside, may be the link around the sign, the heading around the link,
and the place that it leads to."""


def permalinks_among(tree: PageTree, runs: Iterable[int]) -> list[int]:
    """Those of some text runs that are a sign in a link to the place where it stands.

    Args:
        tree: the page.
        runs: numbers of runs of `MAX_PERMALINK_CHARS` at most.
    """
    is_own: dict[int, bool] = {}
    matches = []
    for run in runs:
        if tree.runs[run].strip(_UNSEEN) not in _SIGNS:
            continue
        link = _link_around(tree, int(tree.run_node[run]))
        if link not in is_own:
            is_own[link] = link >= 0 and _leads_to_itself(tree, link)
        if is_own[link]:
            matches.append(run)
    return matches


def without_button(tree: PageTree, node: int) -> int:
    """One past the last run of a heading that is no button at its end, such as ``Copy link``.

    Args:
        tree: the page.
        node: the heading.
    """
    behind, last = int(tree.run_end[node]), int(tree.end[node])
    within = tree.tags[node + 1 : last]
    if "button" not in within:
        return behind
    button = last - 1 - within[::-1].index("button")
    start, end = int(tree.run_start[button]), int(tree.run_end[button])
    is_last = not tree.run_chars[end:behind].any()
    has_more = tree.run_chars[int(tree.run_start[node]) : start].any()
    return start if is_last and has_more else behind


def _link_around(tree: PageTree, node: int) -> int:
    """The nearest link that a node lies in or is, -1 if it is not near."""
    for _ in range(_LINK_LEVELS):
        if node <= 0:
            break
        if tree.tags[node] == "a":
            return node
        node = int(tree.parent[node])
    return -1


def _leads_to_itself(tree: PageTree, link: int) -> bool:
    """Whether a link leads to an element around it, or to some place from within a heading."""
    _, sign, place = (tree.attr(link, "href") or "").partition("#")
    if not sign:
        return False
    node = link
    for level in range(_PLACE_LEVELS):
        if node <= 0:
            break
        if level <= _HEADING_LEVELS and tree.tags[node] in _HEADINGS:
            return True
        if place and place in {tree.attr(node, "id"), tree.attr(node, "name")}:
            return True
        node = int(tree.parent[node])
    return False
