"""Plain text written so that Markdown (GitHub flavour) takes none of it for markup."""

from __future__ import annotations

import re
from typing import Final

_SPECIAL: Final = re.compile(r"[\\`*\[\]<~|]|(?<![^\W_])_|_(?![^\W_])|&(?=[#A-Za-z])|!$")
_LINE_START: Final = re.compile(
    r"^(\s*)(?:(>|#(?=#{0,5}(?:\s|$))|[+-](?=\s|$)|[-=:](?=[-=:\s]*$))|(\d{1,9})([.)])(?=\s|$))"
)
_HASH: Final = re.compile(r"(?<!\\)#")
_URL_UNSAFE: Final = re.compile(r"[\s<>\\\x00-\x1f]")


def escaped_text(text: str) -> str:
    """Text within a line.

    Args:
        text: a piece of a line.
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


def escaped_line(markdown: str) -> str:
    """A line that starts no heading, list, quotation or rule.

    Args:
        markdown: the line, its text escaped already.
    """
    return _LINE_START.sub(_escaped_start, markdown)


def _escaped_start(match: re.Match[str]) -> str:
    if match[2]:
        return f"{match[1]}\\{match[2]}"
    return f"{match[1]}{match[3]}\\{match[4]}"


def escaped_heading(markdown: str) -> str:
    """The text of a heading, of which no ``#`` at the end is taken for its closing.

    Args:
        markdown: the line, its text escaped already.
    """
    return _HASH.sub(r"\\#", markdown)


def link_target(url: str) -> str:
    """An address between the parentheses of a link or picture.

    Args:
        url: the address.
    """
    url = _URL_UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", url)
    return f"<{url}>" if "(" in url or ")" in url else url
