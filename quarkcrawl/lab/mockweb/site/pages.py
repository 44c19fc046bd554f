"""The ordinary pages of a site, made from its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.layout import Address
from quarkcrawl.lab.mockweb.site.model import Anchor, Document, Item, Post

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.dice import Dice
    from quarkcrawl.lab.mockweb.site.site import Site


_HOME_ENTRIES = 40
_RELATED = 8


def document(site: Site, address: Address) -> Document:
    """The page at an address."""
    if address.kind == "topic":
        return _topic(site, address)
    if address.kind == "list":
        return _list(site, address)
    if address.kind == "month":
        return _month(site, address)
    return _home(site) if address.kind == "home" else _info(site, address)


def _home(site: Site) -> Document:
    newest = range(site.shape.topics - 1, max(-1, site.shape.topics - 1 - _HOME_ENTRIES), -1)
    return site.page(
        site.origin + "/",
        "home",
        site.plan.site_name,
        entries=tuple(site.topic_anchor(number) for number in newest),
        pager=site.months(),
        friends=site.web.friends(site.plan.index),
        notice=text.sentence(site.dice("home"), site.topic_words(0)),
    )


def _list(site: Site, address: Address) -> Document:
    shape, j = site.shape, address.column
    newest = shape.in_column(j) - 1 - (address.page - 1) * shape.per_page
    numbers = range(newest, max(-1, newest - shape.per_page), -1)
    title = site.columns[j][1]
    return site.page(
        site.url(address),
        "list",
        f"{title} 第{address.page}页" if address.page > 1 else title,
        column=title,
        entries=tuple(site.topic_anchor(j + shape.columns * n) for n in numbers),
        pager=_pager(site, address),
    )


def _pager(site: Site, address: Address) -> tuple[Anchor, ...]:
    """Neighbouring list pages and the last one."""
    last = site.shape.list_pages(address.column)
    pages = {address.page - 1, address.page + 1, address.page + 2, last} - {address.page}
    return tuple(
        Anchor(site.url(Address("list", address.column, page)), str(page), "pager")
        for page in sorted(pages)
        if 1 <= page <= last
    )


def _month(site: Site, address: Address) -> Document:
    first = address.number * site.shape.per_month
    last = min(site.shape.topics, first + site.shape.per_month)
    return site.page(
        site.url(address),
        "list",
        f"{site.month(address.number)} 存档",
        entries=tuple(site.topic_anchor(n) for n in range(last - 1, first - 1, -1)),
    )


def _info(site: Site, address: Address) -> Document:
    dice = site.dice("info", address.number)
    notice = text.paragraph(dice, site.topic_words(0))
    title = site.info_title(address.number)
    return site.page(site.url(address), "info", title, notice=notice)


def _topic(site: Site, address: Address) -> Document:
    dice = site.dice("topic", address.number)
    topic = site.topic_words(address.column)
    is_forum = site.plan.family == "forum"
    rare = site.plan.declaration.charset == "gb18030" and dice.chance(0.1)
    author = dice.pick(words.RARE_NAMES) if rare else text.person(dice)
    date = site.date(address.number)
    return site.page(
        site.url(address),
        "topic",
        site.web.headline(site.plan.index, address.number),
        template=site.template("topic", "-b" if address.column % 2 else ""),
        column=site.columns[address.column][1],
        date=f"{date} {dice.between(6, 22):02}:{dice.below(60):02}",
        source=dice.pick(words.SOURCES),
        author=author,
        items=() if is_forum else _items(site, dice, topic),
        posts=_posts(dice, topic, date) if is_forum else (),
        entries=site.hot,
        related=_related(site, dice, address.number),
    )


def _items(site: Site, dice: Dice, topic: tuple[str, ...]) -> tuple[Item, ...]:
    items = [Item("paragraph", text.paragraph(dice, topic)) for _ in range(dice.between(4, 14))]
    if dice.chance(0.3):
        items.insert(dice.below(len(items)), Item("picture", text.caption(dice, topic)))
    if dice.chance(0.9 if site.plan.family == "product" else 0.1):
        items.append(Item("table", "", text.table_rows(dice, topic)))
    if dice.chance(0.3):
        link = site.web.foreign_topic(dice, site.plan.index)
        items.append(Item("paragraph", f"另据报道，{link.text}，详情请看专题。", anchor=link))
    return tuple(items)


def _posts(dice: Dice, topic: tuple[str, ...], date: str) -> tuple[Post, ...]:
    first = Post(text.person(dice), date, text.paragraph(dice, topic))
    replies = [
        Post(text.person(dice), date, text.post(dice, topic)) for _ in range(dice.between(2, 9))
    ]
    return (first, *replies)


def _related(site: Site, dice: Dice, number: int) -> tuple[Anchor, ...]:
    """Other topics of the same column."""
    shape, column = site.shape, number % site.shape.columns
    size = shape.in_column(column)
    numbers = {column + shape.columns * dice.below(size) for _ in range(_RELATED)} - {number}
    return tuple(site.topic_anchor(n, "related") for n in sorted(numbers))
