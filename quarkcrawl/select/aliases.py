"""Hosts that are one site (spec cwt200g, "Seed sites" 4).

Method ``md5`` is the thesis: hosts whose home pages have the same MD5 are one site. The default
adds what the MD5 of a page with a date or a counter in it cannot show: a host whose home page
redirects to the home page of another is that site too. Each group elects one name:

1. one that no later rule drops (``not_dropped``), so that the site does not fall with its name;
2. the one that the others redirect to (``redirect_target``), else
3. ``www.`` and the registered domain, else the domain itself (``nicer_name``), else
4. the one with the most pages in the lists (``most_pages``), else
5. the shortest (``shortest``), else the first in alphabetical order (``first``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args
from urllib.parse import urlsplit

from quarkcrawl.errors import ConfigError
from quarkcrawl.page import host_key
from quarkcrawl.page.urls import registered_domain
from quarkcrawl.select.validity import service_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from quarkcrawl.select.probes import Probe


def _none(_: list[str]) -> Collection[str]:
    """Nobody is dropped later."""
    return ()


AliasMethod = Literal["default", "md5"]
"""How second names of a site are found."""

METHODS: Final[tuple[str, ...]] = get_args(AliasMethod)
_REASONS = ("not_dropped", "redirect_target", "nicer_name", "most_pages", "shortest", "first")


@dataclass(frozen=True, slots=True)
class AliasGroup:
    """Names of one site.

    Args:
        name: the chosen name.
        reason: why it was chosen: the first of the rules that decided.
        others: the other names, in alphabetical order.
        evidence: for each other name, ``same_md5`` or ``redirect``.
    """

    name: str
    reason: str
    others: tuple[str, ...]
    evidence: tuple[str, ...]

    def without(self, hosts: Collection[str]) -> AliasGroup:
        """The group without some of its other names.

        Args:
            hosts: those that are left out, whether they are in the group or not.
        """
        if not any(name in hosts for name in self.others):
            return self
        pairs = zip(self.others, self.evidence, strict=True)
        left = [(name, evidence) for name, evidence in pairs if name not in hosts]
        names, evidence = tuple(name for name, _ in left), tuple(why for _, why in left)
        return AliasGroup(self.name, self.reason, names, evidence)


def check_alias_method(method: str) -> None:
    """See that there is such a method.

    Raises:
        ConfigError: there is none.
    """
    if method not in METHODS:
        raise ConfigError(f"no method {method!r}; there are {', '.join(METHODS)}", where="aliases")


def alias_groups(
    probes: Iterable[Probe],
    pages: Mapping[str, int],
    *,
    method: str = "default",
    dropped_later: Callable[[list[str]], Collection[str]] = _none,
) -> list[AliasGroup]:
    """Group the living hosts that are one site.

    Args:
        probes: one a host; those without a page are passed over.
        pages: pages of each host in the lists.
        method: ``default`` or ``md5``.
        dropped_later: those of some names that a later rule would drop.

    Returns:
        Groups of two and more, by the kept name.

    Raises:
        ConfigError: unknown method.
    """
    check_alias_method(method)
    alive = {probe.host: probe for probe in probes if probe.is_alive}
    targets = _redirects(alive) if method == "default" else {}
    groups = [sorted(group) for group in _connected(alive, targets) if len(group) > 1]
    falls = frozenset(dropped_later([name for names in groups for name in names]))
    elected = (_group(names, alive, _Votes(falls, targets, pages)) for names in groups)
    return sorted(elected, key=lambda group: group.name)


def _redirects(alive: Mapping[str, Probe]) -> dict[str, str]:
    """For each host whose home page is that of another living host, that host."""
    targets = {}
    for host, probe in alive.items():
        if not probe.hops:
            continue
        target = host_key(probe.final_url)
        if target != host and target in alive and urlsplit(probe.final_url).path == "/":
            targets[host] = target
    return targets


def _connected(alive: Mapping[str, Probe], targets: Mapping[str, str]) -> list[list[str]]:
    """Hosts that equal pages and redirects connect."""
    first: dict[str, str] = {}
    # Empty pages are alike and say nothing.
    pages = [(host, probe.md5) for host, probe in alive.items() if probe.body_bytes]
    links = [(host, first.setdefault(md5, host)) for host, md5 in pages] + list(targets.items())
    group = {host: [host] for host in alive}
    for link in links:
        smaller, larger = sorted((group[host] for host in link), key=len)
        if smaller is not larger:
            # Who joins the larger group finds it at least doubled: no host moves often.
            larger += smaller
            group.update(dict.fromkeys(smaller, larger))
    return list({id(hosts): hosts for hosts in group.values()}.values())


@dataclass(frozen=True, slots=True)
class _Votes:
    """What speaks for one name or another: who falls later, redirects, pages in the lists."""

    falls: frozenset[str]
    targets: Mapping[str, str]
    pages: Mapping[str, int]


def _group(names: list[str], alive: Mapping[str, Probe], votes: _Votes) -> AliasGroup:
    pointed = Counter(votes.targets[name] for name in names if name in votes.targets)

    def rank(name: str) -> tuple[float, ...]:
        pages = votes.pages.get(name, 0)
        return (name in votes.falls, -pointed[name], -_nicety(name), -pages, len(name))

    ordered = sorted(names, key=lambda name: (rank(name), name))
    best, second = rank(ordered[0]), rank(ordered[1])
    rule = next((i for i, (a, b) in enumerate(zip(best, second, strict=True)) if a != b), 5)
    others = tuple(sorted(ordered[1:]))
    md5s = Counter(alive[name].md5 for name in names if alive[name].body_bytes)
    evidence = tuple("same_md5" if md5s[alive[name].md5] > 1 else "redirect" for name in others)
    return AliasGroup(ordered[0], _REASONS[rule], others, evidence)


def _nicety(name: str) -> int:
    """2 for ``www.`` and a registered domain, 1 for the domain itself, else 0."""
    if service_reason(name) is not None:
        return 0
    domain = registered_domain(name)
    return 2 if name == f"www.{domain}" else int(name == domain)
