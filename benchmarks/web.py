"""Server time of the workbench: 100,000 pages; a page of 10 MB; one of 100,000 blocks.

    python benchmarks/web.py [--pages 100000] [--corpus-only] [--corpus FOLDER] > web.json

The corpus is made here: rows with Zipf sizes, ten links each and generated Chinese text of about
1,400 characters, written as a crawl writes its tables, with labels of every second page, two ranks,
and an earlier run that lacks every sixteenth page; with --corpus it is kept and used again. Times
are of whole requests (through the ASGI interface, no network): CPU time of the server and of all
processes it started, and wall time; "first" is the very first request of a kind, before
anything is cached. What is made in a thread when somebody asks ("made") is asked for until it is
there. Every page is opened twice: as a browser does it (the view, then whether it has
been read until it has been, then what is shown), and by an API client that asks for one thing of a
page that nobody has looked at ("alone"), again and again while it is told that the page is being
read: "longest" is the longest of these answers, "until" all of them together. The load of the
machine is noted.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

import psutil
import pyarrow as pa
import pyarrow.compute as pc
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
ROWS_PER_GROUP = 8192  # as a crawl writes its pages


def make_corpus(root: Path, n_pages: int) -> None:
    """The tables of a crawl of many hosts; bodies are not needed for lists."""
    make_pages(root, n_pages)
    make_note(root)
    make_before(root)


def make_note(root: Path) -> None:
    """What `quarkcrawl refine` notes beside the labels."""
    note = root / "analysis" / "labels" / "texts" / "_options.json"
    note.write_text(json.dumps({"method": "default"}))


def make_before(root: Path) -> None:
    """An earlier run: without every sixteenth page, other bytes in every tenth."""
    before = root.with_name(f"{root.name}-before")
    Corpus.create(before)
    names = ["url", "host", "level", "offset", "length", "status", "md5", "body_bytes"]
    for path in sorted((root / "analysis" / "pages").rglob("*.parquet")):
        table = pq.read_table(path, columns=names, partitioning=None)
        number = pa.array(range(len(table)))
        table = table.filter(pc.not_equal(pc.bit_wise_and(number, 15), 7))
        is_changed = pa.array([place % 10 == 0 for place in range(len(table))])
        md5 = pc.if_else(is_changed, "0" * 32, table["md5"])
        table = table.set_column(names.index("md5"), "md5", md5)
        made = before / path.relative_to(root)
        made.parent.mkdir(parents=True)
        table = conform(table, schema_of("page")).drop_columns(["bucket"])
        pq.write_table(table, made, compression="zstd")


def make_pages(root: Path, n_pages: int) -> None:
    """Tables of pages and of what is worked out of them."""
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
        pq.write_table(
            table, folder / "part-000001.parquet", compression="zstd", row_group_size=ROWS_PER_GROUP
        )
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
        "text_md5": hashlib.md5(row["content_text"].encode()).hexdigest(),
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
    make_second_rank(root)


def make_second_rank(root: Path) -> None:
    """The ranks of another method: places changed within each thousand."""
    ranks = root / "analysis" / "ranks"
    table = pq.read_table(ranks / "quarkrank.parquet")
    places = list(range(len(table)))
    dice = random.Random(3)
    for first in range(0, len(places), 1000):
        part = places[first : first + 1000]
        dice.shuffle(part)
        places[first : first + 1000] = part
    other = table.select(["url", "host"]).take(places)
    for name in ("rank", "position"):
        other = other.append_column(name, table[name])
    pq.write_table(other, ranks / "pagerank.parquet")


class Bench:
    """A client within the server's process; every request with its CPU and wall time."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def cpu_s(self) -> float:
        """CPU time of the server and of all processes that it started."""
        server = psutil.Process()
        total = sum(server.cpu_times()[:4])  # those that have ended among them
        for process in server.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:2])
        return total

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

    def until_made(self, path: str) -> dict[str, float]:
        """Ask until what is made in a thread is there; the last answer is timed by itself."""
        before, start = self.cpu_s(), time.perf_counter()
        while (reply := self.client.get(path)).status_code == 202:
            time.sleep(0.05)
        assert reply.status_code == 200, (path, reply.status_code, reply.text[:300])
        return {
            "cpu_s": round(self.cpu_s() - before, 3),
            "wall_s": round(time.perf_counter() - start, 3),
        }

    def timed(self, path: str, repeats: int = 5, **posted: object) -> dict[str, float]:
        """The first answer, and the slowest and the median of those after it."""
        wall, cpu = [], []
        for _ in range(repeats):
            before, start = self.cpu_s(), time.perf_counter()
            reply = (
                self.client.post(path, headers=BEARER, **posted)
                if posted
                else self.client.get(path, headers=BEARER)
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


def corpus_views(root: Path, n_pages: int) -> dict[str, object]:
    start = time.perf_counter()
    if not root.exists():
        make_corpus(root, n_pages)
    made_s = time.perf_counter() - start
    app = create_app(root, token="b", before=root.with_name(f"{root.name}-before"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        bench = Bench(client)
        reading = bench.until_read()
        page = client.get("/api/pages").json()["rows"][0]
        last = -(-n_pages // 50)
        url = quote(page["url"])
        counted = quote("SELECT host, count(*) AS n FROM pages GROUP BY host ORDER BY n DESC")
        sorted_ = quote("SELECT url, title FROM pages ORDER BY title, url")
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
            "SQL of a search that is new": "/api/results/sql?text=学校发展引擎研究",
            "links to a page": f"/api/pages/{page['id']}/links",
            "links on a page": f"/api/pages/{page['id']}/links?direction=out",
            "drops": "/drops",
            "drops, last": f"/drops?page={last // 2}",
            "drops, reason": "/drops?reason=dns",
            "copies": "/copies",
            "copies, last": f"/copies?page={last // 20}",
            "ranks": "/ranks",
            "ranks, last": f"/ranks?page={last}",
            "ranks, second": "/ranks?method=pagerank&page=7",
            "copies, group": f"/api/copies/group?kind=exact&first={url}",
            "page": f"/page/{page['id']}",
            "page history": f"/api/pages/{page['id']}",
            "way of a URL": f"/trace?url={url}",
            "way of a dropped URL": f"/trace?url={url}%3Fd",
            "way of an unknown URL": "/trace?url=http://nowhere.example/77.html",
            "SQL, hosts counted": f"/sql?q={counted}",
            "SQL, all sorted": f"/sql?q={sorted_}",
            "inspect": "/inspect",
            "pictures": "/pictures",
            "rules": "/rules",
            "marking": "/marking",
            "templates": "/templates",
        }
        twins = {
            "overview": "/api/overview",
            "hosts": "/api/hosts",
            "pages": "/api/pages",
            "pages, by size": "/api/pages?sort=largest",
            "full text, frequent": "/api/search?text=市场经济",
            "drops": f"/api/drops?page={last // 2}",
            "copies": f"/api/copies?page={last // 20}",
            "ranks": f"/api/ranks?method=quarkrank&page={last}",
            "way of a URL": f"/api/trace?url={url}",
            "SQL, hosts counted": f"/api/sql?q={counted}",
            "marking": "/api/marking",
            "templates": "/api/templates",
        }
        paths |= {f"{name}, JSON": path for name, path in twins.items()}
        views = {name: bench.timed(path) for name, path in paths.items()}
        made = {"labels": bench.until_made("/labels"), "runs": bench.until_made("/runs")}
        paths = {
            "labels": "/labels",
            "labels, documents": "/labels/documents?label=spam&value=gambling",
            "labels, last page of all": f"/labels/documents?page={last}",
            "labels, JSON": "/api/labels",
            "labels, documents, JSON": "/api/labels/documents?reason=kept",
            "runs": "/runs",
            "runs, pages": "/runs/pages?change=changed",
            "runs, last page": f"/runs/pages?page={last}",
            "runs, pages of a host": f"/runs/pages?host={page['host']}",
            "runs, JSON": "/api/runs",
            "runs, pages, JSON": "/api/runs/pages?change=went",
        }
        views |= {name: bench.timed(path) for name, path in paths.items()}
        sample = {"size": 100, "seed": 1}
        views["marking, sample drawn"] = bench.timed("/api/marking/sample", 1, json=sample)
        views["marking, with sample"] = bench.timed("/marking")
    return {
        "pages": n_pages,
        "made_s": round(made_s, 1),
        "reading": reading,
        "made": made,
        "views": views,
    }


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


def slowest(views: dict[str, dict[str, float]]) -> dict[str, float]:
    """The longest of all answers about the corpus, the first of each kind among them."""
    return {
        unit: max(
            times[f"{which}_{unit}"] for times in views.values() for which in ("first", "slowest")
        )
        for unit in ("cpu_s", "wall_s")
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--corpus-only", action="store_true")
    parser.add_argument("--corpus", type=Path, help="made there, and kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "load": os.getloadavg(),
            "corpus": corpus_views(options.corpus or Path(folder) / "corpus", options.pages),
        }
        if not options.corpus_only:
            found["10 MB page"] = page_views(large_page(10))
            found["100,000 blocks"] = page_views(many_blocks(100_000))
    found["load_after"] = os.getloadavg()
    found["slowest"] = slowest(found["corpus"]["views"])
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
