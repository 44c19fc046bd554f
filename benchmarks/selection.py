"""Seed selection: count beside bare DuckDB, one pass of spam patterns, right and wrong drops. JSON.

    python benchmarks/selection.py [--urls 10000000] [--hosts 100000] [--seeds 101 102]

The count is compared by turns with the barest query that gives page counts of hosts: one
``split_part`` and one ``GROUP BY`` over DuckDB's own reader. Process CPU time of both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import duckdb
import pyarrow.parquet  # noqa: F401 - loaded before anything is timed

from quarkcrawl.lab.mockweb import SelectionWeb
from quarkcrawl.lab.mockweb.selection.scores import score_selection
from quarkcrawl.select import (
    OUTLIER_METHODS,
    Probe,
    SelectionOptions,
    SpamList,
    count_hosts,
    select_sites,
)

BARE = (
    "CREATE OR REPLACE TEMP TABLE r AS SELECT split_part(url, '/', 3) AS host, count(*) AS pages"
    " FROM {} GROUP BY 1"
)


def made_lists(folder: Path, n_urls: int) -> dict[str, tuple[Path, str]]:
    """The same URLs as text and as Parquet, with the relation of DuckDB's own reader."""
    text, parquet = folder / "urls.txt", folder / "urls.parquet"
    with duckdb.connect() as db:
        db.execute("SELECT setseed(0.5)").fetchall()
        db.execute(
            "COPY (SELECT CASE WHEN i % 5 = 0 THEN 'https' ELSE 'http' END || '://www.site' ||"
            " (power(random(), 3) * 200000)::INT || '.com.cn/news/2005/' || (i % 977) || '/'"
            " || i ||"
            f" '.html' AS url FROM range({n_urls}) t(i)) TO '{text}' (FORMAT csv, HEADER false)"
        )
        reader = (
            f"read_csv('{text}', header = false, columns = {{'url': 'VARCHAR'}}, quote = '',"
            " escape = '', delim = '\t', auto_detect = false)"
        )
        db.execute(f"COPY (FROM {reader}) TO '{parquet}' (FORMAT parquet)")
    return {"text": (text, reader), "parquet": (parquet, f"read_parquet('{parquet}')")}


def timed(work) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def counting(n_urls: int, rounds: int) -> dict:
    result = {}
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-select-") as folder:
        for form, (path, reader) in made_lists(Path(folder), n_urls).items():
            bare, ours = [], []
            for _ in range(rounds):
                with duckdb.connect() as db:
                    bare.append(timed(partial(db.execute, BARE.format(reader))))
                    n_hosts = db.execute("SELECT count(*) FROM r").fetchall()[0][0]
                ours.append(timed(partial(count_hosts, [path])))
            counts = count_hosts([path])
            assert counts.table.num_rows == n_hosts
            assert counts.summary()["urls"] == n_urls
            (bare_cpu_s, bare_wall_s), (cpu_s, wall_s) = map(medians, (bare, ours))
            result[form] = {
                "hosts": n_hosts, "bare_cpu_s": bare_cpu_s, "ours_cpu_s": cpu_s,
                "cpu_ratio": round(cpu_s / bare_cpu_s, 3), "bare_wall_s": bare_wall_s,
                "ours_wall_s": wall_s, "wall_ratio": round(wall_s / bare_wall_s, 3),
            }  # fmt: skip
    return result


def medians(times: list[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(round(statistics.median(values), 3) for values in zip(*times, strict=True))


def patterns(n_names: int, n_domains: int = 3349, n_expressions: int = 2000) -> dict:
    """All patterns in one pass, beside a loop over the expressions for each name."""
    web = SelectionWeb(1, 20_000)
    names = [host.host for host in web.plan]
    names = (names * (n_names // len(names) + 1))[:n_names]
    lines = [f"spamdomain{i}.com" for i in range(n_domains)]
    lines += [f"re:^bbs{i}[0-9]*[.]|lian{i}jie" for i in range(n_expressions)]
    spam = SpamList.parse(lines)
    few = names[: max(1, n_names // 100)]
    loop = [re.compile(line[3:]) for line in lines if line.startswith("re:")]
    cpu_s, _ = timed(lambda: spam.match_all(names))
    loop_cpu_s, _ = timed(lambda: [any(e.search(n) for e in loop) for n in few])
    return {
        "names": n_names, "domains": n_domains, "expressions": n_expressions,
        "one_pass_us_per_name": round(cpu_s / n_names * 1e6, 2),
        "loop_us_per_name": round(loop_cpu_s / len(few) * 1e6, 2),
    }  # fmt: skip


def quality(n_hosts: int, seed: int) -> dict:
    web = SelectionWeb(seed, n_hosts)
    counts, probes = web.count_table(), [Probe(**row) for row in web.probe_rows()]
    pages = {host.host: web.pages_of(host) for host in web.plan}
    result = {"hosts": n_hosts, "seed": seed}
    for method in OUTLIER_METHODS:
        options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()), outliers=method)
        start = time.process_time()
        selection = select_sites(counts, probes, options)
        cpu_s = round(time.process_time() - start, 2)
        scores = score_selection(web.plan, selection, pages)
        shown = scores if method == "default" else {"outliers": scores["outliers"]}
        result[method] = {"cpu_s": cpu_s} | {
            step: {
                "wrong": s.wrong,
                "precision": round(s.precision, 4),
                "recall": round(s.recall, 4),
            }
            for step, s in shown.items()
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[101, 102, 103])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    report = {
        "load": os.getloadavg()[0],
        "count": counting(options.urls, options.rounds) if options.urls else None,
        "patterns": patterns(100_000),
        "quality": [quality(options.hosts, seed) for seed in options.seeds],
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
