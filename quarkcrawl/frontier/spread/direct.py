"""The frontier over several servers, each call done when it returns."""

from __future__ import annotations

import contextlib
import dataclasses
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import ConfigError, FrontierError
from quarkcrawl.frontier.redis import RedisFrontier, Restored, Share, unreachable
from quarkcrawl.frontier.spread.routing import RoutedFrontier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.frontier.protocol import Candidate, FrontierOptions, Lease
    from quarkcrawl.frontier.redis import AddressList
    from quarkcrawl.frontier.spread.placement import Placement


_MOST_GRANTED: Final = 4096
"""Pages at a time, to one server."""


class SpreadFrontier(RoutedFrontier[RedisFrontier]):
    """What `RedisFrontier` is on one server, on several.

    Args:
        address: all servers.
        parts: what is on each of them, in the order of the address.
        placement: which of them has what.
    """

    def __init__(
        self, address: AddressList, parts: Sequence[RedisFrontier], placement: Placement
    ) -> None:
        super().__init__(parts, placement)
        self.address: object = address

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out up to ``limit`` URLs, those first whose hosts have waited longest."""
        if self.max_campaign_pages:
            self.balance()
        ready = {
            number: at
            for number, part in enumerate(self.parts)
            if (at := part.next_ready(now=now)) is not None
        }
        leases: list[Lease] = []
        while len(leases) < limit and ready:
            number = min(ready, key=ready.__getitem__)
            part, at = self.parts[number], ready.pop(number)
            if at > now:
                break
            leases += (leased := [self._named(number, lease) for lease in part.lease(1, now=now)])
            if leased and (again := part.next_ready(now=now)) is not None:
                ready[number] = again
        return leases

    def release_worker(self, worker: str) -> int:
        """Give back, untried, every lease of a worker that is known to be dead.

        Args:
            worker: name of the worker.
        """
        return sum(self._each(lambda part: part.release_worker(worker)))

    def begin_run(self, job: str, run: str) -> list[int]:
        """Take over a job; for each server the number of the group that counts last.

        Args:
            job: name of the job.
            run: tells this process from earlier ones; hexadecimal digits.
        """
        return [number for part in self.parts for number in part.begin_run(job, run)]

    def leases_of_workers(self) -> dict[str, tuple[int, float]]:
        """Leases out and their first deadline, by worker."""
        leases: dict[str, tuple[int, float]] = {}
        for one in self._each(lambda part: part.leases_of_workers()):
            for name, (number, due) in one.items():
                before = leases.get(name, (0, due))
                leases[name] = before[0] + number, min(before[1], due)
        return leases

    # -- URLs ------------------------------------------------------------------------------

    def waiting(self) -> Iterator[tuple[Candidate, int, str]]:
        """Every URL that waits or is out, one server after the other."""
        return chain.from_iterable(part.waiting() for part in self.parts)

    def restore(self, ended: Sequence[Restored]) -> tuple[int, int]:
        """Enter URLs that have ended, as stored rows show.

        Args:
            ended: URLs with the reasons of their endings.

        Returns:
            How many the frontier did not know at all, and how many it held to be open.
        """
        of_digest = self.placement.of_digest
        bare = [dataclasses.replace(one, claims=(), led_to=()) for one in ended]
        by_server = self.placement.by_server(
            (self.placement.of_url(one.candidate.url), one) for one in bare
        )
        counted = self._some(by_server, lambda part, own: part.restore([one for _, one in own]))
        claims = [claim for one in ended for claim in one.claims]
        self._split(claims, lambda claim: of_digest(claim[1]), lambda part, own: part.claims(own))
        self.push([candidate for one in ended for candidate in one.led_to])
        return sum(new for new, _ in counted), sum(opened for _, opened in counted)

    # -- the campaign ----------------------------------------------------------------------

    @property
    def worker(self) -> str:
        """Name of this worker."""
        return self.parts[0].worker

    @property
    def max_campaign_pages(self) -> int:
        """Bound on the pages of all hosts; 0: none."""
        return self.parts[0].max_campaign_pages

    def set_rules(self, options: FrontierOptions, max_campaign_pages: int = 0) -> None:
        """Make these the rules of the campaign.

        Args:
            options: politeness and budgets.
            max_campaign_pages: bound on the pages of all hosts.

        Raises:
            ConfigError: hosts of one domain, which are to share a delay, lie on several servers.
        """
        if options.domain_delay_s and not self.placement.by_domain:
            message = "domain_delay_s must be set when a campaign over several servers begins"
            raise ConfigError(message, where=self.address)
        for part in self.parts:
            part.set_rules(options, max_campaign_pages)
        self.options = options

    def balance(self) -> None:
        """Part the pages that the campaign may still store among the servers that have URLs.

        Where nothing is left to grant and a server has URLs and no share, the others give back half
        of theirs each time: so one with slow hosts does not hold the last pages for long.
        Each server has a share and hands out no more than that; together they are the bound. The
        first server keeps the books. A server that is away keeps its share; without the first one
        nothing is granted meanwhile. Any worker may do this at any time.
        """
        most = self.max_campaign_pages
        chunk = max(1, min(_MOST_GRANTED, most // (4 * len(self.parts))))
        shares: dict[int, Share] = {}
        for number, part in enumerate(self.parts):
            with _unless_away():
                share = part.share()
                keep = min(share.pending, 2 * chunk)
                if share.left > keep:
                    returned = part.return_share(keep)
                    left = share.left - (returned - share.returned)
                    share = share._replace(left=left, returned=returned)
                shares[number] = share
        with _unless_away():
            self._grant(shares, chunk)
        if len(shares) == len(self.parts):
            is_all = sum(share.stored for share in shares.values()) >= most
            for number, share in shares.items():
                if bool(share.is_spent) != is_all:
                    with _unless_away():
                        self.parts[number].spend(is_all=is_all)

    def _grant(self, shares: dict[int, Share], chunk: int) -> None:
        """Grant more to servers that need it, those first that have least."""
        wishes = [
            (number, share, max(0, min(share.pending, chunk) - share.left))
            for number, share in sorted(shares.items(), key=lambda item: item[1].left)
        ]
        free, grants = self.parts[0].grant(wishes)
        for (number, share, _), amounts in zip(wishes, grants, strict=True):
            with _unless_away():
                if amounts != (share.granted, share.returned):
                    self.parts[number].granted(*amounts)
                if free < 0:  # the bound was lowered
                    self.parts[number].return_share(0)
        is_starved = any(
            one.left <= 0 < wish and granted <= one.granted
            for (_, one, wish), (granted, _) in zip(wishes, grants, strict=True)
        )
        if free == 0 and is_starved:  # what others hold is dealt again next time
            for number, share, _ in wishes:
                if share.left > 1:
                    with _unless_away():
                        self.parts[number].return_share(share.left // 2)

    def set_state(self, state: str) -> None:
        """Pause, drain or go on: tells all servers.

        Args:
            state: what all workers are to do.
        """
        self._each(lambda part: part.set_state(state))

    def others_at_work(self) -> bool:
        """Whether another worker reported within the last half minute."""
        return any(self._each(lambda part: part.others_at_work()))

    def reports(self) -> dict[str, dict[str, Any]]:
        """Last report of each worker that has not left; it tells every server the same."""
        latest: dict[str, dict[str, Any]] = {}
        for reports in self._each(lambda part: part.reports()):
            for name, report in reports.items():
                if report.get("seen_at", 0.0) >= latest.get(name, {}).get("seen_at", 0.0):
                    latest[name] = report
        return latest

    def memory_bytes(self) -> int:
        """Memory in use on all servers."""
        return sum(self._each(lambda part: part.memory_bytes()))

    def erase(self) -> None:
        """Delete the campaign, and close."""
        self._each(lambda part: part.erase())


@contextlib.contextmanager
def _unless_away() -> Iterator[None]:
    """Pass over a server that is away: who asks it for more than this waits for it."""
    try:
        yield
    except FrontierError as error:
        if error.__cause__ is None or not unreachable(error.__cause__):
            raise
