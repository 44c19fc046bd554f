"""The flat tree as HTML, once plain and once with a mark on each element.

The plain text is what is kept. The marked one is parsed once more, to learn which node of the
parsed tree is which node of the browser: what scripts have built need not be what a parser makes
of its serialization (a ``div`` put into a ``p``), so counting would go wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from quarkcrawl.page.text import without_surrogates
from quarkcrawl.page.tree import RAW_TEXT_TAGS, VOID_TAGS

if TYPE_CHECKING:
    from quarkcrawl.render.snapshot import DomSnapshot, FlatNode
    from quarkcrawl.render.stylesheets import StyleSheets


MARK: Final = "data-quarkcrawl-node"
"""Attribute of the marked text that carries the number of the node."""

_DROPPED: Final = frozenset(("noscript", "template"))
"""With scripts on a browser shows neither."""

_NAME: Final = re.compile(r"[a-z][a-z0-9:._\-\u00b7-\U000effff]*")
_ATTRIBUTE: Final = re.compile(r"[^\s\"'<>/=\x00-\x1f\x7f]+")
_FRAME_TAGS: Final = frozenset(("iframe", "frame", "object", "embed"))


@dataclass(slots=True)
class Serialized:
    """A page as text.

    Args:
        html: the page.
        marked: the same with `MARK` on each element.
        nodes: the elements, by number.
        texts: text nodes, each with the numbers of its parent and of the element before it among
            its parent's children (-1: none).
    """

    html: str
    marked: str
    nodes: dict[int, FlatNode]
    texts: list[tuple[FlatNode, int, int]]


class _Writer:
    """Collects both texts."""

    def __init__(self, sheets: StyleSheets | None, base_url: str) -> None:
        self._sheets, self._base_url = sheets, base_url
        self.plain: list[str] = ["<!DOCTYPE html>"]
        self.marked: list[str] = ["<!DOCTYPE html>"]
        self.nodes: dict[int, FlatNode] = {}
        self.texts: list[tuple[FlatNode, int, int]] = []
        self._open: list[tuple[str, int]] = []
        self._before: list[int] = [-1]
        self._n_dropped = 0  # open elements of a dropped subtree

    def add(self, node: FlatNode | None) -> None:
        """The next node of the walk."""
        if self._n_dropped:
            self._drop(node)
        elif node is None:
            self._close()
        elif not node.name:
            self._text(node)
        elif node.name in _DROPPED or (node.name == "link" and self._style(node)):
            self._n_dropped = 1
        else:
            self._start(node)

    def _style(self, node: FlatNode) -> bool:
        """Write the style sheet that a link names in its place; False: none is kept."""
        text = self._sheets and self._sheets.in_place(node.attrs, self._base_url)
        if not text:
            return False
        media = "".join(_attribute(name, v) for name, v in node.attrs if name == "media")
        self._both(f"<style{media}>{without_surrogates(text)}</style>")
        return True

    def _drop(self, node: FlatNode | None) -> None:
        if node is None:
            self._n_dropped -= 1
        elif node.name:
            self._n_dropped += 1

    def _start(self, node: FlatNode) -> None:
        name = _tag(node)
        attrs = "".join(_attribute(key, value) for key, value in node.attrs)
        if node.name in _FRAME_TAGS:
            attrs = f' data-frame="{_quoted(dict(node.attrs).get("src", ""))}"'
        self.plain.append(f"<{name}{attrs}>")
        self.marked.append(f'<{name} {MARK}="{node.number}"{attrs}>')
        self.nodes[node.number] = node
        self._before[-1] = node.number
        self._open.append((name, node.number))
        self._before.append(-1)
        if name in {"pre", "textarea", "listing"}:  # a parser drops the first newline
            self._both("\n")

    def _close(self) -> None:
        name, _ = self._open.pop()
        self._before.pop()
        if name not in VOID_TAGS:
            self._both(f"</{name}>")

    def _text(self, node: FlatNode) -> None:
        name, number = self._open[-1] if self._open else ("", -1)
        if name in RAW_TEXT_TAGS:
            text = node.text if f"</{name}" not in node.text.lower() else ""
        elif name in VOID_TAGS or not name:
            return
        else:
            text = escape(node.text, quote=False)
        self._both(without_surrogates(text))
        if node.box is not None:
            self.texts.append((node, number, self._before[-1]))

    def _both(self, text: str) -> None:
        self.plain.append(text)
        self.marked.append(text)


def serialize(snapshot: DomSnapshot, sheets: StyleSheets | None = None) -> Serialized:
    """Write a page.

    Args:
        snapshot: the page as the browser holds it.
        sheets: its style sheets; those that were kept stand in place of the links to them.
    """
    writer = _Writer(sheets, "" if sheets is None else snapshot.base_url)
    for node in snapshot.walk():
        writer.add(node)
    return Serialized("".join(writer.plain), "".join(writer.marked), writer.nodes, writer.texts)


def _tag(node: FlatNode) -> str:
    """Name to write: frames become ``div``, and so does what no parser would take for a name."""
    if node.name in _FRAME_TAGS or not _NAME.fullmatch(node.name):
        return "div"
    return node.name


def _attribute(name: str, value: str) -> str:
    if not _ATTRIBUTE.fullmatch(name) or name.lower() == MARK:
        return ""
    return f' {name}="{_quoted(value)}"'


def _quoted(value: str) -> str:
    return without_surrogates(value).replace("&", "&amp;").replace('"', "&quot;")
