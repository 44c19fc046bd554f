"""A slow, obvious second opinion: lexbor's tree, walked node by node, with naive recursion."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDDEN = """
head title script style template noembed noframes iframe datalist rp area base link meta param
audio video canvas
"""
HIDDEN = set(_HIDDEN.split())


@dataclass
class Node:
    """An element with its children; a str child is a text run."""

    tag: str
    attrs: dict[str, str]
    depth: int
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> list[Node]:
        found = [self]
        for child in self.children:
            if isinstance(child, Node):
                found += child.walk()
        return found

    def size(self) -> int:
        return len(self.walk())

    def runs(self, hidden: bool = False, anchor: bool = False) -> list[tuple[str, bool, bool]]:
        """(text, hidden, in an anchor) of the subtree in document order."""
        hidden, anchor = hidden or self.tag in HIDDEN, anchor or self.tag == "a"
        found: list[tuple[str, bool, bool]] = []
        for child in self.children:
            if isinstance(child, Node):
                found += child.runs(hidden, anchor)
            else:
                found.append((child, hidden, anchor))
        return found


def lexbor_tree(html: str) -> Node:
    """The page as lexbor reads it."""
    root = LexborHTMLParser(html).css_first("html")
    assert root is not None
    return _convert(root, 0)


def _convert(node: LexborNode, depth: int) -> Node:
    result = Node(node.tag or "", {k: v or "" for k, v in node.attributes.items()}, depth)
    child = node.first_child
    while child is not None:
        if child.is_text_node:
            result.children.append(child.text_content or "")
        elif child.is_element_node:
            result.children.append(_convert(child, depth + 1))
        child = child.next
    return result
