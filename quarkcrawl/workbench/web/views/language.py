"""Which language a reader wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.theme import LANGUAGES

if TYPE_CHECKING:
    from starlette.requests import Request


COOKIE: Final = "quarkcrawl_lang"


def chosen_language(request: Request) -> str:
    """Language of a reader: asked for in the address, kept in a cookie, or the browser's.

    Args:
        request: any request.
    """
    for lang in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if lang in LANGUAGES:
            return lang
    for part in request.headers.get("accept-language", "").split(","):
        code = part.strip().lower()[:2]
        if code in LANGUAGES:
            return code
    return "en"
