"""Who wrote a post, and when: what is shown around its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import AUTHOR, names_of
from quarkcrawl.content.posts.view import AUTHOR_LINK
from quarkcrawl.content.posts.words import DATE_TEXT, MAX_NAME_RUNS, is_label, may_be_name
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.content.posts.find import FoundPosts
    from quarkcrawl.page import PageTree


_MAX_NODES: Final = 300
_MAX_RUNS: Final = 120
_MIN_AUTHOR_CHARS, _MAX_AUTHOR_CHARS = 2, 40
_MAX_NAME_RUNS: Final = 8
_N_COMPARED: Final = 4
_MAX_DATE_CHARS: Final = 60
_MAX_HREF_CHARS: Final = 300
_A: Final = TAG_IDS["a"]
_TIME: Final = TAG_IDS["time"]
_AROUND: Final = re.compile(
    r"^(?:by|von|par|por|posted by|作者|楼主|樓主|发帖人)\s?[:\uff1a]?\s(?=\S)"
    r"|^(?:作者|楼主|樓主|发帖人)[:\uff1a]"
    r"|\s?(?:说道?|說道?|写道|says?|said|wrote|schrieb)\s?[:\uff1a]?$",
    re.IGNORECASE,
)
_MEMBER: Final = re.compile(
    r"join|regist|founded|member since|dabei seit|mitglied seit|inscri|注册|註冊|加入|登录|登錄"
    r"|在线|online",
    re.IGNORECASE,
)
"""Labels of dates that tell of the author rather than the post."""

_CLOCK: Final = re.compile(r"\d:\d\d")
_LETTER: Final = re.compile(r"[^\W\d_]")


def header_of(tree: PageTree, posts: FoundPosts, number: int) -> tuple[str, str]:
    """Author and date of a post as they are shown, "" where they are not.

    Where nothing stands in the element of the post itself, what stands between it and the one
    before is read.

    Args:
        tree: the page.
        posts: the posts of the page.
        number: number of the post.
    """
    item, body = posts.items[number], posts.bodies[number]
    end = int(tree.end[item])
    if number + 1 < len(posts.items):
        end = min(end, max(posts.items[number + 1], item + 1))
    author, date = _author(tree, item, end, body), _date(tree, posts, item, end)
    if author and date:
        return author, date
    start = int(tree.end[posts.items[number - 1]]) if number else max(item - _MAX_NODES, 0)
    if start < item:
        author = author or _author(tree, start, item, -1)
        date = date or _date(tree, posts, start, item)
    return author or _author_by_place(tree, posts, number), date


def _author(tree: PageTree, start: int, end: int, body: int) -> str:
    """The first name in a slice of nodes: a link to a person, or what a class name calls author."""
    best = ""
    for node in _nodes(tree, start, end, body):
        name = _name(tree, node)
        if not name:
            continue
        is_author = names_of(tree.raw_attrs(node)).bits & AUTHOR
        if int(tree.tag[node]) == _A:
            href = tree.attr(node, "href") or ""
            if is_author or AUTHOR_LINK.search(href[:_MAX_HREF_CHARS]):
                return name
        elif is_author and not best:
            best = name
    return best


def _author_by_place(tree: PageTree, posts: FoundPosts, number: int) -> str:
    """The short line before the date of a post, if it is not that of most others: a rank."""
    if posts.kind != "post" or not (name := _name_before_date(tree, posts, number)):
        return ""
    first = max(number - _N_COMPARED, 0)
    others = range(first, min(first + 2 * _N_COMPARED + 1, len(posts)))
    n_alike = sum(_name_before_date(tree, posts, other) == name for other in others)
    return name if len(others) == 1 or 2 * n_alike <= len(others) else ""


def _name_before_date(tree: PageTree, posts: FoundPosts, number: int) -> str:
    """What may be a name among the first texts of a post that are not its own, before a date."""
    item = posts.items[number]
    runs = _shown_runs(tree, item, int(tree.end[item]))
    name = ""
    for run in runs[posts.text_run[runs] < 0][: MAX_NAME_RUNS + 1].tolist():
        if tree.run_chars[run] > _MAX_DATE_CHARS:
            break
        text = " ".join(tree.runs[run].split())
        if DATE_TEXT.search(text):
            return name
        text = _AROUND.sub("", text)
        name = name or (text if may_be_name(text) else "")
    return ""


def _shown_runs(tree: PageTree, start: int, end: int) -> NDArray[np.intp]:
    """The first text runs of a slice of nodes."""
    first, last = int(tree.run_start[start]), int(tree.run_end[min(end, len(tree)) - 1])
    last = max(last, int(tree.run_end[start])) if end == int(tree.end[start]) else last
    return np.flatnonzero(tree.run_chars[first:last])[:_MAX_RUNS] + first


def _name(tree: PageTree, node: int) -> str:
    """What a node shows if it may be a name, without what stands around names."""
    inside = slice(tree.run_start[node], tree.run_end[node])
    if np.count_nonzero(tree.run_chars[inside]) > _MAX_NAME_RUNS:
        return ""
    text = _AROUND.sub("", " ".join(tree.text(node).split()))
    is_short = _MIN_AUTHOR_CHARS <= len(text) <= _MAX_AUTHOR_CHARS
    is_name = is_short and _LETTER.search(text) and not is_label(text)
    return text if is_name and not DATE_TEXT.search(text) else ""


def _nodes(tree: PageTree, start: int, end: int, body: int) -> Iterator[int]:
    """Nodes of a slice outside a body."""
    body_end = int(tree.end[body]) if body >= 0 else -1
    is_apart = body > start
    for node in range(start, min(end, start + _MAX_NODES)):
        if not (is_apart and body <= node < body_end):
            yield node


def _date(tree: PageTree, posts: FoundPosts, start: int, end: int) -> str:
    """The first date in a slice of nodes, outside the text."""
    for node in range(start, min(end, start + _MAX_NODES)):
        if int(tree.tag[node]) == _TIME:
            value = (tree.attr(node, "datetime") or tree.text(node)).strip()
            if value:
                return value[:_MAX_DATE_CHARS]
    runs = _shown_runs(tree, start, end)
    found_date, before = "", ""
    for run in runs[posts.text_run[runs] < 0].tolist():
        text = " ".join(tree.runs[run].split())
        if len(text) <= _MAX_DATE_CHARS and DATE_TEXT.search(text):
            is_of_member = _MEMBER.search(before) or _MEMBER.search(text)
            if not is_of_member and _CLOCK.search(text):
                return text
            found_date = found_date or ("" if is_of_member else text)
        before = text[-_MAX_DATE_CHARS:]
    return found_date
