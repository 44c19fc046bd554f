"""Server time of the workbench: 100,000 pages; a page of 10 MB; one of 100,000 blocks.

    python benchmarks/web.py [--pages 100000] [--corpus-only] > web.json

The corpus is made here: rows with Zipf sizes, ten links each and generated Chinese text of about
1,400 characters, written as a crawl writes its tables, with labels of every second page. Times are
of whole requests (through the ASGI interface, no network): CPU time of the server and of the
process that reads pages, and wall time; "first" is the very first request of a kind, before
anything is cached. Every page is opened twice: as a browser does it (the view, then whether it has
been read until it has been, then what is shown), and by an API client that asks for one thing of a
page that nobody has looked at ("alone"), again and again while it is told that the page is being
read: "longest" is the longest of these answers, "until" all of them together. The load of the
machine is noted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from starlette.testclient import TestClient

from quarkcrawl.refine.labels import LABEL_SCHEMA
from quarkcrawl.store import Corpus
from quarkcrawl.store.layout import bucket
from quarkcrawl.store.tables.arrow import conform
from quarkcrawl.store.tables.columns import schema_of
from quarkcrawl.workbench.web import create_app

BEARER = {"Authorization": "Bearer b"}
WORDS = [
    "市场",
    "经济",
    "学校",
    "记者",
    "发展",
    "北京",
    "大学",
    "网络",
    "搜索",
    "引擎",
    "研究",
    "城市",
    "工程",
    "建设",
    "问题",
    "今天",
    "表示",
    "认为",
    "公司",
    "技术",
]
BAR_S = 1.0


def make_corpus(root: Path, n_pages: int) -> None:
    """The tables of a crawl of many hosts; bodies are not needed for lists."""
    Corpus.create(root)
    dice = random.Random(1)
    sizes, total = [], 0
    while total < n_pages:
        size = min(int(dice.paretovariate(0.7) * 3), n_pages // 10, n_pages - total)
        sizes.append(max(1, size))
        total += sizes[-1]
    hosts = [f"www{i}.{dice.choice(['com.cn', 'edu.cn', 'cn', 'com'])}" for i in range(len(sizes))]
    paragraphs = ["".join(dice.choices(WORDS, k=35)) + "。" for _ in range(5000)]
    by_bucket: dict[int, list[tuple[str, int]]] = {}
    for host, size in zip(hosts, sizes, strict=True):
        by_bucket.setdefault(bucket(host), []).append((host, size))
    schema = schema_of("page")
    urls, labels = [], []
    for number, its_hosts in by_bucket.items():
        rows = [row for host, size in its_hosts for row in host_rows(dice, host, size, paragraphs)]
        folder = root / "analysis" / "pages" / f"bucket={number}"
        folder.mkdir(parents=True)
        table = conform(pa.Table.from_pylist(rows), schema).drop_columns(["bucket"])
        pq.write_table(table, folder / "part-000001.parquet", compression="zstd")
        urls += [row["url"] for row in rows]
        labels += [label_row(row) for row in rows[::2]]
    folder = root / "analysis" / "labels" / "texts"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(labels, LABEL_SCHEMA), folder / "part-000001.parquet")
    make_others(root, urls)


def host_rows(dice: random.Random, host: str, size: int, paragraphs: list[str]) -> Iterator[dict]:
    """The pages of a host as the crawl writes them."""
    address = f"http://{host}/{{}}/{{}}.html"
    for number in range(size):
        text = "\n".join(dice.choices(paragraphs, k=20))
        year = dice.choice([None, 2003, 2004, 2005])
        targets = [dice.randrange(size) for _ in range(9)] + [0]
        yield {
            "url": address.format(number // 100, number),
            "host": host,
            "level": 1 + (number > 0) + (number > 30),
            "bucket": bucket(host),
            "offset": number * 5000,
            "length": 5000,
            "fetched_at": 1.7e9 + number,
            "status": 200,
            "mime": "text/html",
            "charset": dice.choice(["utf-8", "gb18030", "big5"]),
            "md5": f"{dice.getrandbits(128):032x}",
            "body_bytes": 20_000 + number,
            "title": text[:20],
            "content_method": "default",
            "content_text": text,
            "content_title": text[:20],
            "published": year and f"{year}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}",
            "language": dice.choice(["zh", "zh", "zh", "en", None]),
            "page_type": dice.choice(["article", "article", "forum", "listing"]),
            "template": dice.choice([None, f"{crc32(host.encode()):08x}{number % 3}"]),
            "marks": ["truncated"] if number % 50 == 0 else None,
            "is_topic": number % 3 > 0,
            "links": [
                {"url": address.format(to // 100, to), "text": text[:8], "nofollow": False,
                 "kind": "a", "position": place}
                for place, to in enumerate(targets)
            ],
        }  # fmt: skip


def label_row(row: dict) -> dict:
    """Labels of a page as `quarkcrawl refine` writes them."""
    return {
        "url": row["url"],
        "host": row["host"],
        "offset": row["offset"],
        "n_chars": len(row["content_text"]),
        "language": "zh",
        "script": "Hans",
        "heuristics": ["c4.few_sentences"] if row["offset"] % 35_000 == 0 else None,
        "spam": ["gambling"] if row["offset"] % 45_000 == 0 else None,
    }


def make_others(root: Path, urls: list[str]) -> None:
    """Drops, duplicates, ranks."""
    n = len(urls)
    reasons = ["robots", "http_404", "timeout", "dns", "mime"]
    tables = {
        "drops": (
            "drop",
            [
                {
                    "url": url + "?d",
                    "host": url.split("/")[2],
                    "reason": reasons[i % 5],
                    "level": 2,
                    "at": 1.7e9,
                }
                for i, url in enumerate(urls[: n // 2])
            ],
        ),
        "duplicates": (
            "duplicate",
            [
                {"url": url + "?c", "duplicate_of": urls[i // 3], "level": 2}
                for i, url in enumerate(urls[: n // 4])
            ],
        ),
    }
    for name, (kind, rows) in tables.items():
        folder = root / "analysis" / name
        folder.mkdir(parents=True)
        pq.write_table(
            conform(pa.Table.from_pylist(rows), schema_of(kind)), folder / "part-000001.parquet"
        )
    ranks = root / "analysis" / "ranks"
    ranks.mkdir()
    rows = {
        "url": urls,
        "host": [u.split("/")[2] for u in urls],
        "rank": [1 / (i + 1) for i in range(n)],
        "position": list(range(n)),
    }
    pq.write_table(pa.table(rows), ranks / "quarkrank.parquet")


class Bench:
    """A client within the server's process; every request with its CPU and wall time."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def cpu_s(self) -> float:
        """CPU time of the server and of the process that reads its pages."""
        worker = self.client.app.state.bench.worker._process.worker  # noqa: SLF001 - to measure it
        pids = [os.getpid()] + ([worker._process.pid] if worker is not None else [])  # noqa: SLF001
        return sum(
            psutil.Process(pid).cpu_times()[0] + psutil.Process(pid).cpu_times()[1] for pid in pids
        )

    def await_warm(self) -> None:
        """Until the process that reads pages has loaded its models."""
        while self.client.app.state.bench.worker.ask("warm"):
            pass

    def until_read(self) -> dict[str, float]:
        """Ask for the overview until the tables have been read."""
        before, start = self.cpu_s(), time.perf_counter()
        longest, n_asked = 0.0, 0
        while True:
            asked = time.perf_counter()
            reply = self.client.get("/")
            longest = max(longest, time.perf_counter() - asked)
            n_asked += 1
            if reply.status_code == 200:
                break
            assert reply.status_code == 202, reply.text[:300]
        return {
            "cpu_s": round(self.cpu_s() - before, 2),
            "wall_s": round(time.perf_counter() - start, 2),
            "answers_meanwhile": n_asked - 1,
            "longest_wait_wall_s": round(longest, 2),
        }

    def insisted(self, path: str) -> dict[str, float]:
        """Ask until there is an answer; while a large page is being read there is 503 or false."""
        wall, cpu = [], []
        while True:
            before, start = self.cpu_s(), time.perf_counter()
            reply = self.client.get(path)
            wall.append(time.perf_counter() - start)
            cpu.append(self.cpu_s() - before)
            if reply.status_code == 200 and reply.json().get("is_read", True):
                break
            assert reply.status_code in {200, 503}, (path, reply.text[:300])
            assert reply.status_code == 200 or reply.headers["retry-after"], reply.text[:300]
        return {
            "answers": len(wall),
            "longest_cpu_s": round(max(cpu), 3),
            "longest_wall_s": round(max(wall), 3),
            "until_cpu": round(sum(cpu), 3),
            "until_wall": round(sum(wall), 3),
        }

    def timed(self, path: str, repeats: int = 5, **posted: object) -> dict[str, float]:
        """The first answer, and the slowest and the median of those after it."""
        wall, cpu = [], []
        for _ in range(repeats):
            before, start = self.cpu_s(), time.perf_counter()
            reply = (
                self.client.post(path, headers=BEARER, **posted)
                if posted
                else self.client.get(path)
            )
            wall.append(time.perf_counter() - start)
            cpu.append(self.cpu_s() - before)
            assert reply.status_code == 200, (path, reply.status_code, reply.text[:300])
        return {
            "first_cpu_s": round(cpu[0], 3),
            "slowest_cpu_s": round(max(cpu[1:] or cpu), 3),
            "first_wall_s": round(wall[0], 3),
            "slowest_wall_s": round(max(wall[1:] or wall), 3),
            "median_wall_s": round(statistics.median(wall), 3),
        }


