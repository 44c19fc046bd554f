"""Why a block was taken or not: its features, probabilities and similarity, as JSON values."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.content import WordFinder, noise_words
from quarkcrawl.content.lines import judged_lines, load_model, smoothed_scores
from quarkcrawl.content.quark import FEATURES, AnalyzerOptions, Reference, features, posterior
from quarkcrawl.segment import shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.segment import Block, Segmentation

    FloatArray = NDArray[np.float64]


_REASONS: Final = {"rel_link": "related", "post": "post", "comment": "comment"}
_SAMPLE_CHARS: Final = 240

MOST_BLOCKS: Final = 20_000
"""Blocks of a page on which the probabilities of lines are shown, too."""


class _NoiseWordsOf(WordFinder):
    """The noise words, looked for in some blocks only: in all of a large page they take long.

    Args:
        shown: the blocks.
    """

    __slots__ = ("_shown",)

    def __init__(self, shown: slice) -> None:
        super().__init__(())
        self._shown = shown

    def blocks(
        self, segmentation: Segmentation, is_candidate: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        is_shown = np.zeros(len(is_candidate), np.bool_)
        is_shown[self._shown] = True
        return noise_words().blocks(segmentation, is_candidate & is_shown)


class BlockFacts:
    """Facts about the blocks of one page as one method sees it.

    Args:
        content: what the method found.
        options: those of the method ``quark``, if it is this one; None: another method.
    """

    def __init__(self, content: Content, options: AnalyzerOptions | None = None) -> None:
        self._content = content
        self._blocks = content.segmentation
        self._is_quark, self._options = options is not None, options or AnalyzerOptions()

    @cached_property
    def _longest(self) -> int:
        return int(np.argmax(self._blocks.n_chars)) if len(self._blocks) else -1

    @cached_property
    def _reference(self) -> Reference:
        return Reference(
            self._text(self._longest), self._options.idf, self._most_chars, self._options.cut
        )

    @property
    def _most_chars(self) -> int:
        return self._options.compared_chars or len(self._content.page.html)

    def _text(self, number: int) -> str:
        """What is compared of a block."""
        return self._blocks.first_texts([number], self._most_chars)[0]

    @cached_property
    def _taken(self) -> FloatArray:
        """Share of each block's characters that the method took for content."""
        inside = self._blocks.over_runs(self._content.page.tree.run_chars * self._content.runs)
        return np.asarray(inside / np.maximum(1, self._blocks.n_chars), np.float64)

    @cached_property
    def _roles(self) -> dict[int, Counter[str]]:
        """Characters of ``headline``, ``date`` and ``byline`` in the blocks that show them."""
        roles: dict[int, Counter[str]] = {}
        for run, role in self._content.metadata_runs.items():
            counts = roles.setdefault(int(self._blocks.run_block[run]), Counter())
            counts[role] += int(self._content.page.tree.run_chars[run])
        return roles

    def _kinds(self, block: Block) -> list[str]:
        """All that a block shows; its own kind last, if anything but those roles is in it."""
        roles = self._roles.get(block.number, Counter[str]())
        return [*roles] if block.n_chars == roles.total() > 0 else [*roles, block.kind or "none"]

    @property
    def _has_lines(self) -> bool:
        """Whether lines are scored again, which takes half a second for 100,000 blocks."""
        return self._content.method == "default" and len(self._blocks) <= MOST_BLOCKS

    @cached_property
    def _probability(self) -> FloatArray:
        """Mean probability of the lines of each block, weighted by characters."""
        chars = self._content.page.tree.run_chars
        likely = line_probabilities(self._content)
        block = self._blocks.run_block + 1
        total = np.bincount(block, likely * chars, len(self._blocks) + 1)[1:]
        return np.asarray(total / np.maximum(1, self._blocks.n_chars), np.float64)

    def __len__(self) -> int:
        return len(self._blocks)

    def some(self, start: int, count: int) -> list[dict[str, Any]]:
        """Facts of blocks in document order.

        Args:
            start: number of the first.
            count: how many.
        """
        blocks = self._blocks[start : start + count]
        shown = slice(start, start + len(blocks))
        present = features(self._blocks, _NoiseWordsOf(shown))[shown]
        rows = zip(blocks, present, posterior(present, self._options.priors).tolist(), strict=True)
        return [self._facts(*row) for row in rows]

    def _facts(
        self, block: Block, present: NDArray[np.bool_], probability: float
    ) -> dict[str, Any]:
        number = block.number
        is_longest = number == self._longest
        alike = 1.0 if is_longest else self._reference.similarity(self._text(number))
        facts = {
            "number": number,
            "kind": block.kind or "none",
            "kinds": self._kinds(block),
            "tag": block.tag,
            "tag_class": block.tag_class.name.lower(),
            "path": block.path,
            "n_chars": block.n_chars,
            "n_anchor_chars": block.n_anchor_chars,
            "n_links": block.n_links,
            "n_images": block.n_images,
            "n_punctuation": block.n_punctuation,
            "features": list(compress(FEATURES, present.tolist())),
            "posterior": round(probability, 4),
            "similarity": round(alike, 4),
            "taken": round(float(self._taken[number]), 4),
            "text": shortened(block.text, _SAMPLE_CHARS),
        }
        if self._has_lines:
            facts["probability"] = round(float(self._probability[number]), 4)
        return {**facts, "why": self._why(facts, is_longest=is_longest)}

    def _why(self, facts: dict[str, Any], *, is_longest: bool) -> str:
        """Code of the reason; the catalogs of the interface have its words."""
        if not facts["n_chars"]:
            return "empty"
        if facts["kind"] in _REASONS:
            return _REASONS[facts["kind"]]
        if self._is_quark:
            if facts["posterior"] <= 0.5:
                return "form"
            if is_longest:
                return "longest"
            return "both" if facts["similarity"] > self._options.similarity_threshold else "words"
        way = "lines" if self._content.method == "default" else "region"
        share = facts["taken"]
        return f"{way}_{'all' if share > 0.95 else 'none' if share < 0.05 else 'some'}"


def line_probabilities(content: Content) -> FloatArray:
    """Probability of the line of each text run to be content, by the default extractor."""
    tree = content.page.tree
    lines, scores = judged_lines(tree, load_model())
    if not len(lines.cut):
        return np.zeros(len(tree.runs))
    scores = smoothed_scores(scores, lines.look[0], lines.weight)
    likely = np.append(1 / (1 + np.exp(-scores)), 0.0)  # the last is for runs in no line
    return np.asarray(likely[lines.cut.run_line], np.float64)
