"""The third view of the thesis (section 3.3): hand-marked text beside extracted text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

from quarkcrawl.content import Content
from quarkcrawl.lab.evaluate import (
    MAX_COMPARED_CHARS,
    AnnotatedPage,
    Score,
    comparable,
    compose,
)
from quarkcrawl.segment import lines_of
from quarkcrawl.workbench.report.alignment import COMMON, align, stretches
from quarkcrawl.workbench.report.pagecopy import language
from quarkcrawl.workbench.theme import render

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.workbench.report.alignment import Stretches


_CUT_NOTE: Final = f"A text was cut after {MAX_COMPARED_CHARS:,} characters, as in the evaluation."
_TEXT_NOTE: Final = (
    "Counts are of the longest common subsequence of characters, without white space, after NFKC"
    " normalization; the texts are shown normalized."
)
_RUN_NOTE: Final = (
    "Counts are of visible characters that are not white space; each text run of the page counts"
    " as a whole."
)


def comparison_view(
    extracted: Content | str,
    gold: AnnotatedPage | str,
    *,
    title: str = "",
    with_title: bool = False,
) -> str:
    """Show the text that people marked beside the text that a method found, and how they differ.

    A page with marks and the content found on it are compared run by run, by position; otherwise
    the texts are compared as the evaluation compares plain texts.

    Args:
        extracted: what a method found, or its text.
        gold: a page with marks, or the text that people took for content.
        title: heading of the document; "" for the title of the page.
        with_title: gold text includes the headline, so it is put in front of the content.

    Returns:
        A self-contained HTML document.
    """
    if isinstance(extracted, Content):
        title = title or extracted.title or extracted.page.url
        if isinstance(gold, AnnotatedPage) and gold.page.tree.runs == extracted.page.tree.runs:
            return _by_run(extracted, gold, title)
        extracted = compose(extracted.title, extracted.text, with_title=with_title)
    if isinstance(gold, AnnotatedPage):
        gold = lines_of(gold.page.tree, gold.run_is_content)
    return _by_text(extracted, gold, title)


def _by_run(content: Content, gold: AnnotatedPage, title: str) -> str:
    """Compare two choices of the same runs."""
    tree = gold.page.tree
    marked, content_runs = gold.run_is_content, content.runs & ~tree.run_raw
    left = _chosen(gold, marked, np.where(content_runs, COMMON, "missing"))
    right = _chosen(gold, content_runs, np.where(marked, COMMON, "extra"))
    n_marked, n_found, n_common = (
        int(tree.run_chars[mask].sum()) for mask in (marked, content_runs, marked & content_runs)
    )
    return _written(left, right, (n_marked, n_found, n_common), title=title, notes=[_RUN_NOTE])


def _chosen(gold: AnnotatedPage, mask: NDArray[np.bool_], names: NDArray[np.str_]) -> Stretches:
    """Text of chosen runs, each non-white character under the name of its run."""
    tree = gold.page.tree
    runs = np.flatnonzero(mask).tolist()
    lengths = [len("".join(tree.runs[run].split())) for run in runs]
    return stretches(lines_of(tree, mask), np.repeat(names[runs], lengths))


def _by_text(extracted: str, gold: str, title: str) -> str:
    """Compare two texts."""
    text, gold_text = comparable(extracted), comparable(gold)
    alignment = align(gold_text, text)
    left = stretches(_shown(gold), _names(alignment.left, alignment.left_scattered, "missing"))
    right = stretches(
        _shown(extracted), _names(alignment.right, alignment.right_scattered, "extra")
    )
    notes = [_TEXT_NOTE]
    if max(len(text), len(gold_text)) == MAX_COMPARED_CHARS:
        notes.append(_CUT_NOTE)
    n_common = LCSseq.similarity(gold_text, text)
    if n_common > alignment.n_common:
        notes.append(f"The texts are long: only {alignment.n_common:,} of the common are shown so.")
    counts = (len(gold_text), len(text), n_common)
    return _written(left, right, counts, title=title, notes=notes)


def _shown(text: str) -> str:
    """Text as it is compared, but in lines and with its white space inside them."""
    lines = (line.strip() for line in unicodedata.normalize("NFKC", text).splitlines())
    return "\n".join(filter(None, lines))


def _names(common: NDArray[np.bool_], scattered: NDArray[np.bool_], other: str) -> NDArray[np.str_]:
    return np.where(scattered, "scattered", np.where(common, COMMON, other))


def _written(
    marked: Stretches,
    extracted: Stretches,
    counts: tuple[int, int, int],
    *,
    title: str,
    notes: list[str],
) -> str:
    """The document; counts are of characters marked, extracted, and common to both."""
    n_marked, n_extracted, n_common = counts
    score = Score.of(n_common, n_extracted, n_marked)
    figures = {
        "Marked": f"{n_marked:,}",
        "Extracted": f"{n_extracted:,}",
        "Common": f"{n_common:,}",
        "Missing": f"{n_marked - n_common:,}",
        "Extra": f"{n_extracted - n_common:,}",
        "Precision": f"{score.precision:.3f}",
        "Recall": f"{score.recall:.3f}",
        "F1": f"{score.f1:.3f}",
    }
    columns = [
        (name, column, language("".join(chars for _, chars in column[:50])))
        for name, column in (("Marked", marked), ("Extracted", extracted))
    ]
    return render(
        "report/comparison.html",
        "en",
        title=title or "Untitled page",
        figures=figures,
        columns=columns,
        notes=notes,
    )
