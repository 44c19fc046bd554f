"""Dates of record headers: RFC 1123, whatever the locale."""

from __future__ import annotations

import time
from calendar import timegm
from email.utils import parsedate
from functools import lru_cache

from quarkcrawl.errors import InputError

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LATEST_DATE = 253402300799  # 9999-12-31: the date format has four digits for the year


@lru_cache(maxsize=256)
def format_date(seconds: int) -> str:
    """RFC 1123 date, whatever the locale.

    Raises:
        InputError: the format cannot write this year.
    """
    if not 0 <= seconds <= _LATEST_DATE:
        raise InputError(f"time {seconds} is outside the years 1970 to 9999")
    t = time.gmtime(seconds)
    clock = f"{t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02}"
    return f"{_DAYS[t.tm_wday]}, {t.tm_mday:02} {_MONTHS[t.tm_mon - 1]} {t.tm_year:04} {clock} GMT"


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
