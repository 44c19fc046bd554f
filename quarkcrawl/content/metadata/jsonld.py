"""What a page says about itself in JSON-LD (schema.org), read tolerantly and within bounds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page.tree import PageTree


MAX_CHARS: Final = 300_000
"""Longer scripts are not read."""

_MAX_SCRIPTS: Final = 20
_MAX_RECORDS: Final = 200
_MAX_DEPTH: Final = 6
_MAX_NAMES: Final = 5
_OPENING: Final = re.compile(r"\s*(?:(?://|/\*)?\s*<!\[CDATA\[\s*(?:\*/)?|<!--)")
_CLOSING: Final = re.compile(r"(?:(?://|/\*)?\s*\]\]>\s*(?:\*/)?|(?://)?\s*-->)\s*;?\s*$")
_CLOSING_CHARS: Final = 100
_BLEMISHES: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,\s*([\]}])|/\*.*?(?:\*/|\Z)|(?<![:\w"])//[^\n"]*', re.DOTALL
)
"""Strings (kept), commas before a closing bracket, comments."""

_ARTICLE: Final = re.compile(
    r"(?:Article|Posting|WebPage|Report|Question|QAPage|Event|Product|Recipe|Review|VideoObject|CreativeWork)$"
)
_MOST_TELLING: Final = re.compile(r"(?:Article|Posting|Report)$")

Record = dict[str, object]


def parse(text: str) -> object:
    """Read one script; comments, CDATA marks and trailing commas do no harm.

    Returns:
        The value, None if it cannot be read.
    """
    if len(text) > MAX_CHARS:
        return None
    text = text.strip().removesuffix(";")
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _loads(_BLEMISHES.sub(_kept, _unwrapped(text)))
    except (ValueError, RecursionError):
        return None


def _unwrapped(text: str) -> str:
    """A script without the marks of a comment or CDATA around it."""
    opening = _OPENING.match(text)
    text = text[opening.end() :] if opening else text
    # Sought at the end only: white space in the middle would cost its square.
    closing = _CLOSING.search(text, max(len(text) - _CLOSING_CHARS, 0))
    return text[: closing.start()] if closing else text


def _loads(text: str) -> object:
    value: object = json.JSONDecoder(strict=False).raw_decode(text.lstrip())[0]
    return value


def _kept(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""


def records(value: object, depth: int = 0) -> Iterator[Record]:
    """All objects of a value that stand in lists, ``@graph`` or ``mainEntity``."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value[:_MAX_RECORDS]:
            yield from records(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from records(value.get(key), depth + 1)


def articles(tree: PageTree) -> list[Record]:
    """Descriptions of the page itself, articles first.

    Args:
        tree: the page.
    """
    found: list[Record] = []
    for node in tree.nodes("script")[:1000]:
        kind = tree.attr(node, "type")
        if kind is None or "ld+json" not in kind.lower():
            continue
        text = "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])
        found += [record for record in records(parse(text)) if _kind(record)]
        if len(found) >= _MAX_SCRIPTS:
            break
    found = found[:_MAX_RECORDS]
    found.sort(key=lambda record: not _MOST_TELLING.search(_kind(record)))
    return found


def _kind(record: Record) -> str:
    """The first type of a record that says it describes a page; "" for other records."""
    kinds = record.get("@type")
    for kind in kinds[:5] if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str) and _ARTICLE.search(kind):
            return kind
    return ""


def first_text(found: list[Record], *keys: str) -> str:
    """The first text that one of the records has under one of the keys."""
    for record in found:
        for key in keys:
            value = record.get(key)
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, str) and value.strip():
                return value
    return ""


def names(value: object) -> list[str]:
    """Names of a person or organisation, or of a list of them."""
    entries = value if isinstance(value, list) else [value]
    found = [
        entry.get("name") if isinstance(entry, dict) else entry for entry in entries[:_MAX_NAMES]
    ]
    return [name.strip() for name in found if isinstance(name, str) and name.strip()]
