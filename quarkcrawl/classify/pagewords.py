"""What a page is classified by: the text of its content, or, to compare with, all of its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.content import METHODS, extract
from quarkcrawl.content.tokens import words
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from quarkcrawl.page import Page

__all__ = ["WHOLE_PAGE", "check_method", "page_text", "text_words"]

WHOLE_PAGE: Final = "page"
"""Stands in place of an extraction method for all text of a page, blocks not told apart."""


def check_method(method: str) -> None:
    """Refuse what is no extraction method.

    Raises:
        InputError: there is no such method.
    """
    if method != WHOLE_PAGE and method not in METHODS:
        known = ", ".join([*METHODS, WHOLE_PAGE])
        raise InputError(f"no extraction method {method!r}; there are {known}", where="classify")


def page_text(page: Page, method: str = "default") -> str:
    """Headline and content of a page, or all that it says.

    Args:
        page: the page.
        method: extraction method, or `WHOLE_PAGE` for the text of all blocks.
    """
    if method == WHOLE_PAGE:
        tree = page.tree
        shown = (tree.run_chars > 0).tolist()
        return "\n".join(run for run, is_shown in zip(tree.runs, shown, strict=True) if is_shown)
    content = extract(page, method=method)
    return f"{content.title}\n{content.text}"


def text_words(text: str) -> list[str]:
    """Words of a text that may tell its class: no stop words, no signs, no numbers.

    Args:
        text: any text; it is cut by jieba's dictionary, see `quarkcrawl.content.tokens`.
    """
    return [word for word in words(text) if not word.isdigit()]
