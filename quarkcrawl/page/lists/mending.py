"""XML of the web made readable: what breaks parsers is mended before one sees it.

Left are elements, attributes, comments and plain text: no declaration, no document type (so no
entity of its own), no CDATA section, no reference but the five of XML.
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5
from typing import Final

_ILLEGAL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BEGIN: Final = re.compile(r"<[?!\w]")
_PROLOG: Final = re.compile(r"<\?xml\b[^<>]*+>", re.IGNORECASE)
"""Only at the beginning; not looked for again from each start of one that never ends."""
_DOCTYPE: Final = re.compile(r"<!DOCTYPE\b[^\[>]*+", re.IGNORECASE)
_SUBSET_END: Final = re.compile(r"\]\s*+>")
_LOOSE: Final = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)"
    r"(?:#([0-9]{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?"
    r"|<(?![\w/!?:])"
)
_CDATA: Final = "<![CDATA["
_HEAD_CHARS: Final = 1 << 16
"""A document type stands within as many characters, or nowhere."""


def mended(text: str) -> str:
    """The document from its first tag on, without what a parser stumbles over or expands."""
    begin = _BEGIN.search(text)
    text = _ILLEGAL.sub("", text[begin.start() :]) if begin else ""
    prolog = _PROLOG.match(text)
    text = text[prolog.end() :] if prolog is not None else text
    first, *others = _without_doctype(text).split(_CDATA)
    parts = [_LOOSE.sub(_reference, first)]
    for other in others:
        inner, _, behind = other.partition("]]>")
        parts += (escape(inner, quote=False), _LOOSE.sub(_reference, behind))
    return "".join(parts).lstrip()


def _without_doctype(text: str) -> str:
    match = _DOCTYPE.search(text, 0, _HEAD_CHARS)
    if match is None:
        return text
    if text[match.end() : match.end() + 1] == "[":
        end = _SUBSET_END.search(text, match.end())
        return text[: match.start()] + text[end.end() :] if end is not None else ""
    return text[: match.start()] + text[match.end() + 1 :]


def _reference(match: re.Match[str]) -> str:
    """The character that a reference of HTML means; a loose sign stands for itself."""
    decimal, hexadecimal, name = match.groups()
    if match[0] == "<":
        return "&lt;"
    if name is not None:
        character = html5.get(f"{name};")
        return f"&amp;{name};" if character is None else escape(character, quote=False)
    if decimal is None and hexadecimal is None:
        return "&amp;"
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    is_character = code in {9, 10, 13} or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000
    return escape(chr(code), quote=False) if is_character and code & 0xFFFE != 0xFFFE else ""
