"""What the public functions accept: a page, its text or its bytes."""

from __future__ import annotations

from quarkcrawl.page import Page

PageLike = Page | str | bytes
"""A page, its decoded source, or the bytes as they came."""


def as_page(page_or_html: PageLike, url: str = "") -> Page:
    """Make a page of whatever was given; no text and no bytes raise.

    Args:
        page_or_html: a page (returned as it is), its text or its bytes.
        url: address of the page, where only text or bytes are given.
    """
    if isinstance(page_or_html, Page):
        return page_or_html
    if isinstance(page_or_html, str):
        return Page.from_html(page_or_html, url)
    return Page.from_bytes(page_or_html, url)
