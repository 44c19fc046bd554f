"""Vector graphics of a page, reduced to what only draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.workbench.report.pagecopy.elements import PICTURE_PARTS

if TYPE_CHECKING:
    from quarkcrawl.page import PageTree
    from quarkcrawl.workbench.report.pagecopy.attributes import Attributes


def drawing(tree: PageTree, node: int, attributes: Attributes) -> str:
    """Write a vector graphic without text; its white space follows behind it.

    Args:
        tree: the page.
        node: its ``svg`` element.
        attributes: writes the attributes.
    """
    pieces: list[str] = []
    ends: list[tuple[int, str]] = []
    here, last = node, int(tree.end[node])
    while here < last:
        while ends and ends[-1][0] <= here:
            pieces.append(ends.pop()[1])
        tag = tree.tags[here].lower()
        if tag in PICTURE_PARTS:
            pieces.append(f"<{tag}{attributes.drawing(here)}>")
            ends.append((int(tree.end[here]), f"</{tag}>"))
            here += 1
        else:
            here = int(tree.end[here])
    pieces += [end_tag for _, end_tag in reversed(ends)]
    return "".join(pieces) + tree.text(node)
