"""Four `scrapy crawl` workers on a real Redis server: killed, fenced, and each item once."""

import json
import random
import signal
import statistics
import subprocess
import sys
import time
from itertools import pairwise

import pytest
import redis

from tests.crawl.harness import environment
from tests.crawl.jobs.shared.shop import Crew, serving, wait_until

pytestmark = pytest.mark.full

SHORT = {"DOWNLOAD_TIMEOUT": 4, "QUARKCRAWL_LEASE_S": 6}
"""Leases that run out while a test waits."""


def status(url):
    words = [sys.executable, "-m", "quarkcrawl", "frontier", "status", url, "--json"]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class TestFourWorkers:
    def test_each_item_once_and_each_request_once(self, tmp_path, server):
        with serving(120) as site:
            hosts = [site.host(0), site.host(1)]
            url = f"{server.url}#shop"
            with Crew(tmp_path, url, hosts) as crew:
                for _ in range(4):
                    crew.start()
                crew.wait()
                crew.check(site.expected(hosts))
            feeds = sorted(crew.folder.glob("items-*.jl"))
            assert len(feeds) >= 2  # more than one had work
            asked = [hit[1:] for hit in site.hits if hit[2] == "POST"]
            assert len(asked) == len(set(asked)) == 2 * 120
            found = status(url)
            assert found["pending"] == found["leased"] == 0
            assert found["ended"]["redirected"] > 0
            workers = [one for one in found["workers"] if one["alive"]]
            assert workers == []  # they have left

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_killed_workers_lose_nothing_and_nothing_is_twice(self, tmp_path, server, seed):
        chance = random.Random(seed)
        with serving(150) as site:
            site.slow_s = 0.02
            hosts = [site.host(0), site.host(1), site.host(2)]
            with Crew(tmp_path, f"{server.url}#shop", hosts) as crew:
                at_work = [crew.start() for _ in range(4)]
                wait_until(lambda: len(site.hits) > 30)
                kills = 0
                while kills < 6 and len(crew.workers) < 14:
                    time.sleep(chance.uniform(0.2, 1.2))
                    victim = chance.choice(at_work)
                    if victim.poll() is not None:
                        break
                    crew.kill(victim)
                    kills += 1
                    at_work[at_work.index(victim)] = crew.start()
                crew.wait()
                assert kills >= 2, "it was over too soon to kill anyone"
                crew.check(site.expected(hosts))

    def test_a_worker_that_never_comes_back_has_its_requests_done_by_others(self, tmp_path, server):
        with serving(100) as site:
            site.slow_s = 0.03
            hosts = [site.host(0)]
            with Crew(tmp_path, f"{server.url}#shop", hosts, **SHORT) as crew:
                first = crew.start()
                wait_until(lambda: len(site.hits) > 60)
                crew.kill(first)
                crew.start(QUARKCRAWL_WORKER="other")
                crew.wait()
                missing = site.expected(hosts) - crew.ids()
                assert not missing, crew.logs()
                # What the dead one had written and not acknowledged goes when it comes again.
                crew.start()
                crew.wait()
                crew.check(site.expected(hosts))

    def test_a_stopped_worker_is_fenced(self, tmp_path, server):
        """It sleeps longer than its leases, others do its requests, and it wakes up."""
        with serving(120) as site:
            site.slow_s = 0.03
            hosts = [site.host(0)]
            with Crew(tmp_path, f"{server.url}#shop", hosts, **SHORT) as crew:
                sleeper, other = crew.start(), crew.start()
                wait_until(lambda: len(site.hits) > 80)
                sleeper.send_signal(signal.SIGSTOP)
                try:
                    other.communicate(120)
                finally:
                    sleeper.send_signal(signal.SIGCONT)
                crew.wait()
                crew.check(site.expected(hosts))

    def test_the_server_is_killed_and_comes_back(self, tmp_path, server):
        with serving(150) as site:
            site.slow_s = 0.02
            hosts = [site.host(0), site.host(1)]
            with Crew(tmp_path, f"{server.url}#shop", hosts) as crew:
                for _ in range(4):
                    crew.start()
                for count in (60, 150, 300):
                    wait_until(lambda count=count: len(site.hits) > count)
                    server.kill()
                    time.sleep(0.5)
                    server.start()
                crew.wait()
                crew.check(site.expected(hosts))

    def test_server_and_worker_are_killed_at_once(self, tmp_path, server):
        with serving(120) as site:
            site.slow_s = 0.02
            hosts = [site.host(0), site.host(1)]
            with Crew(tmp_path, f"{server.url}#shop", hosts) as crew:
                first, _ = crew.start(), crew.start()
                wait_until(lambda: len(site.hits) > 100)
                server.kill()
                crew.kill(first)
                server.start()
                crew.start()
                crew.wait()
                crew.check(site.expected(hosts))

    def test_sigterm_gives_back_what_is_out(self, tmp_path, server):
        with serving(100) as site:
            site.slow_s = 0.02
            hosts = [site.host(0)]
            with Crew(tmp_path, f"{server.url}#shop", hosts) as crew:
                worker = crew.start()
                wait_until(lambda: len(site.hits) > 50)
                worker.send_signal(signal.SIGTERM)
                worker.communicate(60)
                assert worker.poll() == 0
                assert status(f"{server.url}#shop")["leased"] == 0
                crew.start()
                crew.wait()
                crew.check(site.expected(hosts))


