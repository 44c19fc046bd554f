"""Which URL comes when: offering, order, politeness, robots.txt."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.frontier import Candidate
from tests.frontier.steps import end, page, urls, walk

if TYPE_CHECKING:
    from tests.frontier.steps import Make

__all__ = ["WalkContract"]


class WalkContract:
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

    @pytest.mark.parametrize("number", [5, 6, 33, 40])
    def test_the_order_of_offering_does_not_matter(self, make: Make, number: int) -> None:
        frontier = make()
        for level in range(number, 0, -1):
            frontier.push([page(level, level)])
        end(frontier, frontier.lease(1, now=0))
        frontier.push([page(number + 1, number + 1)])
        rounds = [[page(level).url] for level in range(2, number + 2)]
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

    def test_without_strictness_the_lowest_level_that_waits_comes_next(self, make: Make) -> None:
        frontier = make(concurrency=10, strict=False)
        frontier.push([page(1), page(2), page(3, 2), page(4, -7)])
        assert urls(frontier.lease(3, now=0)) == [page(4).url, page(1).url, page(2).url]
        assert urls(frontier.lease(10, now=0)) == [page(3).url]
        frontier.push([page(5, -1), page(6, 3)])
        assert urls(frontier.lease(10, now=0)) == [page(5).url, page(6).url]

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

    def test_a_leased_url_is_not_lowered(self, make: Make) -> None:
        frontier = make(concurrency=9)
        frontier.push([page(1, 2)])
        (lease,) = frontier.lease(9, now=0)
        assert frontier.push([page(1, 1)]) == [False]
        assert frontier.lease(9, now=0) == []
        frontier.release([lease.token])
        assert frontier.find([lease.url]) == [page(1, 2)]
        assert [again.level for again in frontier.lease(9, now=0)] == [2]

    def test_a_url_stays_with_its_host(self, make: Make) -> None:
        frontier = make(concurrency=9)
        frontier.push([page(1, 3), page(1, 3, "b.cn")])
        astray = Candidate(page(1).url, "b.cn", 1)
        assert frontier.push([astray]) == [False]
        assert frontier.find([astray.url]) == [page(1, 3)]
        assert sorted(urls(frontier.lease(9, now=0))) == [page(1).url, page(1, host="b.cn").url]

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

    def test_tries_of_robots_begin_anew(self, make: Make) -> None:
        frontier = make(robots=True, robots_ttl_s=100)
        frontier.push([page(1)])
        (lease,) = frontier.lease(1, now=0)
        frontier.retry(lease.token, reason="dns", not_before=0)
        (lease,) = frontier.lease(1, now=0)
        frontier.set_robots(lease.token, robots="", delay_s=None, now=0)
        (later,) = frontier.lease(1, now=100)
        assert (lease.kind, lease.tries) == ("robots", 2)
        assert (later.kind, later.tries) == ("robots", 1)

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
