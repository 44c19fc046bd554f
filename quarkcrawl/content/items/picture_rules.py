"""Which pictures of a region belong to the topic, by our rules."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.model import Picture
from quarkcrawl.content.items.pictures import declared_size, picture_source
from quarkcrawl.content.items.region import PictureRule
from quarkcrawl.page import base_url
from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from quarkcrawl.content.items.ibdom import Blocks
    from quarkcrawl.content.items.options import ItemOptions
    from quarkcrawl.content.items.pictures import PictureSize
    from quarkcrawl.page import Page

    Places = NDArray[np.intp]


_PICTURE_FILE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|bmp)(?:[?#!@]|$)", re.IGNORECASE)
_NO_TARGET: Final = re.compile(r"\s*(?:#|javascript:|$)", re.IGNORECASE)
_LIGHTBOX: Final = re.compile(r"lightbox|fancybox|colorbox|prettyphoto|gallery|zoom", re.IGNORECASE)
_SIGN: Final = re.compile(
    r"logo|icon|avatar|qr-?_?code|erweima|emoji|emot|smil(?:ey|ies)|face|sprite|spacer|"
    r"button|\bbtn|arrow|share|captcha|badge|loading|pixel|weixin|wechat",
    re.IGNORECASE,
)
"""Names of files that are signs rather than pictures; asked only where the size is unknown."""

_CAPTION: Final = re.compile(r"caption|figure", re.IGNORECASE)
_MAX_CAPTION_CHARS: Final = 200
_MAX_FIGURE_NODES: Final = 50
_CAPTION_LEVELS: Final = 3
"""A caption is looked for in so many elements around a picture."""


class PictureReader:
    """Chooses and reads the pictures of one page.

    Attributes:
        dropped: node and rule of each picture asked about that was dropped.
        captions: nodes whose text is a caption.
    """

    def __init__(self, page: Page, blocks: Blocks, options: ItemOptions) -> None:
        self._tree = page.tree
        self._page = page
        self._blocks = blocks
        self._options = options
        self.dropped: dict[int, PictureRule] = {}
        self.captions: list[int] = []

    def read(self, nodes: list[int]) -> Iterator[Picture]:
        """Read those that belong to the topic.

        Args:
            nodes: ``img`` elements of the region in document order.
        """
        if not nodes:
            return
        tree = self._tree
        n_shown = Counter(tree.attr(node, "src") for node in tree.nodes("img"))
        n_chars = self._blocks.chars_around(np.array(nodes, np.intp)).tolist()
        links = self._links(np.array(nodes, np.intp)).tolist()
        seen: set[str] = set()
        for node, n, anchor in zip(nodes, n_chars, links, strict=True):
            size = declared_size(tree.attrs(node))
            rule = self._size_rule(size)
            source = "" if rule else picture_source(tree, node).strip()
            rule = rule or self._rule(source, size, n, anchor)
            if rule is None and (source in seen or n_shown[source] > self._options.max_shown):
                rule = PictureRule.REPEATED
            if rule is None:
                seen.add(source)
                yield self._picture(node, source, size, anchor)
            else:
                self.dropped[node] = rule

    @cached_property
    def _resolve(self) -> Callable[[str], str | None]:
        base = base_url(self._tree, self._page.url)
        return LinkResolver(base, encoding=self._page.encoding).resolve

    def _links(self, nodes: Places) -> Places:
        """The link around each picture, -1 for none; links do not nest."""
        anchors = np.array([*self._tree.nodes("a"), -1], np.intp)
        before = anchors[np.searchsorted(anchors[:-1], nodes) - 1]
        return np.where(self._tree.end[before] > nodes, before, -1)

    def _size_rule(self, size: PictureSize) -> PictureRule | None:
        sides = [side for side in (size.width_px, size.height_px) if side is not None]
        if sides and min(sides) < self._options.min_picture_px:
            return PictureRule.SMALL
        if len(sides) == 2 and max(sides) > self._options.max_picture_ratio * min(sides):
            return PictureRule.SHAPE
        return None

    def _rule(
        self, source: str, size: PictureSize, n_chars: int, anchor: int
    ) -> PictureRule | None:
        if not source or source.startswith(("data:image/gif", "data:image/svg", "about:")):
            return PictureRule.NO_SOURCE
        if size.width_px is None or size.height_px is None:
            if _SIGN.search(source.rpartition("/")[2]):
                return PictureRule.NAMED
            if n_chars < self._options.min_picture_chars:
                return PictureRule.SPARSE
        return None if anchor < 0 or self._opens_picture(anchor) else PictureRule.LINKED

    def _opens_picture(self, anchor: int) -> bool:
        """Whether a link leads to a larger picture or nowhere, rather than to another page."""
        attrs = self._tree.attrs(anchor)
        target = attrs.get("href", "")
        if _NO_TARGET.match(target) or _PICTURE_FILE.search(target):
            return True
        return _LIGHTBOX.search(f"{attrs.get('rel', '')} {attrs.get('class', '')}") is not None or (
            any(name.startswith(("data-fancybox", "data-lightbox")) for name in attrs)
        )

    def _picture(self, node: int, source: str, size: PictureSize, anchor: int) -> Picture:
        target = self._tree.attr(anchor, "href") or "" if anchor >= 0 else ""
        return Picture(
            src=self._resolve(source) or source,
            alt=" ".join((self._tree.attr(node, "alt") or "").split()),
            width_px=size.width_px,
            height_px=size.height_px,
            caption=self._caption(node),
            link=(self._resolve(target) or "") if _PICTURE_FILE.search(target) else "",
            node=node,
        )

    def _caption(self, node: int) -> str:
        """Text of the ``figcaption``, or of an element around the picture alone called caption."""
        tree = self._tree
        above = node
        for _ in range(_CAPTION_LEVELS):
            above = int(tree.parent[above])
            if above <= 0 or tree.text_chars[above] > _MAX_CAPTION_CHARS:
                return ""
            is_figure = tree.tags[above] == "figure"
            named = is_figure or _CAPTION.search(tree.attr(above, "class") or "")
            if named and tree.text_chars[above] and self._is_alone(above):
                inside = range(above + 1, int(tree.end[above]))
                captions = [other for other in inside if tree.tags[other] == "figcaption"]
                where = captions[0] if captions else above
                self.captions.append(where)
                return " ".join(tree.text(where).split())
            if is_figure:
                return ""
        return ""

    def _is_alone(self, above: int) -> bool:
        end = int(self._tree.end[above])
        return end - above <= _MAX_FIGURE_NODES and self._tree.tags[above:end].count("img") == 1