class TestPoliteness:
    @pytest.mark.parametrize("robots", [None, (200, "User-agent: *\nDisallow: /private")])
    def test_the_gap_lies_between_requests_of_all_workers(self, tmp_path, server, robots):
        with serving(9) as site:
            site.slow_s = 0.05
            if robots is not None:
                site.robots = robots
            hosts = [site.host(0), site.host(1)]
            more = {"DOWNLOAD_DELAY": 0.8, "ROBOTSTXT_OBEY": robots is not None}
            with Crew(tmp_path, f"{server.url}#shop", hosts, **more) as crew:
                for _ in range(4):
                    crew.start()
                crew.wait()
                crew.check(site.expected(hosts))
        for host in hosts:
            times = sorted(hit[0] for hit in site.hits if hit[1] == host)
            gaps = sorted(after - before for before, after in pairwise(times))
            # When they arrive, which is not when they left if the machine has other work.
            assert statistics.median(gaps) >= 0.79
            assert sum(gap < 0.8 / 2 for gap in gaps) <= len(gaps) / 10, gaps[:10]
            assert len(times) >= 9 + 9

    def test_no_more_at_once_than_scrapy_is_told(self, tmp_path, server):
        with serving(60) as site:
            site.slow_s, site.is_flaky = 0.1, False  # a retry does not count
            hosts = [site.host(0)]
            more = {"CONCURRENT_REQUESTS_PER_DOMAIN": 2, "RETRY_ENABLED": False}
            with Crew(tmp_path, f"{server.url}#shop", hosts, **more) as crew:
                for _ in range(3):
                    crew.start()
                crew.wait()
            assert site.most_active == 2


