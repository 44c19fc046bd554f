"""The headline of a page.

Candidates are the headings, and every line of the page that is a part of what the page declares
as its title (title element, og:title, JSON-LD …) between possible separators. So a separator
inside a headline does no harm where the headline is shown whole, and the name of a site falls
off without a list of sites. Only a page that shows no headline has its title element cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.lines import fold
from quarkcrawl.content.metadata.title_parts import (
    MAX_TITLE_CHARS,
    bare,
    common_chars,
    is_site_name,
    pieces,
    spans,
    strip_site,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.content.metadata.lines import PageLines
    from quarkcrawl.page.tree import PageTree


_MAX_HEADINGS: Final = 40
_MAX_CHARS: Final = 200
_MAX_PARTS: Final = 6
_MIN_PART_CHARS: Final = 3
_TELLING_CHARS: Final = 4
_TELLING_LETTERS: Final = 10
_FIRST_PART_CHARS: Final = 8
_WEIGHT: Final = {"h1": 6.0, "h2": 3.0, "h3": 1.0}
_HOME: Final = re.compile(r"\s*(?:\.{0,2}/|(?:https?:)?//[^/?#]{1,255}/?|/?index\.\w{3,5})\s*")
_TRAIL: Final = re.compile("(?:您的|您现在的|当前|目前|現在|目前的)位置|首页 |首頁 |〉| > |＞")
_TRAIL_MARKS: Final = ("〉", " > ", "＞", " » ")


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline.

    Args:
        text: white space folded.
        origin: what it came from: ``h1``, ``h2``, ``h3``, ``line``, or the name of a declared
            title where the page shows none.
        line: number of the line where it stands, -1 if it is not shown.
    """

    text: str
    origin: str
    line: int


def find_headline(
    tree: PageTree, page_lines: PageLines, declared: dict[str, str], site: str = ""
) -> Headline:
    """Find the headline.

    Args:
        tree: the page.
        page_lines: its lines.
        declared: titles that it declares, by origin, the most telling first.
        site: name of the site where the page states it.
    """
    declared = {name: fold(text)[:MAX_TITLE_CHARS] for name, text in declared.items()}
    declared = {name: text for name, text in declared.items() if text}
    cut = {name: strip_site(text, site) for name, text in declared.items()}
    judge = _Judge(page_lines, list(declared.values()), list(cut.values()), site)
    shown = [*_headings(tree, page_lines), *_lines(page_lines, declared)]
    scores = list(map(judge.score, shown))
    best = shown[scores.index(max(scores))] if shown else None
    if best is not None and max(scores) > 0:
        return judge.without_noise(best)
    for name, text in cut.items():
        return Headline(text, name, _line_with(page_lines, text))
    return best or Headline("", "", -1)


def _headings(tree: PageTree, page_lines: PageLines) -> Iterator[Headline]:
    nodes = tree.nodes(*_WEIGHT)[:_MAX_HEADINGS]
    for node, (first, last) in zip(nodes, page_lines.lines_of_nodes(nodes), strict=True):
        text = " ".join(filter(None, page_lines.lines[first : min(last, first + _MAX_PARTS)]))
        if 2 <= len(text) <= _MAX_CHARS and not _is_logo(tree, node):
            yield Headline(_behind_trail(text), tree.tags[node], first)


def _is_logo(tree: PageTree, node: int) -> bool:
    """Whether a heading is, or stands in, a link to the home page."""
    places = [place for place in (node - 1, node + 1) if place < len(tree.tags)]
    return any(
        tree.tags[place] == "a"
        and (place > node or tree.run_end[place] >= tree.run_end[node])
        and _HOME.fullmatch(tree.attr(place, "href") or "") is not None
        for place in places
    )


def _behind_trail(text: str) -> str:
    """The last step of a heading that is a trail of links."""
    for mark in _TRAIL_MARKS:
        if mark in text:
            head, _, last = text.rpartition(mark)
            if len(last) >= _FIRST_PART_CHARS and head[:6].strip():
                return last.strip()
    return text


