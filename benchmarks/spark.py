"""Jobs on a standalone Spark cluster of two workers beside the same in memory; JSON lines.

    python benchmarks/spark.py --rank 10000000     PageRank over so many links
    python benchmarks/spark.py --near 1000000      near-duplicates of so many texts

The driver's JVM has 1 GiB (spark.driver.memory), each worker one core and 2 GiB; all of them share
this machine. Peaks are those of the whole driver: its JVM and its Python.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

ROWS = 100_000
LINKS_PER_PAGE = 10
N_HOSTS = 64
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1700m",
    "spark.executor.cores": "1",
}


def peaks() -> dict[str, int]:
    """Most memory of this process and of the driver's JVM, in MiB."""
    found = {"python_peak_mib": _peak_mib(os.getpid())}
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            status = path.read_text()
            command = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        parent = int(status.split("PPid:")[1].split()[0])
        if parent == os.getpid() and b"SparkSubmit" in command:
            found["jvm_peak_mib"] = _peak_mib(int(path.parent.name))
    return found


def _peak_mib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) >> 10


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def make_corpus(root: Path, n_links: int) -> None:
    """Pages with their links as a crawl stores them: one host of 300 pages after the other."""
    from rank import web

    from quarkcrawl.store import CorpusWriter, schema_of

    CorpusWriter(root).close()
    n, source, target = web(n_links)
    del source
    schema = schema_of("page")
    schema = pa.schema([schema.field(c) for c in ("url", "host", "offset", "fetched_at", "links")])
    link = schema.field("links").type.value_type
    for part, first in enumerate(range(0, n, ROWS), 1):
        pages = np.arange(first, min(first + ROWS, n))
        targets = target[first * LINKS_PER_PAGE : (first + len(pages)) * LINKS_PER_PAGE]
        nulls = {f.name: pa.nulls(len(targets), f.type) for f in link}
        nulls |= {"url": urls(targets), "nofollow": pa.array(np.zeros(len(targets), bool))}
        items = pa.StructArray.from_arrays(list(nulls.values()), fields=list(link))
        ptr = pa.array(np.arange(len(pages) + 1, dtype=np.int32) * LINKS_PER_PAGE)
        table = pa.table(
            [
                urls(pages), hosts(pages), pa.array(pages), pa.array(np.full(len(pages), 1.0)),
                pa.ListArray.from_arrays(ptr, items),
            ],
            schema=schema,
        )  # fmt: skip
        folder = root / "analysis" / "pages" / "bucket=0"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / f"part-{part:06}-{part:06}.parquet", compression="zstd")


