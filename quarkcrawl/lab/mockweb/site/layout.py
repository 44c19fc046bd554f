"""URL layouts of site families: which addresses a site has, and what each stands for.

A layout turns an address into a path and back. Reading is by pattern and then by writing the
address again: only what comes out as it went in exists, everything else is a 404.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["home", "list", "topic", "month", "info"]


@dataclass(frozen=True, slots=True)
class Address:
    """A page of a site.

    Args:
        kind: home, list (page ``page`` of column ``column``), topic (``number``), month archive
            (``number`` counts months) or info page (``number``).
        column: index of the column.
        page: page of a list, from 1.
        number: index of a topic, month or info page.
    """

    kind: Kind
    column: int = 0
    page: int = 1
    number: int = 0


HOME = Address("home")


@dataclass(frozen=True, slots=True)
class PathPatterns:
    """Path patterns of a family.

    The patterns are format strings over ``c`` (column name), ``j`` (column number from 1),
    ``p`` (list page), ``i`` (topic number from 1001), ``ym`` (month, 2008-03), ``d`` (day).

    Args:
        name: name of the family.
        first: first page of a column.
        later: further pages.
        topic: topic page.
        month: month archive, "" if the family has none.
        info: info page.
    """

    name: str
    first: str
    later: str
    topic: str
    month: str
    info: str

    def list_path(self, column: str, j: int, page: int) -> str:
        """Path of a list page."""
        pattern = self.first if page == 1 else self.later
        return pattern.format(c=column, j=j + 1, p=page)

    def topic_path(self, column: str, j: int, number: int, date: str) -> str:
        """Path of a topic page published on ``date`` (2008-03-12)."""
        return self.topic.format(c=column, j=j + 1, i=number + 1001, ym=date[:7], d=date[8:])

    def month_path(self, month: str) -> str:
        """Path of a month archive (2008-03)."""
        return self.month.format(ym=month)

    def info_path(self, number: int) -> str:
        """Path of an info page."""
        return self.info.format(i=number + 1)

    def readers(self) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
        """For each kind of page the pattern that reads its paths."""
        pairs: list[tuple[Kind, str]] = [
            ("topic", self.topic),
            ("list", self.first),
            ("list", self.later),
            ("info", self.info),
        ]
        if self.month:
            pairs.append(("month", self.month))
        return tuple((kind, _pattern(text)) for kind, text in pairs)


_GROUPS = {
    "c": r"(?P<c>[a-z]+)",
    "j": r"(?P<j>\d+)",
    "p": r"(?P<p>\d+)",
    "i": r"(?P<i>\d+)",
    "ym": r"(?P<ym>\d{4}-\d\d)",
    "d": r"(?P<d>\d\d)",
}


def _pattern(text: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", text)
    return re.compile(
        "".join(_GROUPS[piece] if odd % 2 else re.escape(piece) for odd, piece in enumerate(pieces))
    )


# Name; paths of the first page of a column, of further pages, topics, months (-: none), info pages.
_FAMILIES = """
news /{c}/ /{c}/index_{p}.htm /{c}/{ym}/{d}/content_{i}.htm - /about/{i}.htm
blog /category/{c}/ /category/{c}/page/{p}/ /archives/{i}.html /date/{ym}/ /page-{i}.html
forum /forumdisplay.php?fid={j} /forumdisplay.php?fid={j}&page={p} /viewthread.php?tid={i} - \
/faq.php?action={i}
product /list.asp?cid={j} /list.asp?cid={j}&page={p} /show.asp?id={i} - /company.asp?id={i}
portal /{c}/index.shtml /{c}/list_{p}.shtml /{c}/{i}.shtml - /{i}.shtml
"""

LAYOUTS = {
    line.split()[0]: PathPatterns(*("" if path == "-" else path for path in line.split()))
    for line in _FAMILIES.strip().split("\n")
}
