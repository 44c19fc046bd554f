"""Tasks on Spark over generated records: time, memory, and whether every row is there. Prints JSON.

    python -m benchmarks.tasks [--gib 4] [--tasks 2000] [--page-bytes 16384] [--folder FOLDER]

Three pages in five are those of one host. A page is 16 KiB of text, stored as it is (fewer bytes
for a quick look at as many rows); its row has that text, so that what is measured is the way of
rows and not extraction. The cluster is a master and two workers on this machine, the driver's heap
is 1 GiB. DuckDB compares what the tasks have written with what was generated. Generation, driver
and comparison are processes of their own; the driver's memory is that of its Python and of its
JVM, together at one moment, ten times a second.
A corpus that is in the folder already is used again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Self

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus
from quarkcrawl.corpus.extraction import PagesJob, astasks
from quarkcrawl.engines import SparkEngine
from quarkcrawl.store import (
    Corpus,
    TianwangRecord,
    bucket,
    build_reply,
    encode_record,
    page_dat_path,
    read_at,
    schema_of,
)
from quarkcrawl.store.tables import part_path, table_folder, write_part
from tests.engines.cluster import SparkCluster

WORDS = [
    "the",
    "and",
    "of",
    "page",
    "news",
    "about",
    "link",
    "home",
    "list",
    "other",
    "day",
    "week",
]
TEXT = " ".join(random.Random(1).choices(WORDS, k=40_000))
N_HOSTS = 200
_COMPARED = """
SELECT count(*) AS rows, count(DISTINCT r.url) AS urls,
       count(*) FILTER (md5(r.content_text) = t.md5) AS equal,
       sum(strlen(r.content_text)) FILTER (r.host = 'large.cn') AS large_bytes
FROM read_parquet('{results}/bucket=*/*.parquet') AS r JOIN '{truth}' AS t USING (url)
"""


def make_corpus(root: Path, n_pages: int, page_bytes: int) -> None:
    Corpus.create(root)
    hosts = ["large.cn"] + [f"h{number}.cn" for number in range(N_HOSTS)]
    truth, rows = [], {}
    for place, host in enumerate(hosts):
        n_here = n_pages * 3 // 5 if place == 0 else n_pages * 2 // 5 // N_HOSTS
        path = Path(page_dat_path(root, host))
        path.parent.mkdir(parents=True, exist_ok=True)
        offset = 0
        with path.open("wb") as file:
            for number in range(n_here):
                url = f"http://{host}/{number}.txt"
                at = (number * 7919 + place) % 100_000
                body = f"{url}\n{TEXT[at : at + page_bytes]}".encode()
                header = ((b"Content-Type", b"text/plain"),)
                reply = build_reply(200, "OK", "1.1", header, body)
                record = TianwangRecord(url, 1_100_000_000, "127.0.0.1", reply)
                data = encode_record(record, compress=False)
                file.write(data)
                digest = hashlib.md5(body, usedforsecurity=False).hexdigest()
                truth.append({"url": url, "md5": digest})
                rows.setdefault(bucket(host), []).append(
                    {
                        "url": url, "host": host, "level": 2, "offset": offset,
                        "length": len(data), "fetched_at": 1.1e9, "status": 200,
                        "mime": "text/plain", "charset": "utf-8", "charset_source": "content",
                        "md5": digest, "body_bytes": len(body), "title": "", "hops": 0,
                        "ip": "127.0.0.1", "marks": [], "links": [],
                    }
                )  # fmt: skip
                offset += len(data)
    schema = schema_of("page")
    schema = schema.remove(schema.get_field_index("bucket"))
    for number, of_bucket in rows.items():
        place = table_folder(root, "page") / f"bucket={number}"
        place.mkdir(parents=True)
        write_part(pa.Table.from_pylist(of_bucket, schema), part_path(place, 1, 1))
    pq.write_table(pa.Table.from_pylist(truth), root / "truth.parquet")


def stored_text(page, root, plan):
    """The body as the text of the row."""
    from quarkcrawl.store import split_reply

    record = read_at(page_dat_path(root, page.host), page.offset, page.length)
    return {"content_text": split_reply(record.data).body.decode(), "content_method": "stored"}


class DriverMemory:
    """Follows what the driver holds; a context manager."""

    def __init__(self, jvm: int) -> None:
        self._pids = {"python": os.getpid(), "jvm": jvm}
        self._stopped = threading.Event()
        self._most_kib = 0
        self._thread = threading.Thread(target=self._follow)

    def _follow(self) -> None:
        while not self._stopped.wait(0.1):
            held = sum(memory_kib(pid, "VmRSS") for pid in self._pids.values())
            self._most_kib = max(self._most_kib, held)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def told(self) -> dict[str, int]:
        peaks = {name: memory_kib(pid, "VmHWM") >> 10 for name, pid in self._pids.items()}
        return {
            "driver_jvm_mib": peaks["jvm"],
            "driver_python_mib": peaks["python"],
            "driver_at_once_mib": self._most_kib >> 10,
        }


def memory_kib(pid: int, name: str) -> int:
    """What a process holds now (VmRSS) or has held at most (VmHWM)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split(f"{name}:")[1].split()[0])


