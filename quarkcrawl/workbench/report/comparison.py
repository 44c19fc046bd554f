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
from quarkcrawl.workbench.report.alignment import align
from quarkcrawl.workbench.report.pagecopy import language
from quarkcrawl.workbench.theme import render

if TYPE_CHECKING:
    from numpy.typing import NDArray


Column = list[tuple[str, str]]
"""A text as stretches: a name (common, scattered, missing, extra) and the characters."""

_COMMON: Final = "common"
_CUT_NOTE: Final = f"A text was cut after {MAX_COMPARED_CHARS:,} characters, as in the evaluation."
_TEXT_NOTE: Final = (
    "Counts are of the longest common subsequence of characters, without white space, after NFKC"
    " normalisation; the texts are shown normalised."
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
    marked, found = gold.run_is_content, content.runs & ~tree.run_raw
    left = _chosen(gold, marked, np.where(found, _COMMON, "missing"))
    right = _chosen(gold, found, np.where(marked, _COMMON, "extra"))
    n_marked, n_found, n_common = (
        int(tree.run_chars[chosen].sum()) for chosen in (marked, found, marked & found)
    )
    return _written(left, right, (n_marked, n_found, n_common), title=title, notes=[_RUN_NOTE])


def _chosen(gold: AnnotatedPage, chosen: NDArray[np.bool_], names: NDArray[np.str_]) -> Column:
    """Text of chosen runs, each non-white character under the name of its run."""
    tree = gold.page.tree
    runs = np.flatnonzero(chosen).tolist()
    lengths = [len("".join(tree.runs[run].split())) for run in runs]
    return _column(lines_of(tree, chosen), np.repeat(names[runs], lengths))


def _by_text(extracted: str, gold: str, title: str) -> str:
    """Compare two texts."""
    found, wanted = comparable(extracted), comparable(gold)
    alignment = align(wanted, found)
    left = _column(_shown(gold), _names(alignment.left, alignment.left_scattered, "missing"))
    right = _column(_shown(extracted), _names(alignment.right, alignment.right_scattered, "extra"))
    notes = [_TEXT_NOTE]
    if max(len(found), len(wanted)) == MAX_COMPARED_CHARS:
        notes.append(_CUT_NOTE)
    n_common = LCSseq.similarity(wanted, found)
    if n_common > alignment.n_common:
        notes.append(f"The texts are long: only {alignment.n_common:,} of the common are shown so.")
    counts = (len(wanted), len(found), n_common)
    return _written(left, right, counts, title=title, notes=notes)


def _shown(text: str) -> str:
    """Text as it is compared, but in lines and with its white space inside them."""
    lines = (line.strip() for line in unicodedata.normalize("NFKC", text).splitlines())
    return "\n".join(filter(None, lines))


def _names(common: NDArray[np.bool_], scattered: NDArray[np.bool_], other: str) -> NDArray[np.str_]:
    return np.where(scattered, "scattered", np.where(common, _COMMON, other))


def _column(text: str, names: NDArray[np.str_]) -> Column:
    """A text in stretches of one name each; white space goes with what is before it.

    ``names`` has one for each character that is not white space; text beyond them is left out.
    """
    stretches: list[tuple[str, list[str]]] = []
    following = iter(names.tolist())
    for char in text:
        if char.isspace():
            name = stretches[-1][0] if stretches else _COMMON
        elif (name := next(following, "")) == "":
            break
        if not stretches or stretches[-1][0] != name:
            stretches.append((name, []))
        stretches[-1][1].append(char)
    return [(name, "".join(chars)) for name, chars in stretches]


def _written(
    marked: Column,
    extracted: Column,
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
