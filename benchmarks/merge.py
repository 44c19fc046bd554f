"""`corpus merge` of generated shards: time and peak memory. Prints JSON.

    python benchmarks/merge.py [--pages 2000000] [--folder FOLDER]

Eight shards of pages of less than 300 bytes; every shard has pages of every host. One page in
fifty has a URL that another shard has too, one in fifty the body of another page. Shards that are
in the folder already are used again. The merge is a process of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from quarkcrawl.store import (
    Corpus,
    TianwangRecord,
    build_reply,
    encode_record,
    page_dat_path,
    schema_of,
)
from quarkcrawl.store.tables import part_path, table_folder, write_part

N_SHARDS = 8
PAGES_OF_A_HOST = 1000
WORDS = (
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
)
TEXT = " ".join(random.Random(1).choices(WORDS, k=3000))


def make_shards(folder: Path, n_pages: int, n_links: int = 0) -> None:
    n_hosts = n_pages // PAGES_OF_A_HOST | 1  # odd: no shard has a host for itself
    hosts = [f"www.h{n}.example.cn" for n in range(n_hosts)]
    for shard in range(N_SHARDS):
        root = folder / "workers" / f"{shard + 1:03}"
        Corpus.create(root)
        firsts = {number % n_hosts: number for number in range(shard, N_SHARDS * n_hosts, N_SHARDS)}
        by_bucket = sorted((Path(page_dat_path(root, hosts[n])), n) for n in range(n_hosts))
        for bucket_folder, of_bucket in groupby(by_bucket, key=lambda x: x[0].parent.parent):
            rows = []
            for path, number_of_host in of_bucket:
                numbers = range(firsts[number_of_host], n_pages, N_SHARDS * n_hosts)
                rows += host_rows(path, hosts[number_of_host], numbers, n_hosts, n_links)
            place = table_folder(root, "page") / bucket_folder.name.replace("data_", "bucket=")
            place.mkdir(parents=True)
            schema = schema_of("page")
            schema = schema.remove(schema.get_field_index("bucket"))
            write_part(pa.Table.from_pylist(rows, schema), part_path(place, 1, 1))


def host_rows(path: Path, host: str, numbers: range, n_hosts: int, n_links: int = 0) -> list[dict]:
    """Rows of a host's pages, whose records go to its page.dat."""
    rows, records, offset = [], [], 0
    for number in numbers:
        dice = number * 2_654_435_761 % 4_294_967_296 >> 8
        url_of = number - n_hosts if dice % 50 == 0 else number  # another shard's page
        body_of = number // 2 if dice // 50 % 50 == 0 else number
        url = f"http://{host}/n{url_of}.html"
        words = TEXT[(at := body_of * 7919 % 10_000) : at + 150]
        body = f"<title>{body_of}</title><p>{words}".encode()
        reply = build_reply(200, "OK", "1.1", ((b"Content-Type", b"text/html"),), body)
        record = encode_record(TianwangRecord(url, 1_100_000_000 + number, "127.0.0.1", reply))
        rows.append(
            {
                "url": url, "host": host, "level": 2, "offset": offset, "length": len(record),
                "fetched_at": 1.1e9 + number, "status": 200, "mime": "text/html",
                "charset": "utf-8", "charset_source": "content", "md5": _md5(body),
                "body_bytes": len(body), "title": str(body_of), "hops": 0, "ip": "127.0.0.1",
                "marks": [], "links": links_of(host, numbers, number, n_links),
            }
        )  # fmt: skip
        offset += len(record)
        records.append(record)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(records))
    return rows


def links_of(host: str, numbers: range, number: int, n_links: int) -> list[dict]:
    """Links to other pages of the host, to the earlier ones more often."""
    targets = [numbers[number * (7919 + n) % len(numbers) // (n + 1)] for n in range(n_links)]
    about = {"text": "page", "nofollow": False, "kind": "a"}
    return [
        {"url": f"http://{host}/n{target}.html", "position": at, **about}
        for at, target in enumerate(targets)
    ]


def _md5(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


def merged(shards: Path, out: Path) -> dict:
    from quarkcrawl.corpus import merge_corpora

    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    report = merge_corpora([shards], out)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "pages": report.pages, "url_twice": report.url_twice, "md5_twice": report.md5_twice,
        "elapsed_s": round(time.monotonic() - begun, 1),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
        "start_mib": start >> 10, "peak_mib": usage.ru_maxrss >> 10,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, help="kept; a temporary one by default")
    parser.add_argument("--merge", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.merge:
        print(json.dumps(merged(*given.merge)))
        return
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-merge-") as temporary:
        folder = given.folder or Path(temporary)
        shards = folder / f"shards-{given.pages}"
        if not shards.exists():
            make_shards(draft := folder / "draft", given.pages)
            draft.rename(shards)
        out = folder / f"merged-{given.pages}-{os.getpid()}"
        command = [sys.executable, __file__, "--merge", str(shards), str(out)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        finally:
            shutil.rmtree(out, ignore_errors=True)
    print(json.dumps({"generated": given.pages, **json.loads(done.stdout)}))


if __name__ == "__main__":
    main()
