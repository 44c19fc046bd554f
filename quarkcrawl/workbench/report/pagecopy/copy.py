"""The copy of a page: what it looks like and says, without anything that could act.

The copy is written from the page's tree, so its text is the text that everything else in the
project sees, and cleaned by nh3. Every text run is wrapped in an element of our own, which style
sheets of the page do not know, and which carries what a view wants to tell about the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from quarkcrawl.page import base_url
from quarkcrawl.page.tree import VOID_TAGS, covered
from quarkcrawl.page.urls import LinkResolver
from quarkcrawl.segment import escape
from quarkcrawl.workbench.report.pagecopy.elements import (
    BOXES,
    FOREIGN,
    LEFT_OUT,
    NEWLINE_EATERS,
    PARTS,
    UNWRAPPED,
    copy_name,
)
from quarkcrawl.workbench.report.pagecopy.sanitizer import clean, clean_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quarkcrawl.page import Page


RUN: Final = "qk-run"
"""Element around each text run."""

_NODE: Final = "qk-node"
_OURS: Final = re.compile(
    r"data-qk.*|id=\s*qk-.*|(?:title|tabindex|target)=.*", re.DOTALL | re.IGNORECASE
)
_SIZE: Final = re.compile(r"\s*(\d{1,4})(?:px)?\s*")
_ADDED: Final = {
    **{name: {"tabindex": "-1"} for name in ("input", "select", "textarea")},
    "button": {"tabindex": "-1", "type": "button"},
    "details": {"open": ""},
    "img": {"loading": "lazy"},
}
_LAZY: Final = ("data-src", "data-original", "data-lazy-src")
# Atomic: of many comments that no document type follows, each is looked at once.
_DOCTYPE: Final = re.compile(
    r"""(?>(?:\s+|<[?][^>]*>|<!--.*?-->)*)(<!doctype[\w\s"'/.:+-]*+>)""", re.IGNORECASE | re.DOTALL
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
        self._offline = offline
        self._is_plain = is_plain
        base = base_url(page.tree, page.url)
        self._resolve = LinkResolver(base, encoding=page.encoding).resolve
        bodies = self._tree.nodes("body")
        self._body = next((node for node in bodies if self._tree.parent[node] == 0), None)
        self._is_foreign = self._covered(self._tree.nodes(*FOREIGN))
        drawn = [node for node in self._tree.nodes("svg") if not self._tree.text_chars[node]]
        self._is_drawn = self._covered(drawn)
        # Of boxes that a sheet would have placed, the attributes alone put one text upon another.
        self._lays_out = not (offline and any(map(self._is_sheet, page.tree.nodes("link"))))
        names = (copy_name(tag, is_plain=is_plain) for tag in set(page.tree.tags))
        self._own_tags = frozenset((*names, RUN, _NODE, "qk-box", "qk-other"))

    @property
    def doctype(self) -> str:
        """The page's document type, which decides how browsers lay it out; "" if it has none."""
        match = _DOCTYPE.match(self._page.html)
        return match[1] if match else ""

    @property
    def html_attrs(self) -> str:
        """Attributes of the ``html`` element."""
        return self._attributes_of(0)

    @property
    def body_attrs(self) -> str:
        """Attributes of the ``body`` element."""
        return "" if self._body is None else self._attributes_of(self._body)

    @property
    def sheets(self) -> str:
        """Style sheets of the page, in their order."""
        is_inert = self._covered(self._tree.nodes("template", *FOREIGN))
        sheets = self._tree.nodes("style", "link")
        return "".join(self._sheet(node) for node in sheets if not is_inert[node])

    @property
    def text(self) -> str:
        """Everything visible, in HTML: what belongs into the ``body`` element."""
        return self._clean("".join(self._pieces()))

    def _covered(self, roots: list[int]) -> list[bool]:
        """Which elements are one of some others or stand below one."""
        is_covered: list[bool] = covered(roots, self._tree.end[roots], len(self._tree)).tolist()
        return is_covered

    def _clean(self, markup: str) -> str:
        return clean(markup, self._own_tags, self._source, lays_out=self._lays_out)

    def _source(self, address: str) -> str | None:
        """Absolute address of something to load; None if it may not be loaded."""
        return None if self._offline else self._resolve(address)

    def _attributes_of(self, node: int) -> str:
        element = self._clean(f"<{_NODE}{self._attributes(node)}></{_NODE}>")
        return element.removeprefix(f"<{_NODE}").removesuffix(f"></{_NODE}>")

    def _pieces(self) -> Iterator[str]:
        """Tags and texts in document order; an element ends where its last run and node end."""
        ends, run_starts = self._tree.end.tolist(), self._tree.run_start.tolist()
        run_ends = self._tree.run_end.tolist()
        open_nodes: list[tuple[int, str]] = []
        node, run = 1, 0
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
            name = self._name(node)
            if name:
                yield self._start_tag(node, name)
                is_open = name not in VOID_TAGS and node != self._body
                open_nodes.append((node, f"</{name}>" if is_open else ""))
                node += 1
            else:
                if self._tree.tags[node] in BOXES:
                    yield self._box(node)
                elif self._is_drawn[node]:
                    yield self._tree.text(node)  # white space
                node, run = ends[node], max(run, run_ends[node])
        yield from self._texts(run, len(self._tree.runs))

    def _name(self, node: int) -> str:
        """Name of an element in the copy, "" if it is left out with all that is in it."""
        tag = self._tree.tags[node]
        if self._is_drawn[node]:
            return tag if tag.lower() in PARTS else ""
        if self._is_foreign[node]:
            return "qk-other"
        return "" if tag in LEFT_OUT else copy_name(tag, is_plain=self._is_plain)

    def _start_tag(self, node: int, name: str) -> str:
        if node == self._body:
            return ""
        # One newline is eaten by nh3, one by the browser.
        newline = "\n\n" if name in NEWLINE_EATERS else ""
        return f"<{name}{self._attributes(node)}>{newline}"

    def _attributes(self, node: int) -> str:
        """Attributes of an element as the page has them, but for what only shows with a script."""
        tag, attrs = self._tree.tags[node], self._tree.attrs(node)
        attrs = {name: v for name, v in attrs.items() if not _OURS.fullmatch(f"{name}={v}")}
        if tag == "a" and "href" in attrs:
            attrs["href"] = self._resolve(attrs["href"]) or "#"
            if attrs["href"] != "#":
                attrs["target"] = "_blank"
        elif tag == "img" and not _is_address(attrs.get("src", "")):
            lazy = (attrs.get(name, "").strip() for name in _LAZY)
            attrs["src"] = next(filter(None, lazy), attrs.get("src", ""))
        elif tag == "use":
            attrs.setdefault("href", attrs.get("xlink:href", ""))
        return _written(attrs | _ADDED.get(tag, {})) + self._labels.of_node.get(node, "")

    def _box(self, node: int) -> str:
        """The empty box in place of an embedded thing."""
        attrs = self._tree.attrs(node)
        sizes = ((name, _SIZE.fullmatch(attrs.get(name, ""))) for name in ("width", "height"))
        style = "".join(f"{name}:{match[1]}px;" for name, match in sizes if match)
        box_attrs = {"class": attrs.get("class", ""), "style": style}
        return f"<qk-box{_written({name: v for name, v in box_attrs.items() if v})}></qk-box>"

    def _texts(self, first: int, last: int) -> Iterator[str]:
        raw = self._tree.run_raw
        for run in range(first, last):
            if not raw[run]:
                yield self._text(run)

    def _text(self, run: int) -> str:
        text = escape(self._tree.runs[run])
        added, node = self._labels.of_run.get(run), self._tree.run_node[run]
        # A picture holds only elements that draw; this run in it is white space.
        if added is None or self._is_drawn[node] or self._tree.tags[node] in UNWRAPPED:
            return text
        return f"<{RUN}{added}>{text}</{RUN}>"

    def _is_sheet(self, link: int) -> bool:
        """Whether a ``link`` leads to a style sheet that the page is laid out by."""
        relations = self._tree.attrs(link).get("rel", "").lower().split()
        return "stylesheet" in relations and "alternate" not in relations

    def _sheet(self, node: int) -> str:
        """A style sheet of the page, as text or by its address."""
        attrs = self._tree.attrs(node)
        media = _written({"media": attrs["media"]}) if attrs.get("media") else ""
        if self._tree.tags[node] == "style":
            first, last = int(self._tree.run_start[node]), int(self._tree.run_end[node])
            css = "".join(self._tree.runs[first:last])
            return f"<style{media}>{clean_sheet(css, self._source)}</style>"
        if not self._is_sheet(node):
            return ""
        address = self._source(attrs.get("href", ""))
        return f'<link rel="stylesheet" href="{escape(address)}"{media}>' if address else ""


def _is_address(source: str) -> bool:
    """Whether a picture has an address, not a small picture in place of one."""
    return bool(source.strip()) and not source.strip().startswith("data:")


def _written(attrs: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attrs.items())
