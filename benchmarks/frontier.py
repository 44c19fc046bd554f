"""Speed, size and memory of the frontier, as JSON.

    python benchmarks/frontier.py --urls 1000000

Three phases, each on the file that the one before left:

``push_new``   batches of 50 links of one host, all new;
``push_mixed`` the same, with ``--known`` (.6) of the links pushed before;
``lease``      every URL leased, settled, acknowledged as stored and committed in groups of 32;
               then the file is closed.

Rates are per second of process CPU time: the time of other programs does not count. The
time to make the batches is not counted either.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, SqliteFrontier

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 50
GROUP = 32  # pages between two commits


class Web:
    """URLs by (host, number): made, never kept."""

    def __init__(self, hosts: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.counts = [0] * hosts
        self.names = [f"www.site{number:05d}.com.cn" for number in range(hosts)]

    def candidate(self, host: int, number: int) -> Candidate:
        name = self.names[host]
        path = f"/news/{2000 + number % 12}/{number % 28:02d}/article_{number:09d}.html"
        return Candidate(f"http://{name}{path}", name, 2 if number < 64 else 3)

    def batch(self, known: float) -> list[Candidate]:
        host = self.random.randrange(len(self.names))
        links = []
        for _ in range(BATCH):
            number = self.counts[host]
            if number and self.random.random() < known:
                number = self.random.randrange(number)
            else:
                self.counts[host] += 1
            links.append(self.candidate(host, number))
        return links


def push(frontier: SqliteFrontier, web: Web, new_urls: int, known: float) -> dict[str, float]:
    """Push until ``new_urls`` were accepted."""
    accepted = pushed = batches = 0
    cpu = 0.0
    while accepted < new_urls:
        links = web.batch(known)
        start = time.process_time()
        accepted += sum(frontier.push(links))
        batches += 1
        if batches % GROUP == 0:
            frontier.commit()
        cpu += time.process_time() - start
        pushed += len(links)
    start = time.process_time()
    frontier.checkpoint()
    cpu += time.process_time() - start
    return {"pushed": pushed, "accepted": accepted, "per_s": round(pushed / cpu)}


def lease_all(frontier: SqliteFrontier, limit: int, most: int) -> dict[str, float]:
    """Lease and acknowledge up to ``most`` URLs."""
    leased = 0
    now = 0.0
    start = time.process_time()
    while leased < most and (leases := frontier.lease(limit, now=now)):
        now += 0.01
        leased += len(leases)
        for at in range(0, len(leases), GROUP):
            group = leases[at : at + GROUP]
            for lease in group:
                frontier.settle((lease.token,))
            frontier.acknowledge([Ending(lease.token, "stored") for lease in group])
            frontier.commit()
    frontier.checkpoint()
    cpu = time.process_time() - start
    return {"leased": leased, "per_s": round(leased / cpu)}


def sizes(path: Path, urls: int) -> Iterator[tuple[str, float]]:
    """Bytes on disk per URL ever seen, and the most memory ever used."""
    yield "bytes_per_url", round(path.stat().st_size / urls, 1)
    yield "peak_rss_mib", round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--known", type=float, default=0.6)
    parser.add_argument("--limit", type=int, default=64, help="leases asked for at once")
    parser.add_argument("--leases", type=int, default=0, help="most leases; 0: all")
    parser.add_argument("--folder", type=Path, default=None)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = Path(folder, "frontier.db")
        options = FrontierOptions(delay_s=0.0, concurrency=8, robots=False)
        frontier = SqliteFrontier(path, options)
        web = Web(args.hosts, seed=1)
        result: dict[str, object] = {"urls": args.urls, "hosts": args.hosts}
        for name, known in (("push_new", 0.0), ("push_mixed", args.known)):
            phase = push(frontier, web, args.urls // 2, known)
            seen = frontier.counts().seen
            result[name] = {**phase, **dict(sizes(path, seen))}
            print(name, result[name], file=sys.stderr)
        phase = lease_all(frontier, args.limit, args.leases or args.urls * 2)
        frontier.close()
        result["lease"] = {**phase, **dict(sizes(path, seen))}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
