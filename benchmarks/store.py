"""Speed of the store: prints JSON.

    python benchmarks/store.py [--pages 6000] [--out FOLDER]

Pages are made up, Chinese, of 15 to 30 KB in GB18030, with 60 links each, ten of them new; the
journal row has them all. Times are process CPU seconds (all threads) and wall seconds, for the
machine is shared; the levels of compression are compared side by side in the same run.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import random
import resource
import shutil
import sys
import tempfile
import time
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isal import isal_zlib

from quarkcrawl.page import Fetched, Page, PageItem
from quarkcrawl.store import Corpus, CorpusWriter, page_dat_path, read_at, read_records
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.compaction import compact
from quarkcrawl.store.tables.journal import journal_files
from quarkcrawl.store.tianwang.reader import LocatedRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quarkcrawl.page.links import Links

GROUP = 64
N_LINKS = 60


def make_pages(n: int) -> list[tuple[bytes, Page, Links]]:
    """Distinct pages whose text compresses about as real pages do (3.6 to 1)."""
    rng = random.Random(7)
    common = [chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(700)]
    words = ["".join(rng.choices(common, k=rng.choice((1, 2, 2, 3)))) for _ in range(1500)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    pages = []
    for number in range(n):
        paragraphs = "".join(
            f'<tr><td class="text" width="760" align="left"><font size="2" color="#333333">'
            f"{''.join(rng.choices(words, weights, k=25))}。</font></td></tr>\n"
            for _ in range(rng.randrange(80, 160))
        )
        menu = "".join(
            f'<li class="nav"><a href="/news/{number % 50}/{k}.html">{words[k]}</a></li>\n'
            for k in range(N_LINKS)
        )
        head = f"<html><head><title>{words[number % 1500]}</title></head>"
        html = f"{head}<body><ul>{menu}</ul><table>{paragraphs}</table></body></html>"
        page = Page.from_bytes(html.encode("gb18030"), "http://www.example.com.cn/", "text/html")
        pages.append((page.body, page, page.links))
    return pages


def items(pages: list[Any], n: int, n_hosts: int) -> Iterator[PageItem]:
    headers = (
        (b"Server", b"nginx"),
        (b"Content-Type", b"text/html; charset=gb2312"),
        (b"Content-Encoding", b"gzip"),
        (b"Date", b"Fri, 20 Nov 2026 09:00:00 GMT"),
    )
    for number in range(n):
        body, page, links = pages[number % len(pages)]
        host = f"www{number % n_hosts}.example.com.cn"
        fetched = Fetched(
            url=f"http://{host}/news/2026/{number}.html", host=host, level=3, status=200,
            reason_phrase="OK", http_version="HTTP/1.1", header_lines=headers, ip="127.0.0.1",
            fetched_at=1.8e9 + number, mime="text/html", body_bytes=len(body),
            md5=hashlib.md5(b"%d" % number).digest(),
        )  # fmt: skip
        yield PageItem(fetched, body, number, page, links)


@contextmanager
def timed(result: dict[str, float]) -> Iterator[None]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    result["wall_s"] = time.perf_counter() - wall
    result["cpu_s"] = time.process_time() - cpu


def write(root: Path, pages: list[Any], n: int, n_hosts: int) -> dict[str, Any]:
    """Append in groups of 64, each synced and acknowledged; rotation as in a crawl."""
    took: dict[str, float] = {}
    made = list(items(pages, n, n_hosts))
    n_bytes = sum(len(item.body) for item in made)
    writer = CorpusWriter(root)
    with timed(took):
        for start in range(0, n, GROUP):
            for item in made[start : start + GROUP]:
                writer.append_page(item)
            writer.sync().acknowledged()
    closing: dict[str, float] = {}
    with timed(closing):
        writer.close()
    return {
        "hosts": n_hosts,
        "records_per_s": round(n / took["wall_s"]),
        "records_per_cpu_s": round(n / took["cpu_s"]),
        "inflated_mb_per_s": round(n_bytes / took["wall_s"] / 1e6, 1),
        "ms_cpu_per_page": round(took["cpu_s"] / n * 1e3, 3),
        "close_s": round(closing["wall_s"], 2),
        "mean_body_bytes": n_bytes // n,
        "mean_record_bytes": Corpus.open(root).info().stored_bytes // n,
    }


def read(root: Path) -> dict[str, Any]:
    corpus = Corpus.open(root)
    took: dict[str, float] = {}
    n_bytes = n = 0
    with timed(took):
        for host in corpus.hosts():
            for item in read_records(page_dat_path(root, host)):
                assert isinstance(item, LocatedRecord)
                n_bytes += len(item.record.data)
                n += 1
    rows = list(corpus.pages())
    chosen = random.Random(1).choices(rows, k=3000)
    jumping: dict[str, float] = {}
    with timed(jumping):
        for row in chosen:
            read_at(page_dat_path(root, row.host), row.offset, row.length)
    return {
        "scan_mb_per_s": round(n_bytes / took["cpu_s"] / 1e6),
        "scan_records_per_s": round(n / took["cpu_s"]),
        "random_reads_per_s": round(len(chosen) / jumping["cpu_s"]),
    }


def compaction(root: Path, pages: list[Any], n: int, n_hosts: int) -> dict[str, Any]:
    writer = CorpusWriter(root, rotate_bytes=1 << 40)
    for item in items(pages, n, n_hosts):
        writer.append_page(item)
    writer.sync()
    [(number, path)] = journal_files(root)
    size = path.stat().st_size
    took: dict[str, float] = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with timed(took):
        compact(root, number)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    parquet = sum(p.stat().st_size for p in root.glob("analysis/**/*.parquet"))
    return {
        "hosts": n_hosts,
        "rows_per_cpu_s": round(n / took["cpu_s"]),
        "journal_bytes_per_row": size // n,
        "parquet_bytes_per_row": parquet // n,
        "peak_rss_grew_mb": round((after - before) / 1024, 1),
    }


def levels(bodies: list[bytes]) -> dict[str, Any]:
    coders: dict[str, Callable[[bytes], bytes]] = {
        f"isal {level}": (lambda data, level=level: isal_zlib.compress(data, level))
        for level in range(4)
    }
    coders |= {f"zlib {k}": (lambda data, k=k: zlib.compress(data, k)) for k in (1, 6)}
    total = sum(map(len, bodies))
    found = {}
    for name, coder in coders.items():
        took: dict[str, float] = {}
        with timed(took):
            packed = [coder(body) for body in bodies]
        found[name] = {
            "ratio": round(total / sum(map(len, packed)), 2),
            "mb_per_cpu_s": round(total / took["cpu_s"] / 1e6),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--out", type=Path, default=None)
    arguments = parser.parse_args()
    n = arguments.pages
    base = Path(tempfile.mkdtemp(prefix="store-bench-", dir=arguments.out))
    try:
        pages = make_pages(min(n, 500))
        result: dict[str, Any] = {"pages": n, "group": GROUP, "links_per_page": N_LINKS}
        result["levels"] = levels([page[0] for page in pages[:200]])
        result["write"] = [write(base / f"w{h}", pages, n, h) for h in (1, 64, 200)]
        result["read"] = read(base / "w64")
        result["compaction"] = [
            compaction(base / f"c{h}", pages, min(n, 5000), h) for h in (1, 200)
        ]
        took: dict[str, float] = {}
        shutil.rmtree(base / "w1")
        with timed(took):  # the benchmark's MD5s are not those of the bodies
            found = {problem.detail for problem in verify(base / "w64")}
        assert found == {"md5"}
        result["verify_records_per_cpu_s"] = round(n / took["cpu_s"])
        json.dump(result, sys.stdout, indent=2)
        sys.stdout.write("\n")
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
