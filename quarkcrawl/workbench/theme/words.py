"""The words of pages for people, in Chinese and English: one JSON catalog for each."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


LANGUAGES: Final = ("zh", "en")
# "{n} {n|page|pages}": the first word where the value is one, else the second
_PLURAL: Final = re.compile(r"\{(\w+)\|([^|{}]*)\|([^|{}]*)\}")


class Words:
    """The catalog of a language.

    Args:
        texts: text of each key.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def __call__(self, key: str, **values: object) -> str:
        """Text of a key with values put in; numbers get separators. An unknown key is itself."""
        text = self.texts.get(key, key)
        shown = {name: f"{v:,}" if isinstance(v, int) else v for name, v in values.items()}
        if not shown:
            return text
        text = _PLURAL.sub(lambda m: m[2] if str(shown.get(m[1])) == "1" else m[3], text)
        return text.format_map(shown)

    def or_(self, key: str, otherwise: str) -> str:
        """Text of a key, or another text where there is none.

        Args:
            key: key of a catalog.
            otherwise: what is said without it.
        """
        return self.texts.get(key, otherwise)

    def reason(self, code: str) -> str:
        """What a reason code means; of a code that nobody has described, the code itself.

        Args:
            code: such as ``"robots"`` or ``"http_404"``.
        """
        status = code.removeprefix("http_")
        if status != code:
            return self("reason.http", status=status)
        return self.or_(f"reason.{code}", code)


@cache
def words(lang: str) -> Words:
    """The catalog of a language.

    Args:
        lang: one of `LANGUAGES`.
    """
    catalog = files(__package__).joinpath("catalogues", f"{lang}.json")
    return Words(json.loads(catalog.read_text("utf-8")))
