"""Block kinds for methods that find content without cutting blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.related import related_blocks
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Kind, Segmentation

    BoolArray = NDArray[np.bool_]


_KINDS: Final[tuple[Kind, ...]] = ("noise", "rel_link", "content")


def kinds_of(content: BoolArray, related: BoolArray) -> list[Kind]:
    """Kind of each block, from two masks; content wins."""
    return [_KINDS[number] for number in np.maximum(2 * content, related).tolist()]


def label_by_runs(page: Page, runs: BoolArray, posts: FoundPosts | None = None) -> Segmentation:
    """Label the Quark blocks of a page: content where most text is in the given runs.

    Blocks that stand in posts or comments and hold some of their text are of these kinds; what
    only heads a post, such as its author and date, is noise.
    """
    segmentation = segmentation_of(page)
    n_chars, run_chars = segmentation.n_chars, page.tree.run_chars
    content = 2 * segmentation.over_runs(np.where(runs, run_chars, 0)) > n_chars
    if posts is None:
        return segmentation.with_kinds(kinds_of(content, related_blocks(segmentation, content)))
    is_inside = 2 * segmentation.over_runs(np.where(posts.item_run >= 0, run_chars, 0)) > n_chars
    is_thread = posts.kind == "post"
    is_text = (posts.text_run >= 0) & (runs | (not is_thread))
    written = is_inside & (segmentation.over_runs(is_text) > 0) & (is_thread | ~content)
    if is_thread:
        content |= written
    kinds = kinds_of(content, related_blocks(segmentation, content))
    return segmentation.with_kinds(
        [
            posts.kind if is_post else kind
            for kind, is_post in zip(kinds, written.tolist(), strict=True)
        ]
    )
