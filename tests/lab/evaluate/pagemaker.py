"""Marked pages made of pieces whose places are known while they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

KINDS = ("content", "rel_link", "noise")

TEXTS = ("天网", "搜索 引擎", "Quark", "，。", "Ä", "1 2", " ", "\r\n", "京　都")
REFERENCES = {"&amp;": 1, "&nbsp;": 0, "&#x4e2d;": 1, "&lt;": 1, "&copy;": 1}
# No stray end tags: the page's own spans do not locate text that one of them interrupts.
MARKUP = (
    "<b>",
    "<i></i>",
    "<!-- 北大 > -->",
    "<br>",
    "<img alt='天'>",
    "<script>var 天=1<2</script>",
)


@dataclass
class Made:
    """A page; ``chars`` holds (place in characters, kind) of each visible non-white character."""

    html: str = "<!DOCTYPE html><html><body>"
    chars: list[tuple[int, str]] = field(default_factory=list)
    marked: str = ""

    def text(self, piece: str, kind: str) -> None:
        for offset, char in enumerate(piece):
            if not char.isspace():
                self.chars.append((len(self.html) + offset, kind))
        self.add(piece)

    def reference(self, piece: str, kind: str) -> None:
        self.chars += [(len(self.html), kind)] * REFERENCES[piece]
        self.add(piece)

    def add(self, piece: str, marked: str | None = None) -> None:
        self.html += piece
        self.marked += piece if marked is None else marked


piece = st.one_of(
    st.sampled_from(TEXTS), st.sampled_from(tuple(REFERENCES)), st.sampled_from(MARKUP)
)
element = st.tuples(st.sampled_from(KINDS), st.lists(piece, max_size=8))
elements = st.lists(element, min_size=1, max_size=6)


def make(parts: list[tuple[str, list[str]]]) -> Made:
    """A page with one marked ``div`` for each part."""
    made = Made()
    made.marked = made.html
    for kind, pieces in parts:
        made.add("<div class=x>", f'<div quark="{kind}" class=x>')
        for one in pieces:
            if one in REFERENCES:
                made.reference(one, kind)
            elif one in TEXTS:
                made.text(one, kind)
            else:
                made.add(one)
        made.add("</div>")
    return made
