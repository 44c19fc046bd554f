"""Fills templates: one environment a language, and how pages write numbers, sizes and times."""

from __future__ import annotations

import base64
import hashlib
import shlex
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quarkcrawl.page.text import without_surrogates
from quarkcrawl.workbench.theme.words import LANGUAGES, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_LONG_CHARS: Final = 96
"""Of an address as it is shown: two lines of a telephone."""

_TAIL_CHARS: Final = 32
_RULES: Final = (
    "default-src 'none'; style-src 'unsafe-inline'{0}; img-src data:{0}; font-src data:{0};"
    " form-action 'none'; base-uri 'none'"
)


def policy(*, offline: bool, script: str = "") -> str:
    """The Content Security Policy and what else keeps a document from acting, for its ``head``.

    No scripts, frames, forms, plug-ins or base addresses; pictures, fonts and style sheets only if
    loading is allowed.

    Args:
        offline: forbid loading anything.
        script: text of the only script that runs; "": none does.
    """
    rules = _RULES.format("" if offline else " http: https:")
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        rules += f"; script-src 'sha256-{digest}'"
    return (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{rules}">'
        '<meta name="referrer" content="no-referrer">'
        '<meta http-equiv="x-dns-prefetch-control" content="off">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
    )


def render(template: str, lang: str, **values: object) -> str:
    """A page; text in it is escaped.

    Args:
        template: name of a file in the folder ``pages``.
        lang: one of `LANGUAGES`.
        **values: what the template shows.
    """
    text = _environment(lang).get_template(template).render(values)
    return without_surrogates(text).replace("\0", "\ufffd")


@cache
def _environment(lang: str) -> Environment:
    """Templates with the words ``t`` of a language and the macros ``m``."""
    environment = Environment(
        loader=PackageLoader(__package__, "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals.update(t=words(lang), lang=lang, languages=LANGUAGES)
    style_sheet = files(__package__).joinpath("static", "style.css").read_text("utf-8")
    script = files(__package__).joinpath("static", "report.js").read_text("utf-8")
    ours = {
        "policy": policy(offline=True),
        "style_sheet": style_sheet,
        "report_script": script,
        "report_policy": policy(offline=True, script=script),
    }
    environment.globals.update({name: Markup(text) for name, text in ours.items()})  # noqa: S704 - ours
    environment.globals["m"] = environment.get_template("macros.html").module
    return environment


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:,}"


def _size(n_bytes: float | None) -> str:
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


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _percent(part: float, whole: float) -> str:
    share = part / whole if whole else 0.0
    return f"{share:.1%}" if 0.001 <= share < 0.9995 or share in {0, 1} else f"{share:.2%}"


def _share(value: float) -> str:
    return f"{value:.3f}"


def _bare(url: Any) -> str:
    """A URL without its scheme, for lists."""
    return without_surrogates(str(url)).removeprefix("http://").removeprefix("https://")


def _long(text: Any) -> str:
    """A long address with its middle out of sight; it is still copied, and the title has it all."""
    shown = without_surrogates(str(text))
    if len(shown) <= _LONG_CHARS:
        return shown
    cut = slice(_LONG_CHARS - _TAIL_CHARS, -_TAIL_CHARS)
    parts = shown, shown[: cut.start], shown[cut], shown[cut.stop :]
    return Markup('<span class="long" title="{}">{}<span class="middle">{}</span>{}</span>').format(
        *parts
    )


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


def _without(query: dict[str, str], names: Iterable[str]) -> str:
    """A query without some values, from its first page."""
    return _with(query, **dict.fromkeys(names, ""))


def _asked(query: dict[str, str], names: Iterable[str]) -> str:
    """What a query of a list asks for, without where in the list one is and in which language."""
    parameters = {"text", "q", "sort", *names}
    return _with({name: value for name, value in query.items() if name in parameters})


def _marked(text: str, spans: list[tuple[int, int]]) -> Markup:
    """A text with some stretches of it marked."""
    pieces, done = [], 0
    for start, end in spans:
        pieces.append(Markup("{}<mark>{}</mark>").format(text[done:start], text[start:end]))
        done = end
    return Markup("").join([*pieces, text[done:]])


def _component(text: Any) -> str:
    return quote(str(text), safe="", errors="replace")


_FILTERS: Final[dict[str, Callable[..., str]]] = {
    "number": _number,
    "size": _size,
    "time": _time,
    "clock": _clock,
    "percent": _percent,
    "share": _share,
    "bare": _bare,
    "long": _long,
    "with": _with,
    "without": _without,
    "asked": _asked,
    "component": _component,
    "marked": _marked,
    "shell": shlex.quote,
}
"""Filters of the HTML templates."""
