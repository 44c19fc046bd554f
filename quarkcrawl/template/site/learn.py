"""The lines that a host repeats: found on a sample of its pages, taken out of any of them.

Counted are articles, not pages: pages that share a good part of their text are copies of one, so
what an article says is counted once however often it is mirrored. A line counts where it stands:
one that most pages with such a place have is the site's, one that some of them have is quoted.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.template.site.lines import NOWHERE, line_key, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.content import Content
    from quarkcrawl.template.site.lines import SiteLines


_LEAST_ARTICLES: Final = 8
"""Of one host with a line at one place; with fewer, lines of six game pages were content."""

_LEAST_SHARE: Final = 0.75
"""Of the articles with anything at that place. What is quoted (excerpts, limits of exercises) has
up to .25 on the development sites, what the site repeats nearly 1."""

_COPY_SHARE: Final = 0.4
"""Pages of which that share of text stands on a longer page, too, are copies of it."""

_MOST_TAKEN: Final = 0.5
"""Share of a content; where a host repeats more of it than that, it is what the page is about."""

_MOST_KEYS: Final = 256


@dataclass(frozen=True, slots=True)
class _Read:
    """A page: characters of each text and of all, places, and what stands at one of them once."""

    chars: dict[int, int]
    total: int
    places: frozenset[int]
    keys: frozenset[tuple[int, int]]


def repeated_lines(pages: Iterable[SiteLines]) -> str:
    """The lines that many pages of a host have at the same place.

    Args:
        pages: lines of the contents of some pages of one host, in any order.

    Returns:
        Their numbers as hexadecimal digits, 16 each, ascending; "" for none. What makes up most
        of the contents that it stands in is taken for copied pages, and is none of them.
    """
    articles = _articles(_read(page) for page in pages)
    n_at = Counter(place for places, _ in articles for place in places)
    n_of = Counter(key for _, keys in articles for key in keys)
    common_lines = sorted(
        (-n, line_key(*key))
        for key, n in n_of.items()
        if n >= max(_LEAST_ARTICLES, _LEAST_SHARE * n_at[key[1]])
    )
    keys = sorted({key for _, key in common_lines[:_MOST_KEYS]})
    return struct.pack(f">{len(keys)}Q", *keys).hex()


def _read(page: SiteLines) -> _Read:
    """What repeats within a page is the form of a list that it has, not of the host."""
    n_of = Counter(zip(page.texts, page.places, strict=True))
    chars = dict(zip(page.texts, page.chars, strict=True))
    places = frozenset(place for _, place in n_of if place != NOWHERE)
    keys = frozenset(key for key, n in n_of.items() if n == 1 and key[1] != NOWHERE)
    return _Read(chars, sum(chars.values()), places, keys)


def _articles(pages: Iterable[_Read]) -> list[tuple[set[int], set[tuple[int, int]]]]:
    """Places and keys of each article; the longest page of an article stands for all of them."""
    leaders: list[_Read] = []
    articles: list[tuple[set[int], set[tuple[int, int]]]] = []
    for page in sorted(pages, key=lambda page: (-page.total, sorted(page.keys))):
        number = next(
            (n for n, leader in enumerate(leaders) if _is_copy(page, leader)), len(leaders)
        )
        if number == len(leaders):
            leaders.append(page)
            articles.append((set(), set()))
        articles[number][0].update(page.places)
        articles[number][1].update(page.keys)
    return articles


def _is_copy(page: _Read, leader: _Read) -> bool:
    shared = sum(page.chars[text] for text in page.chars.keys() & leader.chars.keys())
    return shared >= _COPY_SHARE * page.total


def without_repeated(content: Content, repeated: str) -> tuple[Content, int]:
    """A content without the lines that its host repeats.

    Args:
        content: what a method found on a page.
        repeated: what the host repeats, see `repeated_lines`.

    Returns:
        The content, and how many visible characters were taken out; the same content and 0 if
        there are none, or if they are more than half of it.
    """
    if not repeated or content.failure is not None:
        return content, 0
    data = bytes.fromhex(repeated)
    line_keys = frozenset(struct.unpack(f">{len(data) // 8}Q", data))
    lines = text_lines(content)
    hashed = lines.hashed
    taken = [
        number
        for number, (text, place) in enumerate(zip(hashed.texts, hashed.places, strict=True))
        if place != NOWHERE and line_key(text, place) in line_keys
    ]
    n_taken = sum(hashed.chars[number] for number in taken)
    if not n_taken or n_taken > _MOST_TAKEN * sum(hashed.chars):
        return content, 0
    runs, left = content.runs.copy(), list(lines.texts)
    for number in reversed(taken):
        del left[number]
        runs[np.array(lines.runs[number])] = False
    return content.with_runs(runs, "\n".join(left)), n_taken
