"""Link farms: one registered domain, endless sub-domains that link to one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.model import Anchor, Document, Resource

if TYPE_CHECKING:
    from collections.abc import Sequence


_LISTED_HOSTS = 6
_PAGES = 4
_WARES = ("发票", "彩票", "减肥", "贷款", "域名", "铃声", "招聘", "游戏币")


@dataclass(frozen=True, slots=True)
class Farm:
    """A family of spam hosts.

    Args:
        seed: seed of the web.
        domain: the registered domain; every name below it answers.
        digits: sub-domains are numbers rather than letters.
    """

    seed: int
    domain: str
    digits: bool

    def hosts(self) -> Sequence[str]:
        """The first of its hosts (the others are met by following links)."""
        return [self.host(n) for n in range(_LISTED_HOSTS)]

    def host(self, number: int) -> str:
        """A host of the farm."""
        dice = Dice(self.seed, self.domain, number)
        if self.digits:
            return f"{dice.between(1000, 999999)}.{self.domain}"
        return "".join(dice.pick("bcdfghjkmnpqrstvwxz") for _ in range(6)) + "." + self.domain

    def look(self, host: str, target: str) -> Resource | None:
        """A page of the farm: home page or one of a few others."""
        paths = ["/", *(f"/{n}.html" for n in range(1, _PAGES))]
        if target not in paths:
            return None
        dice = Dice(self.seed, self.domain, host, target)
        own = [Anchor(f"http://{host}{path}", dice.pick(_WARES)) for path in paths]
        others = [
            Anchor(f"http://{self.host(dice.below(100_000))}/", dice.pick(_WARES), "friend")
            for _ in range(30)
        ]
        ware = dice.pick(_WARES)
        document = Document(
            url=f"http://{host}{target}",
            kind="info",
            template="farm",
            title=f"{ware}{dice.pick(_WARES)}{dice.pick(words.CITIES)}",
            site_name=ware,
            notice=f"{ware}，{text.sentence(dice, _WARES)}",
            nav=tuple(own),
            friends=tuple(others),
        )
        return Resource(document=document)


def plan_farms(seed: int, count: int) -> list[Farm]:
    """The farms of a web; every second one numbers its hosts."""
    farms = []
    for n in range(count):
        dice = Dice(seed, "farm", n)
        stem = "".join(dice.pick("abcdefghijkmnpqrstuvwxyz") for _ in range(5))
        farms.append(
            Farm(seed, f"{stem}{dice.between(10, 99)}.{dice.pick(('com', 'cn'))}", n % 2 == 0)
        )
    return farms