def run(root: Path, out: Path, n_tasks: int, folder: Path) -> dict:
    options = ExtractionOptions(site_pages=0)
    pool = PoolOptions(in_process=True)
    astasks.ExtractionTasks.job = lambda *_: PagesJob(str(root), options, pool, stored_text)
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 1g pyspark-shell"
    settings = {"spark.executor.memory": "512m", "spark.driver.memory": "1g"}
    found = {"start_mib": memory_kib(os.getpid(), "VmHWM") >> 10}
    with (
        SparkCluster(Path(tempfile.mkdtemp(dir=folder))) as cluster,
        SparkEngine(cluster.url, settings=settings) as engine,
    ):
        found["connected_mib"] = memory_kib(os.getpid(), "VmHWM") >> 10
        begun = time.monotonic()
        jvm = engine.session.sparkContext._gateway.proc.pid  # noqa: SLF001
        with DriverMemory(jvm) as memory:
            report = extract_corpus(root, options, out=out, cluster=engine, n_tasks=n_tasks)
        found["elapsed_s"] = round(time.monotonic() - begun, 1)
        found |= memory.told()
    return {"report": asdict(report), **found}


def compare(root: Path, out: Path) -> dict:
    sql = _COMPARED.format(results=out / "default", truth=root / "truth.parquet")
    with duckdb.connect(config={"memory_limit": "1GiB", "threads": 1}) as database:
        names = ("rows", "urls", "equal", "large_bytes")
        found = dict(zip(names, database.sql(sql).fetchall()[0], strict=True))
    found["generated"] = pq.read_metadata(root / "truth.parquet").num_rows
    found["files"] = len(list((out / "default").glob("bucket=*/*.parquet")))
    return found


def _step(*words: object) -> dict:
    """What a step prints that is a process of its own."""
    command = [sys.executable, "-m", "benchmarks.tasks", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--page-bytes", type=int, default=16 << 10)
    parser.add_argument("--folder", type=Path, help="kept; a temporary one by default")
    for step in ("make", "run", "compare"):
        parser.add_argument(f"--{step}", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        root, *numbers = given.make
        make_corpus(Path(root), *map(int, numbers))
        print("{}")
    elif given.run:
        root, out, n_tasks, folder = given.run
        print(json.dumps(run(Path(root), Path(out), int(n_tasks), Path(folder))))
    elif given.compare:
        print(json.dumps(compare(*map(Path, given.compare))))
    else:
        with tempfile.TemporaryDirectory(prefix="quarkcrawl-tasks-") as temporary:
            print(json.dumps(steps(given, given.folder or Path(temporary))))


def steps(given: argparse.Namespace, folder: Path) -> dict:
    n_pages = int(given.gib * (1 << 30)) // given.page_bytes
    root = folder / f"corpus-{n_pages}-{given.page_bytes}"
    if not root.exists():
        _step("--make", folder / "draft", n_pages, given.page_bytes)
        (folder / "draft").rename(root)
    out = folder / f"rows-{os.getpid()}"
    try:
        return _step("--run", root, out, given.tasks, folder) | _step("--compare", root, out)
    finally:
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()
