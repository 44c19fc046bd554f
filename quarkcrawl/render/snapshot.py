"""The browser's snapshot of a page as one flat tree.

``DOMSnapshot.captureSnapshot`` of the DevTools protocol gives, in one call, the nodes of all
documents of a page with their boxes and styles. Its nodes are those of the *flat tree* of the CSS
Scoping specification: an element's shadow tree, closed ones too, stands in place of its children,
and these stand in the slots. Slots themselves and what the browser adds to form fields are left
out here. A frame whose document we have stands for the children of its body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


STYLES: Final = ("font-size", "font-weight", "color", "background-color", "visibility")
"""The computed styles that are asked for."""

ELEMENT: Final = 1
TEXT: Final = 3
_FRAMES: Final = ("IFRAME", "FRAME", "OBJECT", "EMBED")
_OWN_FRAMES: Final = ("about:blank", "about:srcdoc")

Box = tuple[float, float, float, float]


@dataclass(slots=True)
class FlatNode:
    """A node of the flat tree.

    Args:
        number: its number, unique over all documents.
        name: name of an element, lower case; "" for text.
        text: text of a text node.
        attrs: attributes in order.
        box: left and upper edge, width and height on the page; None if it is not laid out.
        styles: values of `STYLES`; empty if it is not laid out.
    """

    number: int
    name: str
    text: str
    attrs: list[tuple[str, str]]
    box: Box | None
    styles: tuple[str, ...]


class _Document:
    """One document of the snapshot, its columns by name."""

    def __init__(self, raw: Mapping[str, Any], strings: list[str], first: int) -> None:
        nodes, layout = raw["nodes"], raw["layout"]
        self.strings = strings
        self.first = first
        self.url = strings[raw["documentURL"]]
        self.kind: list[int] = nodes["nodeType"]
        self.name: list[int] = nodes["nodeName"]
        self.value: list[int] = nodes["nodeValue"]
        self.attrs: list[list[int]] = nodes["attributes"]
        self.shadow = _sparse(nodes.get("shadowRootType"))
        self.frame = _sparse(nodes.get("contentDocumentIndex"))
        self.pseudo = frozenset(nodes.get("pseudoType", {}).get("index", ()))
        self.drawn = {node: row for row, node in enumerate(layout["nodeIndex"])}
        self.boxes: list[list[float]] = layout["bounds"]
        self.styles: list[list[int]] = layout["styles"]
        self.scroll = (raw.get("scrollOffsetX", 0.0), raw.get("scrollOffsetY", 0.0))
        self.size = (raw.get("contentWidth", 0.0), raw.get("contentHeight", 0.0))
        self.children: list[list[int]] = [[] for _ in self.kind]
        for node, parent in enumerate(nodes["parentIndex"]):
            if parent >= 0:
                self.children[parent].append(node)

    def __len__(self) -> int:
        return len(self.kind)

    def attributes(self, node: int) -> list[tuple[str, str]]:
        """Attributes of an element."""
        words = [self.strings[index] if index >= 0 else "" for index in self.attrs[node]]
        return list(zip(words[::2], words[1::2], strict=True))

    def is_seam(self, node: int) -> bool:
        """Elements that only hold a shadow tree together: slots, and what the browser adds."""
        kind = self.shadow.get(node)
        if kind is None:
            return False
        return self.strings[kind] == "user-agent" or self.strings[self.name[node]] == "SLOT"

    def is_own(self, node: int) -> bool:
        """False for text that the browser adds, such as a field's own content."""
        kind = self.shadow.get(node)
        return kind is None or self.strings[kind] != "user-agent"

    def below(self, node: int) -> list[int]:
        """Children without generated content."""
        return [child for child in self.children[node] if child not in self.pseudo]


class _Place(NamedTuple):
    """A node that the walk has yet to visit."""

    document: _Document
    node: int
    offset: tuple[float, float]


def _roots(document: _Document) -> list[int]:
    return [n for n in document.children[0] if document.kind[n] == ELEMENT]


def _sparse(column: Mapping[str, Any] | None) -> dict[int, int]:
    if not column:
        return {}
    return dict(zip(column["index"], column["value"], strict=True))


class DomSnapshot:
    """A page as the browser holds it.

    Args:
        raw: reply of ``DOMSnapshot.captureSnapshot`` with `STYLES`.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        strings: list[str] = raw["strings"]
        self._documents: list[_Document] = []
        first = 0
        for document in raw["documents"]:
            self._documents.append(_Document(document, strings, first))
            first += len(self._documents[-1])
        self.n_nodes = first
        self.url = self._documents[0].url
        self.base_url = strings[raw["documents"][0]["baseURL"]]
        self.width_px, self.height_px = self._documents[0].size

    def walk(self) -> Iterator[FlatNode | None]:
        """The flat tree in document order; None ends the element that was opened last."""
        main = self._documents[0]
        # A stack instead of recursion: pages may nest as deep as they like.
        waiting: list[_Place | None] = [_Place(main, node, (0.0, 0.0)) for node in _roots(main)]
        while waiting:
            place = waiting.pop()
            if place is None:
                yield None
                continue
            document, node, offset = place
            kind = document.kind[node]
            if kind == TEXT and document.is_own(node):
                yield self._flat(place)
            elif kind == ELEMENT and document.is_seam(node):
                waiting += [_Place(document, n, offset) for n in reversed(document.below(node))]
            elif kind == ELEMENT:
                yield self._flat(place)
                waiting.append(None)
                waiting += reversed(self._inside(place))

    def _inside(self, place: _Place) -> list[_Place]:
        """What stands in an element, in order."""
        document, node, offset = place
        frame = self._frame(document, node)
        if frame is None:
            return [_Place(document, child, offset) for child in document.below(node)]
        inner, body = frame
        left, top, _, _ = self._box(place) or (0.0, 0.0, 0.0, 0.0)
        moved = (left - inner.scroll[0], top - inner.scroll[1])
        return [_Place(inner, child, moved) for child in inner.below(body)]

    def _frame(self, document: _Document, node: int) -> tuple[_Document, int] | None:
        """Document of a frame and its body; None for one that is another site's or was refused."""
        index = document.frame.get(node)
        if index is None or document.strings[document.name[node]] not in _FRAMES:
            return None
        inner = self._documents[index]
        if not inner.url.startswith(("http://", "https://", "blob:", "data:", *_OWN_FRAMES)):
            return None
        for root in _roots(inner):
            for child in inner.children[root]:
                if inner.strings[inner.name[child]] in {"BODY", "FRAMESET"}:
                    return inner, child
        return None

    @staticmethod
    def _box(place: _Place) -> Box | None:
        row = place.document.drawn.get(place.node)
        if row is None:
            return None
        left, top, width, height = place.document.boxes[row]
        return left + place.offset[0], top + place.offset[1], width, height

    def _flat(self, place: _Place) -> FlatNode:
        document, node = place.document, place.node
        row, strings = document.drawn.get(node), document.strings
        is_text = document.kind[node] == TEXT
        styles = () if row is None else tuple(strings[index] for index in document.styles[row])
        value = document.value[node]
        return FlatNode(
            document.first + node,
            "" if is_text else strings[document.name[node]].lower(),
            strings[value] if value >= 0 else "",
            [] if is_text else document.attributes(node),
            self._box(place),
            styles,
        )
