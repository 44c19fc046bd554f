"""Posts of a thread and comments as users see them: text, author, date."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.content.metadata import first_date
from quarkcrawl.content.posts import header_of, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import PageTree


_MAX_AUTHOR_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """One post of a thread, or one comment.

    Args:
        kind: post or comment.
        text: what it says, one paragraph a line, quotations of others included.
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
    return ThreadPost(posts.kind, text, own_text, author, first_date(shown) or shown)


def _text(tree: PageTree, posts: FoundPosts, owner: NDArray[np.int32], number: int) -> str:
    rows = rows_of(tree, posts.lines, owner, number, posts.bodies[number])
    lines = (" ".join("".join([tree.runs[run] for run in row]).split()) for row in rows)
    return "\n".join(filter(None, lines))
