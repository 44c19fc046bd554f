"""The generated web: a Chinese web from a seed, clean or hostile.

Everything is computed when it is asked for, from the seed, the host and the path: a web of a
hundred thousand pages takes the memory of its list of hosts. The same arguments give the same
bytes in every process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Self

from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.answers import Answers
from quarkcrawl.lab.mockweb.site.farm import plan_farms
from quarkcrawl.lab.mockweb.site.hosts import Declaration, HostPlan, plan_hosts
from quarkcrawl.lab.mockweb.site.layout import HOME
from quarkcrawl.lab.mockweb.site.model import Anchor, Resource, nowhere
from quarkcrawl.lab.mockweb.site.rendering import Dress, to_reply
from quarkcrawl.lab.mockweb.site.site import Site
from quarkcrawl.lab.mockweb.web import Ask, MockReply, Web

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.lab.mockweb.site.farm import Farm
    from quarkcrawl.lab.mockweb.site.hosts import Charsets


_SITES_KEPT = 512
_HEADLINES_KEPT = 1 << 15
_FRIENDS = 6
_FARMS = 2
_NOWHERE = "http://www.gone.invalid/"
_FARM_DRESS = Dress("table", 0, Declaration("gb18030", "", "gb2312"), hostile=True)


class MiniWeb(Web):
    """A generated web.

    Args:
        seed: decides everything.
        n_hosts: number of ordinary sites, the largest first.
        n_pages: home, list, topic and info pages of all sites together; the pages of hostile
            habits, of link farms and under alias names come on top.
        zipf: exponent of the size law; 0 gives all sites the same size.
        hostile: with traps, errors, spam, wrong charsets and the rest, or clean.
        charsets: ``mixed`` (right, wrong and missing declarations; the default if hostile),
            ``declared`` (several charsets, rightly declared; the default if clean), ``utf-8``.

    Raises:
        ConfigError: there are fewer pages than hosts, or no hosts.
    """

    def __init__(
        self,
        seed: int = 0,
        n_hosts: int = 20,
        n_pages: int = 1000,
        *,
        zipf: float = 1.0,
        hostile: bool = True,
        charsets: Charsets | None = None,
    ) -> None:
        self.seed = seed
        self.n_pages = n_pages
        self.zipf = zipf
        self.hostile = hostile
        self.spam_share = 0.0
        self.charsets: Charsets = charsets or ("mixed" if hostile else "declared")
        self.plans = plan_hosts(
            seed, n_hosts, n_pages, zipf=zipf, hostile=hostile, charsets=self.charsets
        )
        self.farms: list[Farm] = plan_farms(seed, _FARMS) if hostile else []
        self._plan_of = {name: plan for plan in self.plans for name in plan.names}
        self._farm_of = {farm.domain: farm for farm in self.farms}
        self.answers = lru_cache(_SITES_KEPT)(self._answers)
        self._headline = lru_cache(_HEADLINES_KEPT)(self._make_headline)

    @classmethod
    def demo(cls) -> Self:
        """The web of ``make demo``: 12 sites, 600 pages, every habit on some site."""
        return cls(seed=2006, n_hosts=12, n_pages=600, zipf=0.7)

    def with_spam(self, share: float) -> Self:
        """The same web, where spam stands in the place of some topic pages of good hosts.

        Their kinds are those of `SPAM_KINDS`; `PageTruth.spam` tells which is which.

        Args:
            share: share of the topic pages.
        """
        other = type(self)(
            self.seed, len(self._ordinary()), self.n_pages,
            zipf=self.zipf, hostile=self.hostile, charsets=self.charsets,
        )  # fmt: skip
        other.spam_share = share
        return other

    def arguments(self) -> list[str]:
        """The command line of ``python -m quarkcrawl.lab.mockweb`` that serves this web."""
        words_ = ["--seed", self.seed, "--hosts", len(self._ordinary()), "--pages", self.n_pages]
        words_ += ["--zipf", self.zipf, "--charsets", self.charsets]
        words_ += ["--spam-share", self.spam_share] if self.spam_share else []
        return [*map(str, words_), *([] if self.hostile else ["--clean"])]

    def _ordinary(self) -> list[HostPlan]:
        return [plan for plan in self.plans if plan.robots != "down"]

    # --- the Web protocol --------------------------------------------------------------------

    def hosts(self) -> Sequence[str]:
        """All names: sites, aliases, the listed hosts of farms, the farms' domains with ``*.``."""
        names = list(self._plan_of)
        for farm in self.farms:
            names += [*farm.hosts(), f"*.{farm.domain}"]
        return names

    def respond(self, ask: Ask) -> MockReply:
        """Render what is at a URL; the other scheme of a host redirects to its own."""
        plan = self._plan_of.get(ask.host)
        if plan is not None and ask.scheme != plan.scheme:
            location = f"{plan.scheme}://{ask.host}{ask.target}"
            return MockReply(301, (("Location", location), ("Content-Type", "text/html")))
        resource = self.look(ask.host, ask.target)
        dress = self._dress(plan) if plan else _FARM_DRESS
        return to_reply(resource.at(ask.visit), ask, dress)

    # --- the model ---------------------------------------------------------------------------

    def look(self, host: str, target: str) -> Resource:
        """What is at a host and path; 404 where nothing is.

        Args:
            host: name of the host.
            target: path and query.
        """
        if host in self._plan_of:
            return self.answers(host).look(target)
        farm = self.farm_of(host)
        return (farm.look(host, target) if farm else None) or nowhere()

    def plan_of(self, host: str) -> HostPlan | None:
        """The plan of a site by its name or alias.

        Args:
            host: name of the host.
        """
        return self._plan_of.get(host)

    def farm_of(self, host: str) -> Farm | None:
        """The farm that a host belongs to.

        Args:
            host: name of the host.
        """
        return self._farm_of.get(host.partition(".")[2])

    def home(self, host: str) -> str:
        """URL of a host's home page.

        Args:
            host: name of the host.
        """
        plan = self._plan_of.get(host)
        return f"{plan.scheme if plan else 'http'}://{host}/"

    def _answers(self, name: str) -> Answers:
        return Answers(Site(self._plan_of[name], name, self))

    def _site(self, index: int) -> Site:
        return self.answers(self.plans[index].name).site

    def _dress(self, plan: HostPlan) -> Dress:
        return Dress(plan.markup, plan.variant, plan.declaration, hostile=self.hostile)

    # --- what sites know of one another ------------------------------------------------------

    def headline(self, host: int, number: int) -> str:
        """Headline of a topic page (kept for a while: lists quote many).

        Args:
            host: number of the site.
            number: number of the page.
        """
        return self._headline(host, number)

    def _make_headline(self, host: int, number: int) -> str:
        site = self._site(host)
        topic = site.columns[number % site.shape.columns][2]
        return text.headline(Dice(self.seed, host, "headline", number), topic)

    def friends(self, host: int) -> tuple[Anchor, ...]:
        """Home pages of some other sites; hostile webs add spam and dead names.

        Args:
            host: number of the site.
        """
        dice = Dice(self.seed, host, "friends")
        numbers = dict.fromkeys(dice.below(len(self.plans)) for _ in range(_FRIENDS))
        links = [
            Anchor(self.home(plan.name), plan.site_name, "friend")
            for plan in (self.plans[n] for n in numbers if n != host)
        ]
        if self.hostile:
            farm = dice.pick(self.farms)
            links.append(Anchor(f"http://{farm.host(dice.below(1000))}/", "特价", "friend"))
            links.append(Anchor(_NOWHERE, "老朋友", "friend"))
        return tuple(links)

    def foreign_topic(self, dice: Dice, host: int) -> Anchor:
        """A topic page of another site, or its home page if it has none.

        Args:
            dice: chance.
            host: number of the site that links.
        """
        others = len(self.plans) - 1
        if not others:
            return Anchor(_NOWHERE, "老朋友", "text")
        other = self._site((host + 1 + dice.below(others)) % (others + 1))
        if not other.shape.topics:
            return Anchor(other.url(HOME), dice.pick(words.SOURCES), "text")
        return other.topic_anchor(dice.below(other.shape.topics), "text")
