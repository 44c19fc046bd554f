"""What an extraction method returns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.content.declared import Declared
    from quarkcrawl.content.headline import Headline
    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import Page, PageTree
    from quarkcrawl.segment import Segmentation


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
    """What a method found on a page; `quarkcrawl.content.Content` works the rest out from it.

    Args:
        page: what was searched.
        method: name of the method.
        text: the content, one paragraph a line, without the headline.
        runs: which text runs of ``page.tree`` are content, the headline included if the method
            took it for content; None for no run.
        headline: the headline that the method kept out of the text; None if `Content` shall look
            for it when it is asked.
        declared: what the page declares, if the method has read it.
        segmentation: the labeled blocks, or what labels them when they are asked for; None for a
            method that cuts no blocks: those of the Quark segmentation are labeled by ``runs``.
        posts: posts of a thread or comments, if the method has found any.
        kinds: how likely the page is of each of `quarkcrawl.content.kind.KINDS`, if the method has
            asked.
        failure: why the method failed, None if it did not; then the content is empty.
        page_type: the kind of the page where it needs no guess, such as ``document`` of a PDF file;
            "" for a page whose kind is told by its bytes and its address.
        embedded: the body as a document of its own, where the page shows none and carries it as
            data; then ``text`` is its text and no run of the page is content.
    """

    page: Page
    method: str
    _: KW_ONLY
    text: str = ""
    runs: NDArray[np.bool_] | None = None
    headline: Headline | None = None
    declared: Declared | None = None
    segmentation: Segmentation | Callable[[], Segmentation] | None = None
    posts: FoundPosts | None = None
    kinds: NDArray[np.float64] | None = None
    failure: str | None = None
    page_type: str = ""
    embedded: PageTree | None = None
