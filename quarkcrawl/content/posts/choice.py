"""What posts change in the choice of content lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.dates import dated_runs
from quarkcrawl.content.posts.find import find_posts
from quarkcrawl.content.posts.view import MIN_THREAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.content.posts.find import FoundPosts
    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import RunLines

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


_MIN_SIGNS: Final = 8
_MIN_DATES, _MANY_DATES, _MANY_NAMED = 2, 9, 25
"""A page is worth the search with some dates where their number times that of the elements named as
posts or comments is large enough, or with many of either."""

_MIN_NAMED: Final = 2
"""So many elements named as posts or comments are enough on a page that is likely a thread."""

_MIN_ARTICLE: Final = 0.25
_LONG_ARTICLE: Final = 500
"""Comments with more than four times the text of what stands outside may be the content, unless
that has so many characters."""

_MAX_OUTSIDE: Final = 1.5
"""With more likely content outside than that, compared with the posts, it is no thread."""

_FEW_OUTSIDE: Final = 80
"""With no more than that outside it is one, however short the posts are."""

_MANY_CHARS, _MIN_LIKELY = 1000, 0.3
_FEW_CHARS, _MIN_TEXT = 400, 0.4
"""Where names do not tell, so many characters of which less than that part seems to be content, or
less than that part of what seems so, are no posts, or not found whole."""

_MIN_POSTS, _MAX_BEFORE, _MAX_BEFORE_UNNAMED = 2, 0.35, 0.1
"""Around so many posts nothing is content; before them, if it is no more than that part of them:
where names do not tell it may be the first post."""


def likely_posts(
    tree: PageTree, n_named: float, lines: RunLines, thread_probability: Callable[[], float]
) -> FoundPosts | None:
    """Look for posts where a page shows signs of them; most pages are told apart in no time.

    Args:
        tree: the page.
        n_named: how many elements are named as posts or comments.
        lines: how the runs of the tree stand in lines.
        thread_probability: how likely the page is a thread; called where names alone do not tell.
    """
    dated, n_dates = dated_runs(tree)
    is_likely = n_dates >= _MIN_DATES and n_dates * n_named >= _MIN_SIGNS
    is_likely = is_likely or n_dates >= _MANY_DATES or n_named >= _MANY_NAMED
    if not is_likely and n_dates >= _MIN_DATES and n_named >= _MIN_NAMED:
        is_likely = thread_probability() >= MIN_THREAD
    if is_likely or n_dates >= _MIN_DATES:
        return find_posts(
            tree, lines, dated, by_names=is_likely, thread_probability=thread_probability
        )
    return None


def _agrees(is_content: BoolArray, n_chars: IntArray, inside: IntArray, texts: IntArray) -> bool:
    """Whether posts that no name tells have nearly as much text as seems to be content of them."""
    n_text, n_likely = int(n_chars[texts].sum()), int(n_chars[inside] @ is_content[inside])
    if n_text > _MANY_CHARS and n_likely < _MIN_LIKELY * n_text:
        return False
    return n_likely <= _FEW_CHARS or n_text >= _MIN_TEXT * n_likely


def settled_lines(
    is_content: BoolArray,
    run_line: IntArray,
    n_chars: IntArray,
    n_plain: IntArray,
    posts: FoundPosts,
) -> BoolArray:
    """The lines of the posts' texts and none of their headers; no comment.

    Args:
        is_content: which lines seem to be content.
        run_line: line of each run, -1 for none.
        n_chars: characters of each line.
        n_plain: the same, 0 for lines that are links; a list of other threads is no first post.
        posts: the posts of the page.

    Returns:
        Which lines are content; as they were where the posts are not the content of the page, or
        the comments nearly all of it.
    """
    settled = is_content.copy()
    inside, texts, forms = (
        np.unique(run_line[is_run & (run_line >= 0)])
        for is_run in (posts.item_run >= 0, posts.text_run >= 0, posts.in_form)
    )
    settled[inside] = False
    if (
        not posts.is_named
        and posts.kind == "post"
        and not _agrees(is_content, n_chars, inside, texts)
    ):
        return is_content
    if posts.kind == "post":
        settled[forms] = False
    n_outside = int(n_chars[settled].sum())
    if posts.kind == "post":
        n_text = int(n_chars[texts].sum())
        if n_outside > max(_MAX_OUTSIDE * n_text, _FEW_OUTSIDE):
            return is_content
        if len(texts) and len(posts) >= _MIN_POSTS:
            first, last = int(texts[0]), int(texts[-1])
            settled[last:] = False
            max_before = _MAX_BEFORE if posts.is_named else _MAX_BEFORE_UNNAMED
            if int(n_plain[:first] @ settled[:first]) <= max_before * n_text:
                settled[:first] = False
        settled[texts] = True
    elif n_outside < min(_LONG_ARTICLE, _MIN_ARTICLE * int(n_chars[inside].sum())):
        return is_content
    elif len(inside) and 2 * int(n_chars[inside[-1] :] @ settled[inside[-1] :]) > n_outside:
        return is_content  # comments stand behind the text, not in it
    return settled
