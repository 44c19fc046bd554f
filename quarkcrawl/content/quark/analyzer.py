"""QuarkAnalyzer: a block is content if its words and its form both say so (thesis, section 3.2).

What the thesis leaves open was calibrated on the macro F1 over 286 development pages with Chinese
articles, headline and text composed as each set marks them:

- ``SegmentOptions.ripe_chars`` 50 and ``ripe_layout_share`` 0.8, of 5–1000 and 0–1. F1 is flat
  from 20 to 100 characters (.83–.82). Blocks of 20 characters, which are hardly blocks any more,
  give .005 more, within the noise (95 % interval of the difference to 5: −.003 to .018).
- `SIMILARITY_THRESHOLD` 0.02, of 0–0.7. Above 0.05 parts of one article no longer count as
  similar: F1 falls from .827 to .807 at 0.1. So the words mainly keep out what has none in common.
- the lists ``noise_words.txt`` and ``stop_words.txt``, whose headers say where they come from.

With the thresholds chosen anew on nine tenths of the hosts and measured on the last, F1 is .824
(.814 among blocks of 40 characters and more) against .827 with those kept; .829 with the bound on
compared text that came later. Related links, of which the thesis gives no rule, are
`quarkcrawl.content.related`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.declared import Declared
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import without_headline
from quarkcrawl.content.labels import kinds_of
from quarkcrawl.content.quark.bayes import accepted
from quarkcrawl.content.quark.priors import PUBLISHED_PRIORS, Priors
from quarkcrawl.content.quark.similarity import MAX_COMPARED_CHARS, Idf, Reference
from quarkcrawl.content.quark.tokens import tokens
from quarkcrawl.content.related import RelatedOptions, related_blocks
from quarkcrawl.content.words import WordFinder, noise_words
from quarkcrawl.errors import ConfigError
from quarkcrawl.segment import QuarkRecognizer, segmentation_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.segment import Segmentation, SegmentOptions

    BoolArray = NDArray[np.bool_]


SIMILARITY_THRESHOLD: Final = 0.02
"""Similarity to the longest block above which a block is content."""

_RELATED: Final = RelatedOptions()


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """Options of `QuarkAnalyzer`.

    Args:
        priors: probabilities of the Bayes side.
        similarity_threshold: similarity to the longest block above which a block is content.
        noise_words: finder of the common noise words.
        idf: weights of words; every word weighs the same if None, as in the thesis.
        related: limits of related links.
        blocks: how pages are cut; None for the cut that is the usual one and shared.
        compared_chars: blocks are compared by their first so many characters; 0 for all of them, as
            in the thesis.
        cut: what cuts a text into words.
    """

    priors: Priors = PUBLISHED_PRIORS
    similarity_threshold: float = SIMILARITY_THRESHOLD
    noise_words: WordFinder = field(default_factory=noise_words)
    idf: Idf | None = None
    related: RelatedOptions = field(default_factory=RelatedOptions)
    blocks: SegmentOptions | None = None
    compared_chars: int = MAX_COMPARED_CHARS
    cut: Callable[[str], list[str]] = tokens

    def __post_init__(self) -> None:
        if self.compared_chars < 0 or not 0 <= self.similarity_threshold <= 1:
            where = (
                f"similarity_threshold={self.similarity_threshold}, "
                f"compared_chars={self.compared_chars}"
            )
            raise ConfigError("threshold out of range", where=where)


class QuarkAnalyzer:
    """Tells content, related links and noise apart among the blocks of a page.

    Args:
        options: priors, threshold, word lists.
    """

    __slots__ = ("options",)

    def __init__(self, options: AnalyzerOptions | None = None) -> None:
        self.options = options or AnalyzerOptions()

    def analyze(self, segmentation: Segmentation) -> Segmentation:
        """Label the blocks of a page.

        Args:
            segmentation: the blocks.

        Returns:
            The same blocks with their kinds.
        """
        return _labeled(segmentation, self.content(segmentation), self.options.related)

    def content(self, segmentation: Segmentation) -> BoolArray:
        """Which blocks are content: those that both sides accept.

        The sides meet in an intersection, so that words, which are costly to cut, are compared
        only where the form has already been accepted.

        Args:
            segmentation: the blocks.
        """
        content = np.zeros(len(segmentation), np.bool_)
        if not len(segmentation):
            return content
        by_form = accepted(segmentation, self.options.noise_words, self.options.priors)
        longest = int(np.argmax(segmentation.n_chars))
        content[longest] = by_form[longest]
        by_form[longest] = False
        others = by_form.nonzero()[0]
        if len(others):
            content[others] = self._similar(segmentation, longest, others)
        return content

    def _similar(
        self, segmentation: Segmentation, longest: int, others: NDArray[np.intp]
    ) -> list[bool]:
        """Whether each of the other blocks is similar to the longest."""
        numbers = (longest, *others.tolist())
        most_chars = self.options.compared_chars or len(segmentation.page.html)
        texts = segmentation.first_texts(numbers, most_chars)
        reference = Reference(texts[0], self.options.idf, most_chars, self.options.cut)
        threshold = self.options.similarity_threshold
        return [reference.is_similar(text, threshold) for text in texts[1:]]


def quark_extraction(
    page: Page, options: AnalyzerOptions | None = None, name: str = "quark"
) -> Extraction:
    """The method ``"quark"``: cut the page into blocks, join those that are content.

    Args:
        page: any page; blocks that `quarkcrawl.segment.segmentation_of` still has are used again.
        options: thresholds of the analyzer; None for the defaults.
        name: what it is called with options of its own.
    """
    blocks = None if options is None else options.blocks
    segmentation = QuarkRecognizer(blocks).recognize(page) if blocks else segmentation_of(page)
    analyzer = QuarkAnalyzer(options)
    content = analyzer.content(segmentation)
    return extraction_of_blocks(page, name, segmentation, content, analyzer.options.related)


def _labeled(
    segmentation: Segmentation, content: BoolArray, related: RelatedOptions
) -> Segmentation:
    return segmentation.with_kinds(
        kinds_of(content, related_blocks(segmentation, content, related))
    )


def extraction_of_blocks(
    page: Page,
    method: str,
    segmentation: Segmentation,
    content: BoolArray,
    related: RelatedOptions = _RELATED,
) -> Extraction:
    """What a method that chooses among blocks found: their text without the headline.

    Args:
        page: the page that was cut.
        method: name of the method.
        segmentation: all its blocks.
        content: for each block whether the method takes it for content.
        related: limits of related links.
    """
    runs = segmentation.runs_in(content)
    declared = Declared(page.tree)
    text = segmentation.line_reader.text(runs)
    text, headline = without_headline(text, page.tree, declared)
    labeled = partial(_labeled, segmentation, content, related)
    return Extraction(
        page,
        method,
        text=text,
        runs=runs,
        headline=headline,
        declared=declared,
        segmentation=labeled,
    )
