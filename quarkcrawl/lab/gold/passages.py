"""Marks inside an element: stretches of characters of a text run, each with a kind.

A ``quark=`` attribute marks whole elements. Where a date and the name of a source share one text,
or only a sentence of a paragraph is content, the workbench keeps passages beside the page, in
``marks.json``; the attribute of such an element says what most of its characters are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


MARKED_AS: Final = {
    "content": "content",
    "rel_link": "rel_link",
    "noise": "noise",
    "headline": "noise",
    "date": "noise",
    "byline": "noise",
    "post": "content",
    "comment": "noise",
}
"""Kinds that people tell apart in the workbench, each with the value of ``quark=`` that it gets.

Headline, date and byline stand apart from the text, a post is content, a reader's comment is not.
"""


class Passage(NamedTuple):
    """Characters of a text run that have one kind.

    Args:
        run: number of the run in the page without marks.
        start: its first character, counted in the text of the run.
        end: one past its last character.
        kind: one of `MARKED_AS`.
    """

    run: int
    start: int
    end: int
    kind: str


def read_passages(value: object, where: object) -> tuple[Passage, ...]:
    """Passages as JSON has them: a list of objects with run, start, end and kind.

    Args:
        value: the list; None is none.
        where: what error messages call the page.

    Raises:
        InputError: it is no such list.
    """
    try:
        return tuple(_passage(one) for one in value or ())  # type: ignore[attr-defined]
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InputError(f"no passages: {error}", where=where) from error


def _passage(one: dict[str, Any]) -> Passage:
    passage = Passage(int(one["run"]), int(one["start"]), int(one["end"]), str(one["kind"]))
    if passage.kind not in MARKED_AS or not 0 <= passage.start < passage.end or passage.run < 0:
        raise ValueError(f"{one} is none")
    return passage


def content_characters(
    runs: list[str], is_content: NDArray[np.bool_], passages: Iterable[Passage], name: str
) -> dict[int, NDArray[np.bool_]]:
    """Which characters of the runs that have passages are content, by number of the run.

    Args:
        runs: texts of the page.
        is_content: what the marks of their elements say.
        passages: in any order; later ones decide.
        name: what error messages call the page.

    Raises:
        InputError: a passage lies outside of the page.
    """
    by_run: dict[int, NDArray[np.bool_]] = {}
    for run, start, end, kind in passages:
        if run >= len(runs) or end > len(runs[run]):
            raise InputError(f"no characters {start}-{end} in text {run}", where=name)
        if run not in by_run:
            by_run[run] = np.full(len(runs[run]), is_content[run], np.bool_)
        by_run[run][start:end] = MARKED_AS[kind] == "content"
    return by_run
