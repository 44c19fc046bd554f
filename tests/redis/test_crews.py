"""Several worker processes on one campaign: killed, polite, steered."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise

import pytest

from quarkcrawl.frontier import RedisFrontier
from quarkcrawl.miniweb import ServerProcess
from tests.crawl.harness import environment
from tests.redis.server import RedisServer
from tests.redis.web import small_web, stored_urls
from tests.redis.workers import Crew, merged, wait_until


def names(number: int) -> list[str]:
    return [f"h{n}.shared.example" for n in range(number)]


def gaps(server: ServerProcess) -> dict[str, list[float]]:
    """Time between any two requests to a host, as the server saw them."""
    times = defaultdict(list)
    for entry in server.log():
        times[entry.host].append(entry.time)
    return {host: [b - a for a, b in pairwise(sorted(seen))] for host, seen in times.items()}


def test_a_killed_worker_loses_nothing(tmp_path, campaign_url) -> None:
    web = small_web(6, 40, delay_s=0.05)
    with (
        ServerProcess.for_pages(web) as server,
        Crew(tmp_path, server, campaign_url, names(6), host_concurrency="2") as crew,
    ):
        first = crew.start()
        crew.start()
        wait_until(lambda: sum(server.counts().values()) > 80)
        first.kill()
        first.wait()
        crew.start()  # takes the dead one's shard and goes on there
        crew.finish()
        assert not (crew.out / "workers" / "003").exists()
        urls, report = merged(crew)
        assert urls == stored_urls(web)
        twice = sum(n - 1 for n in crew.stored().values())
        assert report.url_twice == twice <= 4
        counts = RedisFrontier(campaign_url).counts()
        assert (counts.pending, counts.leased) == (0, 0)
        assert counts.ended == {"stored": len(urls)}
        # The lost fetches were done again, at most those that were out and one group unstored.
        assert sum(server.counts().values()) <= len(urls) + 2 * 6 + 64


def test_workers_together_keep_the_delay(tmp_path, campaign_url) -> None:
    robots = {1: "User-agent: *\nCrawl-delay: 1\n", 2: "User-agent: *\nDisallow: /s0/\n"}
    web = small_web(4, 4, delay_s=0.0, robots=robots)
    delay_s = 0.5
    with (
        ServerProcess.for_pages(web) as server,
        Crew(
            tmp_path,
            server,
            campaign_url,
            names(4),
            robots="true",
            delay_s=str(delay_s),
            host_concurrency="1",
        ) as crew,
    ):
        crew.start()
        crew.start()
        crew.finish()
        assert min(crew.summary(number)["pages"] for number in (0, 1)) > 0
        for host, found in gaps(server).items():
            least = 1.0 if host.startswith("h1.") else delay_s
            assert min(found) >= 0.95 * least, (host, sorted(found)[:3])
        fetched = server.counts()
        assert max(fetched.values()) == 1, "one worker's robots.txt serves all"
        assert not [url for url in fetched if url.startswith("http://h2.shared.example/s0/")]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_delay_holds_for_any_number_of_workers(tmp_path, campaign_url, workers) -> None:
    robots = dict.fromkeys((1, 5), "User-agent: *\nCrawl-delay: 1.5\n")
    web = small_web(12, 20, delay_s=0.0, robots=robots)
    with (
        ServerProcess.for_pages(web) as server,
        Crew(
            tmp_path, server, campaign_url, names(12), robots="true", delay_s="1",
            host_concurrency="1",
        ) as crew,
    ):  # fmt: skip
        for _ in range(workers):
            crew.start()
        crew.finish(300)
        found = gaps(server)
        slow = [gap for host in ("h1", "h5") for gap in found.pop(f"{host}.shared.example")]
        rest = [gap for host in found.values() for gap in host]
        print(f"{workers} workers: least gap {min(rest):.4f} s, crawl-delay 1.5: {min(slow):.4f} s")
        assert min(rest) >= 0.95
        assert min(slow) >= 0.95 * 1.5
        assert set(crew.stored()) == stored_urls(web)


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_four_workers_killed_again_and_again(tmp_path, campaign_url) -> None:
    web = small_web(100, 195, delay_s=0.02)
    chance = random.Random(9)
    with (
        ServerProcess.for_pages(web) as server,
        Crew(
            tmp_path, server, campaign_url, names(100), host_concurrency="2", lease_s="20",
        ) as crew,
    ):  # fmt: skip
        alive = [crew.start() for _ in range(4)]
        kills = seen = 0
        while any(worker.poll() is None for worker in alive):
            time.sleep(chance.uniform(2, 5))
            victim = chance.choice(alive)
            # On a busy machine a worker takes long to start: let some work be done between.
            done = len(server.log())
            if victim.poll() is None and seen + 800 < done < 19_000:
                seen = done
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                alive.remove(victim)
                kills += 1
                alive.append(crew.start())
        crew.finish(600)
        urls, report = merged(crew)
        fetched = sum(server.counts().values())
        print(f"{kills} kills, {len(urls)} pages, {fetched} fetched, {report}")
        assert kills >= 5
        assert urls == stored_urls(web)
        assert report.url_twice == sum(n - 1 for n in crew.stored().values())


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_redis_is_killed_in_the_middle(tmp_path) -> None:
    web = small_web(40, 60, delay_s=0.02)
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder, "--appendonly", "yes", "--appendfsync", "everysec")
    url = f"{redis.url}#aof"
    try:
        with (
            ServerProcess.for_pages(web) as server,
            Crew(tmp_path, server, url, names(40), host_concurrency="2", lease_s="15") as crew,
        ):
            crew.start()
            crew.start()
            for mark in (500, 1200):
                wait_until(lambda mark=mark: len(server.log()) > mark)
                redis.kill()
                time.sleep(3)
                redis.start()
            crew.finish(400)
            before, report = merged(crew, "before")
            missing = stored_urls(web) - before
            words = [sys.executable, "-m", "quarkcrawl", "frontier", "recover", url, str(crew.out)]
            done = subprocess.run(words, env=environment(), capture_output=True, check=True)
            crew.start()
            crew.finish(200)
            after, _ = merged(crew, "after")
            print(f"missing before recovery {len(missing)}, {report}, {json.loads(done.stdout)}")
            assert after == stored_urls(web)
            assert "is back" in crew.errors(0) + crew.errors(1)
    finally:
        redis.stop()
