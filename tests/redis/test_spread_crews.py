"""Worker processes on three servers: workers and servers are killed, each page comes once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise

import pytest

from quarkcrawl.frontier import open_shared
from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import environment
from tests.redis.server import RedisServer
from tests.redis.steps import PLACES
from tests.redis.web import small_web, stored_urls
from tests.redis.workers import Crew, merged, wait_until

N_HOSTS = 9
DELAY_S = 5.0
"""The bar is a least gap: a busy machine makes gaps longer; .25 s leave room for jitter."""


@pytest.fixture
def servers(tmp_path):
    """Three that lose nothing when they are killed."""
    found = []
    for number in range(3):
        folder = tmp_path / f"redis{number}"
        folder.mkdir()
        found.append(RedisServer(folder, "--appendonly", "yes", "--appendfsync", "always"))
    yield found
    for server in found:
        server.stop()


def least_gaps(server: ServerProcess) -> dict[str, float]:
    """Between any two requests to a host, as the server saw them."""
    times = defaultdict(list)
    for entry in server.log():
        times[entry.host].append(entry.time)
    return {host: min(b - a for a, b in pairwise(sorted(seen))) for host, seen in times.items()}


def told(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "quarkcrawl", "frontier", *words],
        env=environment(), capture_output=True, check=True, text=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.full
def test_workers_and_servers_are_killed(tmp_path, servers) -> None:
    web = small_web(N_HOSTS, 2, delay_s=0.02)
    names = [f"h{number}.shared.example" for number in range(N_HOSTS)]
    assert {PLACES.of_host(name) for name in names} == {0, 1, 2}
    where = ",".join(server.url for server in servers) + "#killed"
    rules = {"delay_s": str(DELAY_S), "host_concurrency": "1", "lease_s": "240"}
    with (
        ServerProcess.for_pages(web) as server,
        Crew(tmp_path, server, where, names, **rules) as crew,
    ):

        def kill_worker(number: int) -> None:
            """Its successor takes its shard, and what it had out."""
            crew.workers[number].kill()
            crew.workers[number].wait()
            crew.start()

        def kill_server(number: int, witness: int) -> None:
            before = crew.errors(witness).count(f":{servers[number].port}/0")
            servers[number].kill()
            wait_until(lambda: crew.errors(witness).count(f":{servers[number].port}/0") > before)

        gate = open_shared(where)
        gate.set_state("paused")
        for _ in range(4):
            crew.start()
        wait_until(lambda: len(gate.reports()) == 4)  # however slow the machine is
        gate.set_state("running")
        gate.close()
        wait_until(lambda: len(server.log()) > N_HOSTS)
        kill_server(0, witness=3)
        kill_worker(0)
        servers[0].start()
        wait_until(lambda: len(server.log()) > 3 * N_HOSTS)
        kill_worker(1)
        kill_server(2, witness=3)
        servers[2].start()
        crew.finish(240)
        assert set(crew.stored()) == stored_urls(web)
        assert set(crew.stored().values()) == {1}, "stored twice"
        assert merged(crew)[0] == stored_urls(web)
        gaps = least_gaps(server)
        assert sorted(gaps) == sorted(names)
        print(f"least gap {min(gaps.values()):.3f} s, {sum(server.counts().values())} requests")
        assert min(gaps.values()) >= 0.95 * DELAY_S, gaps
        # What was out at a kill was asked again, and nothing else.
        assert sum(server.counts().values()) <= len(stored_urls(web)) + 4 * N_HOSTS
        found = json.loads(told("status", where, "--json"))
        assert found["ended"] == {"stored": len(stored_urls(web))}
        assert (found["pending"], found["leased"]) == (0, 0)
        assert min(one["stored"] for one in found["servers"]) > 0
