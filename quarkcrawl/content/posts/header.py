"""Who wrote a post, and when: what is shown around its text."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import AUTHOR, names_of
from quarkcrawl.content.posts.view import AUTHOR_LINK
from quarkcrawl.content.posts.words import (
    DATE_TEXT,
    MAX_NAME_RUNS,
    is_label,
    is_no_name,
    may_be_name,
)
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.content.posts.find import FoundPosts
    from quarkcrawl.page import PageTree


_MAX_NODES: Final = 300
_MAX_RUNS: Final = 120
_MIN_AUTHOR_CHARS, _MAX_AUTHOR_CHARS = 2, 40
_MAX_NAME_RUNS: Final = 8
_MAX_NAME_NODES: Final = 20
_N_COMPARED: Final = 4
_MAX_DATE_CHARS: Final = 60
_MAX_HREF_CHARS: Final = 300
_MAX_MARK_CHARS: Final = 60
_A: Final = TAG_IDS["a"]
_TIME: Final = TAG_IDS["time"]
_AROUND: Final = re.compile(
    r"^(?:by|von|par|por|posted by|作者|楼主|樓主|发帖人)\s?[:\uff1a]?\s(?=\S)"
    r"|^(?:作者|楼主|樓主|发帖人)[:\uff1a]"
    r"|\s?(?:说道?|說道?|[写寫]道|says?|said|wrote|schrieb)\s?[:\uff1a]$"
    r"|\s(?:说道?|說道?|says?|said|wrote|schrieb)$|\s?[写寫]道$",
    re.IGNORECASE,
)
_MEMBER: Final = re.compile(
    r"join|regist|founded|member since|dabei seit|mitglied seit|inscri|注册|註冊|加入|登录|登錄"
    r"|在线|online",
    re.IGNORECASE,
)
"""Labels of dates that tell of the author rather than the post."""

_EDITED: Final = re.compile(
    r"\b(?:edited|last edit|modified|updated|bearbeitet|geändert|modifié)"
    r"|最[后後].{0,20}(?:编辑|編輯|修改|更新)|(?:编辑|編輯|修改|更新)(?:[于於:：]|时间|時間)",
    re.IGNORECASE,
)
"""Labels of dates of later changes."""

_MARKS, _MARKED = frozenset(("itemprop", "rel")), frozenset(("author", "creator"))
_STAMP: Final = re.compile(r"\d{4}-\d\d?-\d\d?[T ]\d\d?:\d\d[\d:.]{0,7}Z?\s*")
"""A whole date and time, as the title of one that is shown in short."""

_CLOCK: Final = re.compile(r"\d:\d\d")
_TIME_OF_DAY: Final = re.compile(r"\d{1,2}(?::\d\d){1,2}")
_LETTER: Final = re.compile(r"[^\W\d_]")


def header_of(tree: PageTree, posts: FoundPosts, number: int) -> tuple[str, str]:
    """Author and date of a post as they are shown, "" where they are not.

    Where nothing stands in the element of the post itself, what stands between it and the one
    before is read. Where only the text of a post has an element, what stands around it in elements
    that hold no other post comes first.

    Args:
        tree: the page.
        posts: the posts of the page.
        number: number of the post.
    """
    item, body, end = posts.items[number], posts.bodies[number], _own_end(tree, posts, number)
    first, author, date = item, "", ""
    if item == body and (first := _around(tree, posts, number)) < item:
        around_end = int(tree.end[first])
        author = _author(tree, first, around_end, body)
        date = _date(tree, posts, first, around_end, body)
    author = author or _author(tree, item, end, body)
    date = date or _date(tree, posts, item, end, body)
    if author and date:
        return author, date
    start = int(tree.end[posts.items[number - 1]]) if number else max(first - _MAX_NODES, 0)
    if start < first:
        author = author or _author(tree, start, first, -1)
        date = date or _date(tree, posts, start, first, -1)
    return author or _author_by_place(tree, posts, number), date


def _own_end(tree: PageTree, posts: FoundPosts, number: int) -> int:
    """One past the last node of a post before the next one, which may lie in it."""
    item, end = posts.items[number], int(tree.end[posts.items[number]])
    if number + 1 < len(posts):
        end = min(end, max(posts.items[number + 1], item + 1))
    return end


def _around(tree: PageTree, posts: FoundPosts, number: int) -> int:
    """The widest element around a post that holds no other one; the post itself if it is alone."""
    items = posts.items
    node = items[number]
    if len(items) == 1:
        return node
    before = items[number - 1] if number else -1
    behind = items[number + 1] if number + 1 < len(items) else len(tree)
    parent = int(tree.parent[node])
    while parent > before and int(tree.end[parent]) <= behind:
        node, parent = parent, int(tree.parent[parent])
    return node


def _author(tree: PageTree, start: int, end: int, body: int) -> str:
    """The name in an element marked as author, else the first name in a slice of nodes."""
    done = start
    for node in _nodes(tree, start, end, body):
        if node >= done and _is_marked(tree, node):
            done = int(tree.end[node])
            if name := _first_name(tree, node, done, -1):
                return name
    return _first_name(tree, start, end, body)


def _is_marked(tree: PageTree, node: int) -> bool:
    """Whether microdata or a link type call a node the author."""
    return any(
        key in _MARKS and value and not _MARKED.isdisjoint(value[:_MAX_MARK_CHARS].split())
        for key, value in tree.raw_attrs(node)
    )


def _first_name(tree: PageTree, start: int, end: int, body: int) -> str:
    """The first link to a person, or what a class name calls author, innermost."""
    best, best_end = "", start
    for node in _nodes(tree, start, end, body):
        name = _name(tree, node)
        if not name:
            continue
        is_author = names_of(tree.raw_attrs(node)).bits & AUTHOR
        if int(tree.tag[node]) == _A:
            href = tree.attr(node, "href") or ""
            if is_author or AUTHOR_LINK.search(href[:_MAX_HREF_CHARS]):
                return name
        elif is_author and (not best or node < best_end):
            best, best_end = name, int(tree.end[node])
    return best


def _author_by_place(tree: PageTree, posts: FoundPosts, number: int) -> str:
    """The short line before the date of a post, if it is not that of most others: a rank."""
    if not (name := _name_before_date(tree, posts, number)):
        return ""
    first = max(number - _N_COMPARED, 0)
    others = range(first, min(first + 2 * _N_COMPARED + 1, len(posts)))
    n_alike = sum(_name_before_date(tree, posts, other) == name for other in others)
    return name if len(others) == 1 or 2 * n_alike <= len(others) else ""


def _name_before_date(tree: PageTree, posts: FoundPosts, number: int) -> str:
    """What may be a name among the first texts of a post that are not its own, before a date."""
    item, name = posts.items[number], ""
    runs = _header_runs(tree, posts, item, _own_end(tree, posts, number))
    for run in runs[: MAX_NAME_RUNS + 1]:
        if tree.run_chars[run] > _MAX_DATE_CHARS:
            break
        text = " ".join(tree.runs[run].split())
        if DATE_TEXT.search(text):
            return name
        text = _AROUND.sub("", text)
        name = name or (text if may_be_name(text) else "")
    return ""


def _header_runs(tree: PageTree, posts: FoundPosts, start: int, end: int) -> list[int]:
    """The first text runs of a slice of nodes that are no text of a post."""
    first, last = int(tree.run_start[start]), len(tree.runs)
    if end == int(tree.end[start]):
        last = int(tree.run_end[start])
    elif end < len(tree):
        last = int(tree.run_start[end])
    is_shown = (tree.run_chars[first:last] > 0) & (posts.text_run[first:last] < 0)
    return (np.flatnonzero(is_shown)[:_MAX_RUNS] + first).tolist()  # type: ignore[no-any-return]


def _name(tree: PageTree, node: int) -> str:
    """What a node shows if it may be a name, without what stands around names."""
    inside = slice(tree.run_start[node], tree.run_end[node])
    if np.count_nonzero(tree.run_chars[inside]) > _MAX_NAME_RUNS:
        return ""
    text = _AROUND.sub("", " ".join(tree.text(node).split()))
    is_short = _MIN_AUTHOR_CHARS <= len(text) <= _MAX_AUTHOR_CHARS
    is_name = is_short and _LETTER.search(text) and not (is_label(text) or is_no_name(text))
    return text if is_name and not DATE_TEXT.search(text) and not _is_picture(tree, node) else ""


def _is_picture(tree: PageTree, node: int) -> bool:
    """Whether the text of a node is what stands for the picture of a person: an initial."""
    return any(
        tree.text_chars[below] and key == "class" and "avatar" in (value or "")
        for below in range(node + 1, min(int(tree.end[node]), node + _MAX_NAME_NODES))
        for key, value in tree.raw_attrs(below)
    )


def _nodes(tree: PageTree, start: int, end: int, body: int) -> Iterator[int]:
    """The first nodes of a slice outside a body."""
    if not start < body < end:
        return iter(range(start, min(end, start + _MAX_NODES)))
    outside = chain(range(start, body), range(int(tree.end[body]), end))
    return islice(outside, _MAX_NODES)


def _date(tree: PageTree, posts: FoundPosts, start: int, end: int, body: int) -> str:
    """The first date in a slice of nodes, outside the text; if there is none, that of an edit."""
    inside = range(body, min(int(tree.end[body]), body + _MAX_NODES)) if start < body < end else ()
    of_edit = ""
    for node in chain(_nodes(tree, start, end, body), inside):
        if int(tree.tag[node]) == _TIME:
            value = (tree.attr(node, "datetime") or tree.text(node)).strip()[:_MAX_DATE_CHARS]
            if value and not _EDITED.search(_text_before(tree, node)):
                return value
            of_edit = of_edit or value
    day, edit = _printed_date(tree, _header_runs(tree, posts, start, end))
    return day or of_edit or edit


def _text_before(tree: PageTree, node: int) -> str:
    """What is printed right before a node."""
    run = int(tree.run_start[node]) - 1
    if run > 0 and not tree.run_chars[run]:
        run -= 1
    return tree.runs[run][-_MAX_DATE_CHARS:] if run >= 0 else ""


def _printed_date(tree: PageTree, runs: list[int]) -> tuple[str, str]:
    """The first date in some text runs, one with a time of day if there is any; that of an edit."""
    first_day, of_edit = "", ""
    day_before, before, is_edit = "", "", False
    for run in runs:
        text = " ".join(tree.runs[run].split())
        is_date = len(text) <= _MAX_DATE_CHARS and DATE_TEXT.search(text) is not None
        is_clock = is_date and not DATE_TEXT.search(_TIME_OF_DAY.sub("", text))
        is_of_member = _MEMBER.search(before) or _MEMBER.search(text)
        is_edit = is_date and bool(
            _EDITED.search(text)
            or (is_edit and is_clock)
            or (_EDITED.search(before) and not DATE_TEXT.search(before))
        )
        before = text[-_MAX_DATE_CHARS:]
        if not is_date or is_of_member or is_edit:
            day_before = ""
            of_edit = of_edit or (text if is_edit else "")
            continue
        if stamp := _STAMP.fullmatch(tree.attr(int(tree.run_node[run]), "title") or ""):
            return stamp[0].strip(), of_edit
        if _CLOCK.search(text):
            return f"{day_before} {text}" if is_clock and day_before else text, of_edit
        day_before = text
        first_day = first_day or text
    return first_day, of_edit