def hosts(pages: np.ndarray) -> pa.Array:
    numbers = pc.cast(pa.array(pages // 300), pa.string())
    return pc.binary_join_element_wise("h", numbers, ".cn", "")


def urls(pages: np.ndarray) -> pa.Array:
    numbers = pc.cast(pa.array(pages % 300), pa.string())
    return pc.binary_join_element_wise("http://", hosts(pages), "/", numbers, ".htm", "")


def rank(n_links: int, n_rounds: int) -> dict:
    """PageRank of a made-up corpus on the cluster and in memory."""
    from quarkcrawl.corpus import rank_pages
    from quarkcrawl.engines import SparkEngine
    from quarkcrawl.rank import IterationOptions, RankJob, read_ranks
    from tests.engines.cluster import SparkCluster

    options = IterationOptions(tolerance=1e-10, max_rounds=n_rounds)
    marks: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_corpus(folder / "corpus", n_links)
        job = RankJob("pagerank", iteration=options, name="there")
        with (
            SparkCluster(folder / "cluster", worker_memory="2g") as cluster,
            SparkEngine(cluster.url, settings=SETTINGS) as engine,
        ):
            first = time.perf_counter()
            found = rank_pages(
                folder / "corpus", job, engine=engine,
                on_round=lambda _number, _difference, _ranks: marks.append(time.perf_counter()),
            )  # fmt: skip
            wall_s, memory = time.perf_counter() - first, peaks()
        disk = folder_bytes(folder / "corpus")
        begun = time.process_time()
        local = rank_pages(folder / "corpus", RankJob("pagerank", iteration=options, name="here"))
        local_s = time.process_time() - begun
        ours, theirs = (
            read_ranks(folder / "corpus", name)[0].select(["url", "rank"])
            for name in ("here", "there")
        )
        place = pc.index_in(ours["url"].cast(pa.string()), value_set=theirs["url"])
        difference = np.abs(ours["rank"].to_numpy() - theirs["rank"].take(place).to_numpy())
        return {
            "links": n_links, "counted": found.graph["links"], "rounds": found.rounds,
            "local_rounds": local.rounds, "same_graph": found.graph == local.graph,
            "most_difference": float(difference.max()), "l1_difference": float(difference.sum()),
            "wall_s": round(wall_s, 1), "before_rounds_s": round(marks[0] - first, 1),
            "rounds_s": round(marks[-1] - marks[0], 1), "local_cpu_s": round(local_s, 1),
            **memory, "disk_mib": disk >> 20, "load": os.getloadavg(),
        }  # fmt: skip


def make_texts(root: Path, n_texts: int) -> None:
    """Pages with texts of 150 characters: every second is a repost, of one of the first mostly."""
    from quarkcrawl.store import CorpusWriter, bucket, schema_of

    CorpusWriter(root).close()
    dice = np.random.default_rng(1)
    schema = schema_of("page")
    columns = ("url", "host", "offset", "fetched_at", "md5", "bucket", "content_text")
    schema = pa.schema([schema.field(column) for column in columns])
    names = [f"h{number}.cn" for number in range(N_HOSTS)]
    buckets = np.array([bucket(name) for name in names])
    for part, first in enumerate(range(0, n_texts, ROWS), 1):
        n = min(ROWS, n_texts - first)
        letters = dice.integers(0x4E00, 0x4E00 + 3000, (n, 150), dtype=np.uint32)
        letters[:, 14::15] = ord("。")
        copied = dice.random(n) < 0.5
        letters[copied] = letters[(dice.random(n) ** 4 * n).astype(int)][copied]
        place = dice.integers(0, 14, n)
        letters[np.arange(n), place] = dice.integers(0x4E00, 0x4E00 + 3000, n)
        texts = [row.tobytes().decode("utf-32-le") for row in letters]
        numbers = np.arange(first, first + n)
        of_host = dice.integers(0, N_HOSTS, n)
        urls = [f"http://{names[h]}/{k}" for h, k in zip(of_host, numbers, strict=True)]
        fetched = numbers // 7 * 1.0
        for number in np.unique(buckets):
            here = np.flatnonzero(buckets[of_host] == number)
            table = pa.table(
                [
                    [urls[k] for k in here], [names[of_host[k]] for k in here],
                    numbers[here], fetched[here], ["0" * 32] * len(here),
                    np.full(len(here), number, np.int32), [texts[k] for k in here],
                ],
                schema=schema,
            )  # fmt: skip
            folder = root / "analysis" / "pages" / f"bucket={number}"
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(table, folder / f"part-{part:06}.parquet", compression="zstd")


def near(n_texts: int, method: str) -> dict:
    """Near-duplicates of a made-up corpus on the cluster and by DuckDB."""
    from quarkcrawl.corpus.near import find_near, find_near_on_cluster, near_groups
    from quarkcrawl.engines import SparkEngine
    from tests.engines.cluster import SparkCluster

    def digest(root: Path) -> str:
        told = hashlib.blake2b()
        for group in near_groups(root, method):
            told.update(repr(group).encode())
        return told.hexdigest()

    marks: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "corpus"
        make_texts(root, n_texts)
        begun, cpu = time.perf_counter(), time.process_time()
        here = find_near(root, method)
        local_s, local_cpu_s = time.perf_counter() - begun, time.process_time() - cpu
        expected = digest(root)
        with (
            SparkCluster(folder / "cluster", worker_memory="2g") as cluster,
            SparkEngine(cluster.url, settings=SETTINGS) as engine,
        ):
            first = time.perf_counter()
            there = find_near_on_cluster(
                engine, root, method,
                on_stage=lambda stage: marks.append((stage, time.perf_counter() - first)),
            )  # fmt: skip
            wall_s, memory = time.perf_counter() - first, peaks()
        return {
            "near": method, "texts": there.texts, "groups": there.groups,
            "grouped": there.grouped, "same_groups": digest(root) == expected,
            "duckdb_groups": here.groups, "wall_s": round(wall_s, 1),
            "duckdb_wall_s": round(local_s, 1), "duckdb_cpu_s": round(local_cpu_s, 1),
            **memory, "stages": {stage: round(at, 1) for stage, at in marks},
            "load": os.getloadavg(),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1000, help="of --rank, at most")
    parser.add_argument("--near", type=int, default=0)
    parser.add_argument("--method", default="simhash", help="of --near")
    given = parser.parse_args()
    if given.near:
        print(json.dumps(near(given.near, given.method)), flush=True)
    if given.rank:
        print(json.dumps(rank(given.rank, given.rounds)), flush=True)


if __name__ == "__main__":
    main()
