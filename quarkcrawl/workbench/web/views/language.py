"""Which language a reader wants, and the words of the interface in it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.report import LANGUAGES, Words, read_catalogue
from quarkcrawl.workbench.report import words as report_words

if TYPE_CHECKING:
    from starlette.requests import Request


COOKIE: Final = "quarkcrawl_lang"


@cache
def words(lang: str) -> Words:
    """The words of the workbench: those of the report of a corpus, and its own.

    Args:
        lang: one of `quarkcrawl.workbench.report.words.LANGUAGES`.
    """
    own = read_catalogue(files("quarkcrawl.workbench.web").joinpath("catalogues"), lang)
    return Words({**report_words(lang).texts, **own})


def chosen_language(request: Request) -> str:
    """Language of a reader: asked for in the address, kept in a cookie, or the browser's.

    Args:
        request: any request.
    """
    for asked in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if asked in LANGUAGES:
            return asked
    for part in request.headers.get("accept-language", "").split(","):
        code = part.strip().lower()[:2]
        if code in LANGUAGES:
            return code
    return "en"
