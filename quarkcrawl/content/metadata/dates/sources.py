"""When a page was published: what it declares, what it prints near the headline, what its URL says.

Declared dates come first (JSON-LD, meta elements, a ``time`` element marked as date of
publication), then the printed date that stands best, then the URL. Of sources that name the same
day the most precise one is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.dates.dates import Stamp, is_plausible, parse_iso, stamp_of_url
from quarkcrawl.content.metadata.dates.forms import (
    RARE_HINTS,
    find_dates,
    find_relative,
)
from quarkcrawl.content.metadata.dates.marked import marked_nodes, stamp_of_scripts
from quarkcrawl.content.metadata.dates.places import DatePlaces
from quarkcrawl.content.metadata.dates.prose import is_apart, is_in_sentence
from quarkcrawl.content.metadata.dates.scores import (
    LONG_LINE,
    STRONG_LABEL,
    behind_score,
    has_weekday_behind,
    is_of_event,
    label_score,
    line_score,
    role_score,
)
from quarkcrawl.content.metadata.loops import hinted_lines
from quarkcrawl.content.metadata.marks import find_mark
from quarkcrawl.content.page_lines import fold

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from quarkcrawl.content.metadata.dates.forms import Printed
    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page.tree import PageTree


_CHARS_BEFORE: Final = 1_500
_CHARS_AFTER: Final = 5_000
_MAX_LINES: Final = 30
_MAX_LINE_CHARS: Final = 300
_MAX_TIMES: Final = 100
_MAX_RUNS: Final = 10
"""So many runs of a time element are read."""
_CLEAR_FORMS: Final = (
    "full",
    "numerals",
    "wordpress",
    "roc",
    "month_first",
    "day_first",
    "slashed",
)
_NAMED_FORMS: Final = ("numerals", "wordpress", "month_first", "day_first")
_BEST_DATE: Final = 7.5
"""What a date can get for itself: its time of day, its label, its line."""
_BELOW_TEXT: Final = 2.5
"""What it loses behind the first paragraph, where comments and lists of news stand."""
_LABELS: Final = (
    *("Updated", "Published", "Posted", "Reviewed", "Modified", "updated", "published", "modified"),
    *("edited", "eröffentlicht", "rschienen", "rstellt", "ktualisiert", "ublié", "ublicado"),
    *("发布", "發布", "發佈", "发表", "發表", "更新", "日期", "编辑于", "編輯於"),
)
_EDITED: Final = ("编辑于", "編輯於")
"""Labels of the only date of an article, which stands below it."""

_MAX_EDITED_CHARS: Final = 40
_MAX_LABEL_CHARS: Final = 12
_MAX_BEFORE: Final = 45
_NOT_IT: Final = -2.0
_MIDNIGHTS: Final = {
    **dict.fromkeys(("de", "fr", "it", "es", "nl", "pl", "sv", "no", "da", "cs", "hu"), (22, 23)),
    "zh": (16,),
}
"""Hours in UTC at which a day begins where these languages are spoken."""
_LINES_BEFORE, _LINES_BEHIND = 10, 40
_LINES_BESIDE: Final = 3
_GOOD, _VERY_GOOD, _BEYOND_DOUBT = 3.0, 4.5, 7.0
_SAME_MOMENT: Final = 7.0
"""What it gets for being that very moment by the clock of the place."""
_AGREEING: Final = 4.0
"""What it gets for naming the day that another source names."""
_DAY_FIRST: Final = (
    *(".uk", ".au", ".nz", ".ie", ".in", ".za", ".sg", ".de", ".fr", ".es", ".it", ".at", ".ch"),
    *(".nl", ".be", ".pt", ".br", ".ar", ".cl", ".mx", ".pl", ".cz", ".ru", ".gr", ".fi", ".no"),
)
_DAY_FIRST_REGIONS: Final = frozenset(
    ("gb", "uk", "au", "nz", "ie", "in", "za", "sg", "hk", "my", "pk", "ng", "ke")
)
_MONTH_FIRST_LANGUAGES: Final = ("", "en", "zh", "ja", "ko")
_SLASHED: Final = re.compile(r"(?<![\d/-])(\d\d?)([/-])(\d\d?)\2(?:19|20)\d\d(?!\d)")
_MAX_ORDER_CHARS: Final = 50_000
_IN_QUESTION: Final = re.compile(r"\d[/-]\d\d?[/-](?:19|20)\d\d")
_MAX_SLASHED: Final = 40
_HALF_DAY: Final = re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE)
_TRADITIONAL: Final = "發國時會與點"


@dataclass(frozen=True, slots=True)
class Dated:
    """A date of publication.

    Args:
        stamp: the date.
        origin: ``jsonld``, ``meta``, ``script``, ``time``, ``text`` or ``url``.
        line: number of the line of the best printed date, -1 if none is any good.
        start: first character of that date in its line.
        end: one past its last character.
    """

    stamp: Stamp
    origin: str
    line: int = -1
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class _Candidate:
    stamp: Stamp
    score: float
    origin: str
    line: int
    start: int = 0
    end: int = 0
    is_named: bool = False


class DateSeeker:
    """Seeks the date of publication of one page.

    Args:
        tree: the page.
        page_lines: its lines.
        url: its address.
        place: number of the line of the headline.
        fetched: when the page was fetched, None if unknown.
        language: code of its language, "" if unknown.
    """

    def __init__(
        self,
        tree: PageTree,
        page_lines: PageLines,
        url: str,
        place: int,
        fetched: datetime | None = None,
        language: str = "",
    ) -> None:
        self._tree = tree
        self._lines = page_lines
        self._place = place
        self._fetched = fetched
        self._today = (fetched or datetime.now(UTC)).date()
        host = url.partition("://")[2].partition("/")[0]
        self._is_usual = (
            host.endswith(_DAY_FIRST)
            or language not in _MONTH_FIRST_LANGUAGES
            or (language == "en" and _region_of(tree) in _DAY_FIRST_REGIONS)
        )
        self._places = DatePlaces(tree, page_lines, place)
        self._host, self._midnights = host, _MIDNIGHTS.get(language, ())
        self._utc: Stamp | None = None
        stamp = stamp_of_url(url)
        self._of_url = stamp if stamp and is_plausible(stamp.day, self._today) else None

    def _is_day_first(self, line: str) -> bool:
        """The same for the dates of a line, of which most leave no doubt."""
        return self._day_first if _IN_QUESTION.search(line) else self._is_usual

    @cached_property
    def _day_first(self) -> bool:
        """Whether 5/3/2012 is the fifth of March here, as other dates of the page may tell."""
        slashed = _SLASHED.findall(self._lines.text[:_MAX_ORDER_CHARS])[:_MAX_SLASHED]
        days = sum(int(first) > 12 >= int(second) for first, _, second in slashed)
        months = sum(int(second) > 12 >= int(first) for first, _, second in slashed)
        if days != months:
            return days > months
        is_hyphened = any(mark == "-" for _, mark, _ in slashed)
        return self._is_usual or (is_hyphened and not _HALF_DAY.search(self._lines.text))

    @cached_property
    def _roc(self) -> bool:
        """Whether a year such as 101 may be one of the Republic of China."""
        text = self._lines.text
        return self._host.endswith(".tw") or any(char in text for char in _TRADITIONAL)

    def published(
        self, declared: dict[str, list[str]], without: frozenset[str] = frozenset()
    ) -> Dated | None:
        """The date of publication, None if nothing tells.

        Args:
            declared: declared dates by origin, the most telling first.
            without: origins not to be used.
        """
        declared_date = self._told(declared, without)
        self._utc = (
            declared_date.stamp if declared_date and declared_date.stamp.offset == 0 else None
        )
        of_url = self._of_url if "url" not in without else None
        near_stamp = declared_date.stamp if declared_date else of_url
        printed = self._best(near_stamp.day if near_stamp else None, without)
        if printed is None:
            declared_date = declared_date or (Dated(of_url, "url") if of_url else None)
            return declared_date or (None if "text" in without else self._labeled())
        place = printed.line, printed.start, printed.end
        if declared_date is None:
            return Dated(printed.stamp, printed.origin, *place)
        if printed.stamp.day != declared_date.stamp.day and (
            declared_date.stamp.offset == 0
            or printed.stamp.day not in declared_date.stamp.local_days()
        ):
            return (
                Dated(printed.stamp, printed.origin, *place)
                if _beats(printed, declared_date)
                else declared_date
            )
        if printed.stamp.precision > declared_date.stamp.precision:
            return Dated(printed.stamp, printed.origin, *place)
        return Dated(declared_date.stamp, declared_date.origin, *place)

    def _labeled(self) -> Dated | None:
        """The first date anywhere behind the headline whose label says that it is the one sought.

        One of the last change will do where there is no other.
        """
        changed = None
        lines, text = self._lines.lines, self._lines.text
        start = self._lines.start_of(min(self._place, len(lines) - 1)) if lines else 0
        last = start + _MAX_ORDER_CHARS
        places = [place for word in _LABELS if (place := text.find(word, start, last)) >= 0]
        for number in sorted(set(map(self._lines.line_at, places))):
            line = lines[number][:_MAX_LINE_CHARS]
            for printed in find_dates(line, day_first=self._is_day_first(line)):
                label = label_score(line[: printed.start])
                is_plain = printed.form in _CLEAR_FORMS and label and label > _NOT_IT
                is_plain = is_plain and not self._is_elsewhere(number, line, printed, label)
                if is_plain and is_plausible(printed.stamp.day, self._today):
                    shown = Dated(printed.stamp, "text", number, printed.start, printed.end)
                    if label > 0:
                        return shown
                    is_near = number < self._place + _MAX_LINES and len(line) < LONG_LINE
                    is_only = line.startswith(_EDITED) and len(line) <= _MAX_EDITED_CHARS
                    changed = changed or (shown if is_near or is_only else None)
        return changed

    def _told(self, declared: dict[str, list[str]], without: frozenset[str]) -> Dated | None:
        for origin, texts in declared.items():
            for text in texts if origin not in without else ():
                stamp = parse_iso(text) or self._of_words(text)
                if stamp and is_plausible(stamp.day, self._today):
                    return Dated(self._local(stamp), origin)
        if "script" not in without and self._marked[1]:
            stamp = stamp_of_scripts(self._tree)
            if stamp and is_plausible(stamp.day, self._today):
                return Dated(stamp, "script")
        return None

    @cached_property
    def _marked(self) -> tuple[list[int], bool]:
        near = self._place - _LINES_BEFORE, self._place + _LINES_BEHIND
        return marked_nodes(self._tree, *self._lines.runs_between(*near))

    def _local(self, stamp: Stamp) -> Stamp:
        """The day of a stamp that is midnight where the page is read, but written in UTC."""
        is_hour = stamp.offset == 0 and stamp.minute is not None and stamp.minute % 60 == 0
        if is_hour and not stamp.second and (stamp.minute or 0) // 60 in self._midnights:
            return Stamp(stamp.day + timedelta(days=1))
        return stamp

    def _of_words(self, text: str) -> Stamp | None:
        """A declared date that is not written as it should be."""
        dates = find_dates(text[:80], day_first=self._is_day_first(text[:80]))
        return dates[0].stamp if dates else None

    def _best(self, known_day: date | None, without: frozenset[str]) -> _Candidate | None:
        """The best date printed or in a time element.

        Lines are read in the order of the best score that they could have, until no line can
        do better than the best one found.
        """
        seen = [] if "time" in without else list(self._times(known_day))
        best = max((candidate.score for candidate in seen), default=0.0)
        for number in [] if "text" in without else self._hinted():
            limit = self._nearness(number) + _BEST_DATE + (_AGREEING if known_day else 0.0)
            limit += _SAME_MOMENT if self._utc and self._is_beside(number) else 0.0
            if best > 0 and best >= limit:
                break
            seen += self._printed(number, known_day)
            best = max((candidate.score for candidate in seen), default=0.0)
        return _chosen(
            [candidate for candidate in seen if is_plausible(candidate.stamp.day, self._today)]
        )

    def _printed(self, number: int, known_day: date | None) -> Iterator[_Candidate]:
        """Dates of a line."""
        line = self._lines.lines[number][:_MAX_LINE_CHARS]
        year = known_day.year if known_day else self._fetched.year if self._fetched else None
        dates = find_dates(line, roc=self._roc, day_first=self._is_day_first(line), year=year)
        if not dates and self._fetched is not None:
            relative = find_relative(line, self._fetched)
            dates = [printed for printed in relative if is_apart(line, printed.start, printed.end)]
        for printed in dates:
            score = self._standing(number, printed.stamp, known_day, printed.end - printed.start)
            label = label_score(self._before(number, line[: printed.start]))
            score += label + line_score(line, printed.start, printed.end, label)
            score -= 0.0 if printed.form in _CLEAR_FORMS else 1.0
            score += behind_score(line, printed.end)
            score += _SAME_MOMENT if self._is_same_moment(printed.stamp) else 0.0
            if score <= 0 or self._is_elsewhere(number, line, printed, label):
                continue
            place = number, printed.start, printed.end
            is_named = printed.form in _NAMED_FORMS or "." in line[printed.start : printed.end]
            yield _Candidate(printed.stamp, score, "text", *place, is_named=is_named)

    def _is_elsewhere(self, number: int, line: str, printed: Printed, label: float) -> bool:
        """Whether a date is part of a sentence, of a comment, of an item of a list of links."""
        start, end = printed.start, printed.end
        has_clock = printed.stamp.minute is not None
        is_plain = not label and not has_clock
        if number < self._place and is_plain and has_weekday_behind(line, end):  # that of today
            return True
        has_label = label >= STRONG_LABEL or behind_score(line, end) > 0
        below = "".join(self._lines.lines[number + 1 : number + 2])
        if not has_label and label >= 0 and is_of_event(line, end, below, has_clock=has_clock):
            return True
        if number != self._place and is_in_sentence(
            line,
            start,
            end,
            has_label=has_label,
            has_clock=has_clock,
            has_weak_label=label > 0,
        ):
            return True
        if self._places.is_of_comment(number) or self._places.is_in_teaser(self._node(number)):
            return True
        return not has_label and self._places.is_listed(number, line[start:end])

    def _node(self, number: int) -> int:
        """The element that holds the beginning of a line, 0 if there is no such line."""
        if not 0 <= number < len(self._lines.lines):
            return 0
        run = self._lines.runs_between(number, number)[0]
        return int(self._tree.run_node[run]) if run < len(self._tree.runs) else 0

    def _is_beside(self, number: int) -> bool:
        """Whether a line stands right behind the headline."""
        return 0 < number - self._place <= _LINES_BESIDE

    def _is_same_moment(self, stamp: Stamp) -> bool:
        """Whether a printed date may be the one declared in UTC, a day and some hours away."""
        utc_stamp = self._utc
        if (
            utc_stamp is None
            or not utc_stamp.minute
            or stamp.minute is None
            or stamp.offset is not None
        ):
            return False
        is_next = abs((stamp.day - utc_stamp.day).days) == 1
        return is_next and stamp.minute % 60 == utc_stamp.minute % 60

    def _hinted(self) -> list[int]:
        """Numbers of the lines around the headline that may hold a date."""
        lines = self._lines
        if not lines.lines:
            return []
        middle = lines.start_of(min(self._place, len(lines.lines) - 1))
        first, last = max(middle - _CHARS_BEFORE, 0), middle + _CHARS_AFTER
        line_numbers, has_rare = hinted_lines(lines.text, first, last, lines.line_at(first))
        marks = RARE_HINTS if has_rare else ()
        rare = [find_mark(lines.text, mark, first, last) for mark in marks]
        line_numbers += [lines.line_at(place) for place in rare if place >= 0]
        numbers = list(dict.fromkeys(line_numbers))
        if self._fetched is not None:
            near = range(max(self._place - 5, 0), min(self._place + 10, len(lines.lines)))
            numbers += [number for number in near if number not in numbers]
        numbers.sort(key=self._nearness, reverse=True)
        return numbers[:_MAX_LINES]

    def _before(self, number: int, start: str) -> str:
        """What stands in front of a date; the line above where nothing does, and no link."""
        if start.strip(" :：[(（|") or number == 0:
            return start[-_MAX_BEFORE:]
        above = self._lines.lines[number - 1]
        is_label = len(above) <= _MAX_LABEL_CHARS or above.endswith((":", "："))
        is_label = is_label and not self._lines.is_link(number - 1)
        return above[-20:] + start if is_label else start

    def _times(self, known_day: date | None) -> Iterator[_Candidate]:
        tree = self._tree
        nodes = tree.nodes("time")[:_MAX_TIMES]
        nodes += [] if known_day else self._marked[0][:_MAX_TIMES]
        for node, (number, _) in zip(nodes, self._lines.lines_of_nodes(nodes), strict=True):
            attrs = tree.attrs(node)
            stamp_text = attrs.get("datetime") or attrs.get("content") or ""
            stamp = parse_iso(stamp_text) or self._of_words(stamp_text)
            if stamp is None or (
                self._places.is_in_comment(node) and self._places.is_comment_on_text(number)
            ):
                continue
            stamp = self._local(stamp)
            score = self._standing(number, stamp, known_day) + role_score(attrs)
            start = tree.run_start[node]
            shown = tree.visible_runs[start : min(tree.run_end[node], start + _MAX_RUNS)]
            is_listed = score > 0 and self._places.is_listed(number, fold("".join(shown)))
            if score > 0 and not (is_listed or self._places.is_in_teaser(node)):
                yield _Candidate(stamp, score, "time", number)

    def _nearness(self, number: int) -> float:
        away = number - self._place
        score = 4.0 - (0.12 * min(away, 40) if away >= 0 else 0.5 - 0.35 * away)
        score -= 0.01 * max(away - 40, 0)
        return score - (_BELOW_TEXT if number > self._places.text_start else 0.0)

    def _standing(
        self, number: int, stamp: Stamp, known_day: date | None, n_chars: int = 0
    ) -> float:
        """How well a date stands: near the headline, with a time, agreeing with what is known."""
        score = self._nearness(number)
        score += 1.5 if stamp.minute is not None else 0.0
        if known_day is not None and known_day in stamp.local_days():
            score += _AGREEING
        if 0 <= number < len(self._lines.lines) and self._lines.is_link(number):
            away, rest = number - self._place, len(self._lines.lines[number]) - n_chars
            is_beside = 0 < away <= _LINES_BESIDE or (-_LINES_BESIDE <= away < 0 and rest < 2)
            score -= 2.5 if is_beside else 5.0
        return score


def _region_of(tree: PageTree) -> str:
    """The region of the language that a page declares, lower case: gb of en-GB."""
    language = (tree.attr(0, "lang") or tree.attr(0, "xml:lang") or "") if len(tree) else ""
    return language[:20].replace("_", "-").lower().partition("-")[2]


def _beats(printed: _Candidate, declared_date: Dated) -> bool:
    """Whether a printed date is to be believed rather than the declared one of another day.

    Declarations in UTC, or without a time zone, are a day off where it was evening. One whose day
    and month changed places is known by a printed month with a name. Else the printed date must
    stand very well, more so if it is the later one, which may be that of a change.
    """
    day, other = printed.stamp.day, declared_date.stamp.day
    days = (day - other).days
    if abs(days) == 1 and not declared_date.stamp.offset and declared_date.stamp.minute is not None:
        return printed.score >= _GOOD
    if (day.year, day.month, day.day) == (other.year, other.day, other.month):
        return printed.is_named
    return abs(days) > 1 and printed.score >= (_VERY_GOOD if days < 0 else _BEYOND_DOUBT)


def _chosen(candidates: list[_Candidate]) -> _Candidate | None:
    """The best candidate, or one that says the same more precisely and stands no later."""
    best = max(candidates, key=lambda candidate: candidate.score, default=None)
    if best is None or best.score <= 0:
        return None
    same = [
        candidate
        for candidate in candidates
        if candidate.score > 0
        and candidate.line <= best.line
        and candidate.stamp.day == best.stamp.day
    ]
    return max(same, key=lambda candidate: (candidate.stamp.precision, candidate.score))
