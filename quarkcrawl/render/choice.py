"""Which pages are worth a browser: those whose text is not in what the server sent.

A page that scripts build is a shell: many bytes, scripts or frames, next to no text. How much text
may be expected grows with the size of the page, within bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from quarkcrawl.page import Page, PageTree


_EXPECTED_SHARE: Final = 0.01
"""Text that is expected, as a share of the characters of the source."""

_EXPECTED_CHARS: Final = (80, 300)
"""Least and most that is expected."""

_SCRIPT_KINDS: Final = frozenset(("", "module", "text/javascript", "application/javascript"))


def is_shell(page: Page) -> bool:
    """Whether a page has less text than its size and its scripts let expect.

    Args:
        page: the page as it was received.
    """
    least, most = _EXPECTED_CHARS
    expected = min(max(_EXPECTED_SHARE * len(page.html), least), most)
    return visible_chars(page) < expected and _can_build(page.tree)


def visible_chars(page: Page) -> int:
    """Visible characters of a page without what is meant for browsers without scripts.

    Args:
        page: a page as it was sent, or as a browser rendered it.
    """
    tree = page.tree
    absent = tree.places("noscript")
    is_absent = covered(tree.run_start[absent], tree.run_end[absent], len(tree.runs))
    return int(np.sum(tree.run_chars, where=~is_absent))


def _can_build(tree: PageTree) -> bool:
    """Whether it has scripts that run, or frames."""
    kinds = ((tree.attr(node, "type") or "").strip().lower() for node in tree.nodes("script"))
    return any(kind in _SCRIPT_KINDS for kind in kinds) or bool(tree.nodes("iframe", "frame"))
