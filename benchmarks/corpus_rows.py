"""Made-up analysis tables for the corpus benchmarks: page rows without pages.

Rows come from hashes of their numbers, so the same arguments give the same table. One row in six
is a copy of another row's MD5, as dynamic URLs with an idle parameter make them.
"""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.store import bucket

HOST_ENDINGS = ["com", "com.cn", "net", "cn", "org", "gov.cn", "edu.cn", "bj.cn", "net.cn"]
SUFFIXES = ["asp", "php", "html", "htm", "aspx", "shtml", "cgi", "jsp", "do"]


def md5_rows(path: Path, n_rows: int, *, memory: str = "4GB") -> None:
    """A table of md5 and url; 57 characters a URL on average."""
    with duckdb.connect(config={"memory_limit": memory}) as database:
        database.execute(
            f"""
            COPY (SELECT md5(CAST(CASE WHEN hash(i) % 6 = 0 THEN (hash(i) // 7) % {n_rows}
                                       ELSE i END AS varchar)) AS md5,
                         'http://www.s' || (hash(i * 3) % 88303) || '.com.cn/news/'
                         || (hash(i + 5) % 100000) || '/a' || i || '.asp?id='
                         || (hash(i * 7) % 1000000) AS url
                  FROM range({n_rows}) t(i)) TO '{path}' (FORMAT parquet, COMPRESSION snappy)
            """
        )


def host_sizes(n_hosts: int, n_pages: int, seed: int = 1) -> np.ndarray:
    """Zipf-like sizes that add up to a number of pages; the smallest has one."""
    rng = np.random.default_rng(seed)
    sizes = rng.pareto(0.68, n_hosts) + 1
    sizes = np.minimum(sizes, 200_000)
    sizes = np.maximum(1, sizes * ((n_pages - n_hosts) / sizes.sum())).astype(np.int64)
    sizes[int(np.argmax(sizes))] += n_pages - int(sizes.sum())
    return sizes


def corpus_tables(root: Path, n_hosts: int, n_pages: int) -> None:
    """A corpus of tables only: pages of hosts by bucket, as compaction leaves them."""
    root.mkdir(parents=True)
    about = {"format": "quarkcrawl-corpus", "version": 1, "created": "2006-03-01T00:00:00Z"}
    (root / "corpus.json").write_text(json.dumps(about))
    sizes = host_sizes(n_hosts, n_pages)
    hosts = [f"www.s{n}.{HOST_ENDINGS[n % len(HOST_ENDINGS)]}" for n in range(n_hosts)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    buckets = np.array([bucket(host) for host in hosts])
    for number in range(256):
        members = np.flatnonzero(buckets == number)
        if len(members):
            folder = root / "analysis" / "pages" / f"bucket={number}"
            folder.mkdir(parents=True)
            table = _bucket_table([hosts[m] for m in members], starts[members], sizes[members])
            pq.write_table(table, folder / "part-000001.parquet", compression="zstd")


def _bucket_table(hosts: list[str], starts: np.ndarray, sizes: np.ndarray) -> pa.Table:
    ids = np.concatenate([np.arange(a, a + n) for a, n in zip(starts, sizes, strict=True)])
    of_host = np.repeat(np.arange(len(hosts)), sizes)
    within = ids - np.repeat(starts, sizes)
    frame = pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "within": pa.array(within, pa.int64()),
            "host": pa.DictionaryArray.from_arrays(of_host.astype(np.int32), hosts).cast("string"),
        }
    )
    suffixes = "[" + ", ".join(f"'{s}'" for s in SUFFIXES) + "]"
    with duckdb.connect(config={"memory_limit": "2GB"}) as database:
        database.register("frame", frame)
        return database.sql(
            f"""
            SELECT 'http://' || host || CASE WHEN within = 0 THEN '/' ELSE '/n' || (id % 97) || '/a'
                   || within || '.' || ({suffixes})[CAST(1 + hash(id) % {len(SUFFIXES)} AS bigint)]
                   || CASE WHEN hash(id + 1) % 10 < 6 THEN '?id=' || id ELSE '' END END AS url,
                   host, CAST(1 + least(within, 2) AS int) AS level,
                   within * 9000 AS "offset", CAST(9000 AS bigint) AS length,
                   CAST(1141171200 + within AS double) AS fetched_at, CAST(200 AS int) AS status,
                   'text/html' AS mime, 'gb18030' AS charset, 'meta' AS charset_source,
                   md5(CAST(CASE WHEN hash(id) % 6 = 0 AND within > 0 THEN id - 1 ELSE id END
                       AS varchar)) AS md5,
                   CAST(3000 + hash(id + 2) % 40000 AS bigint) AS body_bytes, '' AS title,
                   CAST(NULL AS varchar) AS origin, CAST(0 AS int) AS hops,
                   '202.' || (hash(host) % 127) || '.' || (hash(host) % 251) || '.9' AS ip,
                   CAST([] AS varchar[]) AS marks,
                   CAST([] AS STRUCT(url varchar, "text" varchar, nofollow boolean, kind varchar,
                        "position" int)[]) AS links,
                   CAST(NULL AS varchar) AS other
            FROM frame ORDER BY host, within
            """
        ).to_arrow_table()
