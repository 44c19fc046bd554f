"""Prices as they are written for people: an amount with the sign or the name of a currency."""

from __future__ import annotations

import re
from typing import Final

_MAX_CHARS: Final = 80
"""Longer lines are text that speaks of a price."""

_GROUP: Final = r"[ \u00a0]?[.,]\d{1,8}|['\u2019 \u00a0\u2009\u202f]\d{3}(?!\d)"
_AMOUNT: Final = rf"\d{{1,12}}(?:{_GROUP}){{0,5}}(?:[.,][-–—]{{1,2}})?"
_SIGNS: Final = "€£₽₹₩₴₺₫₪₱₦฿"
_DOLLAR: Final = r"(?-i:(?<![^\W\d_])(?:(?:US|CA|AU|NZ|HK|NT|SG|MX)\s?|[ACSR]))?\$"
"""Of several dollars, pesos and reais: the letters before the sign tell whose they are."""

_CODES: Final = (
    "RMB|CNY|USD|EUR|GBP|PLN"
    "|(?-i:CHF|JPY|INR|CAD|AUD|NZD|SGD|HKD|TWD|SEK|NOK|DKK|CZK|BRL|ZAR|KRW|RUB)"
)
_BEFORE: Final = rf"{_DOLLAR}|[¥￥{_SIGNS}]|\b(?:{_CODES}|(?-i:Rs|kr)\.?)"
_BEHIND: Final = rf"[万萬]?元(?!旦)|円|[{_SIGNS}]|(?:{_CODES}|zł|руб|грн|Kč|kr)\b"
_PRICE: Final = re.compile(
    rf"(?:{_BEFORE})\s?{_AMOUNT}(?:\s?(?:[万萬]元?|元))?|(?<![\d.,]){_AMOUNT}\s?(?:{_BEHIND})",
    re.IGNORECASE,
)


def price_in(line: str) -> str:
    """The first price in a short line, as it is written, "" if there is none.

    >>> price_in("From R$ 19,90 a month")
    'R$ 19,90'

    Args:
        line: one line of an item.
    """
    match = _PRICE.search(line) if len(line) < _MAX_CHARS else None
    return " ".join(match[0].split()) if match else ""
