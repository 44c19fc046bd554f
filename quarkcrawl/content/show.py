"""Content as small safe HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import escape

if TYPE_CHECKING:
    from quarkcrawl.content.content import Content


_MAX_CHARS: Final = 20_000
_TEXT: Final = "max-height:30em;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"


def content_html(content: Content) -> str:
    """Headline, what is known about the page, and the text of the content.

    Args:
        content: what a method found; its metadata is read for this.
    """
    text = content.text
    cut = f"… {len(text) - _MAX_CHARS} more characters" if len(text) > _MAX_CHARS else ""
    title = f"<h3>{escape(content.title)}</h3>" if content.title else ""
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in _facts(content))
    body = f'<div style="{_TEXT}" tabindex="0">{escape(text[:_MAX_CHARS])}{cut}</div>'
    return f"<article>{title}<ul>{facts}</ul>{body}</article>"


def _facts(content: Content) -> list[str]:
    named = {
        "published": content.published,
        "source": content.source,
        "author": content.author,
        "failed": content.failure or "",
        "page": content.page.url,
    }
    facts = [f"{name}: {value}" for name, value in named.items() if value]
    return [*facts, f"{len(content.text)} characters by method {content.method}"]
