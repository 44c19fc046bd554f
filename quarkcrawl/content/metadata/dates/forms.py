"""Dates as pages print them for people: Chinese, slashed, Taiwanese (ROC), English, relative.

All patterns begin at a digit, a Chinese numeral or the name of a month and contain no repetition
without a bound, so that no text makes them slow. They are meant for short lines; which are worth it
`quarkcrawl.content.metadata.loops.hinted_lines` tells in one pass. `date_places` there
tells where each form can begin, and only there it is tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.dates.dates import Stamp, make_day, parse_iso, parse_offset
from quarkcrawl.content.metadata.loops import date_places

if TYPE_CHECKING:
    from collections.abc import Iterator


_NUMERALS: Final = "〇一二三四五六七八九"
_ZEROS: Final = str.maketrans("○零Ｏ０１２３４５６７８９：／－．", "〇〇〇0123456789:/-.")
_MONTH_NAMES: Final = """
    january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari stycznia января
    february feb februar feber février févr fév febrero febbraio fevereiro fev lutego февраля
    march mar märz mär mrz mars marzo março maart mrt marca марта
    april apr avril avr abril abr aprile kwietnia апреля
    may mai mayo maggio mag maio mei maj maja мая
    june jun juni juin junio giugno giu junho czerwca июня
    july jul juli juillet juil julio luglio lug julho lipca июля
    august aug août aout agosto ago augustus augusti sierpnia августа
    september sept sep septembre septiembre settembre set setembro września сентября
    october oct oktober okt octobre octubre ottobre ott outubro out października октября
    november nov novembre noviembre novembro listopada ноября
    december dec dezember dez décembre déc diciembre dic dicembre dezembro desember grudnia декабря