class TestRequests:
    def test_priorities_come_first(self, tmp_path, server):
        with serving(1) as site:
            hosts = [site.host(0)]
            more = {"DOWNLOAD_DELAY": 0.2, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
            with Crew(tmp_path, f"{server.url}#ordered", hosts, **more) as crew:
                crew.start("ordered")
                crew.wait()
                ids = [int(item["id"]) for item in crew.items()]
        assert sorted(ids) == list(range(1, 10))
        rest = ids[2:]  # the first ones left before the others were there
        assert rest == sorted(rest, reverse=True), ids

    def test_what_cannot_be_stored_holds_its_parent_up(self, tmp_path, server):
        with serving(60) as site:
            site.slow_s = 0.03
            hosts = [site.host(0)]
            with Crew(tmp_path, f"{server.url}#lambda", hosts) as crew:
                first = crew.start("lambda")
                wait_until(lambda: len(site.hits) > 40)
                crew.kill(first)
                crew.start("lambda")
                crew.wait()
                names = site.names(hosts[0])
                wanted = {f"{kind} {name}" for kind in ("page", "inner") for name in names}
                assert dict(crew.ids()) == dict.fromkeys(wanted, 1), crew.logs()
                assert crew.said("kept in this worker's memory") >= 1

    def test_it_can_refuse_them(self, tmp_path, server):
        with serving(10) as site:
            hosts = [site.host(0)]
            more = {"QUARKCRAWL_JOB_REFUSE": True}
            with Crew(tmp_path, f"{server.url}#lambda", hosts, **more) as crew:
                crew.start("lambda")
                crew.wait()
                assert set(crew.ids()) == {f"page {name}" for name in site.names(hosts[0])}
                assert crew.said("'job/refused': 10") == 1


class TestStarts:
    def test_start_list_and_frontier_add_while_workers_wait(self, tmp_path, server):
        client = redis.Redis(port=server.port)
        with serving(1) as site:
            host = site.host(0)
            url = f"{server.url}#listed"
            with Crew(tmp_path, url, [], QUARKCRAWL_WAIT=True) as crew:
                crew.start("listed")
                crew.start("listed")
                wait_until(lambda: crew.said("Spider opened") == 2)
                client.lpush("listed:start_urls", f"http://{host}/leaf/1")
                row = {
                    "url": f"http://{host}/leaf/2",
                    "cb_kwargs": {"tag": 7},
                    "meta": {"from": "x"},
                }
                client.lpush("listed:start_urls", json.dumps(row))
                client.lpush("listed:start_urls", f"http://{host}/leaf/1")  # once more
                client.lpush(
                    "listed:start_urls", b"\x80\x04\x95", json.dumps({"url": "file:///etc/passwd"})
                )
                hosts = tmp_path / "more.txt"
                hosts.write_text(f"http://{host}/leaf/3\n")
                words = [sys.executable, "-m", "quarkcrawl", "frontier", "add", url, str(hosts)]
                subprocess.run(words, env=environment(), check=True)
                wait_until(lambda: len(crew.ids()) == 3)
                time.sleep(1.5)
                assert all(worker.poll() is None for worker in crew.workers)
                for worker in crew.workers:
                    worker.send_signal(signal.SIGTERM)
                crew.wait()
                items = {item["id"][-1]: (item["tag"], item["from"]) for item in crew.items()}
                assert items == {"1": (None, None), "2": (7, "x"), "3": (None, None)}
                assert len(crew.items()) == 3
                assert crew.said("entries are no URLs") >= 1
        client.close()

    def test_workers_that_wait_end_when_the_crawl_is_drained(self, tmp_path, server):
        with serving(5) as site:
            url = f"{server.url}#shop"
            with Crew(tmp_path, url, [site.host(0)], QUARKCRAWL_WAIT=True) as crew:
                crew.start()
                wait_until(lambda: len(crew.ids()) >= 1)
                words = [sys.executable, "-m", "quarkcrawl", "frontier", "drain", url]
                subprocess.run(words, env=environment(), check=True, capture_output=True)
                crew.wait(60)


class TestHostileRows:
    def test_they_are_refused_counted_and_listed(self, tmp_path, server):
        from quarkcrawl.crawl.jobs.shared.workerfile import WorkerFile
        from quarkcrawl.frontier import Candidate, RedisFrontier

        url = f"{server.url}#shop"
        with serving(10) as site:
            host = site.host(0)
            frontier = RedisFrontier(url)
            rows = [
                '{"callback":"start"}',
                '{"url":"file:///etc/passwd"}',
                '{"url":"http://elsewhere.example/"}',
                '{"meta":{"a":{"!record":["os:system",{}]}}}',
                '{"class":"subprocess:Popen"}',
                '{"callback":',
            ]
            frontier.push(
                [Candidate(f"http://{host}/leaf/{n}", host, 1, row) for n, row in enumerate(rows)]
            )
            frontier.close()
            with Crew(tmp_path, url, [host]) as crew:
                crew.start()
                crew.wait()
                crew.check(site.expected([host]))
                assert crew.said("stored request refused") == len(rows)
                assert crew.said(f"'job/unreadable': {len(rows)}") == 1
                (path,) = crew.folder.glob(".scrapy/jobs/*/*/worker.db")
            file = WorkerFile(path, readonly=True)
            assert len(file.refused()) == len(rows)
            file.abandon()
            assert not any("/leaf/" in hit[3] for hit in site.hits)
        assert status(url)["ended"]["unreadable"] == len(rows)

    def test_nothing_on_the_server_is_a_pickle(self, tmp_path, server):
        with serving(40) as site:
            site.slow_s = 0.05
            with Crew(tmp_path, f"{server.url}#shop", [site.host(0)]) as crew:
                crew.start()
                wait_until(lambda: len(site.hits) > 20)
                client = redis.Redis(port=server.port)
                client.bgrewriteaof()
                wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
                client.close()
                crew.wait()
            data = b"".join(
                path.read_bytes() for path in server.folder.rglob("*") if path.is_file()
            )
            assert b"parse_form" in data
            assert b"\x80\x04\x95" not in data
            assert b"\x80\x05\x95" not in data


class TestPlaces:
    def test_a_feed_that_two_workers_would_write_is_refused(self, tmp_path, server):
        with Crew(tmp_path, f"{server.url}#shop", []) as crew:
            crew.start(FEEDS='{"one.jl": {"format": "jsonlines"}}')
            crew.wait()
            assert crew.said("FEEDS: one.jl: each worker needs a file of its own")

    def test_a_server_that_was_emptied_is_noticed(self, tmp_path, server):
        with (
            serving(5) as site,
            Crew(tmp_path, f"{server.url}#shop", [site.host(0)]) as crew,
        ):
            crew.start()
            crew.wait()
            client = redis.Redis(port=server.port)
            client.flushall()
            client.close()
            before = crew.ids()
            crew.start()
            crew.wait()
            assert crew.said("belongs to another crawl")
            assert crew.ids() == before
