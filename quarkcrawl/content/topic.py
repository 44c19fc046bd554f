"""Is a page a topic page: does it describe something in text, rather than list or navigate?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.content.result import Content

__all__ = ["topic_probability"]


def topic_probability(content: Content) -> float:
    """DLUT's rule: 1 if the page has a content block, else 0.

    Args:
        content: the content found on the page.
    """
    return float(bool(content.text))
