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
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store.corpus import Corpus
from tests.crawl.harness import environment
from tests.redis.proxy import CutProxy
from tests.redis.server import RedisServer
from tests.redis.web import small_web, stored_urls
from tests.redis.workers import Crew, alone, merged, stored_md5s, wait_until


def names(number: int) -> list[str]:
    return [f"h{n}.shared.example" for n in range(number)]


def gaps(server: ServerProcess) -> dict[str, list[float]]:
    """Time between any two requests to a host, as the server saw them."""
    times = defaultdict(list)
    for entry in server.log():
        times[entry.host].append(entry.time)
    return {host: [b - a for a, b in pairwise(sorted(seen))] for host, seen in times.items()}


@pytest.mark.full
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
        assert stored_md5s(tmp_path / "merged") == alone(crew, server)


@pytest.mark.full
def test_a_worker_cut_off_longer_than_its_lease(redis_server, tmp_path, campaign_url) -> None:
    """It has home pages out; meanwhile they are handed to another one, and fetched and stored."""
    web = small_web(6, 8, delay_s=0.02)
    homes = [f"http://{name}/" for name in names(6)]
    for home in homes:
        web[home]["delay_s"] = 3.0  # out for long enough that no reply is there at the cut
    proxy = CutProxy(redis_server.port)
    through = f"redis://127.0.0.1:{proxy.port}/0#{campaign_url.partition('#')[2]}"
    rules = {"lease_s": "13", "host_concurrency": "1"}
    with (
        ServerProcess.for_pages(web) as server,
        Crew(tmp_path, server, campaign_url, names(6), **rules) as crew,
    ):
        crew.start(redis=through)
        wait_until(lambda: all(server.counts().get(home) for home in homes))
        proxy.cut()
        crew.start()
        wait_until(lambda: all(server.counts()[home] == 2 for home in homes))
        time.sleep(4)  # the other one has them too by now
        proxy.mend()
        crew.finish()
        assert "is back" in crew.errors(0)
        late, other = (Corpus.open(shard) for shard in sorted((crew.out / "workers").iterdir()))
        assert not {row.url for row in late.pages()} & set(homes), "its leases were lost"
        assert {row.url for row in other.pages()} >= set(homes)
        assert set(crew.stored().values()) == {1}, "stored twice"
        assert merged(crew)[0] == stored_urls(web)
    proxy.close()


@pytest.mark.full
def test_workers_together_keep_the_delay(tmp_path, campaign_url) -> None:
    """The bars are least gaps: a busy machine makes gaps longer; .12 s leaves room for jitter."""
    robots = {1: "User-agent: *\nCrawl-delay: 3.5\n", 2: "User-agent: *\nDisallow: /s0/\n"}
    web = small_web(4, 2, delay_s=0.0, robots=robots)
    delay_s = 2.5
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
        gate = RedisFrontier(campaign_url)
        gate.set_state("paused")
        crew.start()
        crew.start()
        wait_until(lambda: len(gate.server.workers()) == 2)  # however slow the machine is
        gate.set_state("running")
        crew.finish()
        gate.close()
        assert min(crew.summary(number)["pages"] for number in (0, 1)) > 0
        for host, found in gaps(server).items():
            least = 3.5 if host.startswith("h1.") else delay_s
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
@pytest.mark.timeout(3000)
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
            time.sleep(chance.uniform(0.5, 2))
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
        assert stored_md5s(tmp_path / "merged") == alone(crew, server)


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
            done = recover(url, crew)
            crew.start()
            crew.finish(200)
            after, _ = merged(crew, "after")
            print(f"missing before recovery {len(missing)}, {report}, {done}")
            assert after == stored_urls(web)
            assert "is back" in crew.errors(0) + crew.errors(1)
    finally:
        redis.stop()


def recover(url: str, crew: Crew) -> dict[str, int]:
    words = [sys.executable, "-m", "quarkcrawl", "frontier", "recover", url, str(crew.out)]
    done = subprocess.run(words, env=environment(), capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_end_of_the_servers_history_is_lost(tmp_path) -> None:
    """Power fails for all at once, and of the AOF only what was written long before is there."""
    web = small_web(20, 40, delay_s=0.05)
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder, "--appendonly", "yes", "--appendfsync", "everysec")
    url = f"{redis.url}#lost"
    try:
        with (
            ServerProcess.for_pages(web) as server,
            Crew(tmp_path, server, url, names(20), host_concurrency="2", lease_s="15") as crew,
        ):
            crew.start()
            crew.start()
            wait_until(lambda: len(server.log()) > 150)
            aof = max(folder.rglob("*.aof"), key=lambda path: path.stat().st_size)
            kept_bytes = aof.stat().st_size
            wait_until(lambda: len(server.log()) > 450)
            redis.kill()
            for worker in crew.workers:
                worker.kill()
                worker.wait()
            lost_bytes = aof.stat().st_size - kept_bytes
            with aof.open("r+b") as file:
                file.truncate(kept_bytes)
            redis.start()
            stored, fetched = set(crew.stored()), server.counts()
            done = recover(url, crew)
            print(f"{lost_bytes} bytes lost, {len(stored)} pages stored, recovery {done}")
            assert done["unknown"] + done["reopened"] > 0, "there was nothing to repair"
            for _ in range(2):
                crew.start()
            crew.finish(400)
            after, report = merged(crew)
            assert after == stored_urls(web)
            assert report.url_twice == 0
            now = server.counts()
            assert [url for url in stored if now[url] > fetched[url]] == [], "fetched again"
    finally:
        redis.stop()


@pytest.mark.full
@pytest.mark.parametrize("is_early", [True, False])
def test_a_worker_ends_when_it_is_told_to_while_the_server_is_away(tmp_path, is_early) -> None:
    """Before its first second is over as well as when it has nothing to do but wait."""
    web = small_web(2, 3)
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder, "--appendonly", "yes")
    try:
        with (
            ServerProcess.for_pages(web) as server,
            Crew(tmp_path, server, f"{redis.url}#idle", names(2), delay_s="600") as crew,
        ):
            worker = crew.start()
            wait_until(lambda: len(server.log()) >= 2)  # a page of each host; the next is far off
            redis.kill()
            wait_until(lambda: "waiting" in crew.errors(0))
            if not is_early:
                time.sleep(3)
            worker.send_signal(signal.SIGINT)
            worker.wait(240)  # not redis_wait_s, an hour
            assert "stopping" in crew.errors(0)
    finally:
        redis.stop()


@pytest.mark.full
def test_workers_wait_for_a_server_that_is_restarted(tmp_path) -> None:
    """Killed while they start, in the middle, twice; none exits, nothing is stored twice."""
    web = small_web(6, 60, delay_s=0.1)
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder, "--appendonly", "yes", "--appendfsync", "always")
    url = f"{redis.url}#restarted"
    try:
        redis.kill()
        with (
            ServerProcess.for_pages(web) as server,
            Crew(tmp_path, server, url, names(6), host_concurrency="2", lease_s="60") as crew,
        ):
            crew.start()
            crew.start()
            wait_until(lambda: "waiting for it" in crew.errors(0) and "waiting" in crew.errors(1))
            redis.start()
            for mark in (40, 90):
                wait_until(lambda mark=mark: len(server.log()) > mark)
                told = crew.errors(0).count("; waiting")
                redis.kill()
                wait_until(lambda told=told: crew.errors(0).count("; waiting") > told)
                redis.start()
            crew.finish(240)
            assert merged(crew)[0] == stored_urls(web)
            assert set(crew.stored().values()) == {1}, "stored twice"
    finally:
        redis.stop()
