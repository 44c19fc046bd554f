"""Scripts as intruders leave them: redirects for visitors from search engines, encoded programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.refine.spam.loops import hinted_scripts

if TYPE_CHECKING:
    from quarkcrawl.page import PageTree


_MAX_CHARS: Final = 10_000
"""Characters of a script that are read; intruders write little, and write it first."""

_ENGINES: Final = re.compile(
    r"baidu|google|sogou|\bso\.com|\b360|bing|yahoo|haosou|sm\.cn|spider|yandex", re.IGNORECASE
)
_HINTS: Final = ("referrer", "userAgent")
_ASKS: Final = re.compile(r"document\.referrer|navigator\.userAgent|\[[\"']referrer[\"']\]")
_GOES: Final = re.compile(
    r"(?:location(?:\.href)?\s{0,4}=|location\.(?:replace|assign)\s{0,4}\()"
    r"\s{0,4}[\"'](?:https?:)?//"
    r"|document\.write(?:ln)?\([^;]{0,200}<(?:i?frame|script|meta)[^;]{0,200}//",
    re.IGNORECASE,
)
_GOES_WORDS: Final = ("location", "document.write")
_ENCODED: Final = {
    "fromCharCode": re.compile(r"fromCharCode\((?:\s{0,4}\d{1,6}\s{0,4},){12}"),
    "unescape(": re.compile(r"unescape\(\s{0,4}[\"'](?:%u?[\da-fA-F]{2,4}){12}"),
    "\\x": re.compile(r"(?:\\x[\da-fA-F]{2}){12}"),
    "&#": re.compile(r"(?:&#\d{2,6};?){8}"),
    "atob(": re.compile(r"atob\(\s{0,4}[\"'][\w+/=]{40}"),
    "eval(": re.compile(r"eval\(\s{0,4}(?:window\.)?(?:atob|unescape|String\.fromCharCode)\("),
}
"""Codings that hide a program, by a hint that is quickly looked for."""

_WRITES: Final = re.compile(
    r"document(?:\.write|\[[\"'](?:write|\\x77))|eval\(|window\[[\"']\\x|\.src\s{0,4}="
    r"|location", re.IGNORECASE,
)  # fmt: skip


def script_signs(tree: PageTree) -> tuple[str, ...]:
    """What is odd about the scripts inside a page.

    Args:
        tree: the page.

    Returns:
        ``redirect`` (to elsewhere, for who comes from a search engine), ``encoded`` (a
        program that hides what it writes or loads).
    """
    scripts = tree.places("script")
    hinted = hinted_scripts(tree.runs, scripts, tree.run_start, tree.run_end, _MAX_CHARS)
    signs = {}
    for run in hinted:
        source = tree.runs[run][:_MAX_CHARS]
        if _redirects(source):
            signs["redirect"] = True
        if _is_encoded(source):
            signs["encoded"] = True
    return tuple(signs)


def _redirects(source: str) -> bool:
    if not any(hint in source for hint in _HINTS):
        return False
    return _goes(source) and bool(_ASKS.search(source) and _ENGINES.search(source))


def _goes(source: str) -> bool:
    """Whether `_GOES` is in a program; sought where its words stand, as it is slow."""
    low = source.lower()
    if len(low) != len(source) or "\u0131" in low:  # these are read as i
        return _GOES.search(source) is not None
    for word in _GOES_WORDS:
        place = low.find(word)
        while place >= 0:
            if _GOES.match(source, place):
                return True
            place = low.find(word, place + 1)
    return False


def _is_encoded(source: str) -> bool:
    for hint, coding in _ENCODED.items():
        if hint in source and coding.search(source) is not None:
            return _WRITES.search(source) is not None
    return False
