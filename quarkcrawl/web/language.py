"""The words of the interface, in Chinese and English: one JSON catalogue for each."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

__all__ = ["LANGUAGES", "Words", "chosen_language", "words"]

LANGUAGES: Final = ("zh", "en")
COOKIE: Final = "quarkcrawl_lang"


class Words:
    """The catalogue of a language.

    Args:
        lang: code of the language.
        texts: text of each key.
    """

    def __init__(self, lang: str, texts: Mapping[str, str]) -> None:
        self.lang = lang
        self.texts = texts

    def __call__(self, key: str, **values: object) -> str:
        """Text of a key with values put in; numbers get separators. An unknown key is itself."""
        text = self.texts.get(key, key)
        shown = {name: f"{v:,}" if isinstance(v, int) else v for name, v in values.items()}
        return text.format_map(shown) if shown else text

    def or_(self, key: str, otherwise: str) -> str:
        """Text of a key, or another text where there is none."""
        return self.texts.get(key, otherwise)


@cache
def words(lang: str) -> Words:
    """Read a catalogue.

    Args:
        lang: one of `LANGUAGES`.
    """
    text = files(__package__).joinpath("static", f"{lang}.json").read_text("utf-8")
    return Words(lang, json.loads(text))


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
