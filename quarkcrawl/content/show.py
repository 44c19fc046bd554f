"""Content as small safe HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import escape

if TYPE_CHECKING:
    from collections.abc import Sequence


_MAX_CHARS: Final = 20_000
_TEXT: Final = "max-height:30em;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"


def content_html(headline: str, facts: Sequence[str], text: str) -> str:
    """Headline, what is known about the page, and the text of the content."""
    cut = f"… {len(text) - _MAX_CHARS} more characters" if len(text) > _MAX_CHARS else ""
    title = f"<h3>{escape(headline)}</h3>" if headline else ""
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    body = f'<div style="{_TEXT}" tabindex="0">{escape(text[:_MAX_CHARS])}{cut}</div>'
    return f"<article>{title}<ul>{items}</ul>{body}</article>"
