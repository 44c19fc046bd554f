"""The hosts of a generated web: names, sizes, charsets, habits.

A plan of a few hundred bytes a host is all that is kept; pages are made when asked for. Sizes
follow Zipf's law, the host of rank r having a share proportional to 1 / r ** zipf.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb.dice import Dice

if TYPE_CHECKING:
    from collections.abc import Sequence


Charsets = Literal["mixed", "declared", "utf-8"]
Markup = Literal["table", "div", "html5"]
RobotsKind = Literal["missing", "rules", "html", "once500", "down"]

QUIRKS = tuple(
    """
idle errors redirects alias calendar robots types defaults nofollow repeat base oversize session
long deep chinese
""".split()  # noqa: SIM905 - a list is read more easily so
)
"""Habits of hostile hosts; all but ``alias`` stand in ``REGISTER`` of the quirks."""

_SYLLABLES = """
bao bei cheng chuan dong fang feng guang hai he hong hua jia jiang jin jing kang lan li
lin long lu mei ming nan ning ping qing rong rui shan sheng shi shun song tai tian tong
wan wei wen xia xiang xin xing xu yang yi ying yong yu yuan yun ze zhen zheng zhi zhong
zhou zhu
""".split()  # noqa: SIM905 - a list is read more easily so
_NAMES: tuple[tuple[str, str], ...] = (
    ("www.{n}.com.cn", "news"),
    ("bbs.{n}.net", "forum"),
    ("www.{n}.edu.cn", "portal"),
    ("{u}.blog.{n}.com", "blog"),
    ("www.{n}.sh.cn", "news"),
    ("shop.{n}.cn", "product"),
    ("www.{n}.gov.cn", "portal"),
    ("{n}.com", "blog"),
    ("club.{n}.com.cn", "forum"),
    ("www.{n}.org.cn", "news"),
    ("www.{n}.net.cn", "product"),
    ("xn--fiq228c.{n}.cn", "portal"),
    ("www.{n}.ac.cn", "news"),
)
"""Kinds of names with the family of sites that goes with them; ``xn--fiq228c`` is 中文."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """True charset of a host and what it says about it.

    Args:
        charset: codec of the bytes.
        header: charset parameter of Content-Type, "" for none.
        meta: charset in the meta element, "" for none.
    """

    charset: str
    header: str = ""
    meta: str = ""

    @property
    def is_traditional(self) -> bool:
        """Whether the text is in traditional characters."""
        return self.charset == "big5"


_DECLARED = (
    Declaration("gb18030", "", "gb2312"),
    Declaration("utf-8", "utf-8", "utf-8"),
    Declaration("gb18030", "gbk", "gbk"),
    Declaration("utf-8", "UTF-8", ""),
    Declaration("big5", "big5", "big5"),
)
_MIXED = (
    *_DECLARED,
    Declaration("gb18030", "utf-8", "gb2312"),
    Declaration("utf-8"),
    Declaration("hz", "", "hz-gb-2312"),
    Declaration("gb18030"),
    Declaration("utf-8", "gb2312", "utf-8"),
    Declaration("big5", "", ""),
    Declaration("gb18030", "iso-8859-1", "utf-8"),
    Declaration("big5", "gb2312", "big5"),
    Declaration("utf-8", "gb2312", "gb2312"),
)
_CHARSETS: dict[str, tuple[Declaration, ...]] = {
    "mixed": _MIXED,
    "declared": _DECLARED,
    "utf-8": (Declaration("utf-8", "utf-8", "utf-8"),),
}
_MARKUPS: tuple[Markup, ...] = ("table", "div", "html5")


@dataclass(frozen=True, slots=True)
class HostPlan:
    """Everything about a host from which its pages follow.

    Args:
        index: number of the host; with the seed it decides every page.
        name: host name.
        alias: a second name with the same pages, "" for none.
        scheme: http or https.
        family: layout of its URLs.
        markup: style of its HTML.
        variant: variant of the templates.
        declaration: true and declared charset.
        n_pages: ordinary pages (home, lists, topics, info pages).
        quirks: hostile habits.
        robots: what robots.txt is.
        site_name: title of the site.
    """

    index: int
    name: str
    alias: str
    scheme: str
    family: str
    markup: Markup
    variant: int
    declaration: Declaration
    n_pages: int
    quirks: frozenset[str]
    robots: RobotsKind
    site_name: str

    @property
    def names(self) -> tuple[str, ...]:
        """The name, and the alias if there is one."""
        return (self.name, self.alias) if self.alias else (self.name,)


def zipf_sizes(n_hosts: int, n_pages: int, zipf: float) -> list[int]:
    """Pages of each host, falling, at least 1 each, with a sum of exactly ``n_pages``.

    Raises:
        ConfigError: there are fewer pages than hosts, or no hosts.
    """
    if n_hosts < 1 or n_pages < n_hosts:
        raise ConfigError(f"{n_pages} pages cannot make {n_hosts} hosts with a page each")
    weights = [rank**-zipf for rank in range(1, n_hosts + 1)]
    scale = (n_pages - n_hosts) / sum(weights)
    sizes = [1 + int(weight * scale) for weight in weights]
    missing = n_pages - sum(sizes)
    for rank in range(missing):
        sizes[rank % n_hosts] += 1
    return sizes


def plan_hosts(
    seed: int,
    n_hosts: int,
    n_pages: int,
    *,
    zipf: float,
    hostile: bool,
    charsets: Charsets,
) -> list[HostPlan]:
    """Plan all hosts of a web.

    Args:
        seed: the web's seed.
        n_hosts: number of sites; aliases, link farms and, in a hostile web, one more site whose
            robots.txt is never to be had come on top.
        n_pages: ordinary pages of all sites together.
        zipf: exponent of the size law; 0 makes all hosts equal.
        hostile: give hosts quirks.
        charsets: mixed (right, wrong and missing declarations), declared (right ones), utf-8.
    """
    sizes = zipf_sizes(n_hosts, n_pages, zipf)
    taken: set[str] = set()
    plans = []
    for index, size in enumerate(sizes):
        quirks = _quirks(index, n_hosts) if hostile else frozenset[str]()
        plans.append(_plan(seed, index, size, quirks, charsets, taken))
    if hostile:
        silent = _plan(seed, n_hosts, 1, frozenset(), charsets, taken)
        plans.append(replace(silent, robots="down"))
    return plans


def _plan(
    seed: int, index: int, size: int, quirks: frozenset[str], charsets: Charsets, taken: set[str]
) -> HostPlan:
    dice = Dice(seed, "host", index)
    pattern, family = _NAMES[index % len(_NAMES)]
    name = _name(dice, pattern, taken)
    declarations: Sequence[Declaration] = _CHARSETS[charsets]
    return HostPlan(
        index=index,
        name=name,
        alias=_alias(name) if "alias" in quirks else "",
        scheme="https" if index % 7 == 3 else "http",
        family=family,
        markup=_MARKUPS[dice.below(3)],
        variant=dice.below(4),
        declaration=declarations[(index * 3 + seed) % len(declarations)],
        n_pages=size,
        quirks=quirks,
        robots=_robots(index, quirks),
        site_name=_site_name(dice, family),
    )


def _name(dice: Dice, pattern: str, taken: set[str]) -> str:
    while True:
        stem = "".join(dice.pick(_SYLLABLES) for _ in range(dice.between(3, 4)))
        if stem not in taken:
            taken.add(stem)
            return pattern.format(n=stem, u=dice.pick(_SYLLABLES) + dice.pick(_SYLLABLES))


def _alias(name: str) -> str:
    return name.removeprefix("www.") if name.startswith("www.") else "www." + name


def _quirks(index: int, n_hosts: int) -> frozenset[str]:
    """Spread the quirks so that each occurs on some host and most hosts have one or two."""
    period = min(n_hosts, len(QUIRKS))
    return frozenset(
        quirk for number, quirk in enumerate(QUIRKS) if number % period == index % period
    )


def _robots(index: int, quirks: frozenset[str]) -> RobotsKind:
    if "robots" in quirks:
        return "rules"
    if not quirks:
        return "missing"
    kinds: tuple[RobotsKind, ...] = ("missing", "html", "once500")
    return kinds[index % len(kinds)]


_SITE_NAMES = {
    "news": ("新闻网", "热线", "日报网"),
    "blog": ("的博客", "随笔", "手记"),
    "forum": ("论坛", "社区", "俱乐部"),
    "product": ("商城", "商贸网", "电子"),
    "portal": ("门户网站", "信息网", "之窗"),
}


def _site_name(dice: Dice, family: str) -> str:
    stems = "晨光 江南 新城 北方 星火 东湖 华夏 绿洲 青云 长河 海天 明珠".split()  # noqa: SIM905
    return dice.pick(stems) + dice.pick(_SITE_NAMES[family])
