"""Corpus jobs at the size of CWT200g: dedup beside the bare query, sampling, statistics.

    python benchmarks/corpus.py dedup --rows 70000000       # ours and the bare query by turns
    python benchmarks/corpus.py thesis --rows 20000000      # and the 1024 partitions
    python benchmarks/corpus.py campaign                    # 88,303 sites, 37.5 M page rows

Each measurement is a process of its own: CPU time and peak memory are its own. JSON on stdout.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORK = Path(os.environ.get("CORPUS_BENCH_WORK", ""))
"""Folder of a measurement, told to its process by the one that starts it."""
MEMORY_BYTES = 4 << 30
BARE = """
COPY (SELECT md5, min_by(url, (length(url), url)) AS url FROM '{rows}' GROUP BY md5)
TO '{out}' (FORMAT parquet, COMPRESSION zstd)
"""
BARE_ANY = """
COPY (SELECT md5, min(url) AS url FROM '{rows}' GROUP BY md5)
TO '{out}' (FORMAT parquet, COMPRESSION zstd)
"""


def bare(rows: Path, out: Path, query: str = BARE) -> dict:
    """What anyone would write."""
    import duckdb

    settings = {"memory_limit": "4096MiB", "temp_directory": str(WORK / "spill")}
    with duckdb.connect(config=settings | {"preserve_insertion_order": False}) as database:
        database.execute(query.format(rows=rows, out=out))
        n = database.execute(f"SELECT count(*) FROM '{out}'").fetchone()[0]
    return {"kept": n}


def ours(rows: Path, out: Path) -> dict:
    """The job: kept rows and the duplicates table."""
    from quarkcrawl.corpus.dedupjob import dedup_rows
    from quarkcrawl.engines import DuckEngine, parquet_files

    with DuckEngine(memory_bytes=MEMORY_BYTES, spill=WORK) as engine:
        engine.table("given", [rows], {"md5": "string", "url": "string"})
        query = (
            "SELECT url, '' AS host, CAST(0 AS bigint) AS \"offset\", md5, 1 AS stored FROM given"
        )
        n = dedup_rows(engine, query, out, kept_folder=out / "kept")
        engine.table("kept", parquet_files(out / "kept"), {"url": "string", "md5": "string"})
        kept = engine.fetch("SELECT count(*) AS n FROM kept").to_pylist()[0]["n"]
    return {"kept": kept, "duplicates": n}


def thesis(rows: Path, out: Path) -> dict:
    """1024 partitions by MD5, a dictionary each."""
    import pyarrow.parquet as pq

    from quarkcrawl.corpus.partitiondedup import partition_dedup

    n = 0

    def given():
        nonlocal n
        with pq.ParquetFile(rows) as file:
            for batch in file.iter_batches(columns=["url", "md5"]):
                n += len(batch)
                for url, md5 in zip(*(column.to_pylist() for column in batch), strict=True):
                    yield url, md5, "", 0, 1

    with out.open("w") as file:
        found = 0
        for row, kept in partition_dedup(given(), WORK / "parts"):
            file.write(f"{row[0]}\t{kept}\n")
            found += 1
    return {"kept": n - found, "duplicates": found}


def dedup(root: Path) -> dict:
    from quarkcrawl.corpus.dedupjob import dedup_corpus
    from quarkcrawl.engines import DuckEngine

    with DuckEngine(memory_bytes=MEMORY_BYTES, spill=WORK) as engine:
        report = dedup_corpus(engine, root)
    return {"rows": report.rows, "duplicates": report.stored_duplicates}


def sample(root: Path, out: Path) -> dict:
    from quarkcrawl.corpus.collection.sampling import SampleOptions, sample_corpus
    from quarkcrawl.engines import DuckEngine

    with DuckEngine(memory_bytes=MEMORY_BYTES, spill=WORK) as engine:
        report = sample_corpus(engine, root, out, SampleOptions(tables_only=True))
    keys = ("hosts", "pages", "sizes", "drawn_sizes", "drawn_hosts", "documents")
    return {key: getattr(report, key) for key in keys}


def statistics(root: Path) -> dict:
    from quarkcrawl.corpus.stats.statistics import corpus_statistics
    from quarkcrawl.engines import DuckEngine

    with DuckEngine(memory_bytes=MEMORY_BYTES, spill=WORK) as engine:
        found = corpus_statistics(engine, root)
    return dict(found.table("totals").rows)


def alone(work: Path, function: str, *arguments: object) -> dict:
    """Run one of the functions above in a process of its own, and weigh it."""
    command = [sys.executable, __file__, "run", function, *map(str, arguments)]
    environment = {**os.environ, "CORPUS_BENCH_WORK": str(work)}
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        return {"what": function, "failed": done.stderr[-800:]}
    return {"what": function, "wall_s": round(time.monotonic() - started, 1)} | json.loads(
        done.stdout
    )


def run(function: str, arguments: list[str]) -> None:
    found = globals()[function](*map(_argument, arguments))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = round(usage.ru_utime + usage.ru_stime, 1)
    print(json.dumps({"cpu_s": cpu_s, "peak_mib": usage.ru_maxrss // 1024, **found}))


def _argument(text: str):
    return Path(text) if text.startswith("/") else {"any": BARE_ANY}.get(text, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["dedup", "thesis", "campaign", "run"])
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--rows", type=int, default=70_000_000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=88_303)
    parser.add_argument("--pages", type=int, default=37_500_000)
    parser.add_argument("--folder", type=Path, help="where the tables are made [the system's]")
    options = parser.parse_args()
    if options.what == "run":
        run(options.rest[0], options.rest[1:])
        return
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-", dir=options.folder) as folder:
        for line in measurements(Path(folder).resolve(), options):
            print(json.dumps({"load": os.getloadavg()[0], **line}), flush=True)


def measurements(work, options):
    from corpus_rows import corpus_tables, md5_rows

    rows, root = work / "rows.parquet", work / "corpus"
    if options.what == "campaign":
        started = time.monotonic()
        corpus_tables(root, options.hosts, options.pages)
        size = sum(path.stat().st_size for path in root.rglob("*.parquet"))
        yield {"what": "tables", "wall_s": round(time.monotonic() - started, 1), "bytes": size}
        yield alone(work, "dedup", root)
        yield alone(work, "sample", root, work / "collection")
        yield alone(work, "statistics", root)
        yield alone(work, "statistics", work / "collection") | {
            "what": "statistics of the collection"
        }
        return
    md5_rows(rows, options.rows)
    for _ in range(options.turns):
        yield alone(work, "ours", rows, work / "ours")
        yield alone(work, "bare", rows, work / "bare.parquet")
        yield alone(work, "bare", rows, work / "bare.parquet", "any") | {
            "what": "bare, any min(url)"
        }
    if options.what == "thesis":
        yield alone(work, "thesis", rows, work / "thesis.tsv")


if __name__ == "__main__":
    main()
