"""Blocks that are noise wherever the topic is: link lists, and what is called by a noise name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.region import BlockRule
from quarkcrawl.content.items.tables import not_inside_another
from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.items.ibdom import Blocks
    from quarkcrawl.content.items.options import ItemOptions

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_NAME: Final = re.compile(
    r"(?P<noise>share|social|relat|recommend|footer|copyright|\bnav|breadcrumb|sidebar|toolbar|"
    r"advert|\bads?\b|banner|login|search|subscribe|newsletter|promo|popup|modal|cookie|pagination|"
    r"vote|rating|print|readmore|sponsor|jiathis|bdshare|similar|trending|popular|outbrain|taboola)"
    r"|comment|disqus|repl(?:y|ies)|评论",
    re.IGNORECASE,
)
"""What noise is called, else what replies are called."""

_NOISE_TAGS: Final = frozenset({"nav", "footer", "aside"})
_NAMES: Final = frozenset({"class", "id"})
_TOPIC, _NOISE, _REPLY = 0, 1, 2
_MAX_NAME_CHARS: Final = 1_000
"""So much of class and id is read, and kept for the next page."""


@lru_cache(maxsize=1 << 14)
def _meaning(names: str) -> int:
    """What class and id say: replies, noise, or nothing."""
    match = _NAME.search(names)
    if match is None:
        return _TOPIC
    return _NOISE if match["noise"] else _REPLY


class NoiseFinder:
    """Finds noise blocks.

    Args:
        weight: what each text run counts for the topic; a block with a large share of it is no
            noise.
    """

    def __init__(self, blocks: Blocks, weight: NDArray[np.int32], options: ItemOptions) -> None:
        self._blocks = blocks
        self._options = options
        self._weight = blocks.over_runs(weight)

    def rules(self, tables: list[int]) -> dict[int, BlockRule]:
        """Noise blocks and why they are noise, outermost ones only.

        Args:
            tables: data tables, in which links are text.
        """
        blocks, tree = self._blocks, self._blocks.tree
        in_table = covered(tree.run_start[tables], tree.run_end[tables], len(tree.runs))
        linked = blocks.over_runs(np.where(tree.run_anchor & ~in_table, tree.run_chars, 0))
        may_be = self._weight <= self._options.max_noise_share * self._weight[0]
        may_be[0] = False
        by_links = may_be & (linked > self._options.max_link_share * blocks.n_chars)
        by_name = self._named(may_be & ~by_links)
        for noise in (by_links | by_name, by_links):
            places = np.flatnonzero(noise)
            places = places[not_inside_another(blocks.node[places], blocks.end[places])]
            rest = self._weight[0] - self._weight[places].sum()
            if rest and rest >= self._options.min_kept_share * self._weight[0]:
                reasons = [BlockRule.LINKS if by_links[n] else BlockRule.NAMED for n in places]
                return dict(zip(blocks.node[places].tolist(), reasons, strict=True))
        return {}

    def _named(self, is_candidate: BoolArray) -> BoolArray:
        """Blocks called noise, and replies where they are not the topic."""
        blocks = self._blocks
        meaning = np.zeros(len(blocks), np.int8)
        places = np.flatnonzero(is_candidate & (blocks.n_chars > 0))
        meaning[places] = list(map(self._meaning_of, blocks.node[places].tolist()))
        replies = np.flatnonzero(meaning == _REPLY)
        outer = replies[not_inside_another(blocks.node[replies], blocks.end[replies])]
        share = self._options.max_reply_share * self._weight[0]
        if self._weight[outer].sum() < share:
            meaning[replies] = _NOISE
        named: BoolArray = meaning == _NOISE
        return named

    def _meaning_of(self, node: int) -> int:
        tree = self._blocks.tree
        if tree.tags[node] in _NOISE_TAGS:
            return _NOISE
        names = [value for name, value in tree.raw_attrs(node) if name in _NAMES and value]
        return _meaning(" ".join(names)[:_MAX_NAME_CHARS]) if names else _TOPIC