"""
"""A line a month: what English, German, French, Spanish and others call it, short names too."""

_MONTHS: Final = {
    name: number
    for number, names in enumerate(_MONTH_NAMES.strip().splitlines(), 1)
    for name in names.split()
}
_MONTH: Final = r"[^\W\d_]{3,12}\b\.?"
"""Any word: which of them are months is looked up, for a hundred names are slow to try."""
RARE_HINTS: Final = ("〇", "○", "民國", "民国", "２０")
"""Lines that hold one of these may hold a date that no ASCII digits tell of."""

_CLOCK: Final = (
    r"(?:[\s,，、|T·@(（-]{0,3}(?:(?:at|um|à|a las|alle|klo|kl\.?)\s)?"
    r"[(（]?(?:(?:星期|周|週"
    r"|礼拜)[一二三四五六日天])?[)）]?\s?"
    r"(?:(?:HKT|GMT|CST|EST|EDT|PST|PDT|BST)\s)?(?P<half>上午|下午|晚上|凌晨|早上|中午)?\s?"
    r"(?P<hour>[01]?\d|2[0-3])(?::|\s?[时時点點]\s?|h(?=\d\d\b))(?P<minute>[0-5]\d)(?!\d(?!\d))"
    r"(?:\s?分)?(?:(?<!分):(?P<second>[0-5]\d)(?:\.\d{1,9})?)?"
    r"(?:\s?(?P<ampm>[ap]\.?m\b\.?))?"
    r"(?:\s?(?P<zone>Z\b|(?:UTC|GMT)?[+-]\d\d:?\d\d\b|UTC\b|GMT\b))?)?"
)
_MONTH_NUMBER: Final = "1[0-2]|0?[1-9]"
_DAY_NUMBER: Final = "3[01]|[12]\\d|0?[1-9]"
_BODIES: Final = {
    "full": (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:\s?年\s?|\s?(?P<sep>[-/.])\s?)"
        rf"(?P<month>{_MONTH_NUMBER})(?(sep)\s?(?P=sep)\s?|\s?月\s?)"
        rf"(?P<day>{_DAY_NUMBER})(?!\d|%)\s?[日号號]?"
    ),
    "numerals": (
        r"(?P<year>[〇一二三四五六七八九]{4})年(?P<month>十[一二]?|[一二三四五六七八九])月"
        r"(?P<day>[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号號]"
    ),
    "roc": (
        rf"民[國国]\s?(?P<year>1?\d\d)\s?[年/.-]\s?(?P<month>{_MONTH_NUMBER})\s?[月/.-]\s?"
        rf"(?P<day>{_DAY_NUMBER})(?!\d|%)\s?日?"
    ),
    "roc_bare": (
        r"(?<![\d./-])(?<!\d:)(?P<year>1[0-3]\d|[89]\d)(?:年|(?P<sep>[-/.]))"
        rf"(?P<month>{_MONTH_NUMBER})(?(sep)(?P=sep)|月)(?P<day>{_DAY_NUMBER})(?!\d|%|[-/.]\d)日?"
    ),
    "wordpress": (
        r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月\s?"
        rf"(?P<day>{_DAY_NUMBER})\s?,\s?(?P<year>(?:19|20)\d\d)(?!\d)"
    ),
    "month_first": (
        rf"\b(?P<month>{_MONTH})\s?(?P<day>{_DAY_NUMBER})(?:st|nd|rd|th)?"
        r"\b[\s,]{0,3}(?:[012]?\d:\d\d:\d\d\s(?:(?:[A-Z]{3,4}|[+-]\d{4})\s)?)?"
        r"(?P<year>(?:19|20)\d\d)(?!\d)"
    ),
    "day_first": (
        rf"\b(?P<day>{_DAY_NUMBER})(?:st|nd|rd|th|er|\.)?(?:\sof"
        rf"|\sde)?[\s/-]{{0,2}}(?P<month>{_MONTH})"
        r"(?:\sde)?[\s,/-]{0,3}(?P<year>(?:19|20)\d\d)(?!\d)"
    ),
    "slashed": (
        r"(?<![\d/.-])(?P<month>[0-3]?\d)(?P<sep>[/.-])(?P<day>[0-3]?\d)(?P=sep)"
        r"(?P<year>(?:19|20)\d\d)(?![\d/.-])"
    ),
    "short": (
        r"(?<![\d./-])(?<!\d:)(?P<year>\d\d)(?:年|(?P<sep>[-/.]))"
        rf"(?P<month>{_MONTH_NUMBER})(?(sep)(?P=sep)|月)(?P<day>{_DAY_NUMBER})(?!\d|%|[-/.]\d)日?"
    ),
    "short_last": (
        rf"(?<![\d./-])(?P<day>{_DAY_NUMBER})\.(?P<month>{_MONTH_NUMBER})\.(?P<year>\d\d)(?![\d.%-])"
    ),
    "yearless": (
        rf"(?<![\d年/.-])(?P<month>{_MONTH_NUMBER})(?:\s?月\s?|(?P<sep>[-/]))"
        rf"(?P<day>{_DAY_NUMBER})(?(sep)(?=\s[012]?\d:)|\s?[日号號])"
    ),
}
_FORMS: Final = {
    name: re.compile(body + _CLOCK, re.IGNORECASE | re.ASCII if name == "full" else re.IGNORECASE)
    for name, body in _BODIES.items()
}
_AGO: Final = re.compile(
    r"(?<![\d.十百])(?:(?P<count>\d{1,3}|[一两兩二三四五六七八九十半])\s?[个個]?"
    r"(?P<unit>分钟|分鐘|小时|小時|天|日|周|週|星期|礼拜)(?:之前|以前|前)"
    r"|(?:(?P<number>\d{1,3})\s?|\b(?P<article>an?|half\san)\s)"
    r"(?P<length>minutes?|mins?|hours?|hrs?|h|days?|weeks?)\sago\b)"
    r"|(?P<word>刚刚|剛剛|今天|今日|昨天|昨日|前天|前日|\byesterday\b|\btoday\b)"
    r"(?:(?:,|\sat)?\s?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?:\s?(?P<ampm>[ap])\.?m\b\.?)?)?",
    re.IGNORECASE,
)
_UNIT_MINUTES: Final = {
    **dict.fromkeys("分m", 1),
    **dict.fromkeys("小h", 60),
    **dict.fromkeys("天日d", 1440),
    **dict.fromkeys("周週星礼w", 7 * 1440),
}
_COUNTS: Final = {"半": 0.5, "两": 2, "兩": 2, "a": 1, "an": 1, "half an": 0.5, "十": 10}
_WORD_DAYS: Final = {"昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2, "前日": 2}


@dataclass(frozen=True, slots=True)
class Printed:
    """A date in a line.

    Args:
        stamp: what it says.
        start: its first character.
        end: one past its last character.
        form: ``full``, ``numerals``, ``wordpress`` (3 月 5, 2012),
            ``roc``, ``roc_bare``, ``month_first``, ``day_first``, ``slashed``, ``short`` (year of
            two digits), ``short_last`` (05.03.12), ``yearless`` or ``relative``.
    """

    stamp: Stamp
    start: int
    end: int
    form: str


def find_dates(
    line: str, *, roc: bool = False, day_first: bool = False, year: int | None = None
) -> list[Printed]:
    """All dates of a line, in order, none overlapping another.

    Args:
        line: some text.
        roc: a bare year below 200 counts from 1911 (Taiwan).
        day_first: 5/3/2012 is the fifth of March.
        year: year of dates that state none; None to leave those out.
    """
    line = line.replace("：", ":")
    places = date_places(line, roc, year is not None, day_first)
    if not places:
        line = line.translate(_ZEROS)
        places = date_places(line, roc, year is not None, day_first)
    dates, taken = list[Printed](), bytearray(len(line))
    for (form, pattern), begins in zip(_FORMS.items(), places, strict=True):
        if begins == []:
            continue
        for match in _matches(pattern, line, begins):
            start, end = match.span()
            if taken.find(1, start, end) >= 0:
                continue
            stamp = _stamp(match, "day_slashed" if day_first and form == "slashed" else form, year)
            if stamp is not None:
                taken[start:end] = b"\1" * (end - start)
                dates.append(Printed(stamp, start, end, form))
    dates.sort(key=lambda printed: printed.start)
    return dates


def _matches(form: re.Pattern[str], line: str, places: list[int] | None) -> Iterator[re.Match[str]]:
    """What ``finditer`` finds of a form that can begin at these places only, None for any."""
    if places is None:
        yield from form.finditer(line)
        return
    done = 0
    for place in places:
        match = form.match(line, place) if place >= done else None
        if match:
            done = match.end()
            yield match


def first_date(text: str) -> str:
    """The first absolute date of a short text in ISO 8601, "" if there is none.

    >>> first_date("发表于 2012-3-5 08:30")
    '2012-03-05T08:30'

    Args:
        text: some text; of the machine-written form the time zone is kept.
    """
    stamp = parse_iso(text)
    if stamp is None:
        stamp = next((printed.stamp for printed in find_dates(text)), None)
    return str(stamp) if stamp else ""


def find_relative(line: str, now: datetime) -> Iterator[Printed]:
    """Dates such as 3小时前 and 昨天 08:30.

    Args:
        line: some text.
        now: when the page was fetched.
    """
    for match in _AGO.finditer(line):
        stamp = _relative(match, now)
        if stamp is not None:
            yield Printed(stamp, match.start(), match.end(), "relative")


def _relative(match: re.Match[str], now: datetime) -> Stamp | None:
    word = (match["word"] or "").lower()
    if not word:
        count = match["count"] or match["number"] or " ".join(match["article"].lower().split())
        number = int(count) if count.isdecimal() else _COUNTS.get(count) or _NUMERALS.index(count)
        minutes = _UNIT_MINUTES[(match["unit"] or match["length"])[0].lower()] * number
        moment = now - timedelta(minutes=minutes)
        exact = minutes < 24 * 60
        return Stamp(moment.date(), moment.hour * 60 + moment.minute if exact else None)
    day = now.date() - timedelta(days=_WORD_DAYS.get(word, 0))
    if match["hour"]:
        half = (match["ampm"] or "").lower()
        hour = int(match["hour"])
        hour += 12 * (half == "p" and hour < 12) - 12 * (half == "a" and hour == 12)
        return Stamp(day, hour * 60 + int(match["minute"]))
    return Stamp(day) if word in ("刚刚", "剛剛") or word in _WORD_DAYS else None


def _stamp(match: re.Match[str], form: str, year: int | None) -> Stamp | None:
    day = _day(match, form, year)
    if day is None:
        return None
    if match["minute"] is None:
        return Stamp(day)
    second = None if match["second"] is None else int(match["second"])
    return Stamp(day, _minutes(match), second, parse_offset(match["zone"]))


def _minutes(match: re.Match[str]) -> int:
    hour, half = int(match["hour"]), match["half"] or (match["ampm"] or "").lower()
    if (hour < 12 and (half in ("下午", "晚上") or half.startswith("p"))) or (
        hour < 3 and half == "中午"
    ):
        hour += 12
    elif hour == 12 and (half == "凌晨" or half.startswith("a")):
        hour = 0
    return hour * 60 + int(match["minute"])


def _day(match: re.Match[str], form: str, year: int | None) -> date | None:
    if form == "yearless":
        return make_day(year or 0, int(match["month"]), int(match["day"]))
    if form == "numerals":
        digits = (str(_NUMERALS.index(char)) for char in match["year"])
        return make_day(int("".join(digits)), _numeral(match["month"]), _numeral(match["day"]))
    if form == "wordpress":
        text = match["month"]
        month = int(text) if text.isdigit() else _numeral(text)
        return make_day(int(match["year"]), month, int(match["day"]))
    if form in ("month_first", "day_first"):
        month = _MONTHS.get(match["month"].lower().rstrip("."), 0)
        return make_day(int(match["year"]), month, int(match["day"]))
    number, month, day = (int(match[name]) for name in ("year", "month", "day"))
    if form.startswith("roc"):
        number += 1911
    elif form.startswith("short"):
        number += 1900 if number >= 90 else 2000
    elif form == "day_slashed" or (form == "slashed" and (month > 12 or match["sep"] == ".")):
        month, day = day, month
    return make_day(number, month, day)


def _numeral(text: str) -> int:
    """A Chinese number below forty."""
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _NUMERALS.index(text)
    return 10 * (_NUMERALS.index(tens) if tens else 1) + (_NUMERALS.index(ones) if ones else 0)
