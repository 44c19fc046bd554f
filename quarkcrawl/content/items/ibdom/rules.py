"""IB-DOM: the topic region of a page and the noise in it, by the paper's rules.

A block's positive weight counts what a topic is made of (commas and full stops, filled cells of
data tables, ``p`` and ``br``, headings), its negative weight what leads away from it. The region
is found from the top by positive weights; then the blocks and pictures in it that are noise are
taken out. Pictures count as positive only in the second stage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.ibdom.blocks import descend, shares
from quarkcrawl.content.items.ibdom.options import IbDomOptions
from quarkcrawl.content.items.ibdom.weights import BlockWeights
from quarkcrawl.content.items.model import Picture
from quarkcrawl.content.items.pictures import attribute_size
from quarkcrawl.content.items.region import (
    BlockRule,
    PictureRule,
    TopicRegion,
    kept_nodes,
    kept_runs,
)
from quarkcrawl.content.items.tables import (
    TableIndex,
    not_inside_another,
    outermost,
)
from quarkcrawl.page import base_url
from quarkcrawl.page.tree import covered
from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


_DEFAULT: Final = IbDomOptions()


def paper_data_tables(index: TableIndex, options: IbDomOptions) -> BoolArray:
    """Which tables are data tables by the four rules of the paper (section 3.3)."""
    n_units = index.cell_links + index.cell_forms + index.cell_pictures
    is_data: BoolArray = index.per_table(n_units > options.max_cell_units) == 0
    if options.headed_is_data:
        is_data |= index.has_own("caption", "th")
    is_data &= index.n_cells >= options.min_table_cells
    return is_data


class IbDom:
    """The paper's method.

    Args:
        options: constants; the defaults are the paper's.
    """

    __slots__ = ("options",)

    def __init__(self, options: IbDomOptions = _DEFAULT) -> None:
        self.options = options

    def region(self, page: Page) -> TopicRegion:
        """Find the topic region of a page; never raises.

        Args:
            page: any page; its URL serves to resolve the addresses of pictures.
        """
        tree = page.tree
        index = TableIndex(tree)
        is_data = paper_data_tables(index, self.options)
        blocks = BlockWeights(index, is_data, self.options.heading_weight)
        path = descend(blocks, blocks.positive, self.options.region_share)
        root = path[-1]
        pictures, dropped = self._pictures(blocks, root)
        rules = self._noise(blocks, root, pictures)
        removed = np.array(sorted(rules), np.intp)
        top = int(blocks.node[root])
        in_region = kept_nodes(tree, top, removed)
        tables = outermost(index, is_data & in_region[index.table])
        return TopicRegion(
            page=page,
            method="ibdom",
            root=top,
            descent=shares(blocks, blocks.positive, path),
            runs=kept_runs(tree, top, removed),
            removed=rules,
            tables=tuple(tables.tolist()),
            pictures=_read(page, pictures[in_region[pictures]]),
            dropped=dropped,
            index=index,
        )

    def _pictures(self, blocks: BlockWeights, root: int) -> tuple[Places, dict[int, PictureRule]]:
        """Topic pictures of the region, and why the others are none (section 3.4, 1)."""
        tree = blocks.tree
        images = tree.places("img")
        images = images[(images >= blocks.node[root]) & (images < blocks.end[root])]
        images = images[~tree.hidden[images]]
        anchors = tree.places("a")
        linked = covered(anchors, tree.end[anchors], len(tree))[images]
        n_chars = blocks.chars_around(images)
        facts = zip(images.tolist(), n_chars.tolist(), linked.tolist(), strict=True)
        rules = {node: self._picture_rule(tree, node, n, linked=is_in) for node, n, is_in in facts}
        dropped = {node: rule for node, rule in rules.items() if rule is not None}
        return np.array([node for node in rules if node not in dropped], np.intp), dropped

    def _picture_rule(
        self, tree: PageTree, node: int, n_chars: int, *, linked: bool
    ) -> PictureRule | None:
        """The first rule by which a picture is noise.

        A size that is given for one side only is tested on that side, and counts as not given.
        """
        options = self.options
        size = attribute_size(tree.attrs(node))
        width, height = size.width_px, size.height_px
        if any(side is not None and side < options.min_picture_px for side in (width, height)):
            return PictureRule.SMALL
        most = options.max_picture_ratio
        if width is not None and height is not None:
            if height > most * width or width > most * height:
                return PictureRule.SHAPE
        elif not linked and n_chars < options.min_picture_chars:
            return PictureRule.SPARSE
        return PictureRule.LINKED if linked else None

    def _noise(self, blocks: BlockWeights, root: int, pictures: Places) -> dict[int, BlockRule]:
        """Blocks of the region that are noise, each with the first rule that holds.

        Weights are those of the whole block: they are counted anew once, with the pictures, not
        again for every block that is taken out.
        """
        options = self.options
        positive = blocks.positive + blocks.n_inside(pictures)
        negative = blocks.negative
        short = blocks.n_chars < options.min_block_chars
        short &= blocks.n_chars < options.min_mean_chars * np.maximum(blocks.n_text_nodes, 1)
        short &= negative > positive
        rule = np.select(
            [positive == 0, negative > options.max_negative_ratio * positive, short],
            [1, 2, 3],
        )
        rule[blocks.node <= blocks.node[root]] = 0
        rule[blocks.node >= blocks.end[root]] = 0
        noise = np.flatnonzero(rule)
        noise = noise[not_inside_another(blocks.node[noise], blocks.end[noise])]
        names = (BlockRule.EMPTY, BlockRule.LINKS, BlockRule.SHORT)
        pairs = zip(blocks.node[noise].tolist(), rule[noise].tolist(), strict=True)
        return {node: names[number - 1] for node, number in pairs}


def _read(page: Page, nodes: Places) -> tuple[Picture, ...]:
    """Pictures by what their own attributes say."""
    tree = page.tree
    resolve = LinkResolver(base_url(tree, page.url), encoding=page.encoding).resolve
    return tuple(_picture(tree.attrs(node), node, resolve) for node in nodes.tolist())


def _picture(attrs: dict[str, str], node: int, resolve: Callable[[str], str | None]) -> Picture:
    size = attribute_size(attrs)
    source = attrs.get("src", "").strip()
    return Picture(
        src=resolve(source) or source,
        alt=" ".join(attrs.get("alt", "").split()),
        width_px=size.width_px,
        height_px=size.height_px,
        node=node,
    )
