"""A web to choose seed sites from: hosts of every kind, with the truth about each.

Unlike the generated web of crawls (`quarkcrawl.lab.mockweb.site.generate`) it is wide and shallow:
a hundred thousand hosts are a list of small records. Sizes follow a power law; families of
generated sites have sizes too much alike, in four ways, the last of which is meant to be hard.
Honest look-alikes are planted beside them: hosting services with many hosts below one domain,
branches of one company with similar sizes, hosts below a private suffix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.dice import Dice

if TYPE_CHECKING:
    from collections.abc import Iterator


DEATHS: Final = ("hang", "reset", "empty", "garbage", "404", "500", "loop", "image")
"""Ways in which a home page cannot be had."""

SPAM_PATTERNS: Final = ("jiameng-lianmeng.com", "lianjie8.net", r"re:^[a-z]{2}[0-9]{5}[.]")
"""The spam-domain list that belongs to this web."""

_MAX_PAGES: Final = 20_000
_SYLLABLES: Final = (
    "ba", "bei", "bo", "cai", "chang", "cheng", "chun", "da", "dong", "fang", "feng", "fu",
    "gang", "guang", "hai", "han", "he", "hong", "hua", "hui", "jia", "jiang", "jin", "jing",
    "kai", "lan", "li", "lin", "long", "lu", "mei", "min", "nan", "ning", "ping", "qing", "rong",
    "shan", "sheng", "shi", "tai", "tian", "tong", "wan", "wei", "wen", "xi", "xin", "xing",
    "yan", "yang", "yi", "yong", "yu", "yuan", "yun", "zhang", "zhong", "zhou", "zi",
)  # fmt: skip
_TAILS: Final = (
    ("com", 44), ("net", 11), ("cn", 13), ("com.cn", 16), ("org", 4), ("gov.cn", 4),
    ("edu.cn", 4), ("net.cn", 2), ("org.cn", 1), ("bj.cn", 1),
)  # fmt: skip
_FORMS: Final = (("same", 45), ("few", 25), ("narrow", 22), ("wide", 8))


@dataclass(frozen=True, slots=True)
class SimHost:
    """One host and what is true of it.

    Args:
        host: host key.
        pages: how many URLs of it the lists name.
        kind: ``site``, ``hosted``, ``branch`` (all three honest), ``alias``, ``dead``,
            ``malformed``, ``port``, ``address``, ``listed``, ``digit``, ``family``.
        of: alias: the true host; family, hosted, branch: the domain.
        form: dead: the way; alias: ``same``, ``redirect`` or ``counter``; family: the form of its
            sizes; honest: ``plain``, ``retry`` (fails once), ``slow``, ``trap`` (endless pages).
        scheme: ``http`` or ``https``: how the home page is reached.
    """

    host: str
    pages: int
    kind: str
    of: str = ""
    form: str = "plain"
    scheme: str = "http"

    @property
    def url(self) -> str:
        """The home page."""
        return f"{self.scheme}://{self.host}/"


def plan_selection(seed: int, n_hosts: int) -> list[SimHost]:
    """Plan the hosts; about ``n_hosts`` of them, each name once.

    Args:
        seed: decides everything, the exponent of the size law among it.
        n_hosts: how many, at least 50.
    """
    return list(_Plan(seed, n_hosts).hosts.values())


class _Plan:
    def __init__(self, seed: int, n_hosts: int) -> None:
        self._dice = dice = Dice("selection", seed)
        self._exponent = 1.45 + 0.4 * dice.random()
        self._n_hosts = n_hosts
        self.hosts: dict[str, SimHost] = {}
        self._domains: set[str] = set()
        self._alias_forms: dict[str, str] = {}
        self._true: list[SimHost] = []
        for make, share in self._SHARES:
            n_more = len(self.hosts) + max(2, round(share * n_hosts))
            self._true = [host for host in self.hosts.values() if host.kind == "site"]
            while len(self.hosts) < n_more:
                for host in make(self, n_more - len(self.hosts)):
                    self.hosts.setdefault(host.host, host)

    def _size(self) -> int:
        """A size from the power law with tail exponent - 1."""
        value = (1.0 - self._dice.random()) ** (-1.0 / (self._exponent - 1.0))
        return int(min(value, _MAX_PAGES))

    def _word(self, low: int = 2, high: int = 3) -> str:
        count = self._dice.between(low, high)
        return "".join(self._dice.pick(_SYLLABLES) for _ in range(count))

    def _domain(self) -> str:
        """A domain that no other host has."""
        while True:
            name = f"{self._word(2, 4)}{self._dice.pick(('', '', 'wang', 'zx'))}.{self._tail()}"
            if name not in self._domains:
                self._domains.add(name)
                return name

    def _tail(self) -> str:
        return self._weighted(_TAILS)

    def _weighted(self, choices: tuple[tuple[str, int], ...]) -> str:
        mark = self._dice.below(sum(weight for _, weight in choices))
        for name, weight in choices:
            mark -= weight
            if mark < 0:
                return name
        return choices[-1][0]

    def _honest(self, host: str, kind: str, pages: int, of: str = "") -> SimHost:
        dice = self._dice
        form = self._weighted((("plain", 90), ("retry", 4), ("slow", 4), ("trap", 2)))
        return SimHost(host, pages, kind, of, form, "https" if dice.chance(0.3) else "http")

    def _site(self, _: int) -> Iterator[SimHost]:
        domain = self._domain()
        if self._dice.chance(0.05):
            domain = f"{self._word()}.github.io"  # a private suffix: every host has its owner
        yield self._honest(f"www.{domain}", "site", self._size())
        for _ in range(self._dice.below(3)):
            yield self._honest(f"{self._word(1, 2)}.{domain}", "site", self._size())

    def _hosted(self, room: int) -> Iterator[SimHost]:
        """A hosting service: honest sites of all sizes below one domain."""
        domain = self._domain()
        for _ in range(min(room, self._dice.between(8, max(12, self._n_hosts // 60)))):
            yield self._honest(f"{self._word(1, 3)}.{domain}", "hosted", self._size(), domain)

    def _branch(self, room: int) -> Iterator[SimHost]:
        """Branches of one company: one system, sizes around a common one."""
        domain, middle = self._domain(), self._dice.between(15, 250)
        for _ in range(min(room, self._dice.between(6, 30))):
            factor = 4.0 ** (self._dice.random() + self._dice.random() - 1.0)
            pages = max(1, round(middle * factor))
            yield self._honest(f"{self._word(1, 2)}.{domain}", "branch", pages, domain)

    def _alias(self, _: int) -> Iterator[SimHost]:
        true = self._dice.pick(self._true)
        form = self._weighted((("same", 60), ("redirect", 25), ("counter", 15)))
        # A home page with a counter cannot be recognized under a name that does not redirect.
        is_counted = self._alias_forms.setdefault(true.host, form) == "counter"
        if is_counted or form == "counter":
            form = "counter" if is_counted else "redirect"
        bare = true.host.removeprefix("www.")
        name = bare if bare not in self.hosts and bare != true.host else f"www.{self._domain()}"
        pages = max(1, int(true.pages * self._dice.random()))
        yield SimHost(name, pages, "alias", true.host, form, "http")

    def _dead(self, _: int) -> Iterator[SimHost]:
        yield SimHost(f"www.{self._domain()}", self._size(), "dead", form=self._dice.pick(DEATHS))

    def _malformed(self, _: int) -> Iterator[SimHost]:
        word, dice = self._word(), self._dice
        names = (
            f"www.{word}.comwww", f"www.-{word}.com", f"{word}-.com.cn", f"www.{word}.htm",
            f"www.{word}.com.cnhttp",
        )  # fmt: skip
        yield SimHost(dice.pick(names), dice.between(1, 3), "malformed")

    def _port(self, _: int) -> Iterator[SimHost]:
        port = self._dice.pick((81, 8000, 8080, 8888))
        yield SimHost(f"www.{self._domain()}:{port}", self._size(), "port")

    def _address(self, _: int) -> Iterator[SimHost]:
        parts = [61, *(self._dice.between(1, 254) for _ in range(3))]
        yield SimHost(".".join(map(str, parts)), self._size(), "address")

    def _listed(self, _: int) -> Iterator[SimHost]:
        dice = self._dice
        name = dice.pick((
            f"{self._word()}.{SPAM_PATTERNS[0]}", f"{self._word()}.{SPAM_PATTERNS[1]}",
            f"{self._word(1, 1)[:2]}{dice.between(10000, 99999)}.{self._domain()}",
        ))  # fmt: skip
        yield SimHost(name, self._size(), "listed")

    def _digit(self, _: int) -> Iterator[SimHost]:
        dice = self._dice
        name = f"{dice.between(100, 999_999)}.{self._domain()}"
        yield SimHost(name, self._size(), "digit")

    def _family(self, room: int) -> Iterator[SimHost]:
        """Generated sites below one domain, sizes too much alike."""
        dice, domain = self._dice, self._domain()
        form = self._weighted(_FORMS)
        middle = 10.0 * 30.0 ** dice.random()
        few = [round(middle * (0.7 + 0.6 * dice.random())) for _ in range(dice.between(2, 3))]
        n_members = round(8 * (max(12, self._n_hosts // 100) / 8) ** dice.random())
        for _ in range(min(max(room, 8), n_members)):
            size = {
                "same": middle,
                "few": float(dice.pick(few)),
                "narrow": middle * (0.92 + 0.16 * dice.random()),
                "wide": middle * 2.0 ** dice.random(),
            }[form]
            name = f"{self._word(1, 2)}{dice.below(10_000)}.{domain}"
            yield SimHost(name, max(1, round(size)), "family", domain, form)

    _SHARES: Final = (
        (_site, 0.42), (_hosted, 0.09), (_branch, 0.02), (_alias, 0.09), (_dead, 0.16),
        (_malformed, 0.02), (_port, 0.02), (_address, 0.02), (_listed, 0.06), (_digit, 0.03),
        (_family, 0.07),
    )  # fmt: skip
