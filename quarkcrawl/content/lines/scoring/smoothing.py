"""Scores of lines drawn toward those of lines that look the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.scoring.loops import draw_together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


GROUP_SHARE: Final = 0.4
"""How far a score is drawn to the mean of the lines that look the same."""

MIN_GROUP_LINES: Final = 3
MAX_SCORE: Final = 9.0


def smoothed_scores(score: FloatArray, look: NDArray[np.int64], weight: FloatArray) -> FloatArray:
    """Draw the scores of lines toward the mean of all lines that look the same.

    The paragraphs of an article, or the posts of a thread, are written alike in the source, and
    a doubtful one among likely ones is likely too. Groups of one or two lines stay as they are.

    Args:
        score: score of each line.
        look: equal for lines that look the same.
        weight: how much text each line is.
    """
    order = look.argsort(kind="stable")
    smooth = np.empty(len(score))
    draw_together(score, look, order, weight, MAX_SCORE, MIN_GROUP_LINES, GROUP_SHARE, smooth)
    return smooth
