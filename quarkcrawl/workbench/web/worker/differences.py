"""Methods and pages side by side: who has which text, joined to stretches."""

from __future__ import annotations

import unicodedata
from collections import deque
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.dedup import KEYS_PER_CODE, code_keys, code_text
from quarkcrawl.lab.evaluate import comparable
from quarkcrawl.workbench.report import COMMON, align, stretches
from quarkcrawl.workbench.web.worker.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.workbench.web.documents import DocumentSource


_PARAGRAPH_CHARS: Final = 40  # a longer run has a line of its own
MOST_TEXT: Final = 20_000
"""Longer contents of pages are cut before they are aligned."""

MOST_CHARS: Final = 60_000
"""Most text of one comparison; the rest is counted, not shown."""


def compared(one: Content, two: Content) -> dict[str, Any]:
    """What two methods took, in page order, and how much they agree on.

    Args:
        one: what the first found.
        two: what the second found.
    """
    tree = one.page.tree
    first, second = one.runs & ~tree.run_raw, two.runs & ~tree.run_raw
    chars = tree.run_chars
    n_one, n_two = int(chars[first].sum()), int(chars[second].sum())
    n_common = int(chars[first & second].sum())
    names = np.where(first & second, "common", np.where(first, "first", "second"))
    stretches: list[dict[str, str]] = []
    shown = 0
    for run in np.flatnonzero((first | second) & (chars > 0)).tolist():
        text = tree.runs[run]
        text = f"{text.strip()}\n" if len(text) > _PARAGRAPH_CHARS else text
        if shown > MOST_CHARS:
            break
        shown += len(text)
        if stretches and stretches[-1]["who"] == names[run]:
            stretches[-1]["text"] += text
        else:
            stretches.append({"who": str(names[run]), "text": text})
    total = n_one + n_two
    return {
        "stretches": stretches,
        "n_first": n_one,
        "n_second": n_two,
        "n_common": n_common,
        "f1": round(2 * n_common / total, 4) if total else 1.0,
        "is_cut": shown > MOST_CHARS,
        "text_first": one.text[:MOST_CHARS],
        "text_second": two.text[:MOST_CHARS],
    }


def compared_texts(left: str, right: str) -> dict[str, Any]:
    """The same of two texts, of which one or both come from elsewhere: aligned by characters.

    Args:
        left: what the first found.
        right: what the second found.
    """
    is_cut = max(len(left), len(right)) > MOST_TEXT
    left, right = left[:MOST_TEXT], right[:MOST_TEXT]
    alignment = align(comparable(left), comparable(right))
    n_one, n_two = len(alignment.left), len(alignment.right)
    total = n_one + n_two
    return {
        "stretches": _merged(
            _stretches(left, alignment.left, "first"), _stretches(right, alignment.right, "second")
        ),
        "n_first": n_one,
        "n_second": n_two,
        "n_common": alignment.n_common,
        "f1": round(2 * alignment.n_common / total, 4) if total else 1.0,
        "is_cut": is_cut,
        "text_first": left,
        "text_second": right,
    }


def _merged(left: list[tuple[str, str]], right: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Both texts as one sequence; what they have in common stands there once."""
    others = deque((name, char) for name, text in right for char in text)
    chars: list[tuple[str, str]] = []
    for name, char in ((name, char) for name, text in left for char in text):
        if name == COMMON and not char.isspace():
            while others[0][0] != COMMON or others[0][1].isspace():
                other = others.popleft()
                chars += [other] * (other[0] != COMMON)  # white space of both is the left one's
            others.popleft()
        chars.append((name, char))
    chars += (other for other in others if other[0] != COMMON)
    return [
        {"who": who, "text": "".join(char for _, char in piece)}
        for who, piece in groupby(chars, key=itemgetter(0))
    ]


def texts_compared(documents: Sequence[DocumentSource]) -> list[tuple[str, str]]:
    """The contents of two pages as stretches of what is common, only left, only right.

    Args:
        documents: two pages.
    """
    left, right = (read(one, "content").content("default").text[:MOST_TEXT] for one in documents)
    alignment = align(comparable(left), comparable(right))
    return [
        *_stretches(left, alignment.left, "removed"),
        ("side", ""),
        *_stretches(right, alignment.right, "added"),
    ]


def code_likeness(documents: Sequence[DocumentSource]) -> dict[str, Any]:
    """What the rule of the feature code asks of two pages, to be held against its two bounds.

    Args:
        documents: two pages.

    Returns:
        ``length_ratio`` is the longer text to the shorter (``--length-ratio``, a of the paper),
        ``slack`` the characters in which the first codes differ (``--slack``): "none" where a text
        has no code, "over" for more than the rule can ask for.
    """
    texts = [read(one, "content").content("default").text for one in documents]
    coded = [code_text(text, n_head=1, n_tail=0) for text in texts]
    lengths = sorted(one.n_chars for one in coded)
    slack = "over"
    if not all(len(one.head) for one in coded):
        slack = "none"
    else:
        for most_differing in reversed(range(len(KEYS_PER_CODE))):
            first, second = (code_keys(one.head, most_differing).ravel() for one in coded)
            if not np.intersect1d(first, second).size:
                break
            slack = f"{most_differing}"
    ratio = round(lengths[1] / lengths[0], 3) if lengths[0] else None
    return {"length_ratio": ratio, "slack": slack}


def _stretches(text: str, is_common: NDArray[np.bool_], other: str) -> list[tuple[str, str]]:
    return stretches(unicodedata.normalize("NFKC", text), np.where(is_common, COMMON, other))
