"""What a page is classified by: the text of its content, or, to compare with, all of its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.content import METHODS, extract
from quarkcrawl.content.quark import words
from quarkcrawl.errors import InputError
from quarkcrawl.page import PdfPage
from quarkcrawl.segment import CONTENT_KINDS

if TYPE_CHECKING:
    from quarkcrawl.content import Content
    from quarkcrawl.page import Page


WHOLE_PAGE: Final = "page"
"""Stands in place of an extraction method for all text of a page, blocks not told apart."""


def check_method(method: str, where: object = "classify") -> None:
    """Refuse what is no extraction method.

    Args:
        method: its name.
        where: what asks for it, for the message.

    Raises:
        InputError: there is no such method.
    """
    if method != WHOLE_PAGE and method not in METHODS:
        names = ", ".join([*METHODS, WHOLE_PAGE])
        raise InputError(f"no extraction method {method!r}; there are {names}", where=where)


def page_text(page: Page, method: str = "quark") -> str:
    """Headline and content blocks of a page, or all that it says.

    Whole blocks tell more than the lines that an extraction keeps of them: the default method
    leaves lines of code out, for one.

    Args:
        page: any page; where it says nothing, the text is empty.
        method: extraction method that tells which blocks are content, or `WHOLE_PAGE` for the
            text of all blocks.
    """
    if method == WHOLE_PAGE:
        if isinstance(page, PdfPage):
            return page.html
        tree = page.tree
        shown = (tree.run_chars > 0).tolist()
        return "\n".join(run for run, is_shown in zip(tree.runs, shown, strict=True) if is_shown)
    content = extract(page, method=method)
    if isinstance(page, PdfPage):
        return f"{content.title}\n{content.text}"
    return "\n".join([content.title, *content_texts(content)])


def content_texts(content: Content) -> list[str]:
    """Text of each content block.

    Args:
        content: what an extraction method found.
    """
    return [block.text for block in content.blocks if block.kind in CONTENT_KINDS]


def text_words(text: str) -> list[str]:
    """Words of a text that may tell its class: no stop words, no signs, no numbers.

    Args:
        text: any text; it is cut by jieba's dictionary, see `quarkcrawl.content.quark.tokens`.
    """
    return [word for word in words(text) if not word.isdigit()]
