"""A quick headline: what headings and lines share with the declared titles.

The full search with its reasons is that of the metadata; this one reads what the features have
found already and costs a twentieth, since no text is extracted without its headline.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.compose import line_texts, squeeze
from quarkcrawl.content.lines.matrix import COLUMNS

if TYPE_CHECKING:
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree


_OG: Final = frozenset(("og:title", "twitter:title"))
_HEADINGS: Final = ("h1", "h2", "h3")
_MIN_HEADING_CHARS: Final = 4
_MIN_HEADING_SHARE: Final = 0.3
_MIN_LINE_CHARS: Final = 5
_MIN_LINE_SHARE: Final = 0.35
_MAX_H1_CHARS: Final = 100
_MAX_HEADINGS: Final = 60
_FIRST_PART_CHARS: Final = 8
_FIRST_PART_SHARE: Final = 0.25
_TITLE_SHARE: Final = COLUMNS.index("title_share")
_PARTS: Final = re.compile(
    r"\s*[|｜_»›«·•]\s*|\s+[-–—:：]+\s+|[-–—]{2,}"
    r"|(?<=[\u4e00-\u9fff”」』!?！？。)])\s*[-–—]\s*|\s*[-–—]\s*(?=[\u4e00-\u9fff]+$)"
)


def quick_headline(tree: PageTree, features: LineFeatures) -> str:
    """Headline of a page, "" if it has neither title nor heading.

    Args:
        tree: the page.
        features: its lines.
    """
    title, shared = tree.title, _shared_title(tree)
    declared = [text for text in (squeeze(title), squeeze(shared)) if text]
    headings = _headings(tree, features)
    agreed = _longest_in(declared, headings, _MIN_HEADING_CHARS)
    if agreed and len(squeeze(agreed)) >= _MIN_HEADING_SHARE * min(map(len, declared)):
        return agreed
    lines = np.flatnonzero(features.matrix[:, _TITLE_SHARE] > 0.95)
    agreed = _longest_in(declared[:1], line_texts(tree, features.cut, lines), _MIN_LINE_CHARS)
    if agreed and len(squeeze(agreed)) >= _MIN_LINE_SHARE * len(declared[0]):
        return agreed
    first = _headings(tree, features, ("h1",))
    if len(first) == 1 and len(first[0]) < _MAX_H1_CHARS:
        return first[0]
    return _first_part(shared) or _first_part(title) or next(iter(first), "")


def _shared_title(tree: PageTree) -> str:
    """The title for social media, "" if there is none."""
    for node in tree.nodes("meta"):
        attrs = tree.attrs(node)
        if attrs.get("property", attrs.get("name", "")).lower() in _OG:
            return " ".join(attrs.get("content", "").split())
    return ""


def _headings(
    tree: PageTree, features: LineFeatures, names: tuple[str, ...] = _HEADINGS
) -> list[str]:
    structure, nodes = features.cut.structure, tree.places(*names)[:_MAX_HEADINGS]
    shown = np.flatnonzero(features.cut.run_line >= 0)
    first = np.searchsorted(shown, structure.run_start[nodes]).tolist()
    last = np.searchsorted(shown, structure.run_end[nodes]).tolist()
    slices = (shown[start:end].tolist() for start, end in zip(first, last, strict=True))
    texts = (" ".join("".join(map(tree.runs.__getitem__, runs)).split()) for runs in slices)
    return list(filter(None, texts))


def _longest_in(declared: list[str], texts: list[str], min_chars: int) -> str:
    """The longest text that a declared title contains, the first of equal ones."""
    best, n_best = "", min_chars - 1
    for text in texts:
        core = squeeze(text)
        if len(core) > n_best and any(core in title for title in declared):
            best, n_best = text, len(core)
    return best


def _first_part(title: str) -> str:
    """The title without the names of section and site behind it."""
    parts = [part for part in _PARTS.split(title) if part and part.strip()]
    if not parts:
        return title
    if len(parts[0]) >= min(_FIRST_PART_SHARE * len(title), _FIRST_PART_CHARS):
        return parts[0].strip()
    return max(parts, key=len).strip()
