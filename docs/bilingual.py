"""Search of the documentation site in English and Chinese.

Sphinx has one language a site, and its Chinese one finds only words that jieba cut in the same way
in page and question. Here a run of Chinese characters is indexed by its pairs, so that any piece of
it finds its pages.
"""

from __future__ import annotations

import itertools
import re

from sphinx.search.en import SearchEnglish

CHINESE = "\u3400-\u9fff"
_PIECE = re.compile(f"[{CHINESE}]+|[^\\W{CHINESE}]+")
_SPLITTER = """
var splitQuery = (query) => {
  const pieces = query.match(/[CHINESE]+|(?:(?![CHINESE])[\\p{L}\\p{N}_])+/gu) || [];
  const pairs = (run) => run.length === 1 ? [run]
    : Array.from({length: run.length - 1}, (_, at) => run.slice(at, at + 2));
  return pieces.flatMap((piece) => /^[CHINESE]/u.test(piece) ? pairs(piece) : [piece]);
};
"""


class BilingualSearch(SearchEnglish):
    """English words by their stems, Chinese text by single characters and their pairs."""

    lang = "en-zh"
    js_splitter_code = _SPLITTER.replace("CHINESE", "\\u3400-\\u9fff")

    def split(self, input: str) -> list[str]:  # noqa: A002  (the name that Sphinx gives it)
        """Words of a text, as the page of the search splits a question."""
        words = []
        for piece in _PIECE.findall(input):
            if piece[0] < "\u3400" or piece[0] > "\u9fff":
                words.append(piece)
            else:
                words += [*piece, *map("".join, itertools.pairwise(piece))]
        return words
