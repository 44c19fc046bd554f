"""Tasks on Spark over generated records: time, memory, and whether every row is there. Prints JSON.

    python -m benchmarks.tasks [--gib 4] [--tasks 2000] [--folder FOLDER]

Three pages in five are those of one host. A page is 16 KiB of text, stored as it is; its row has
that text, so that what is measured is the way of rows and not extraction. The cluster is a master
and two workers on this machine, the driver's heap is 1 GiB. DuckDB compares what the tasks have
written with what was generated. A corpus that is in the folder already is used again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

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

PAGE_BYTES = 16 << 10
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


def make_corpus(root: Path, n_pages: int) -> None:
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
                body = f"{url}\n{TEXT[at : at + PAGE_BYTES]}".encode()
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


def peak_mib(pid: int) -> int:
    """Most memory that a process has held so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) >> 10


def run(root: Path, out: Path, n_tasks: int, folder: Path) -> dict:
    options = ExtractionOptions(site_pages=0)
    pool = PoolOptions(in_process=True)
    astasks.ExtractionTasks.job = lambda *_: PagesJob(str(root), options, pool, stored_text)
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 1g pyspark-shell"
    settings = {"spark.executor.memory": "512m", "spark.driver.memory": "1g"}
    with (
        SparkCluster(Path(tempfile.mkdtemp(dir=folder))) as cluster,
        SparkEngine(cluster.url, settings=settings) as engine,
    ):
        begun = time.monotonic()
        report = extract_corpus(root, options, out=out, cluster=engine, n_tasks=n_tasks)
        elapsed_s = round(time.monotonic() - begun, 1)
        jvm = engine.session.sparkContext._gateway.proc.pid  # noqa: SLF001
        memory = {"driver_jvm_mib": peak_mib(jvm), "driver_python_mib": peak_mib(os.getpid())}
    return {"report": asdict(report), "elapsed_s": elapsed_s, **memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--folder", type=Path, help="kept; a temporary one by default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-tasks-") as temporary:
        folder = given.folder or Path(temporary)
        n_pages = int(given.gib * (1 << 30)) // PAGE_BYTES
        root = folder / f"corpus-{n_pages}"
        if not root.exists():
            make_corpus(folder / "draft", n_pages)
            (folder / "draft").rename(root)
        out = folder / f"rows-{os.getpid()}"
        try:
            found = run(root, out, given.tasks, folder)
            sql = _COMPARED.format(results=out / "default", truth=root / "truth.parquet")
            with duckdb.connect(config={"memory_limit": "1GiB", "threads": 1}) as database:
                names = ("rows", "urls", "equal", "large_bytes")
                found |= dict(zip(names, database.sql(sql).fetchall()[0], strict=True))
            found["generated"] = pq.read_metadata(root / "truth.parquet").num_rows
            found["files"] = len(list((out / "default").glob("bucket=*/*.parquet")))
        finally:
            shutil.rmtree(out, ignore_errors=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
