"""Dates of sitemaps and feeds as epoch seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_MOST_CHARS: Final = 64
_YEARS: Final = range(1990, 2101)
_MONTH: Final = re.compile(r"([0-9]{4})(?:-([0-9]{1,2}))?\Z")
_DAY: Final = re.compile(r"([0-9]{4})[-/.年]([0-9]{1,2})[-/.月]([0-9]{1,2})日?")
_SPACED_ZONE: Final = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2}|Z)\Z")


def epoch_s(text: str) -> float | None:
    """Epoch seconds of a W3C date (sitemaps, Atom) or an RFC 822 date (RSS); None if it is none.

    Slashes, missing zeros, Chinese dates and a space before the zone are understood. Without a
    zone it is UTC; years outside of 1990 to 2100 are nobody's.

    >>> epoch_s("2026-11-26T08:00:00+08:00"), epoch_s("Thu, 26 Nov 2026 00:00:00 GMT")
    (1795651200.0, 1795651200.0)
    >>> epoch_s("2026/11/26 00:00"), epoch_s("gestern")
    (1795651200.0, None)
    """
    text = text.strip()
    if not text or len(text) > _MOST_CHARS:
        return None
    moment = _w3c(text) or _rfc822(text)
    if moment is None or moment.year not in _YEARS:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def _w3c(text: str) -> datetime | None:
    month = _MONTH.match(text)
    try:
        if month is not None:
            return datetime(int(month[1]), int(month[2] or 1), 1, tzinfo=UTC)
        day = _DAY.match(text)
        if day is not None:
            rest = _SPACED_ZONE.sub(r"\1", text[day.end() :].strip())
            rest = rest.removeprefix("T").strip()
            date = f"{day[1]}-{day[2]:0>2}-{day[3]:0>2}"
            hour = "0" if rest[1:2] == ":" else ""
            return datetime.fromisoformat(f"{date}T{hour}{rest}" if rest else date)
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _rfc822(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
