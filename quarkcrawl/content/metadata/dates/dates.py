"""A point in time with the precision that a page states, and dates as machines write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from typing import Final

EARLIEST: Final = date(1990, 1, 1)
"""No page is older than the web."""

_DAYS_AHEAD: Final = 2
_ISO: Final = re.compile(
    r"(?P<year>(?:19|20)\d\d)(?P<dash>[-/]?)(?P<month>0?[1-9]|1[0-2])(?P=dash)"
    r"(?P<day>0[1-9]|[12]\d|3[01]|[1-9])(?!\d)"
    r"(?:(?:T|\s{1,3})(?P<hour>[01]?\d|2[0-3]):?(?P<minute>[0-5]\d)(?::?(?P<second>[0-5]\d))?"
    r"(?:[.,]\d{1,9})?\s?(?P<zone>Z\b|(?:UTC|GMT)?[+-]\d\d:?\d\d\b|UTC\b|GMT\b)?)?",
    re.IGNORECASE,
)
_COMPACT: Final = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6})?$")
_URL: Final = re.compile(
    r"[/_=.-][a-z]?((?:19|20)\d\d)(?:[/_.-](0?[1-9]|1[0-2])[/_.-](0[1-9]|[12]\d|3[01]|[1-9](?!\d))"
    r"|[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01]))(?=[^\d]|\d{2,12}(?!\d)|$)"
)
_MAX_URL_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Stamp:
    """A point in time with the precision known.

    Args:
        minute: minutes since midnight, None if unknown.
        second: second of the minute, None if unknown.
        offset: minutes east of UTC, None if the page does not say.
    """

    day: date
    minute: int | None = None
    second: int | None = None
    offset: int | None = None

    def __str__(self) -> str:
        text = self.day.isoformat()
        if self.minute is not None:
            text += f"T{self.minute // 60:02}:{self.minute % 60:02}"
            text += "" if self.second is None else f":{self.second:02}"
            text += "" if self.offset is None else _offset_text(self.offset)
        return text

    @property
    def precision(self) -> int:
        """How much is known: 0 the day, 1 the minute, 2 the second, one more with an offset."""
        n_parts = (self.minute is not None) + (self.second is not None)
        return n_parts + (self.offset is not None)

    def local_days(self) -> frozenset[date]:
        """The days that this may be called where it was written: time zones differ."""
        if self.offset is None or self.minute is None:
            return frozenset((self.day,))
        moment = datetime(self.day.year, self.day.month, self.day.day, tzinfo=_zone(self.offset))
        moment += timedelta(minutes=self.minute)
        return frozenset((self.day, moment.astimezone(_zone(480)).date()))


def _zone(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes))


def _offset_text(offset: int) -> str:
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"


def make_day(year: int, month: int, day: int) -> date | None:
    """The day, None if there is no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def is_plausible(day: date, today: date) -> bool:
    """Whether a page seen today can have been published on a day."""
    return EARLIEST <= day <= today + timedelta(days=_DAYS_AHEAD)


def parse_offset(zone: str | None) -> int | None:
    """Minutes east of UTC of ``Z``, ``+08:00``, ``GMT+0800``; None for anything else."""
    if not zone:
        return None
    digits = zone.upper().removeprefix("UTC").removeprefix("GMT").replace(":", "")
    if digits in ("", "Z"):
        return 0
    minutes = int(digits[1:3]) * 60 + int(digits[3:5])
    if minutes >= 24 * 60:
        return None
    return -minutes if digits[0] == "-" else minutes


def parse_iso(text: str) -> Stamp | None:
    """Read a date as ``datetime`` attributes, meta elements and JSON-LD carry it.

    Args:
        text: such as ``2012-03-05T08:30:00+08:00``, ``2012-03-05 08:30`` or ``20120305``.

    Returns:
        The stamp; None if the text does not start with such a date.
    """
    text = text[:60].strip()
    if compact := _COMPACT.match(text):
        day = make_day(*map(int, compact.groups()))
        return Stamp(day) if day else None
    match = _ISO.match(text)
    day = make_day(*(int(match[name]) for name in ("year", "month", "day"))) if match else None
    if match is None or day is None:
        return None
    if match["minute"] is None:
        return Stamp(day)
    stamp = Stamp(day, int(match["hour"]) * 60 + int(match["minute"]))
    second = None if match["second"] is None else int(match["second"])
    return replace(stamp, second=second, offset=parse_offset(match["zone"]))


def stamp_of_url(url: str) -> Stamp | None:
    """The day that a URL such as ``/2012-03-05/1.html`` or ``/20120305/`` names.

    Args:
        url: address of the page.
    """
    url_day = None
    for match in _URL.finditer(url[:_MAX_URL_CHARS].partition("://")[2].lower()):
        month, day = match[2] or match[4], match[3] or match[5]
        url_day = make_day(int(match[1]), int(month), int(day)) or url_day
    return Stamp(url_day) if url_day else None
