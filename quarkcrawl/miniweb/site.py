"""One site: from an address to the page that stands there.

All of a page follows from the seed, the number of the host and the address, so nothing is
stored, and a site of fifty thousand pages costs no more than one of five.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from quarkcrawl.miniweb import text, words
from quarkcrawl.miniweb.dice import Dice
from quarkcrawl.miniweb.layout import HOME, LAYOUTS, Address
from quarkcrawl.miniweb.model import Anchor, Document, Item, Post

if TYPE_CHECKING:
    from quarkcrawl.miniweb.hosts import HostPlan
    from quarkcrawl.miniweb.model import PageKind

__all__ = ["Neighbours", "Shape", "Site", "shape_of"]

_HOME_ENTRIES = 40
_HOT_ENTRIES = 20
_RELATED = 8
_FIRST_YEAR = 2003


class Neighbours(Protocol):
    """What a site may know about the rest of the web."""

    seed: int

    def headline(self, host: int, number: int) -> str:
        """Headline of a topic page of any site (cached: lists quote many)."""
        ...

    def friends(self, host: int) -> tuple[Anchor, ...]:
        """Links to the home pages of other sites."""
        ...

    def foreign_topic(self, dice: Dice, host: int) -> Anchor:
        """A link to a topic page of another site."""
        ...


@dataclass(frozen=True, slots=True)
class Shape:
    """How many pages of each kind a site has.

    Args:
        topics: topic pages.
        columns: columns, each with lists.
        per_page: entries of a list page.
        per_month: topics published in a month.
        months: month archives.
        infos: info pages.
    """

    topics: int
    columns: int
    per_page: int
    per_month: int
    months: int
    infos: int

    def in_column(self, column: int) -> int:
        """Topics of a column."""
        return max(0, (self.topics - column + self.columns - 1) // self.columns)

    def list_pages(self, column: int) -> int:
        """List pages of a column."""
        return max(1, -(-self.in_column(column) // self.per_page))


def shape_of(n_pages: int, *, has_months: bool) -> Shape:
    """Divide pages among kinds: as many topics as fit, the rest info pages."""
    topics = n_pages - 1
    while topics > 0:
        shape = _shape(topics, has_months=has_months, infos=0)
        used = 1 + topics + shape.months + sum(map(shape.list_pages, range(shape.columns)))
        if used <= n_pages:
            return _shape(topics, has_months=has_months, infos=n_pages - used)
        topics -= max(1, (used - n_pages) // 2)
    return Shape(0, 0, 20, 12, 0, n_pages - 1)


def _shape(topics: int, *, has_months: bool, infos: int) -> Shape:
    columns = max(1, min(len(words.COLUMNS), topics // 40 + 1))
    per_page = max(20, min(60, -(-topics // columns)))
    per_month = max(12, -(-topics // 96))
    months = -(-topics // per_month) if has_months else 0
    return Shape(topics, columns, per_page, per_month, months, infos)


class Site:
    """The ordinary pages of a host under one of its names.

    Args:
        plan: the host.
        name: the name under which it is asked; decides the URLs, and nothing else.
        web: the rest of the web.
    """

    def __init__(self, plan: HostPlan, name: str, web: Neighbours) -> None:
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

    def _address(self, kind: str, found: dict[str, str]) -> Address | None:
        shape = self.shape
        if kind == "topic" and shape.topics:
            number = int(found["i"]) - 1001
            known = 0 <= number < shape.topics
            return Address("topic", number % shape.columns, 1, number) if known else None
        if kind == "list":
            return self._list_address(found)
        if kind == "info":
            number = int(found["i"]) - 1
            return Address("info", number=number) if 0 <= number < shape.infos else None
        numbers = [n for n in range(shape.months) if self.month(n) == found.get("ym")]
        return Address("month", number=numbers[0]) if numbers else None

    def _list_address(self, found: dict[str, str]) -> Address | None:
        column = int(found["j"]) - 1 if "j" in found else self._column_number(found["c"])
        page = int(found.get("p", 1))
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
            Anchor(self.url(Address("info", number=n)), _info_title(n), "footer")
            for n in range(self.shape.infos)
        ]
        idle = [
            Anchor("", "设为首页", "footer", "javascript:void(0)"),
            Anchor("", "联系站长", "footer", "mailto:webmaster@example.com"),
        ]
        return tuple(infos + idle)

    def _months(self) -> tuple[Anchor, ...]:
        newest = range(self.shape.months - 1, -1, -1)
        return tuple(
            Anchor(self.url(Address("month", number=n)), self.month(n), "pager") for n in newest
        )

    # --- pages -------------------------------------------------------------------------------

    def document(self, address: Address) -> Document:
        """The page at an address."""
        if address.kind == "topic":
            return self._topic(address)
        if address.kind == "list":
            return self._list(address)
        if address.kind == "month":
            return self._month(address)
        return self._home() if address.kind == "home" else self._info(address)

    def template(self, kind: PageKind, part: str = "") -> str:
        """Label of a template."""
        plan = self.plan
        return f"{plan.family}-{plan.markup}-{plan.variant}/{kind}{part}"

    def page(self, url: str, kind: PageKind, title: str, **fields: object) -> Document:
        """A page with the site's frame around it."""
        fields = {"nav": self.nav, "footer": self.footer, "template": self.template(kind)} | fields
        return Document(url=url, kind=kind, title=title, site_name=self.plan.site_name, **fields)  # type: ignore[arg-type]

    def _home(self) -> Document:
        newest = range(self.shape.topics - 1, max(-1, self.shape.topics - 1 - _HOME_ENTRIES), -1)
        return self.page(
            self.origin + "/",
            "home",
            self.plan.site_name,
            entries=tuple(self.topic_anchor(number) for number in newest),
            pager=self._months(),
            friends=self.web.friends(self.plan.index),
            notice=text.sentence(self.dice("home"), self._topic_words(0)),
        )

    def _list(self, address: Address) -> Document:
        shape, j = self.shape, address.column
        newest = shape.in_column(j) - 1 - (address.page - 1) * shape.per_page
        numbers = range(newest, max(-1, newest - shape.per_page), -1)
        title = self.columns[j][1]
        return self.page(
            self.url(address),
            "list",
            f"{title} 第{address.page}页" if address.page > 1 else title,
            column=title,
            entries=tuple(self.topic_anchor(j + shape.columns * n) for n in numbers),
            pager=self._pager(address),
        )

    def _pager(self, address: Address) -> tuple[Anchor, ...]:
        """Neighbouring list pages and the last one."""
        last = self.shape.list_pages(address.column)
        pages = {address.page - 1, address.page + 1, address.page + 2, last} - {address.page}
        return tuple(
            Anchor(self.url(Address("list", address.column, page)), str(page), "pager")
            for page in sorted(pages)
            if 1 <= page <= last
        )

    def _month(self, address: Address) -> Document:
        first = address.number * self.shape.per_month
        last = min(self.shape.topics, first + self.shape.per_month)
        return self.page(
            self.url(address),
            "list",
            f"{self.month(address.number)} 存档",
            entries=tuple(self.topic_anchor(n) for n in range(last - 1, first - 1, -1)),
        )

    def _info(self, address: Address) -> Document:
        dice = self.dice("info", address.number)
        notice = text.paragraph(dice, self._topic_words(0))
        title = _info_title(address.number)
        return self.page(self.url(address), "info", title, notice=notice)

    def _topic(self, address: Address) -> Document:
        dice = self.dice("topic", address.number)
        topic = self._topic_words(address.column)
        is_forum = self.plan.family == "forum"
        rare = self.plan.declaration.charset == "gb18030" and dice.chance(0.1)
        author = dice.pick(words.RARE_NAMES) if rare else text.person(dice)
        date = self.date(address.number)
        return self.page(
            self.url(address),
            "topic",
            self.web.headline(self.plan.index, address.number),
            template=self.template("topic", "-b" if address.column % 2 else ""),
            column=self.columns[address.column][1],
            date=f"{date} {dice.between(6, 22):02}:{dice.below(60):02}",
            source=dice.pick(words.SOURCES),
            author=author,
            items=() if is_forum else self._items(dice, topic),
            posts=self._posts(dice, topic, date) if is_forum else (),
            entries=self.hot,
            related=self._related(dice, address.number),
        )

    def _topic_words(self, column: int) -> tuple[str, ...]:
        return self.columns[column][2] if self.columns else words.NOUNS

    def _items(self, dice: Dice, topic: tuple[str, ...]) -> tuple[Item, ...]:
        items = [Item("paragraph", text.paragraph(dice, topic)) for _ in range(dice.between(4, 14))]
        if dice.chance(0.3):
            items.insert(dice.below(len(items)), Item("picture", text.caption(dice, topic)))
        if dice.chance(0.9 if self.plan.family == "product" else 0.1):
            items.append(Item("table", "", text.table_rows(dice, topic)))
        if dice.chance(0.3):
            link = self.web.foreign_topic(dice, self.plan.index)
            items.append(Item("paragraph", f"另据报道，{link.text}，详情请看专题。", anchor=link))
        return tuple(items)

    def _posts(self, dice: Dice, topic: tuple[str, ...], date: str) -> tuple[Post, ...]:
        first = Post(text.person(dice), date, text.paragraph(dice, topic))
        replies = [
            Post(text.person(dice), date, text.post(dice, topic)) for _ in range(dice.between(2, 9))
        ]
        return (first, *replies)

    def _related(self, dice: Dice, number: int) -> tuple[Anchor, ...]:
        """Other topics of the same column."""
        shape, column = self.shape, number % self.shape.columns
        size = shape.in_column(column)
        chosen = {column + shape.columns * dice.below(size) for _ in range(_RELATED)} - {number}
        return tuple(self.topic_anchor(n, "related") for n in sorted(chosen))


def _info_title(number: int) -> str:
    titles = ("关于我们", "联系方式", "版权声明")
    return titles[number] if number < len(titles) else f"站务公告{number}"