def _lines(page_lines: PageLines, declared: dict[str, str]) -> Iterator[Headline]:
    seen: set[str] = set()
    for text in declared.values():
        for span in spans(text):
            if span in seen or len(span) < _MIN_PART_CHARS:
                continue
            seen.add(span)
            line = page_lines.line_of(span)
            if line >= 0:
                yield Headline(span, "line", line)


def _line_with(page_lines: PageLines, text: str) -> int:
    """Number of the first line that contains a text, -1 if there is none."""
    place = page_lines.text.find(text) if len(text) >= _MIN_PART_CHARS else -1
    return page_lines.line_at(place) if place >= 0 else -1


class _Judge:
    """Weighs candidates against what the page declares.

    Args:
        page_lines: the page.
        declared: declared titles.
        cut: the same without names of sites.
        site: name of the site where the page states it.
    """

    def __init__(
        self, page_lines: PageLines, declared: list[str], cut: list[str], site: str
    ) -> None:
        self._lines = page_lines
        self._references = [bare(text) for text in declared]
        self._pieces: dict[int, set[str]] = {}
        self._cut = [text for text in cut if len(bare(text)) >= _TELLING_CHARS]
        self._declared = declared
        self._site = bare(site)
        self._is_told = any(
            not is_site_name(text) and bare(text) != self._site for text in self._cut
        )
        self._n_told = (
            min((len(bare(text)) for text in self._cut), default=0) if self._is_told else 0
        )

    def score(self, headline: Headline) -> float:
        """How much a line looks like the headline; below 0: not at all."""
        text = bare(headline.text)
        if not text:
            return -1.0
        score = _WEIGHT.get(headline.origin, 0.0)
        shared, place = self._agreement(text)
        if shared < min(0.8 * len(text), _least(text)):
            if self._is_told:
                return score - 20.0
        else:
            is_first = place == 0 and shared >= _FIRST_PART_CHARS
            weight = _width(text) / len(text)
            score += min(shared * weight, 40) * (1.0 if place == 0 else 0.75)
            score -= 0.5 * weight * (len(text) - shared)
            score -= 20.0 if shared < 0.5 * self._n_told and not is_first else 0.0
        if text == self._site or is_site_name(headline.text) or _TRAIL.search(headline.text):
            score -= 15
        return score

    def _agreement(self, text: str) -> tuple[int, int]:
        """Shared characters, and minus their place: headlines mostly precede the site's name."""
        least = _least(text)
        if len(text) >= least and not self._may_share(text, least):
            return 0, 0
        best = 0, 0
        for reference in self._references:
            place = reference.find(text)
            best = max(
                best, (len(text), -place) if place >= 0 else (common_chars(text, reference), 0)
            )
        return best

    def _may_share(self, text: str, least: int) -> bool:
        """Whether a text has so many characters in a row that a declared title has, too.

        Most texts share nothing with it, which half as long pieces tell, and few of them.
        """
        half = least // 2
        if self._known(half).isdisjoint(pieces(text, half, least - half + 1)):
            return False
        return not self._known(least).isdisjoint(pieces(text, least))

    def _known(self, n_chars: int) -> set[str]:
        """Pieces of the declared titles."""
        if n_chars not in self._pieces:
            texts = self._references
            self._pieces[n_chars] = {piece for text in texts for piece in pieces(text, n_chars)}
        return self._pieces[n_chars]

    def without_noise(self, headline: Headline) -> Headline:
        """A declared title that the line holds behind a label, or with a label stuck to it."""
        for text in self._cut:
            before, found, after = headline.text.partition(text)
            if not any(title.startswith(text) or title.endswith(text) for title in self._declared):
                continue
            is_line = found and self._lines.lines[headline.line : headline.line + 1] == [text]
            is_noisy = before or after[:1].isalnum() or (after and is_line)
            if found and is_noisy and not text.endswith(("…", "...")):
                first = _line_with(self._lines, text)
                return Headline(text, headline.origin, first if first >= 0 else headline.line)
        return headline


def _least(text: str) -> int:
    """So many characters in common are no accident."""
    return _TELLING_LETTERS if text.isascii() else _TELLING_CHARS


def _width(text: str) -> float:
    """Length in Chinese characters; a word of Western letters says as much as two of them."""
    return sum(0.4 if char.isascii() else 1.0 for char in text)
