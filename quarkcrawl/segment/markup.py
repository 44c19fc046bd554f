"""Elements and text of a tree written as HTML again."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

from quarkcrawl.page.tree import VOID_TAGS

if TYPE_CHECKING:
    from quarkcrawl.page import PageTree


_AS_PRE: Final = frozenset(("listing", "plaintext", "pre", "xmp"))
_SKIPS_NEWLINE: Final = _AS_PRE | {"textarea"}


def markup(tree: PageTree, nodes: list[int], runs: list[int]) -> str:
    """Markup of some elements and text runs of a page, in document order.

    The tree does not keep where elements stand in the source, so this is written from the tree:
    an element ends where its last run and node end, raw text elements become ``pre``.
    """
    pieces: list[str] = []
    open_nodes: list[int] = []
    text = iter(runs)
    run = next(text, None)
    holder = tree.run_node
    for node in [*nodes, len(tree)]:
        before = int(tree.run_start[node]) if node < len(tree) else len(tree.runs)
        while open_nodes or (run is not None and run < before):
            here = open_nodes[-1] if open_nodes else -1
            if run is not None and run < before and int(holder[run]) == here:
                pieces.append(_text(tree, run, is_first=run == int(tree.run_start[here])))
                run = next(text, None)
            elif here >= 0 and node >= int(tree.end[here]):
                pieces.append(_end_tag(tree.tags[open_nodes.pop()]))
            else:
                break
        if node < len(tree):
            pieces.append(_start_tag(tree, node))
            open_nodes.append(node)
    return "".join(pieces)


def _start_tag(tree: PageTree, node: int) -> str:
    name = tree.tags[node]
    attrs = "".join(
        f" {key}" if value is None else f' {key}="{html.escape(value)}"'
        for key, value in tree.raw_attrs(node)
    )
    return f"<{'pre' if name in _AS_PRE else name}{attrs}>"


def _end_tag(name: str) -> str:
    return "" if name in VOID_TAGS else f"</{'pre' if name in _AS_PRE else name}>"


def _text(tree: PageTree, run: int, *, is_first: bool) -> str:
    text = html.escape(tree.runs[run], quote=False)
    swallowed = is_first and text[0] == "\n" and tree.tags[tree.run_node[run]] in _SKIPS_NEWLINE
    return "\n" + text if swallowed else text
