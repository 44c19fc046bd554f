"""From hosts to seed sites, step by step (CWT200g thesis, 3.2 and 3.3).

    names     malformed names, before anything is fetched
    check     hosts without a home page
    aliases   second names of a site
    services  ports of their own, addresses for names
    spam      hosts of the spam-domain list
    outliers  spam families that a person accepted (or all proposed ones, on request)
    digits    names that begin with a digit
    pages     hosts with fewer than ten pages

Each step sees only what the steps before left. A site of several names keeps one that no
step drops, if it has one. Every dropped host has its step, its reason code and, where there is
one, a detail: the pattern, the kept name, the status. Hosts that a person keeps pass every step.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from quarkcrawl.errors import ConfigError
from quarkcrawl.page import host_key
from quarkcrawl.page.urls import registered_domain
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.select.aliases import AliasGroup, alias_groups, check_alias_method
from quarkcrawl.select.decisions import ACCEPT, REJECT
from quarkcrawl.select.proposals import Proposal, check_outlier_method, propose
from quarkcrawl.select.spam import SpamList
from quarkcrawl.select.validity import digit_reason, name_reason, service_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from quarkcrawl.progress import Progress
    from quarkcrawl.select.probes import Probe


StepOfSelection = Literal[
    "names", "check", "aliases", "services", "spam", "outliers", "digits", "pages"
]
"""A step of the selection."""

STEPS: Final[tuple[str, ...]] = get_args(StepOfSelection)
HOST_COLUMNS = ("host", "url", "pages", "step", "reason", "detail")
_NAME_RULES = {"names": name_reason, "services": service_reason, "digits": digit_reason}


@dataclass(frozen=True, slots=True)
class SeedSite:
    """A site to crawl; also the item of the seeds spider.

    Args:
        host: host key, as in the lists.
        url: home page to begin with: where the host's own redirects.
        pages: pages in the lists.
        md5: hexadecimal MD5 of the home page; "" if it was not asked for or there is none.
        aliases: other names of the site.
    """

    host: str
    url: str
    pages: int
    md5: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a host is left out; ``step`` is one of `STEPS`."""

    step: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step did: hosts dropped by reason, hosts left, those that a person kept."""

    name: str
    dropped: int
    left: int
    reasons: dict[str, int]
    kept: int = 0


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """How to select.

    Args:
        least_pages: hosts with fewer pages are dropped.
        aliases: method of `alias_groups`.
        outliers: method of `propose`.
        spam: patterns of hosts to drop.
        decisions: domain → ``accept``, ``reject`` or ``?``.
        drop_undecided: treat proposals that nobody decided on as accepted.
        skip: steps that are left out.
        keep: hosts that no step drops; as second names of a site they are sites of their own.
        seed: decides which sites of a proposal are drawn as examples.
    """

    least_pages: int = 10
    aliases: str = "default"
    outliers: str = "default"
    spam: SpamList = field(default_factory=lambda: SpamList.parse([]))
    decisions: Mapping[str, str] = field(default_factory=dict)
    drop_undecided: bool = False
    skip: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    seed: int = 0

    def check(self) -> None:
        """See that there is what the options name.

        Raises:
            ConfigError: no such method or step, or a number that cannot be.
        """
        if self.least_pages < 0:
            raise ConfigError(f"{self.least_pages}: has to be 0 or more", where="min_pages")
        check_alias_method(self.aliases)
        check_outlier_method(self.outliers)
        if unknown := sorted({*self.skip} - {*STEPS}):
            there_are = ", ".join(STEPS)
            raise ConfigError(f"no step {unknown[0]!r}; there are {there_are}", where="skip")


@dataclass(frozen=True, slots=True)
class Selection:
    """The result: seeds, and for every other host why not.

    Args:
        seeds: by host name.
        drops: host → step, reason, detail.
        kept: host that a person keeps → what had dropped it first.
        steps: in order, those that were done.
        groups: alias groups.
        proposals: domains that look like spam families.
        outlier_pages: pages of each host that came to the step ``outliers``, for the plot.
    """

    seeds: tuple[SeedSite, ...]
    drops: dict[str, Drop]
    steps: tuple[StepResult, ...]
    groups: tuple[AliasGroup, ...]
    proposals: tuple[Proposal, ...]
    outlier_pages: tuple[int, ...]
    kept: dict[str, Drop] = field(default_factory=dict)

    def reasons(self) -> Counter[str]:
        """Dropped hosts by reason."""
        return Counter(drop.reason for drop in self.drops.values())


def select_sites(
    counts: pa.Table,
    probes: Iterable[Probe] | None,
    options: SelectionOptions | None = None,
    *,
    on_step: Callable[[StepResult], None] | None = None,
    on_progress: Progress = no_progress,
) -> Selection:
    """Choose the seed sites.

    Args:
        counts: columns ``host``, ``url`` and ``pages``.
        probes: what the check found; None leaves out the steps ``check`` and ``aliases``.
        options: see there.
        on_step: is given what each step did as soon as it is done.
        on_progress: is told of each step.

    Raises:
        ConfigError: there is no such method or step.
    """
    options = options or SelectionOptions()
    options.check()
    run = _Run(counts, probes, options)
    for name in reported(STEPS, "steps", on_progress, total=len(STEPS)):
        done = run.do(name)
        if done is not None and on_step is not None:
            on_step(done)
    return run.result()


class _Run:
    """One selection under way; ``left`` are the hosts that no step has dropped."""

    def __init__(
        self,
        counts: pa.Table,
        probes: Iterable[Probe] | None,
        options: SelectionOptions,
    ) -> None:
        self._options = options
        hosts = counts["host"].to_pylist()
        self._pages: dict[str, int] = dict(zip(hosts, counts["pages"].to_pylist(), strict=True))
        self._urls: dict[str, str] = dict(zip(hosts, counts["url"].to_pylist(), strict=True))
        self._is_checked = probes is not None
        self._probes = {probe.host: probe for probe in probes or ()}
        self._left = list(hosts)
        self._drops: dict[str, Drop] = {}
        self._kept: dict[str, Drop] = {}
        self._steps: list[StepResult] = []
        self._groups: list[AliasGroup] = []
        self._proposals: list[Proposal] = []
        self._outlier_pages: tuple[int, ...] = ()

    def do(self, name: str) -> StepResult | None:
        """Do a step; None if it is left out."""
        if name in self._options.skip or (name in {"check", "aliases"} and not self._is_checked):
            return None
        drops = self._overruled(self._find(name))
        self._drops |= drops
        self._left = [host for host in self._left if host not in drops]
        reasons = Counter(drop.reason for drop in drops.values())
        n_kept = sum(drop.step == name for drop in self._kept.values())
        done = StepResult(name, len(drops), len(self._left), dict(reasons.most_common()), n_kept)
        self._steps.append(done)
        return done

    def _overruled(self, drops: dict[str, Drop]) -> dict[str, Drop]:
        """Drops without those of hosts that a person keeps."""
        keep = self._options.keep
        self._kept = {h: drop for h, drop in drops.items() if h in keep} | self._kept
        return {host: drop for host, drop in drops.items() if host not in keep}

    def _find(self, name: str) -> dict[str, Drop]:
        if rule := _NAME_RULES.get(name):
            reasons = ((host, rule(host)) for host in self._left)
            return {host: Drop(name, reason) for host, reason in reasons if reason is not None}
        steps = {
            "check": self._check,
            "aliases": self._aliases,
            "spam": lambda: self._spam(self._left),
            "outliers": self._outliers,
            "pages": self._sizes,
        }
        return steps[name]()

    def _check(self) -> dict[str, Drop]:
        drops = {}
        for host in self._left:
            probe = self._probes.get(host)
            if probe is None:
                drops[host] = Drop("check", "not_checked")
            elif not probe.is_alive:
                detail = f"{probe.tries} tries" if probe.tries > 1 else ""
                drops[host] = Drop("check", probe.reason, detail)
        return drops

    def _aliases(self) -> dict[str, Drop]:
        return self._elect(self._left, self._families(ACCEPT))

    def _elect(self, hosts: Iterable[str], families: set[str]) -> dict[str, Drop]:
        """Group the hosts, and drop all but the elected name of each group."""
        probes = [self._probes[host] for host in hosts if host in self._probes]
        groups = alias_groups(
            probes,
            self._pages,
            method=self._options.aliases,
            dropped_later=lambda names: self._dropped_later(names, families),
        )
        drops = {
            other: Drop("aliases", "host_alias", f"{group.name} ({evidence}, {group.reason})")
            for group in groups
            for other, evidence in zip(group.others, group.evidence, strict=True)
        }
        self._groups = [
            one for group in groups if (one := group.without(self._options.keep)).others
        ]
        return self._overruled(drops)

    def _dropped_later(self, names: list[str], families: set[str]) -> set[str]:
        """Names that the steps after this one drop."""
        skip = self._options.skip
        rules = [_NAME_RULES[step] for step in ("services", "digits") if step not in skip]
        falls = {name for name in names if any(rule(name) is not None for rule in rules)}
        if "spam" not in skip:
            falls |= self._spam(names).keys()
        if "outliers" not in skip:
            falls |= {name for name in names if registered_domain(name) in families}
        if "pages" not in skip:
            falls |= {name for name in names if self._pages[name] < self._options.least_pages}
        return falls - self._options.keep

    def _spam(self, hosts: list[str]) -> dict[str, Drop]:
        """Patterns hold for a host's own name and for the one that it redirects to."""
        homes = [host_key(self._home(host)) for host in hosts]
        spam = self._options.spam
        own, other = spam.match_all(hosts), spam.match_all(homes)
        return {
            host: Drop("spam", "spam_host", a or f"{b} ({home})")
            for host, home, a, b in zip(hosts, homes, own, other, strict=True)
            if a is not None or b is not None
        }

    def _outliers(self) -> dict[str, Drop]:
        options = self._options
        pages = [self._pages[host] for host in self._left]
        self._outlier_pages = tuple(pages)
        self._proposals = propose(
            self._left,
            pages,
            method=options.outliers,
            least_pages=options.least_pages,
            seed=options.seed,
        )
        dropped = self._families(ACCEPT)
        if options.drop_undecided:
            proposed = {one.domain for one in self._proposals}
            undecided = proposed - self._families(ACCEPT) - self._families(REJECT)
            dropped |= undecided
            self._elect_beside(undecided)
        if not dropped:
            return {}
        domains = ((host, registered_domain(host)) for host in self._left)
        return {h: Drop("outliers", "spam_family", d) for h, d in domains if d in dropped}

    def _families(self, word: str) -> set[str]:
        """Domains of which a person said this."""
        return {domain for domain, said in self._options.decisions.items() if said == word}

    def _elect_beside(self, families: set[str]) -> None:
        """Give sites that a family would take along another of their names.

        Families are known only now: they are proposed from the names that were elected.
        """
        left = set(self._left)
        barred = families | self._families(ACCEPT)
        survivors = left - self._options.keep
        lost = [
            g for g in self._groups if g.name in survivors and registered_domain(g.name) in families
        ]
        lost = [g for g in lost if set(g.others) - self._dropped_later(list(g.others), barred)]
        names = [name for group in lost for name in (group.name, *group.others)]
        others = [group for group in self._groups if group not in lost]
        drops = self._elect(names, barred)
        self._groups = sorted([*others, *self._groups], key=lambda group: group.name)
        left = left.union(names) - drops.keys()
        self._left = [host for host in self._pages if host in left]
        for name in names:
            self._drops.pop(name, None)
        self._drops |= drops

    def _sizes(self) -> dict[str, Drop]:
        sizes = ((host, self._pages[host]) for host in self._left)
        least = self._options.least_pages
        return {h: Drop("pages", "few_pages", f"{n} pages") for h, n in sizes if n < least}

    def _home(self, host: str) -> str:
        """The home page to begin with: a redirect to another home page is followed."""
        probe = self._probes.get(host)
        if probe is None or not probe.hops:
            return self._urls[host]
        scheme, _, rest = probe.final_url.partition("://")
        target, _, path = rest.partition("/")
        return f"{scheme}://{target}/" if target != host and not path else f"{scheme}://{host}/"

    def result(self) -> Selection:
        others = {group.name: group.others for group in self._groups}
        seeds = tuple(
            SeedSite(
                host, self._home(host), self._pages[host], self._md5(host), others.get(host, ())
            )
            for host in sorted(self._left)
        )
        return Selection(
            seeds,
            self._drops,
            tuple(self._steps),
            tuple(self._groups),
            tuple(self._proposals),
            self._outlier_pages,
            self._kept,
        )

    def _md5(self, host: str) -> str:
        probe = self._probes.get(host)
        return "" if probe is None else probe.md5


def hosts_table(counts: pa.Table, selection: Selection) -> pa.Table:
    """Every host of the counts with its step and reason; both are null for a seed.

    ``overruled`` says of a host that a person keeps what had dropped it.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    drops = [selection.drops.get(host) for host in counts["host"].to_pylist()]
    columns: dict[str, Any] = {name: counts[name] for name in ("host", "url", "pages")}
    for name in ("step", "reason", "detail"):
        values = [None if drop is None else getattr(drop, name) for drop in drops]
        columns[name] = pa.array(values, pa.string())
    overruled = [selection.kept.get(host) for host in counts["host"].to_pylist()]
    said = [None if drop is None else f"{drop.step}: {drop.reason}" for drop in overruled]
    columns["overruled"] = pa.array(said, pa.string())
    return pa.table(columns)
