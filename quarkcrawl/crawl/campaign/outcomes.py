"""How the fetch of a URL can end, and the row that says so.

Stored, a duplicate, a redirect, dropped for a reason, or given back to be tried again: each ends
its lease in the ledger once. Whoever comes after the first ending changes nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from quarkcrawl.crawl.campaign.outages import Outages
from quarkcrawl.crawl.campaign.reasons import CHANGED, PASSING, RETRIED, STORED, UNCHANGED
from quarkcrawl.crawl.lists import ListMark, with_mark
from quarkcrawl.frontier import steady_time
from quarkcrawl.store import DropRow, DuplicateRow, RedirectRow, VisitRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign.durable import DurableGroup
    from quarkcrawl.crawl.campaign.tally import Tally
    from quarkcrawl.crawl.leases import Ledger
    from quarkcrawl.crawl.visits import KnownPage, Returning
    from quarkcrawl.frontier import Frontier, Lease, RetryOutcome
    from quarkcrawl.page import PageItem
    from quarkcrawl.store import CorpusWriter


class _Doubt(NamedTuple):
    """A page's last try that failed, while its host is asked whether it is there.

    ``was_silent``: nothing of the host has answered since the failure before.
    """

    was_silent: bool
    reason: str
    detail: str
    wait_s: float | None


@dataclass(slots=True, eq=False)
class Outcomes:
    """Endings of one crawl: rows go to the writer, leases back to the frontier.

    The tally counts every ending; the group becomes durable when enough has ended.
    """

    _config: CrawlConfig
    _writer: CorpusWriter
    _frontier: Frontier
    _ledger: Ledger
    _tally: Tally
    _group: DurableGroup
    _outages: Outages = field(init=False)
    returning: Returning | None = field(init=False, default=None)
    ask_host: Callable[[Lease], None] | None = field(init=False, default=None)
    """Asks a host, under the lease of a page, whether it is there; calls `judge`."""
    _doubts: dict[int, _Doubt] = field(init=False, default_factory=dict)
    _looks: dict[str, int] = field(init=False, default_factory=dict)
    """By host that is down: the lease under which it was last asked."""

    def __post_init__(self) -> None:
        self._outages = Outages(self._config)

    def store(self, item: PageItem) -> bool:
        """Write a page and end its lease; False if the lease has ended already."""
        if not self._ledger.is_open(item.token):
            return False
        page = self._known(item.url)
        if page is not None and page.md5 == item.md5:  # as a browser shows it, for example
            self._visited(item.token, item.url, item.host, UNCHANGED, level=item.level)
            return True
        self._outages.answered(item.host)
        row = self._writer.append_page(item)
        reason = STORED if page is None else CHANGED
        self._ledger.end(item.token, reason)
        self._tally.page(item, row.length, reason)
        if self.returning is not None:
            self.returning.stored(row, reason)
        self._after_ending()
        return True

    def unchanged(self, lease: Lease) -> None:
        """End the lease of a stored page that is as it was."""
        self._visited(lease.token, lease.url, lease.host, UNCHANGED, level=lease.level)

    def _known(self, url: str) -> KnownPage | None:
        return None if self.returning is None else self.returning.known(url)

    def _visited(self, token: int, url: str, host: str, reason: str, *, level: int) -> None:
        """End the lease of a stored page that has no new version, with a row of the visit."""
        if self._ledger.is_open(token):
            self._visit_row(url, reason, level=level)
            self._end(token, reason, host)

    def _visit_row(self, url: str, reason: str, *, level: int) -> None:
        assert self.returning is not None
        at = time.time()
        self._writer.append_row(VisitRow(url=url, reason=reason, level=level, at=at))
        self.returning.visited(url, reason, at)

    def duplicate(self, item: PageItem, owner: str) -> None:
        """End a lease whose body is stored already, with a URL == URL row."""
        if self._known(item.url) is not None:
            self._visited(item.token, item.url, item.host, "duplicate", level=item.level)
        elif self._ledger.is_open(item.token):
            self._writer.append_row(DuplicateRow(item.fetched, owner, item.links))
            self._end(item.token, "duplicate", item.host)

    def lose(self, item: PageItem) -> None:
        """Let go of a page whose lease was given to another worker; it is stored there."""
        self._ledger.forget([item.token])
        self._tally.retries += 1

    def redirect(self, lease: Lease, target: str, status: int, *, in_scope: bool) -> None:
        """End a lease whose URL redirects, with a row of the redirect table."""
        comes_back = self.returning is not None and self.returning.knows(lease.url)
        if self.returning is not None and in_scope:
            self.returning.moved(lease, target)
        if comes_back:
            self._visited(lease.token, lease.url, lease.host, "redirect", level=lease.level)
        elif self._ledger.is_open(lease.token):
            self._writer.append_row(
                RedirectRow(
                    url=lease.url,
                    target=target,
                    status=status,
                    level=lease.level,
                    fetched_at=time.time(),
                    in_scope=in_scope,
                )
            )
            self._end(lease.token, "redirect", lease.host)

    def drop(self, lease: Lease, reason: str, detail: str = "") -> None:
        """End a lease without a page, with a row of the drops table."""
        if self._ledger.is_open(lease.token):
            detail = with_mark(lease.origin, detail)
            self.drop_row(lease.url, lease.host, reason, level=lease.level, detail=detail)
            self._end(lease.token, reason, lease.host, count=False)

    def retry(self, lease: Lease, reason: str, *, wait_s: float | None = None) -> RetryOutcome:
        """Give a lease back if its failure may pass; "exhausted" if it is final.

        The wait doubles with each try, for late tries from the beginning; ``wait_s`` (Retry-After)
        also holds the host back.
        """
        if reason not in RETRIED:
            return "exhausted" if self._ledger.is_open(lease.token) else "fenced"
        pause_s = self._outages.failed(lease, reason)
        late_tries = lease.tries - self._config.max_tries + 1
        doublings = late_tries if late_tries > 0 else lease.tries - 1
        backoff_s = self._config.retry_delay_s * 2**doublings
        not_before = steady_time() + max(backoff_s, wait_s or 0.0)
        outcome = self._ledger.retry(lease.token, reason=reason, not_before=not_before)
        if outcome == "queued":
            self._tally.retries += 1
        if outcome != "fenced" and (wait_s or pause_s):
            until = steady_time() + max(pause_s, wait_s or 0.0)
            self._frontier.set_host(lease.host, not_before=until)
        return outcome

    def give_back(self, lease: Lease, not_before: float) -> None:
        """Let a URL wait again that was not asked for, and its host until then."""
        if self._ledger.is_open(lease.token):
            self._ledger.forget([lease.token])
            self._frontier.set_host(lease.host, not_before=not_before)
            self._frontier.release([lease.token])

    def waits_for_look(self, lease: Lease) -> bool:
        """Whether another request finds out just now if the host is there again.

        Then the lease is given back: a host that is held to be down gets one request at a time.
        """
        host = lease.host
        if not self._outages.is_held(host):
            self._looks.pop(host, None)
            return False
        look = self._looks.get(host)
        if look is None or look == lease.token or not self._ledger.is_open(look):
            self._looks[host] = lease.token
            return False
        self.give_back(lease, steady_time() + self._config.retry_delay_s)
        return True

    def put_off(self, lease: Lease, wait_s: float) -> bool:
        """Ask for robots.txt later, as its server says (Retry-After), without counting a try.

        False once the host has been put off for ten times as long as it said.
        """
        pause_s = self._outages.put_off(lease.host, wait_s)
        if pause_s is None:
            return False
        self._tally.retries += 1
        self.give_back(lease, steady_time() + pause_s)
        return True

    def let_in(self, lease: Lease) -> None:
        """The rules of a host are known: it asks for no more time."""
        self._outages.let_in(lease.host)

    def fail(
        self, lease: Lease, reason: str, *, detail: str = "", wait_s: float | None = None
    ) -> None:
        """Try a URL again later, or drop it if its failure is final and not that of its host."""
        is_last = lease.tries >= self._frontier.options.tries_at(lease.level)
        was_silent = self._outages.was_silent(lease)
        if self.ask_host is not None and is_last and self._outages.may_be_down(lease, reason):
            if self._ledger.is_open(lease.token):
                self._doubts[lease.token] = _Doubt(was_silent, reason, detail, wait_s)
                self.ask_host(lease)
        elif self.retry(lease, reason, wait_s=wait_s) == "exhausted":
            self.drop(lease, reason, detail)

    def has_doubts(self, token: int | None = None) -> bool:
        """Whether the host of a lease, or of any, is asked whether it is there."""
        return bool(self._doubts) if token is None else token in self._doubts

    def judge(self, lease: Lease, *, is_there: bool | None) -> None:
        """A host was asked: if it is down, the page's last try does not count.

        Nor does it if the host is there again and was not before, as far as one knows. None: it
        could not be asked, and the lease was given back.
        """
        doubt = self._doubts.pop(lease.token, None)
        if doubt is None or is_there is None:
            return
        if is_there:
            self._outages.answered(lease.host)
            pause_s = self._config.retry_delay_s if doubt.was_silent else 0.0
        else:
            pause_s = self._outages.is_down(lease.host)
        if pause_s:
            self._tally.retries += 1
            self.give_back(lease, steady_time() + max(pause_s, doubt.wait_s or 0.0))
        elif self.retry(lease, doubt.reason, wait_s=doubt.wait_s) == "exhausted":
            self.drop(lease, doubt.reason, doubt.detail)

    def close_host(self, host: str, reason: str) -> None:
        """Give a host up: what waits of it ends with ``reason`` and is listed."""
        self._frontier.close_host(host, reason=reason)
        self.list_closed()

    def leave_host(self, lease: Lease, reason: str) -> None:
        """Give a host up before a lease of it was used."""
        if lease.kind == "page":
            self.drop(lease, reason)
        else:
            self._ledger.end(lease.token, reason)
        self.close_host(lease.host, reason)

    def list_closed(self) -> None:
        """Write the drop rows of URLs that waited when their host was closed."""
        for candidate, reason in self._frontier.drain_closed():
            detail = with_mark(candidate.origin, "")
            words = candidate.url, candidate.host, reason
            self.drop_row(*words, level=candidate.level, detail=detail)

    def drop_row(self, url: str, host: str, reason: str, *, level: int, detail: str = "") -> None:
        """Count and list a URL that will not be stored."""
        comes_back = self.returning is not None and self.returning.knows(url)
        if comes_back:
            self._visit_row(url, reason, level=level)
        else:
            self._writer.append_row(
                DropRow(
                    url=url, host=host, reason=reason, detail=detail, level=level, at=time.time()
                )
            )
        self._tally.end(host, reason)
        self._tally.tried_again.discard(url)
        if reason in PASSING and not comes_back:
            self._tally.give_up(url, reason)
            if self.returning is not None:
                mark = ListMark.parse(detail)
                self.returning.gave_up(url, level, None if mark is None else str(mark), reason)

    def _end(self, token: int, reason: str, host: str, *, count: bool = True) -> None:
        self._ledger.end(token, reason)
        if reason not in RETRIED:
            self._outages.answered(host)
        if count:
            self._tally.end(host, reason)
        self._after_ending()

    def pace(self, lease: Lease, sent_at: float) -> None:
        """Count a host's delay from when its request was sent, if that was late.

        The frontier counts from the lease. A request that waited for a connection reaches the
        server later, and the next one, on the open connection, would follow it too closely.
        """
        late_s = sent_at - (lease.deadline - self._config.lease_s)
        if late_s > 0.01 * self._config.delay_s > 0:
            self._frontier.postpone(lease.host, late_s)

    def _after_ending(self) -> None:
        if self._ledger.waiting() >= self._config.commit_pages:
            self._group.commit_soon()
