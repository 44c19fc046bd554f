"""Dates of record headers: RFC 1123, whatever the locale."""

from __future__ import annotations

from calendar import timegm
from email.utils import formatdate, parsedate
from functools import lru_cache

from quarkcrawl.errors import InputError

_LATEST_DATE = 253402300799  # 9999-12-31: the date format has four digits for the year


@lru_cache(maxsize=256)
def format_date(seconds: int) -> str:
    """RFC 1123 date, whatever the locale.

    Raises:
        InputError: the format cannot write this year.
    """
    if not 0 <= seconds <= _LATEST_DATE:
        raise InputError(f"time {seconds} is outside the years 1970 to 9999")
    return formatdate(seconds, usegmt=True)


@lru_cache(maxsize=256)
def parse_date(text: str) -> int:
    """Seconds since the epoch; 0 for a date that cannot be read."""
    parsed = parsedate(text)
    if parsed is None:
        return 0
    try:
        return max(0, timegm(parsed))
    except (ValueError, OverflowError):
        return 0
