"""How leases end, hosts close, and a crash is recovered from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.frontier import Ending
from tests.frontier.steps import end, page, urls

if TYPE_CHECKING:
    from tests.frontier.machine import Backend
    from tests.frontier.steps import Make

__all__ = ["EndingsContract"]


class EndingsContract:
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

    def test_late_tries_come_behind_all_other_urls_of_the_host(self, make: Make) -> None:
        frontier = make(max_tries=1, late_tries=2)
        frontier.push([page(1), page(2), page(3, 2)])
        taken = []
        for _ in range(7):
            (lease,) = frontier.lease(1, now=0)
            taken.append((lease.url, lease.level, lease.tries))
            if lease.url == page(1).url:
                outcome = frontier.retry(lease.token, reason="reset", not_before=0)
                if outcome == "exhausted":
                    end(frontier, [lease], "reset")
            else:
                if lease.url == page(3).url:
                    frontier.push([page(4, 3)])
                end(frontier, [lease])
        first, second, third, fourth = (page(n).url for n in (1, 2, 3, 4))
        assert taken[:4] == [(first, 1, 1), (second, 1, 1), (third, 2, 1), (fourth, 3, 1)]
        assert taken[4:] == [(first, 1, 2), (first, 1, 3), (first, 1, 4)]  # a home page once more
        assert frontier.lease(1, now=0) == []

    def test_a_late_url_is_lowered_and_found_at_its_level(self, make: Make) -> None:
        frontier = make(max_tries=1, late_tries=1)
        frontier.push([page(1, 3)])
        (lease,) = frontier.lease(1, now=0)
        assert frontier.retry(lease.token, reason="reset", not_before=5) == "queued"
        assert frontier.find([page(1).url]) == [page(1, 3)]
        frontier.push([page(1, 2), page(2, 4)])
        assert frontier.find([page(1).url]) == [page(1, 2)]
        (other,) = frontier.lease(1, now=9)
        assert other.url == page(2).url
        end(frontier, [other])
        (late,) = frontier.lease(1, now=9)
        assert (late.url, late.level, late.tries) == (page(1).url, 2, 2)

    def test_a_page_found_by_a_late_one_goes_first(self, make: Make) -> None:
        frontier = make(max_tries=1, late_tries=1, concurrency=2)
        frontier.push([page(1), page(2)])
        for lease in frontier.lease(2, now=0):
            frontier.retry(lease.token, reason="reset", not_before=0)
        (late,) = frontier.lease(1, now=0)
        frontier.push([page(3, 2)])
        (found,) = frontier.lease(1, now=0)
        assert (late.level, found.url) == (1, page(3).url)

    def test_an_ended_url_is_revived(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(1), page(2)])
        end(frontier, frontier.lease(1, now=0), "timeout")
        revived = [(page(1, 2), "timeout"), (page(2), "timeout"), (page(3), "timeout")]
        assert frontier.revive(revived) == [True, False, True]
        counts = frontier.counts()
        assert (counts.ended, counts.seen, counts.pending) == ({}, 3, 3)
        assert frontier.find([page(1).url]) == [page(1, 2)]
        assert frontier.revive(revived) == [False] * 3

    def test_a_host_stays_closed_for_another_reason_or_without_budget(self, make: Make) -> None:
        frontier = make(max_host_pages=1)
        frontier.push([page(1), page(2)])
        end(frontier, frontier.lease(1, now=0), "timeout")
        end(frontier, frontier.lease(1, now=9), "stored")
        for reason in ("timeout", "host_budget"):
            assert frontier.revive([(page(1), reason), (page(7), reason)]) == [False, False]
        assert frontier.host("a.cn").closed == "host_budget"
        assert frontier.counts().seen == 2
        assert frontier.next_ready(now=20) is None
        assert frontier.find([page(7).url]) == [None]

    def test_reviving_opens_a_closed_host_and_asks_for_its_robots_again(self, make: Make) -> None:
        frontier = make(robots=True)
        frontier.push([page(1), page(2), page(3)])
        (robots,) = frontier.lease(1, now=0)
        frontier.set_robots(robots.token, robots="", delay_s=None, now=0)
        end(frontier, frontier.lease(1, now=9), "stored")
        listed = [next(frontier.close_host("a.cn", reason="dns"))]
        assert frontier.revive([(listed[0], "dns")]) == [True]
        assert frontier.host("a.cn").closed is None
        assert frontier.counts().ended == {"stored": 1}
        assert frontier.counts().hosts_open == 1
        (again,) = frontier.lease(1, now=30)
        assert again.kind == "robots"
        frontier.set_robots(again.token, robots="", delay_s=None, now=30)
        taken = []
        for now in (40, 50):
            taken += [lease.url for lease in frontier.lease(1, now=now)]
            frontier.settle([frontier.find(taken[-1:])[0].token])
        assert sorted(taken) == [page(2).url, page(3).url]
        assert list(frontier.drain_closed()) == []

    def test_an_overdue_lease_counts_as_a_try(self, make: Make) -> None:
        frontier = make(max_tries=2, lease_s=10)
        frontier.push([page(1)])
        for now in (0, 20):
            frontier.lease(1, now=now)
            assert frontier.reap(now=now + 11) == 1
        assert frontier.lease(1, now=50) == []
        assert frontier.counts().ended == {"lease_expired": 1}
        assert frontier.counts().leased == 0

    def test_a_released_url_comes_again_before_others(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(n) for n in range(9)])
        (first,) = frontier.lease(1, now=0)
        for _ in range(3):
            frontier.release([first.token])
            (again,) = frontier.lease(1, now=0)
            assert again.url == first.url
            first = again

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

    def test_a_fetched_lease_holds_back_the_next_level_only(self, make: Make) -> None:
        frontier = make(concurrency=1)
        frontier.push([page(1), page(2), page(3, 2)])
        (first,) = frontier.lease(9, now=0)
        frontier.fetched([first.token, 12345], now=0)
        (second,) = frontier.lease(9, now=0)
        frontier.settle([second.token])
        assert (first.level, second.level, frontier.lease(9, now=0)) == (1, 1, [])
        frontier.settle([first.token])
        assert [lease.level for lease in frontier.lease(9, now=0)] == [2]

    def test_a_fetched_lease_is_prolonged(self, make: Make) -> None:
        frontier = make(lease_s=10)
        frontier.push([page(1)])
        (lease,) = frontier.lease(9, now=0)
        frontier.fetched([lease.token], now=8)
        assert frontier.reap(now=17) == 0
        frontier.fetched([lease.token], now=17)
        assert frontier.reap(now=26) == 0
        assert frontier.reap(now=28) == 1

    def test_a_fetched_lease_waits_again_when_given_back(self, make: Make) -> None:
        frontier = make(concurrency=1)
        frontier.push([page(1), page(2)])
        (first,) = frontier.lease(1, now=0)
        frontier.fetched([first.token], now=0)
        frontier.release([first.token])
        assert len(frontier.lease(9, now=0)) == 1
        assert frontier.lease(9, now=0) == []

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

    def test_a_late_release_adds_to_what_is_to_be_listed(self, make: Make) -> None:
        frontier = make()
        frontier.push([page(n) for n in range(6)])
        (lease,) = frontier.lease(1, now=0)
        frontier.close_host("a.cn", reason="spam")
        frontier.release([lease.token])
        assert len(list(frontier.drain_closed())) == 6
        assert frontier.counts().ended == {"spam": 6}

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
        frontier.push([page(1, host="b.cn")])
        frontier.close_host("b.cn", reason="mirror")
        assert frontier.finish(page(1, host="b.cn").url, reason="stored")
        assert frontier.counts().ended == {"stored": 2, "spam": 1}

    def test_the_first_claim_wins(self, make: Make, backend: Backend) -> None:
        frontier = make()
        digest = bytes(range(16))
        first = backend.owner("http://a.cn/1", "http://b.cn/2")
        assert frontier.claim("md5", digest, "http://a.cn/1") == "http://a.cn/1"
        assert frontier.claim("md5", digest, "http://b.cn/2") == first != "http://b.cn/2"
        assert frontier.claim("md5", digest, "http://a.cn/1") == "http://a.cn/1"
        assert frontier.claim("home", digest, "http://b.cn/2") == "http://b.cn/2"
        assert frontier.claim("md5", digest[:-1], "http://b.cn/2") == "http://b.cn/2"
