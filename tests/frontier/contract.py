"""What every frontier must do, whatever keeps it.

A test module inherits from `FrontierContract` and gives a ``backend`` fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from quarkcrawl.frontier import Candidate, Ending, Frontier, FrontierOptions, Lease
from tests.frontier.machine import Backend, FrontierMachine

__all__ = ["FrontierContract", "page", "walk"]

Make = Callable[..., Frontier]


def page(number: int | str, level: int = 1, host: str = "a.cn", **more: object) -> Candidate:
    return Candidate(f"http://{host}/{number}", host, level, **more)


def urls(leases: list[Lease]) -> list[str]:
    return [lease.url for lease in leases]


def end(frontier: Frontier, leases: list[Lease], reason: str = "stored") -> list[bool]:
    return frontier.acknowledge([Ending(lease.token, reason) for lease in leases])


def walk(frontier: Frontier, now: float = 0.0) -> list[list[str]]:
    """Lease and acknowledge all; the URLs of each round, sorted."""
    rounds = []
    while (ready := frontier.next_ready(now=now)) is not None:
        now = max(now, ready)
        leases = frontier.lease(1000, now=now)
        assert leases, "next_ready promised a lease"
        rounds.append(sorted(urls(leases)))
        end(frontier, leases)
    return rounds


class FrontierContract:
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

    # -- offering

    def test_only_new_urls_are_accepted(self, make: Make) -> None:
        frontier = make()
        assert frontier.push([page(1), page(2), page(1)]) == [True, True, False]
        assert frontier.push([page(2), page(3)]) == [False, True]
        assert frontier.counts().seen == frontier.counts().pending == 3

    def test_an_ended_url_is_not_accepted_again(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1)])
        walk(frontier)
        assert frontier.push([page(1)]) == [False]
        assert frontier.counts().ended == {"stored": 1}

    def test_marked_urls_count_as_seen(self, make: Make) -> None:
        frontier = make()
        assert frontier.mark_seen(["http://a.cn/1", "http://a.cn/1"]) == [True, False]
        assert frontier.push([page(1), page(2)]) == [False, True]
        assert frontier.mark_seen(["http://a.cn/2"]) == [False]
        assert (frontier.counts().seen, frontier.counts().pending) == (2, 1)

    @pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 1000])
    def test_batches_of_any_size(self, make: Make, size: int) -> None:
        frontier = make(concurrency=2000)
        assert frontier.push([page(n % 900) for n in range(size)]) == [n < 900 for n in range(size)]
        assert len(frontier.lease(2000, now=0)) == min(size, 900)

    def test_no_url_is_an_error(self, make: Make) -> None:
        frontier = make(concurrency=100)
        odd = [
            "",
            "/",
            "no scheme",
            "http://",
            "http:///x",
            "http://h/\ud800",
            "http://h/\0",
            "//h",
        ]
        odd += ["http://h/" + "长" * 100_000, "http://[::1/", "http://h/%zz", "\udfff"]
        candidates = [Candidate(url, f"h{at}\ud800\0", 1, origin=url) for at, url in enumerate(odd)]
        assert frontier.push(candidates) == [True] * len(odd)
        assert frontier.push(candidates) == [False] * len(odd)
        assert frontier.find(odd) == candidates
        leases = frontier.lease(100, now=0)
        assert sorted(urls(leases)) == sorted(odd)
        assert {lease.origin for lease in leases} == set(odd)
        assert {state.host for state in frontier.hosts()} == {one.host for one in candidates}
        assert all(frontier.finish(url, reason="stored") for url in odd)

    # -- order

    def test_levels_are_walked_one_after_the_other(self, make: Make) -> None:
        frontier = make(concurrency=10)
        frontier.push([page("c", 3), page("b", 2), page("a", 1), page("b2", 2)])
        rounds = [["http://a.cn/a"], ["http://a.cn/b", "http://a.cn/b2"], ["http://a.cn/c"]]
        assert walk(frontier) == rounds

    def test_a_level_waits_for_the_last_page_of_the_one_before(self, make: Make) -> None:
        frontier = make(concurrency=10)
        frontier.push([page(1), page(2), page(3, 2)])
        first, second = frontier.lease(10, now=0)
        end(frontier, [first])
        assert frontier.next_ready(now=0) == inf
        assert frontier.lease(10, now=0) == []
        end(frontier, [second])
        assert urls(frontier.lease(10, now=0)) == ["http://a.cn/3"]

    def test_a_retried_page_holds_the_next_level_back(self, make: Make) -> None:
        frontier = make(concurrency=10)
        frontier.push([page(1), page(2, 2)])
        (lease,) = frontier.lease(10, now=0)
        assert frontier.retry(lease.token, reason="timeout", not_before=60) == "queued"
        assert frontier.lease(10, now=59) == []
        assert frontier.next_ready(now=59) == 60
        (again,) = frontier.lease(10, now=60)
        assert (again.url, again.tries) == (lease.url, 2)
        assert frontier.counts().retried == {"timeout": 1}

    def test_a_waiting_url_is_lowered(self, make: Make) -> None:
        frontier = make(concurrency=10)
        frontier.push([page(1), page(2, 2), page(3, 3)])
        assert frontier.push([page(3, 2, origin="http://a.cn/r", hops=1)]) == [False]
        end(frontier, frontier.lease(10, now=0))
        leases = frontier.lease(10, now=0)
        found = {(lease.url, lease.level, lease.origin, lease.hops) for lease in leases}
        moved = ("http://a.cn/3", 2, "http://a.cn/r", 1)
        assert found == {("http://a.cn/2", 2, None, 0), moved}

    def test_no_url_is_raised(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1, 1), page(2, 2)])
        frontier.push([page(1, 3), page(2, 3)])
        assert frontier.find(["http://a.cn/1", "http://a.cn/2"]) == [page(1, 1), page(2, 2)]

    def test_hosts_do_not_wait_for_each_other(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1), page(1, 3, "b.cn")])
        assert len(frontier.lease(10, now=0)) == 2

    # -- politeness

    def test_the_delay_lies_between_any_two_leases(self, make: Make) -> None:
        frontier = make(delay_s=5, concurrency=10)
        frontier.push([page(n) for n in range(4)])
        times = []
        for tick in range(100):
            times += [tick / 4] * len(frontier.lease(10, now=tick / 4))
        assert times == [0, 5, 10, 15]

    def test_the_delay_starts_when_a_late_lease_is_given(self, make: Make) -> None:
        frontier = make(delay_s=5, concurrency=10)
        frontier.push([page(1), page(2)])
        frontier.lease(1, now=100)
        assert frontier.next_ready(now=100) == 105

    def test_at_most_so_many_are_out(self, make: Make) -> None:
        frontier = make(concurrency=3)
        frontier.push([page(n) for n in range(10)])
        leases = frontier.lease(10, now=0)
        assert len(leases) == 3
        assert frontier.lease(10, now=0) == []
        end(frontier, leases[:2])
        assert len(frontier.lease(10, now=0)) == 2

    def test_the_host_that_has_waited_longest_comes_first(self, make: Make) -> None:
        frontier = make(delay_s=10, concurrency=10)
        for name in ("c.cn", "a.cn", "b.cn"):
            frontier.push([page(n, host=name) for n in range(2)])
        order = [frontier.lease(1, now=now)[0].host for now in range(3)]
        again = [frontier.lease(1, now=50)[0].host for _ in range(3)]
        assert again == order
        assert len(set(order)) == 3

    def test_a_large_host_does_not_starve_others(self, make: Make) -> None:
        frontier = make(concurrency=2)
        frontier.push([page(n) for n in range(50)])
        frontier.push([page(n, host="b.cn") for n in range(2)])
        served = []
        for _ in range(2):
            leases = frontier.lease(2, now=0)
            served += [lease.host for lease in leases]
            end(frontier, leases)
        assert sorted(served) == ["a.cn", "a.cn", "b.cn", "b.cn"]

    def test_a_host_can_be_slowed_and_held_back(self, make: Make) -> None:
        frontier = make(delay_s=1, concurrency=10)
        frontier.push([page(n) for n in range(3)])
        frontier.set_host("a.cn", delay_s=7, not_before=20)
        assert frontier.next_ready(now=0) == 20
        assert frontier.lease(10, now=19) == []
        assert len(frontier.lease(10, now=20)) == 1
        assert frontier.next_ready(now=20) == 27
        frontier.set_host("a.cn", not_before=5)
        assert frontier.next_ready(now=20) == 27

    def test_a_host_can_be_set_before_it_is_met(self, make: Make) -> None:
        frontier = make()
        frontier.set_host("a.cn", concurrency=2, delay_s=0)
        frontier.push([page(n) for n in range(3)])
        assert len(frontier.lease(10, now=0)) == 2
        assert frontier.counts().hosts == 1

    def test_next_ready_of_nothing(self, make: Make) -> None:
        frontier = make()
        assert frontier.next_ready(now=0) is None
        frontier.push([page(1)])
        assert frontier.next_ready(now=9) <= 9
        frontier.lease(1, now=0)
        assert frontier.next_ready(now=9) is None

    # -- robots.txt

    def test_robots_comes_first_and_alone(self, make: Make) -> None:
        frontier = make(robots=True, concurrency=5, delay_s=1)
        frontier.push([Candidate("https://a.cn:8443/x?y", "a.cn:8443", 1)])
        (lease,) = frontier.lease(10, now=0)
        assert (lease.kind, lease.url) == ("robots", "https://a.cn:8443/robots.txt")
        assert frontier.lease(10, now=50) == []
        assert frontier.next_ready(now=50) == inf
        assert frontier.host("a.cn:8443").robots is None
        assert frontier.set_robots(lease.token, robots="User-agent: *", delay_s=None, now=50)
        (first,) = frontier.lease(10, now=50)
        assert (first.kind, first.url) == ("page", "https://a.cn:8443/x?y")
        state = frontier.host("a.cn:8443")
        assert (state.robots, state.robots_time) == ("User-agent: *", 50)
        assert frontier.set_robots(first.token, robots="", delay_s=None, now=51) is False

    def test_robots_is_asked_for_again(self, make: Make) -> None:
        frontier = make(robots=True, concurrency=5, robots_ttl_s=100)
        frontier.push([page(1), page(2)])
        (lease,) = frontier.lease(1, now=0)
        frontier.set_robots(lease.token, robots="", delay_s=None, now=0)
        assert [one.kind for one in frontier.lease(1, now=99)] == ["page"]
        assert [one.kind for one in frontier.lease(9, now=100)] == ["robots"]

    def test_crawl_delay_raises_the_delay_at_once(self, make: Make) -> None:
        frontier = make(robots=True, delay_s=2)
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        frontier.set_robots(lease.token, robots="", delay_s=10, now=1)
        assert frontier.next_ready(now=1) == 10
        assert frontier.host("a.cn").delay_s == 10

    def test_crawl_delay_does_not_lower_the_delay(self, make: Make) -> None:
        frontier = make(robots=True, delay_s=2)
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        frontier.set_robots(lease.token, robots="", delay_s=0.5, now=1)
        assert (frontier.host("a.cn").delay_s, frontier.next_ready(now=1)) == (2, 2)

    def test_robots_is_tried_as_often_as_a_page(self, make: Make) -> None:
        frontier = make(robots=True, max_tries=2)
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        assert frontier.retry(lease.token, reason="dns", not_before=30) == "queued"
        assert frontier.next_ready(now=0) == 30
        (again,) = frontier.lease(1, now=30)
        assert (again.kind, again.tries) == ("robots", 2)
        assert frontier.retry(again.token, reason="dns", not_before=60) == "exhausted"
        assert frontier.set_robots(again.token, robots="", delay_s=None, now=31)
        assert [one.kind for one in frontier.lease(1, now=60)] == ["page"]

    def test_a_lost_robots_lease_is_given_again(self, make: Make) -> None:
        frontier = make(robots=True, max_tries=1, lease_s=10)
        frontier.push([page(1)])
        for tries in (1, 2, 3):
            (lease,) = frontier.lease(1, now=tries * 20)
            assert (lease.kind, lease.tries) == ("robots", tries)
            assert frontier.reap(now=tries * 20 + 11) == 1
        assert frontier.counts().ended == {}

    # -- ends

    def test_a_lease_ends_once(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        twice = [Ending(lease.token, "stored"), Ending(lease.token, "dropped")]
        assert frontier.acknowledge(twice) == [True, False]
        assert frontier.acknowledge(twice) == [False, False]
        assert frontier.retry(lease.token, reason="late", not_before=0) == "fenced"
        assert frontier.release([lease.token]) == 0
        assert frontier.counts().ended == {"stored": 1}

    def test_old_and_unknown_tokens_are_refused(self, make: Make) -> None:
        frontier = make(lease_s=10)
        frontier.push([page(1)])
        (old,) = frontier.lease(1, now=0)
        assert frontier.reap(now=10) == 0
        assert frontier.reap(now=11) == 1
        (new,) = frontier.lease(1, now=11)
        assert new.token > old.token
        unknown = Ending(new.token + 1, "x")
        assert frontier.acknowledge([Ending(old.token, "x"), unknown]) == [False, False]
        assert frontier.acknowledge([Ending(0, "x"), Ending(-1, "x")]) == [False, False]
        assert end(frontier, [new]) == [True]

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

    def test_a_url_is_tried_so_often_and_no_more(self, make: Make) -> None:
        frontier = make(max_tries=3)
        frontier.push([page(1)])
        outcomes = []
        for _ in range(3):
            (lease,) = frontier.lease(1, now=0)
            outcomes.append(frontier.retry(lease.token, reason="reset", not_before=0))
        assert outcomes == ["queued", "queued", "exhausted"]
        assert frontier.counts().leased == 1
        assert frontier.host("a.cn").failures == 3
        assert end(frontier, [lease], "reset") == [True]
        assert frontier.counts().ended == {"reset": 1}

    def test_an_overdue_lease_counts_as_a_try(self, make: Make) -> None:
        frontier = make(max_tries=2, lease_s=10)
        frontier.push([page(1)])
        for now in (0, 20):
            frontier.lease(1, now=now)
            assert frontier.reap(now=now + 11) == 1
        assert frontier.lease(1, now=50) == []
        assert frontier.counts().ended == {"lease_expired": 1}
        assert frontier.counts().leased == 0

    def test_a_released_url_keeps_its_tries(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        assert frontier.release([lease.token, lease.token, 77]) == 1
        (again,) = frontier.lease(1, now=0)
        assert (again.tries, again.url) == (1, lease.url)

    # -- settled fetches

    def test_a_settled_lease_holds_nothing_back(self, make: Make) -> None:
        frontier = make(concurrency=1)
        frontier.push([page(1), page(2), page(3, 2)])
        leases = []
        for _ in range(3):
            leases += frontier.lease(9, now=0)
            frontier.settle([lease.token for lease in leases])
        assert [lease.level for lease in leases] == [1, 1, 2]
        assert frontier.counts().leased == 3
        frontier.settle([leases[0].token, 12345])
        assert end(frontier, leases) == [True] * 3
        assert frontier.counts().ended == {"stored": 3}

    def test_a_settled_lease_can_be_reaped_and_counts_for_the_budget(self, make: Make) -> None:
        frontier = make(max_host_pages=1, lease_s=10, concurrency=4)
        frontier.push([page(1), page(2)])
        (lease,) = frontier.lease(9, now=0)
        frontier.settle([lease.token])
        assert frontier.lease(9, now=0) == []
        assert frontier.reap(now=11) == 1
        assert frontier.acknowledge([Ending(lease.token, "stored")]) == [False]
        (again,) = frontier.lease(9, now=11)
        assert again.token > lease.token
        assert frontier.counts().leased == 1

    def test_a_settled_lease_waits_again_when_given_back(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1), page(2, 2)])
        (first,) = frontier.lease(1, now=0)
        frontier.settle([first.token])
        (second,) = frontier.lease(1, now=0)
        assert frontier.retry(first.token, reason="disk", not_before=0) == "queued"
        end(frontier, [second])
        assert urls(frontier.lease(9, now=0)) == [first.url]

    # -- closing hosts

    def test_a_closed_host_gives_and_takes_nothing(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(n, 2) for n in range(3)])
        assert set(frontier.close_host("a.cn", reason="spam")) == {page(n, 2) for n in range(3)}
        assert frontier.push([page(7), page(7, host="b.cn")]) == [False, True]
        assert frontier.find(["http://a.cn/1", "http://a.cn/7"]) == [None, None]
        counts = frontier.counts()
        assert (counts.seen, counts.ended, counts.hosts_open) == (4, {"spam": 3}, 1)
        assert frontier.host("a.cn").closed == "spam"

    def test_closing_does_not_need_the_list_to_be_taken(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(n) for n in range(5)])
        listed = frontier.close_host("a.cn", reason="spam")
        assert frontier.counts().ended == {"spam": 5}
        first = [next(listed), next(listed)]
        rest = [candidate for candidate, reason in frontier.drain_closed() if reason == "spam"]
        assert {one.url for one in first + rest} == {page(n).url for n in range(5)}
        assert list(frontier.drain_closed()) == []

    def test_a_lease_of_a_closed_host_ends_as_usual(self, make: Make) -> None:
        frontier = make(concurrency=3)
        frontier.push([page(n) for n in range(3)])
        stored, released, failed = frontier.lease(3, now=0)
        assert list(frontier.close_host("a.cn", reason="spam")) == []
        assert end(frontier, [stored]) == [True]
        assert frontier.retry(failed.token, reason="dns", not_before=0) == "exhausted"
        assert end(frontier, [failed], "dns") == [True]
        assert frontier.release([released.token]) == 1
        assert [one.url for one, _ in frontier.drain_closed()] == [released.url]
        assert frontier.counts().ended == {"stored": 1, "dns": 1, "spam": 1}

    def test_an_unknown_host_can_be_closed(self, make: Make) -> None:
        frontier = make()
        assert list(frontier.close_host("a.cn", reason="spam_list")) == []
        assert frontier.push([page(1)]) == [False]
        assert list(frontier.close_host("a.cn", reason="later")) == []
        assert frontier.host("a.cn").closed == "spam_list"

    def test_a_host_closes_when_its_budget_is_used_up(self, make: Make) -> None:
        frontier = make(max_host_pages=2, concurrency=10)
        frontier.push([page(n) for n in range(6)])
        leases = frontier.lease(10, now=0)
        assert len(leases) == 2
        end(frontier, leases[:1], "http_404")
        leases[0:1] = frontier.lease(10, now=0)
        assert len(leases) == 2
        end(frontier, leases)
        assert frontier.host("a.cn").closed == "host_budget"
        assert {reason for _, reason in frontier.drain_closed()} == {"host_budget"}
        ended = {"http_404": 1, "stored": 2, "host_budget": 3}
        assert frontier.counts().ended == ended
        assert frontier.next_ready(now=0) is None

    # -- recovery

    def test_find_tells_the_states_apart(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1), page(2, 2, origin="http://a.cn/o", hops=1), page(3)])
        (lease,) = frontier.lease(1, now=0)
        end(frontier, [lease])
        (lease,) = frontier.lease(1, now=0)
        names = ["http://a.cn/1", "http://a.cn/2", "http://a.cn/3", "http://a.cn/4"]
        waiting = page(2, 2, origin="http://a.cn/o", hops=1)
        found = frontier.find(names)
        assert lease in found
        assert [one for one in found if one != lease] == [None, waiting, None]

    def test_finish_ends_by_name(self, make: Make) -> None:
        frontier = make(max_host_pages=2)
        frontier.push([page(1), page(2), page(3), page(4)])
        (lease,) = frontier.lease(1, now=0)
        assert frontier.finish(lease.url, reason="stored")
        assert end(frontier, [lease]) == [False]
        assert not frontier.finish(lease.url, reason="stored")
        assert not frontier.finish("http://a.cn/unknown", reason="stored")
        assert frontier.finish("http://a.cn/4", reason="stored")
        assert frontier.counts().ended == {"stored": 2, "host_budget": 2}
        assert frontier.host("a.cn").stored == 2

    def test_finish_corrects_what_ended_with_its_host(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1), page(2)])
        frontier.close_host("a.cn", reason="spam")
        assert frontier.finish("http://a.cn/1", reason="stored")
        assert frontier.counts().ended == {"stored": 1, "spam": 1}
        assert [one.url for one, _ in frontier.drain_closed()] == ["http://a.cn/2"]
        assert not frontier.finish("http://a.cn/2", reason="stored")

    def test_the_first_claim_wins(self, make: Make) -> None:
        frontier = make()
        digest = bytes(range(16))
        assert frontier.claim("md5", digest, "http://a.cn/1") == "http://a.cn/1"
        assert frontier.claim("md5", digest, "http://b.cn/2") == "http://a.cn/1"
        assert frontier.claim("md5", digest, "http://a.cn/1") == "http://a.cn/1"
        assert frontier.claim("home", digest, "http://b.cn/2") == "http://b.cn/2"
        assert frontier.claim("md5", digest[:-1], "http://b.cn/2") == "http://b.cn/2"

    # -- lasting

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

    examples = 150

    def test_random_walks_agree_with_the_model(self, backend: Backend) -> None:
        machine = type("Machine", (FrontierMachine,), {"backend": backend})
        rules = settings(
            max_examples=self.examples,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(machine, settings=rules)
