"""Posts of a thread and comments as users see them: text, author, date."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.content.metadata import first_date
from quarkcrawl.content.posts import header_of, rows_of
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import PageTree


_MAX_AUTHOR_CHARS: Final = 60
_CITE: Final = TAG_IDS["cite"]
_MAX_CITE_LEVELS: Final = 5
_NO_START: Final = frozenset("\u00a0\t\n\r\f ,.;:!?)，。；：！？）")
"""What goes on with the words before rather than starting a text."""

_DAY_OR_YEAR: Final = re.compile(r"(?<![\d:.])(?:[012]\d|3[01])([./])\d\d\1\d\d(?![\d.])")
"""A date whose first and last number may be the day or the year: 05.03.12."""


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """One post of a thread, or one comment.

    Args:
        kind: post or comment.
        text: what it says, one paragraph a line, quotations of others included; listings keep their
            line breaks and indents.
        own_text: the same without what is marked as quotation.
        author: who wrote it, "" if that is not shown.
        date: when, ISO 8601 where it can be read, as shown where not; "" if it is not shown.
    """

    kind: Literal["post", "comment"]
    text: str
    own_text: str
    author: str
    date: str


def posts_of(tree: PageTree, posts: FoundPosts) -> tuple[ThreadPost, ...]:
    """The posts of a page in document order.

    Args:
        tree: the page.
        posts: where they stand.
    """
    return tuple(_post(tree, posts, number) for number in range(len(posts)))


def post_fields(post: ThreadPost) -> dict[str, str]:
    """A post as JSON values and as a value of the column ``posts``; what is unknown is left out.

    Args:
        post: a post or comment.
    """
    fields: dict[str, str] = {name: value for name, value in asdict(post).items() if value}
    if post.own_text == post.text:
        del fields["own_text"]
    return {"text": "", **fields}


def _post(tree: PageTree, posts: FoundPosts, number: int) -> ThreadPost:
    own = np.where(posts.quoted, -1, posts.text_run).astype(np.int32)
    text, own_text = (_text(tree, posts, runs, number) for runs in (posts.text_run, own))
    author, shown = header_of(tree, posts, number)
    author = author if len(author) <= _MAX_AUTHOR_CHARS else ""
    stamp = "" if _DAY_OR_YEAR.search(shown) else first_date(shown)
    return ThreadPost(posts.kind, text, own_text, author, stamp or shown)


def _text(tree: PageTree, posts: FoundPosts, owner: NDArray[np.int32], number: int) -> str:
    rows = rows_of(tree, posts.lines, owner, number, posts.bodies[number])
    parts = (part for row in rows for part in _parts(tree, posts, row))
    return "\n".join(filter(None, (_line(tree, posts, part) for part in parts)))


def _parts(tree: PageTree, posts: FoundPosts, row: list[int]) -> tuple[list[int], ...]:
    """A line parted behind the ``cite`` that heads a quotation, which boards show as a block."""
    if not posts.quoted[row[0]]:
        return (row,)
    node = int(tree.run_node[row[0]])
    for _ in range(_MAX_CITE_LEVELS):
        if node < 0 or int(tree.tag[node]) == _CITE:
            break
        node = int(tree.parent[node])
    else:
        return (row,)
    place = bisect_left(row, int(tree.run_end[node])) if node >= 0 else len(row)
    is_glued = place < len(row) and tree.runs[row[place]][:1] not in _NO_START
    return (row[:place], row[place:]) if is_glued else (row,)


def _line(tree: PageTree, posts: FoundPosts, row: list[int]) -> str:
    """A line of text, white space folded outside preformatted text."""
    text = "".join([tree.runs[run] for run in row])
    is_kept = posts.lines.preformatted[row[0]]
    return text.strip("\r\n").rstrip() if is_kept else " ".join(text.split())
