"""Style sheets of a page, kept so that the page can be shown as it looked.

What the browser fetched as a style sheet is kept as text, within a bound. Where the page links to
one, its text is written in place of the link, and so are the sheets that it imports; addresses in
it become absolute, since it no longer stands where they started from.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from quarkcrawl.page import canonicalize

if TYPE_CHECKING:
    from collections.abc import Sequence


_MOST_NESTED: Final = 4
"""Style sheets that import each other are written this deep."""

_MOST_IMPORTS: Final = 50
"""Imports of a page that are followed: sheets that import one another often would make much of
little."""

_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_AT_CHARSET: Final = re.compile(rb'@charset "([\w.:-]+)";')

# Possessive throughout: a sheet must not make a search take the square of its length.
_PARTS: Final = re.compile(
    r"""(?P<comment>/\*[\s\S]*?(?:\*/|\Z))"""
    r"""|@import\s++(?:url\(\s*+)?["']?(?P<sheet>[^\s"'();]++)["']?(?:\s*+\))?(?P<media>[^;{}]*+);"""
    r"""|url\(\s*+["']?(?P<address>[^\s"'()]++)["']?\s*+\)""",
    re.IGNORECASE,
)


class StyleSheets:
    """The style sheets that a page was given.

    Args:
        most_bytes: what all sheets may take together, here and in the page; 0: none is kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._left_bytes = most_bytes
        self._most_chars = most_bytes
        self._n_imports = 0
        self._texts: dict[str, str] = {}

    def keep(self, url: str, body: bytes, content_type: str) -> None:
        """Take a sheet as it came; one that does not fit in is left out.

        Args:
            url: where the page asked for it.
            body: its bytes.
            content_type: value of the Content-Type header.
        """
        if url not in self._texts and len(body) <= self._left_bytes:
            self._left_bytes -= len(body)
            self._texts[url] = _decode(body, content_type)

    def in_place(self, attrs: Sequence[tuple[str, str]], base_url: str) -> str | None:
        """Text of the sheet that a ``link`` element names; None: it names none that was kept.

        Args:
            attrs: attributes of the element.
            base_url: what its address is relative to.
        """
        values = dict(attrs)
        relations = values.get("rel", "").lower().split()
        if "stylesheet" not in relations or "alternate" in relations or "disabled" in values:
            return None
        url = canonicalize(_joined(base_url, values.get("href", "").strip()))
        text = self._written(url, 0)
        if not text or len(text) > self._most_chars:
            return None
        self._most_chars -= len(text)
        return text.replace("</", "<\\/")

    def _written(self, url: str | None, depth: int) -> str:
        """A sheet with the sheets that it imports."""
        if url is None or url not in self._texts or depth > _MOST_NESTED:
            return ""

        def part(match: re.Match[str]) -> str:
            if match["comment"]:
                return ""
            if match["address"]:
                if match["address"].lower().startswith("data:"):
                    return match[0]
                return f'url("{_joined(url, match["address"])}")'
            self._n_imports += 1
            if self._n_imports > _MOST_IMPORTS:
                return ""
            imported = self._written(canonicalize(_joined(url, match["sheet"])), depth + 1)
            if not imported:
                return ""
            media = match["media"].strip()
            return f"@media {media}{{{imported}}}" if media else imported

        return _PARTS.sub(part, self._texts[url])


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def _decode(body: bytes, content_type: str) -> str:
    """Text of a sheet: by its header, by what it says of itself, else UTF-8."""
    named = _CHARSET.search(content_type)
    inside = _AT_CHARSET.match(body)
    name = named[1] if named else inside[1].decode() if inside else "utf-8"
    try:
        return body.decode(name, "replace").removeprefix("\ufeff")
    except LookupError:
        return body.decode("utf-8", "replace")
