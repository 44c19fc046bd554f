"""How views write numbers, sizes, times and addresses."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from markupsafe import Markup

from quarkcrawl.page.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:,}"


def size_words(n_bytes: float | None) -> str:
    """A size as people read it, such as ``1.5 MiB``."""
    if n_bytes is None:
        return "–"
    size = float(n_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"


def _time(seconds: float | None) -> str:
    if not seconds:
        return "–"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _percent(part: float, whole: float) -> str:
    share = part / whole if whole else 0.0
    return f"{share:.1%}" if 0.001 <= share < 0.9995 or share in {0, 1} else f"{share:.2%}"


def _share(value: float) -> str:
    return f"{value:.3f}"


def _bare(url: Any) -> str:
    """A URL without its scheme, for lists."""
    return without_surrogates(str(url)).removeprefix("http://").removeprefix("https://")


def _with(query: dict[str, str], **changes: object) -> str:
    """A query with some values changed, empty ones left out.

    A change of anything but the page goes back to the first page.
    """
    values = {**query, **{name: str(value) for name, value in changes.items()}}
    if "page" not in changes:
        values.pop("page", None)
    values.pop("token", None)
    left = {name: value for name, value in values.items() if value not in {"", "None"}}
    return "?" + urlencode(left, errors="replace")


def _hits(snippet: str, query: str) -> Markup:
    """A snippet with the words that were looked for marked."""
    words = sorted(set(query.lower().split()), key=len, reverse=True)
    pattern = "|".join(re.escape(word) for word in words)
    pieces = re.split(f"({pattern})", snippet) if words else [snippet]
    marked = (Markup("<mark>{}</mark>").format(one) for one in pieces[1::2])
    both = [*marked, ""]
    return Markup("").join(
        part for place, one in enumerate(pieces[::2]) for part in (one, both[place])
    )


def _component(text: Any) -> str:
    return quote(str(text), safe="", errors="replace")


FILTERS: Final[dict[str, Callable[..., str]]] = {
    "number": _number,
    "size": size_words,
    "time": _time,
    "percent": _percent,
    "share": _share,
    "bare": _bare,
    "with": _with,
    "component": _component,
    "hits": _hits,
}
"""Filters of the HTML templates."""
