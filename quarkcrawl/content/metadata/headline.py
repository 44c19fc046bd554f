"""The headline of a page, and how it is kept from standing in the text a second time.

Pages write their headline twice: in the ``title`` element, with the names of section and site
around it, and where readers see it. What both places agree on is the headline.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page import Page, PageTree


_HEADINGS: Final = ("h1", "h2", "h3")
_MIN_CHARS: Final = 4
"""Shorter runs that stand in the title are names of sections rather than headlines."""

_MAX_CHARS: Final = 200
_SHRINKING: Final = 4
"""Characters that become at most one by compatibility composition (Unicode UAX 15)."""

_TITLE_PARTS: Final = re.compile(r"\s+[-–—|_·»«<>:/]+\s+|[_|–—»«]+|\s*-{2,}\s*|(?<=[^\x00-\x7f])-")
_HEAD_LINES: Final = 6
"""So many first lines of a text are looked at for its headline."""


def squeezed(text: str) -> str:
    """A text without white space, compatibility forms unified, in lower case."""
    return "".join(unicodedata.normalize("NFKC", text).split()).lower()


def headline(page: Page) -> str:
    """Headline of a page, "" if it has neither title nor heading.

    Args:
        page: any page; its title, its headings and its visible text are read.

    Returns:
        The longest visible text that stands in the ``title`` element, headings first and links
        last; without any, the first part of the title; without a title, the first heading.
    """
    tree = page.tree
    title = squeezed(tree.title)
    headings = list(_headings(tree))
    if not title:
        return next(iter(headings), "")
    agreed = _standing_in(title, headings) or _standing_in(title, _plain_runs(tree, title))
    if agreed:
        return agreed
    return next(filter(None, map(str.strip, _TITLE_PARTS.split(tree.title))), tree.title)


def _standing_in(title: str, texts: list[str]) -> str:
    """The longest text that stands in the title, the first there of equal ones; "" for none."""
    texts = [text for text in texts if _may_begin(text, title)]
    cores = unicodedata.normalize("NFKC", "\n".join(texts)).lower().split("\n")
    found = [
        (len(core), -title.find(core), -number)
        for number, core in enumerate("".join(core.split()) for core in cores)
        if len(core) >= _MIN_CHARS and core in title
    ]
    return texts[-max(found)[2]] if found else ""


def _may_begin(text: str, title: str) -> bool:
    """Whether the title holds the first character, as far as that can be told without folding."""
    first = text[:1]
    if "\u4e00" <= first <= "\u9fff":
        return first in title
    return not (first.isascii() and text[1:2].isascii()) or first.lower() in title


def _headings(tree: PageTree) -> Iterator[str]:
    """Texts of the headings, those of the first rank first."""
    for rank in _HEADINGS:
        nodes = tree.places(rank)
        n_chars = tree.text_chars[nodes]
        for text in tree.texts(nodes[(n_chars > 0) & (n_chars <= _MAX_CHARS)]):
            yield " ".join(text.split())


def _plain_runs(tree: PageTree, title: str) -> list[str]:
    """Visible runs outside links that may be part of a squeezed title."""
    most = min(_MAX_CHARS, _SHRINKING * len(title))
    fits = (tree.run_chars >= _MIN_CHARS) & (tree.run_chars <= most) & ~tree.run_anchor
    texts = [tree.runs[run].lstrip() for run in fits.nonzero()[0].tolist()]
    return [" ".join(text.split()) for text in texts if _may_begin(text, title)]


def _short_core(text: str, title: str) -> str:
    """`squeezed` of a text; "" if it is too long to stand in a squeezed title."""
    limit = _SHRINKING * len(title)
    if len(text) > limit and len("".join(text[: 2 * limit + 2].split())) > limit:
        return ""
    return squeezed(text)


def without_headline(text: str, title: str) -> str:
    """A text without the line, among its first ones, that is its headline.

    Args:
        text: the content, one paragraph a line.
        title: the headline.
    """
    core = squeezed(title)
    lines = text.split("\n", _HEAD_LINES)
    for number, line in enumerate(lines[:_HEAD_LINES] if core else ()):
        if _short_core(line, core) == core:
            return _without_line(lines, number)
    return text


def _without_line(lines: list[str], number: int) -> str:
    return "\n".join(lines[:number] + lines[number + 1 :])


def without_page_headline(text: str, page: Page) -> str:
    """`without_headline` for a page, whose headline is sought only if a line may be it.

    Args:
        text: the content, one paragraph a line.
        page: the page that the text was taken from.
    """
    title = squeezed(page.tree.title)
    if not title:
        return without_headline(text, headline(page))
    lines = text.split("\n", _HEAD_LINES)
    cores = (_short_core(line, title) for line in lines[:_HEAD_LINES])
    first = next(((n, core) for n, core in enumerate(cores) if core and core in title), None)
    if first is None:
        return text  # a headline stands in the title
    wanted = squeezed(headline(page))
    for number, core in itertools.chain((first,), enumerate(cores, first[0] + 1)):
        if core == wanted:
            return _without_line(lines, number)
    return text
