"""The subject of a thread whose page has only the beginning of its first post for a title."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.headline import Headline, squeezed

if TYPE_CHECKING:
    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import PageTree


_NAME: Final = re.compile(r"(?:^|[\s_-])(?:title|subject)(?:[\s_-]|$)", re.IGNORECASE)
_ELLIPSIS: Final = re.compile(r"\s*(?:…|\.{3}).*", re.DOTALL)
_MIN_EXCERPT_CHARS: Final = 4
_MAX_EXCERPT_CHARS: Final = 300
_MAX_SUBJECT_CHARS: Final = 80


def with_subject(tree: PageTree, posts: FoundPosts, headline: Headline) -> Headline:
    """The headline of a thread: its subject, where the page's title is an excerpt of the post.

    Args:
        tree: the page.
        posts: the posts of the page.
        headline: what was found without regard to them.
    """
    excerpt = squeezed(_ELLIPSIS.sub("", headline.text))
    is_cut = _ELLIPSIS.search(headline.text) is not None
    if posts.kind != "post" or not is_cut or len(excerpt) < _MIN_EXCERPT_CHARS:
        return headline
    item, body = posts.items[0], posts.bodies[0]
    start, end = int(tree.run_start[body]), int(tree.run_end[body])
    first = "".join(tree.runs[start:end])[: 2 * _MAX_EXCERPT_CHARS]
    if not squeezed(first).startswith(excerpt):
        return headline
    for node in range(item + 1, body):
        if any(key in ("class", "id") and value and _NAME.search(value)
               for key, value in tree.raw_attrs(node)):  # fmt: skip
            text = " ".join(tree.text(node).split())
            if 0 < len(text) <= _MAX_SUBJECT_CHARS:
                return Headline(text, "line", int(tree.run_start[node]))
    return headline
