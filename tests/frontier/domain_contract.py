"""Hosts of one registered domain that share a delay and a concurrency, by setting."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from tests.frontier.steps import end, page, urls

if TYPE_CHECKING:
    from quarkcrawl.frontier import Frontier
    from tests.frontier.machine import Backend
    from tests.frontier.steps import Make

__all__ = ["DomainContract"]

FAMILY = ["a.sina.com.cn", "b.sina.com.cn", "sina.com.cn", "c.d.sina.com.cn:8080"]
STRANGERS = ["x.github.io", "y.github.io", "com.cn", "10.0.0.1", "10.0.0.2"]


def offered(frontier: Frontier, names: list[str], number: int = 2) -> None:
    frontier.push([page(n, 1, name) for n in range(number) for name in names])


class DomainContract:
    def test_hosts_of_a_domain_share_its_delay(self, make: Make) -> None:
        frontier = make(delay_s=1.0, domain_delay_s=4.0)
        offered(frontier, FAMILY)
        times, asked = [], []
        while (ready := frontier.next_ready(now=0)) is not None:
            now = max(0.0, ready)
            assert frontier.lease(9, now=now - 0.01) == []
            (lease,) = frontier.lease(9, now=now)
            times.append(now)
            asked.append(lease.host)
            end(frontier, [lease])
        assert times == [4.0 * n for n in range(8)]
        assert sorted(asked) == sorted(FAMILY * 2)
        assert sorted(asked[:4]) == sorted(FAMILY), "each has its turn"

    def test_hosts_of_different_owners_share_nothing(self, make: Make) -> None:
        frontier = make(delay_s=0.0, domain_delay_s=4.0)
        offered(frontier, STRANGERS, 1)
        assert sorted(lease.host for lease in frontier.lease(9, now=0)) == sorted(STRANGERS)

    def test_without_the_setting_hosts_share_nothing(self, make: Make) -> None:
        frontier = make(delay_s=1.0)
        offered(frontier, FAMILY)
        assert len(frontier.lease(9, now=0)) == 4

    @pytest.mark.parametrize(
        "ending", ["acknowledge", "fetched", "settle", "retry", "release", "reap"]
    )
    def test_hosts_of_a_domain_share_its_concurrency(self, make: Make, ending: str) -> None:
        frontier = make(delay_s=0.0, domain_delay_s=1.0, concurrency=2, lease_s=100.0)
        offered(frontier, FAMILY)
        leases = frontier.lease(9, now=0) + frontier.lease(9, now=1)
        assert len(leases) == 2
        assert frontier.next_ready(now=1) == inf
        assert frontier.lease(9, now=50) == []
        token = leases[0].token
        if ending == "acknowledge":
            end(frontier, leases[:1])
        elif ending == "fetched":
            frontier.fetched([token], now=50)
        elif ending == "settle":
            frontier.settle([token])
        elif ending == "retry":
            frontier.retry(token, reason="dns", not_before=0)
        elif ending == "release":
            frontier.release([token])
        else:
            assert frontier.reap(now=100.5) == 1
        assert len(frontier.lease(9, now=101)) == 1
        assert frontier.lease(9, now=200) == []
        if ending in {"fetched", "settle"}:  # ended later, it is not counted twice
            end(frontier, leases[:1])
            assert frontier.lease(9, now=200) == []

    def test_robots_leases_count_too(self, make: Make) -> None:
        frontier = make(robots=True, delay_s=0.0, domain_delay_s=2.0)
        offered(frontier, FAMILY[:2], 1)
        kinds, now = [], 0.0
        while (ready := frontier.next_ready(now=now)) is not None:
            now = max(now, ready)
            (lease,) = frontier.lease(9, now=now)
            assert frontier.lease(9, now=now + 9) == []
            kinds.append((lease.kind, now))
            if lease.kind == "robots":
                frontier.set_robots(lease.token, robots="", delay_s=None, now=now)
            else:
                end(frontier, [lease])
        assert [at for _, at in kinds] == [0, 2, 4, 6]
        assert sorted(kind for kind, _ in kinds) == ["page", "page", "robots", "robots"]

    def test_a_late_request_moves_the_domain(self, make: Make) -> None:
        frontier = make(delay_s=0.0, domain_delay_s=2.0)
        offered(frontier, FAMILY[:2], 1)
        (lease,) = frontier.lease(9, now=10)
        frontier.postpone(lease.host, 1.5)
        end(frontier, [lease])
        assert frontier.next_ready(now=10) == 13.5

    def test_a_closed_host_leaves_the_others_their_turn(self, make: Make) -> None:
        frontier = make(delay_s=0.0, domain_delay_s=2.0)
        offered(frontier, FAMILY[:2], 1)
        assert len(list(frontier.close_host(FAMILY[0], reason="spam"))) == 1
        assert urls(frontier.lease(9, now=0)) == [page(0, 1, FAMILY[1]).url]

    def test_the_delay_of_a_domain_lasts(self, make: Make, backend: Backend) -> None:
        frontier = make(delay_s=1.0, domain_delay_s=30.0)
        offered(frontier, FAMILY)
        end(frontier, frontier.lease(9, now=100))
        frontier.close()
        frontier = backend.reopen(frontier)
        assert frontier.lease(9, now=129) == []
        assert len(frontier.lease(9, now=130)) == 1
        frontier.close()
