"""What every frontier must do, whatever keeps it.

A test module inherits from `FrontierContract` and gives a ``backend`` fixture.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from quarkcrawl.frontier import Frontier, FrontierOptions
from tests.frontier.domain_contract import DomainContract
from tests.frontier.endings_contract import EndingsContract
from tests.frontier.machine import Backend, FrontierMachine
from tests.frontier.steps import end, page
from tests.frontier.walk_contract import WalkContract
from tests.profiles import examples

if TYPE_CHECKING:
    from tests.frontier.steps import Make

__all__ = ["FrontierContract"]


class FrontierContract(WalkContract, EndingsContract, DomainContract):
    @pytest.fixture
    def backend(self) -> Backend:
        raise NotImplementedError

    @pytest.fixture
    def make(self, backend: Backend):
        """Opens frontiers with robots off and no delay, unless told; closes them at the end."""
        opened = []

        def make(**options: object) -> Frontier:
            given = {"robots": False, "delay_s": 0.0, **options}
            opened.append(backend.make(FrontierOptions(**given)))
            return opened[-1]

        yield make
        for frontier in opened:
            frontier.close()

    # -- lasting

    def test_tokens_increase(self, make: Make, backend: Backend) -> None:
        frontier = make(concurrency=5)
        frontier.push([page(n) for n in range(10)])
        tokens = []
        for _ in range(3):
            tokens += [lease.token for lease in frontier.lease(3, now=0)]
            frontier.close()
            frontier = backend.reopen(frontier)
        frontier.close()
        assert all(one < two for one, two in pairwise(tokens))

    def test_everything_lasts(self, make: Make, backend: Backend) -> None:
        frontier = make(robots=True, delay_s=2, concurrency=2)
        frontier.push([page(n, 1 + n % 3, hops=1, origin="http://a.cn/o") for n in range(9)])
        (lease,) = frontier.lease(1, now=0)
        frontier.set_robots(lease.token, robots="机器", delay_s=3, now=1)
        for now in (10, 20):
            (lease,) = frontier.lease(1, now=now)
            end(frontier, [lease], f"reason {now}")
        frontier.retry(frontier.lease(1, now=30)[0].token, reason="dns", not_before=99)
        frontier.set_host("b.cn", concurrency=7)
        frontier.close_host("c.cn", reason="spam")
        names = [page(n).url for n in range(9)]
        before = (frontier.counts(), list(frontier.hosts()), frontier.find(names))
        frontier.close()
        frontier.close()
        frontier = backend.reopen(frontier)
        assert (frontier.counts(), list(frontier.hosts()), frontier.find(names)) == before
        assert frontier.next_ready(now=0) == 99
        frontier.close()

    def test_leases_of_a_closed_frontier_wait_untried(self, make: Make, backend: Backend) -> None:
        frontier = make(concurrency=4)
        frontier.push([page(n) for n in range(4)])
        old = frontier.lease(3, now=0)
        frontier.close()
        frontier = backend.reopen(frontier)
        assert frontier.counts().leased == 0
        assert end(frontier, old) == [False] * 3
        again = frontier.lease(9, now=0)
        assert {lease.tries for lease in again} == {1}
        assert len(again) == 4
        frontier.close()

    # -- all together

    examples = 100

    def test_random_walks_agree_with_the_model(self, backend: Backend) -> None:
        machine = type("Machine", (FrontierMachine,), {"backend": backend})
        rules = settings(
            max_examples=examples(self.examples),
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(machine, settings=rules)
