"""The copy of a page: what it looks like and says, without anything that could act.

The copy is written from the page's tree, so its text is the text that everything else in the
project sees. Every text run is wrapped in an element of our own, which style sheets of the page do
not know, and which carries what a view wants to tell about the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from quarkcrawl.page.tree import VOID_TAGS
from quarkcrawl.segment import escape
from quarkcrawl.workbench.report.pagecopy.attributes import Attributes
from quarkcrawl.workbench.report.pagecopy.drawing import drawing
from quarkcrawl.workbench.report.pagecopy.elements import (
    BOXES,
    FOREIGN,
    LEFT_OUT,
    NEWLINE_EATERS,
    UNWRAPPED,
    copy_name,
)
from quarkcrawl.workbench.report.pagecopy.stylesheets import clean_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quarkcrawl.page import Page


RUN: Final = "qk-run"
"""Element around each text run."""

_SHEETS: Final = frozenset(("style", "link"))
# Atomic: of many comments that no document type follows, each is looked at once.
_DOCTYPE: Final = re.compile(
    r"""(?>\s+|<[?][^>]*>|<!--.*?-->)*+(<!doctype[\w\s"'/.:+-]*+>)""", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ElementAttributes:
    """Attributes that a view adds, each written with a space in front.

    Args:
        of_run: attributes of text runs; a run that is not named is not wrapped.
        of_node: attributes of elements.
    """

    of_run: Mapping[int, str] = field(default_factory=dict)
    of_node: Mapping[int, str] = field(default_factory=dict)


class PageCopy:
    """A page, written anew.

    Args:
        labels: what a view adds.
        offline: nothing is loaded from anywhere.
        is_plain: give every element a name of our own, see
        `quarkcrawl.workbench.report.pagecopy.elements.copy_name`.
    """

    def __init__(
        self, page: Page, labels: ElementAttributes, *, offline: bool = True, is_plain: bool = False
    ) -> None:
        self._page = page
        self._tree = page.tree
        self._labels = labels
        self._is_plain = is_plain
        self._attributes = Attributes(page, offline=offline)
        bodies = self._tree.nodes("body")
        self._body = next((node for node in bodies if self._tree.parent[node] == 0), None)

    @property
    def doctype(self) -> str:
        """The page's document type, which decides how browsers lay it out; "" if it has none."""
        match = _DOCTYPE.match(self._page.html)
        return match[1] if match else ""

    @property
    def html_attrs(self) -> str:
        """Attributes of the ``html`` element."""
        return self._attrs(0)

    @property
    def body_attrs(self) -> str:
        """Attributes of the ``body`` element."""
        return "" if self._body is None else self._attrs(self._body)

    @property
    def sheets(self) -> str:
        """Style sheets of the head, in their order."""
        head = next(iter(self._tree.nodes("head")), None)
        if head is None:
            return ""
        sheets = self._within(head, self._tree.nodes(*_SHEETS))
        for template in self._tree.nodes("template"):
            sheets = sheets.difference(self._within(template, list(sheets)))
        return "".join(self._sheet(node) for node in sorted(sheets))

    def _within(self, root: int, nodes: list[int]) -> set[int]:
        """Those of the nodes that stand below another one."""
        end = int(self._tree.end[root])
        return {node for node in nodes if root < node < end}

    @property
    def text(self) -> str:
        """Everything visible, in HTML: what belongs into the ``body`` element."""
        return "".join(self._pieces())

    def _attrs(self, node: int) -> str:
        added = self._labels.of_node.get(node, "")
        return f"{self._attributes.of(node)}{added}"

    def _pieces(self) -> Iterator[str]:
        """Tags and texts in document order; an element ends where its last run and node end."""
        ends, run_starts = self._tree.end.tolist(), self._tree.run_start.tolist()
        run_ends = self._tree.run_end.tolist()
        open_nodes: list[tuple[int, str]] = []
        node, run, foreign_end = 1, 0, 0
        while True:
            while open_nodes and ends[open_nodes[-1][0]] <= node:
                above, end_tag = open_nodes.pop()
                yield from self._texts(run, run_ends[above])
                run = max(run, run_ends[above])
                yield end_tag
            if node == len(ends):
                break
            yield from self._texts(run, run_starts[node])
            run = max(run, run_starts[node])
            start_tag, end_tag, is_left_out = self._tags(node, is_foreign=node < foreign_end)
            yield start_tag
            if is_left_out:
                node, run = ends[node], max(run, run_ends[node])
                yield end_tag
            else:
                if self._tree.tags[node] in FOREIGN:
                    foreign_end = max(foreign_end, ends[node])
                open_nodes.append((node, end_tag))
                node += 1
        yield from self._texts(run, len(self._tree.runs))

    def _tags(self, node: int, *, is_foreign: bool) -> tuple[str, str, bool]:
        """Start tag, end tag, and whether what is between them is left out."""
        tag = self._tree.tags[node]
        if node == self._body:
            return "", "", False
        if tag in LEFT_OUT:
            is_sheet = tag in _SHEETS and not is_foreign
            return self._sheet(node) if is_sheet else "", "", True
        if tag in BOXES:
            return f"<qk-box{self._attributes.box(node)}>", "</qk-box>", True
        if tag == "svg" and not is_foreign and not self._tree.text_chars[node]:
            return drawing(self._tree, node, self._attributes), "", True
        return *self._element(node, tag, is_foreign=is_foreign), False

    def _element(self, node: int, tag: str, *, is_foreign: bool) -> tuple[str, str]:
        added = self._labels.of_node.get(node, "")
        if is_foreign or tag in FOREIGN:
            return f"<qk-other{added}>", "</qk-other>"
        name = copy_name(tag, is_plain=self._is_plain)
        start_tag = f"<{name}{self._attributes.of(node)}{added}>"
        if tag in VOID_TAGS and not self._is_plain:
            return start_tag, ""
        newline = "\n" if name in NEWLINE_EATERS and self._loses_newline(node) else ""
        return start_tag + newline, f"</{name}>"

    def _loses_newline(self, node: int) -> bool:
        """Whether a bare newline comes right after the start tag."""
        tree, child = self._tree, node + 1
        run = int(tree.run_start[node])
        if run == tree.run_end[node] or tree.run_node[run] != node:
            return False
        is_behind_child = child < tree.end[node] and tree.run_start[child] == run
        return not is_behind_child and self._text(run).startswith("\n")

    def _texts(self, first: int, last: int) -> Iterator[str]:
        raw = self._tree.run_raw
        for run in range(first, last):
            if not raw[run]:
                yield self._text(run)

    def _text(self, run: int) -> str:
        text = escape(self._tree.runs[run])
        added = self._labels.of_run.get(run)
        if added is None or self._tree.tags[self._tree.run_node[run]] in UNWRAPPED:
            return text
        return f"<{RUN}{added}>{text}</{RUN}>"

    def _sheet(self, node: int) -> str:
        """A style sheet of the page, as text or by its address."""
        media = self._attributes.media(node)
        if self._tree.tags[node] == "style":
            first, last = int(self._tree.run_start[node]), int(self._tree.run_end[node])
            css = "".join(self._tree.runs[first:last])
            return f"<style{media}>{clean_sheet(css, self._attributes.source)}</style>"
        address = self._attributes.sheet(node)
        return f'<link rel="stylesheet" href="{escape(address)}"{media}>' if address else ""
