"""Style sheets of a page, made harmless for its copy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable


NOTHING: Final = "data:,"
"""URL of no bytes, in place of one that may not be loaded."""

_FIXED: Final = re.compile(r"(position\s*:\s*)(?:fixed|sticky|-webkit-sticky)", re.IGNORECASE)
# Possessive, so that a page cannot make the search take a time that grows with the square of it.
_URL: Final = re.compile(r"""url\(\s*+(?:"([^"]*+)"|'([^']*+)'|([^"'()]*+))\s*+\)""", re.IGNORECASE)
_IMPORT: Final = re.compile(r"""(@import\s+)(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_IMPORTANT: Final = re.compile(r"!\s*important", re.IGNORECASE)
_DATA: Final = re.compile(r"\s*data:(?:image|font|application/(?:x-)?font)", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[\s\"'()\\<>]")


def clean_sheet(css: str, resolve: Callable[[str], str | None]) -> str:
    """A style sheet that can stand in a ``style`` element of the copy.

    What stays in place while the page scrolls would cover the rest, so it is put back into the
    flow. Addresses become absolute, or are taken out. This is for the look and a second line of
    defence: escapes can hide an address from a regular expression, not from the Content Security
    Policy of the copy.

    Args:
        css: text of a ``style`` element.
        resolve: gives the absolute form of an address, None if it may not be loaded.
    """
    css = _FIXED.sub(r"\1static", css)
    css = _URL.sub(lambda match: f'url("{_address(match.group(1, 2, 3), resolve)}")', css)
    css = _IMPORT.sub(lambda match: f'{match[1]}url("{_address(match.group(2, 3), resolve)}")', css)
    return css.replace("</", "<\\/").replace("\0", "\ufffd")


def clean_declarations(css: str, resolve: Callable[[str], str | None]) -> str:
    """The declarations of a ``style`` attribute; none of them stays important.

    Args:
        css: value of the attribute.
        resolve: as for `clean_sheet`.
    """
    return _IMPORTANT.sub("", clean_sheet(css, resolve))


def _address(forms: tuple[str | None, ...], resolve: Callable[[str], str | None]) -> str:
    """The address that one of the forms of writing holds."""
    found = next((form for form in forms if form is not None), "").strip()
    if _DATA.match(found):
        return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", found)
    return resolve(found) or NOTHING
