"""Scores against gold text: how much of it is found, in order, white space aside.

Most public sets give the content of a page as plain text. Extracted and gold text are compared
after NFKC normalization and removal of all white space; the correct length is that of their longest
common subsequence of characters (spec/evaluation.md).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from quarkcrawl.lab.gold import NOTHING, Score

MAX_COMPARED_CHARS: Final = 60_000
"""Longer texts are cut before they are compared: the comparison is quadratic."""

_SPACE: Final = re.compile(r"\s+")


def comparable(text: str) -> str:
    r"""Text as it is compared: NFKC, no white space, at most `MAX_COMPARED_CHARS`.

    Args:
        text: any text.

    >>> comparable("ＡＢ　天网\n搜索")
    'AB天网搜索'
    """
    return _SPACE.sub("", unicodedata.normalize("NFKC", text))[:MAX_COMPARED_CHARS]


def compose(title: str, text: str, *, with_title: bool) -> str:
    """What is compared with a gold text: the content, under its title if the gold includes it.

    Args:
        title: headline of the page.
        text: its content.
        with_title: whether the gold text begins with a headline.
    """
    return f"{title}\n{text}" if with_title else text


def score_text(extracted: str, gold: str) -> Score:
    """Score an extracted text against the gold text of its page.

    >>> score_text("天网搜索引擎", "天网 引擎")
    Score(precision=0.6666666666666666, recall=1.0, f1=0.8)

    Args:
        extracted: what an extractor found.
        gold: what people marked.

    Returns:
        The score; all 0 if either text is empty.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415  (only where texts are compared)

    extracted_text, gold_text = comparable(extracted), comparable(gold)
    if not extracted_text or not gold_text:
        return NOTHING
    return Score.of(
        LCSseq.similarity(extracted_text, gold_text), len(extracted_text), len(gold_text)
    )