def corpus_views(folder: Path, n_pages: int) -> dict[str, object]:
    root = folder / "corpus"
    start = time.perf_counter()
    make_corpus(root, n_pages)
    made_s = time.perf_counter() - start
    with TestClient(create_app(root, token="b"), base_url="http://127.0.0.1") as client:
        bench = Bench(client)
        reading = bench.until_read()
        page = client.get("/api/pages").json()["rows"][0]
        last = -(-n_pages // 50)
        paths = {
            "overview": "/",
            "hosts": "/hosts",
            "hosts, search": "/hosts?q=99&sort=bytes",
            "pages": "/pages",
            "pages, last": f"/pages?page={last}",
            "pages, by size": "/pages?sort=largest",
            "pages, of a host": f"/pages?host={page['host']}",
            "pages, URL": "/pages?q=77.html",
            "full text, frequent": "/pages?text=市场经济",
            "full text, one character": "/pages?text=市",
            "full text, rare": "/pages?text=大学大学大学大学",
            "full text, absent": "/pages?text=没有的词",
            "full text, two words": "/pages?text=北京大学+搜索引擎",
            "full text, last page": "/pages?text=网络技术&page=1000",
            "full text, one host": f"/pages?text=市场经济&host={page['host']}",
            "phrase, traditional": "/pages?text=%22大學網絡%22",
            "full text, by URL": "/pages?text=网络技术&sort=url",
            "facets alone": "/api/facets",
            "facets, hosts further": "/pages?more=host",
            "facets, four chosen": "/pages?page_type=article|forum&topic=yes&date=2003|2004-05"
            "&labels=script:Hans",
            "facets and words": "/pages?text=市场经济&page_type=article&topic=yes",
            "CSV, 10,000 rows": "/api/results/csv?rows=10000",
            "SQL of a search": "/api/results/sql?text=大学大学大学大学",
            "links to a page": f"/api/pages/{page['id']}/links",
            "links on a page": f"/api/pages/{page['id']}/links?direction=out",
            "drops": "/drops",
            "drops, last": f"/drops?page={last // 2}",
            "drops, reason": "/drops?reason=dns",
            "copies": "/copies",
            "copies, last": f"/copies?page={last // 20}",
            "ranks": "/ranks",
            "ranks, last": f"/ranks?page={last}",
            "page history": f"/api/pages/{page['id']}",
            "marking": "/marking",
            "templates": "/templates",
        }
        views = {name: bench.timed(path) for name, path in paths.items()}
        sample = {"size": 100, "seed": 1}
        views["marking, sample drawn"] = bench.timed("/api/marking/sample", 1, json=sample)
        views["marking, with sample"] = bench.timed("/marking")
    return {"pages": n_pages, "made_s": round(made_s, 1), "reading": reading, "views": views}


def large_page(mebibytes: float) -> bytes:
    dice = random.Random(2)
    item = "<div class=post><h3>{}</h3><p>{}</p><p>{}</p><a href='/a{}.html'>{}</a></div>\n"
    pieces = ["<!DOCTYPE html><html><head><meta charset=utf-8><title>大页面</title></head><body>"]
    size = 0
    while size < mebibytes * 1_000_000:
        texts = ["".join(dice.choices(WORDS, k=k)) for k in (8, 90, 120, 6)]
        piece = item.format(texts[0], texts[1] + "。", texts[2] + "。", size, texts[3])
        size += len(piece.encode())
        pieces.append(piece)
    return "".join([*pieces, "</body></html>"]).encode()


def many_blocks(n_blocks: int) -> bytes:
    """Blocks of 60 characters, above what the segmenter takes for ripe; two bytes a character."""
    text = "".join(WORDS)[:29] + "，" + "".join(WORDS)[:29] + "。"
    cell = f"<table><td>{text}</table>\n"
    return f"<meta charset=gb18030><title>块</title>{cell * n_blocks}".encode("gb18030")


def page_views(body: bytes) -> dict[str, object]:
    with TestClient(create_app(token="b"), base_url="http://127.0.0.1") as client:
        bench = Bench(client)
        small = client.post("/api/documents", content=b"<p>" + b"x" * 900, headers=BEARER).json()
        client.get(f"/api/pages/{small['id']}/blocks")
        bench.await_warm()
        before, start = bench.cpu_s(), time.perf_counter()
        page = client.post("/api/documents", content=body, headers=BEARER).json()["id"]
        base = f"/api/pages/{page}"
        paths = {
            "frame, original": f"/frames/{page}/original",
            "frame, content": f"/frames/{page}/content",
            "summary": f"{base}/summary",
            "text": f"{base}/text",
        }
        views = {"view": bench.timed(f"/page/{page}", 1)}
        views["reading"] = bench.insisted(f"{base}/reading")
        views |= {name: bench.timed(path, 1) for name, path in paths.items()}
        opened = {
            "cpu_s": round(bench.cpu_s() - before, 3),
            "wall_s": round(time.perf_counter() - start, 3),
        }
        paths |= {
            "frame, map": f"/frames/{page}/map",
            "frame, part 9": f"/frames/{page}/content?part=9",
            "blocks": f"{base}/blocks?count=40",
            "blocks, far": f"{base}/blocks?start=900&count=40",
            "source": f"{base}/source",
            "source, far": f"{base}/source?start=5000000",
            "compare": f"{base}/compare",
            "items": f"{base}/items",
            "template": f"{base}/template",
        }
        views["reading, quark"] = bench.insisted(f"{base}/reading?method=quark")
        paths["summary, quark"] = f"{base}/summary?method=quark"
        for name, path in paths.items():
            views[name] = {**bench.timed(path, 3), **(views.get(name, {}))}
        found = client.get(f"{base}/summary").json()
    return {
        "bytes": len(body),
        "blocks": found["n_blocks"],
        "nodes": found["n_nodes"],
        "opened": opened,
        "views": views,
        "alone": {name: alone(body, name) for name in ("summary", "blocks", "source", "items")},
    }


def alone(body: bytes, name: str) -> dict[str, float]:
    """One question about a page that nobody has looked at."""
    with TestClient(create_app(token="b"), base_url="http://127.0.0.1") as client:
        bench, app = Bench(client), client.app
        small = client.post("/api/documents", content=b"<p>" + b"x" * 900, headers=BEARER).json()
        client.get(f"/api/pages/{small['id']}/blocks")
        bench.await_warm()
        page = app.state.bench.documents.add(body).id  # as if it had been stored
        return bench.insisted(f"/api/pages/{page}/{name}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--corpus-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "load": os.getloadavg(),
            "corpus": corpus_views(Path(folder), options.pages),
        }
        if not options.corpus_only:
            found["10 MB page"] = page_views(large_page(10))
            found["100,000 blocks"] = page_views(many_blocks(100_000))
    found["load_after"] = os.getloadavg()
    for unit in ("cpu_s", "wall_s"):
        found[f"over_one_second, {unit}"] = {
            f"{part}: {kind}: {name}": times
            for part in ("corpus", "10 MB page", "100,000 blocks")
            if part in found
            for kind in ("views", "alone")
            for name, times in found[part].get(kind, {}).items()
            if max(value for key, value in times.items() if key.endswith(unit)) >= BAR_S
        }
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
