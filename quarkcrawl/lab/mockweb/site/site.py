"""One site: its addresses, and the links to them.

All of a page follows from the seed, the number of the host and the address, so nothing is
stored, and a site of fifty thousand pages costs no more than one of five.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.site import words
from quarkcrawl.lab.mockweb.site.layout import HOME, LAYOUTS, Address
from quarkcrawl.lab.mockweb.site.model import Anchor, Document
from quarkcrawl.lab.mockweb.site.shape import shape_of

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.hosts import HostPlan
    from quarkcrawl.lab.mockweb.site.model import PageKind


_HOT_ENTRIES = 20
_FIRST_YEAR = 2003


class Neighbors(Protocol):
    """What a site may know about the rest of the web."""

    seed: int
    spam_share: float

    def headline(self, host: int, number: int) -> str:
        """Headline of a topic page of any site (cached: lists quote many)."""
        ...

    def friends(self, host: int) -> tuple[Anchor, ...]:
        """Links to the home pages of other sites."""
        ...

    def foreign_topic(self, dice: Dice, host: int) -> Anchor:
        """A link to a topic page of another site."""
        ...


class Site:
    """A host under one of its names; `quarkcrawl.lab.mockweb.site.pages` makes its pages.

    Args:
        plan: the host.
        name: the name under which it is asked; decides the URLs, and nothing else.
        web: the rest of the web.
    """

    def __init__(self, plan: HostPlan, name: str, web: Neighbors) -> None:
        self.plan = plan
        self.web = web
        self.origin = f"{plan.scheme}://{name}"
        self.layout = LAYOUTS[plan.family]
        self.shape = shape_of(plan.n_pages, has_months=bool(self.layout.month))
        self._readers = self.layout.readers()
        first = plan.index * 5
        self.columns = tuple(
            words.COLUMNS[(first + j) % len(words.COLUMNS)] for j in range(self.shape.columns)
        )

    def dice(self, *parts: object) -> Dice:
        """Dice that depend on the host and the parts, not on the host's name."""
        return Dice(self.web.seed, self.plan.index, *parts)

    # --- addresses ---------------------------------------------------------------------------

    def read(self, target: str) -> Address | None:
        """The address that a path stands for, None if there is no such ordinary page."""
        if target == "/":
            return HOME
        for kind, reader in self._readers:
            match = reader.fullmatch(target)
            if match is None:
                continue
            address = self._address(kind, match.groupdict())
            if address is not None and self.path(address) == target:
                return address
        return None

    def _address(self, kind: str, parts: dict[str, str]) -> Address | None:
        shape = self.shape
        if kind == "topic" and shape.topics:
            number = int(parts["i"]) - 1001
            is_there = 0 <= number < shape.topics
            return Address("topic", number % shape.columns, 1, number) if is_there else None
        if kind == "list":
            return self._list_address(parts)
        if kind == "info":
            number = int(parts["i"]) - 1
            return Address("info", number=number) if 0 <= number < shape.infos else None
        numbers = [n for n in range(shape.months) if self.month(n) == parts.get("ym")]
        return Address("month", number=numbers[0]) if numbers else None

    def _list_address(self, parts: dict[str, str]) -> Address | None:
        column = int(parts["j"]) - 1 if "j" in parts else self._column_number(parts["c"])
        page = int(parts.get("p", 1))
        if 0 <= column < self.shape.columns and 1 <= page <= self.shape.list_pages(column):
            return Address("list", column, page)
        return None

    def _column_number(self, name: str) -> int:
        names = [column[0] for column in self.columns]
        return names.index(name) if name in names else -1

    def path(self, address: Address) -> str:
        """Path and query of an address."""
        column = self.columns[address.column][0] if self.columns else ""
        if address.kind == "list":
            return self.layout.list_path(column, address.column, address.page)
        if address.kind == "topic":
            date = self.date(address.number)
            return self.layout.topic_path(column, address.column, address.number, date)
        if address.kind == "month":
            return self.layout.month_path(self.month(address.number))
        return self.layout.info_path(address.number) if address.kind == "info" else "/"

    def url(self, address: Address) -> str:
        """Absolute URL of an address."""
        return self.origin + self.path(address)

    def month(self, number: int) -> str:
        """Name of a month of the site's life, as in 2008-03."""
        months = self.plan.index % 36 + number
        return f"{_FIRST_YEAR + months // 12}-{months % 12 + 1:02}"

    def date(self, number: int) -> str:
        """Date of a topic; later numbers are newer."""
        month, rest = divmod(number, self.shape.per_month)
        return f"{self.month(month)}-{1 + rest * 28 // self.shape.per_month:02}"

    # --- anchors -----------------------------------------------------------------------------

    def topic_anchor(self, number: int, role: str = "list") -> Anchor:
        """A link to a topic page with its headline."""
        address = Address("topic", number % self.shape.columns, 1, number)
        title = self.web.headline(self.plan.index, number)
        return Anchor(self.url(address), title, role)  # type: ignore[arg-type]

    @cached_property
    def nav(self) -> tuple[Anchor, ...]:
        """Home page and columns."""
        links = [Anchor(self.origin + "/", "首页")]
        for j, (_, title, _) in enumerate(self.columns):
            links.append(Anchor(self.url(Address("list", j)), title))
        return tuple(links)

    @cached_property
    def hot(self) -> tuple[Anchor, ...]:
        """The newest topics, quoted on every topic page."""
        newest = range(self.shape.topics - 1, max(-1, self.shape.topics - 1 - _HOT_ENTRIES), -1)
        return tuple(self.topic_anchor(number) for number in newest)

    @cached_property
    def footer(self) -> tuple[Anchor, ...]:
        """Info pages, and the links that lead nowhere for a crawler."""
        infos = [
            Anchor(self.url(Address("info", number=n)), self.info_title(n), "footer")
            for n in range(self.shape.infos)
        ]
        idle = [
            Anchor("", "设为首页", "footer", "javascript:void(0)"),
            Anchor("", "联系站长", "footer", "mailto:webmaster@example.com"),
        ]
        return tuple(infos + idle)

    def months(self) -> tuple[Anchor, ...]:
        """Links to all month archives, the newest first."""
        newest = range(self.shape.months - 1, -1, -1)
        return tuple(
            Anchor(self.url(Address("month", number=n)), self.month(n), "pager") for n in newest
        )

    def info_title(self, number: int) -> str:
        """Title of an info page."""
        titles = ("关于我们", "联系方式", "版权声明")
        return titles[number] if number < len(titles) else f"站务公告{number}"

    def topic_words(self, column: int) -> tuple[str, ...]:
        """Words of a column."""
        return self.columns[column][2] if self.columns else words.NOUNS

    def template(self, kind: PageKind, part: str = "") -> str:
        """Label of a template."""
        plan = self.plan
        return f"{plan.family}-{plan.markup}-{plan.variant}/{kind}{part}"

    def page(self, url: str, kind: PageKind, title: str, **fields: object) -> Document:
        """A page with the site's frame around it."""
        fields = {"nav": self.nav, "footer": self.footer, "template": self.template(kind)} | fields
        return Document(url=url, kind=kind, title=title, site_name=self.plan.site_name, **fields)  # type: ignore[arg-type]
