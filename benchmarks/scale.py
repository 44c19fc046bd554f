"""What each job costs at a million pages and more: the table of docs/scale.md.

    python benchmarks/scale.py run --pages 1000000 --jobs dedup stats     # measure and keep
    python benchmarks/scale.py add FILE                                   # lines measured elsewhere
    python benchmarks/scale.py page                                       # the table, made anew

A corpus of generated pages (eight shards by `merge.py`, links between the pages of a host) is made
in --folder and used again. Every job is the command that a user gives: CPU time of it and of its
workers, most memory of one process, bytes of disk that it left behind. Lines go to
``history/scale.jsonl``; what a job breaks by beyond that stands in ``scale.toml``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from history import HERE, circumstances, entries, keep
from merge import make_shards

PAGE = HERE.parent / "docs" / "scale.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
COMMANDS = {
    "merge": "corpus merge {shards} --out {corpus}",
    "dedup": "corpus dedup {corpus}",
    "stats": "corpus stats {corpus} --format json --out {work}/stats.json",
    "links": "corpus links {corpus} --out {work}/links.parquet",
    "sample": "corpus sample {corpus} --out {work}/sample",
    "verify": "corpus verify {corpus}",
    "extract": "extract {corpus} --site-pages 0",
    "near": "corpus near {corpus} --extraction default",
    "refine": "refine {corpus} --no-duplicates --no-repeats",
    "repeats": "refine {corpus} --no-duplicates",
    "export": "export {corpus} --out {work}/dataset --without heuristics --without near_duplicate",
    "rank": "rank pagerank {corpus}",
}


def measure(job: str, corpus: Path, shards: Path, work: Path) -> dict[str, Any]:
    """Run a job, and weigh it."""
    command = COMMANDS[job]
    words = command.format(corpus=corpus, shards=shards, work=work).split()
    before_bytes = disk_bytes(corpus) + disk_bytes(work)
    process = subprocess.Popen(
        [sys.executable, "-m", "quarkcrawl", *words], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{job}: quarkcrawl {' '.join(words)} failed")
    return {
        "job": job,
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mib": usage.ru_maxrss >> 10,
        "disk_mib": (disk_bytes(corpus) + disk_bytes(work) - before_bytes) >> 20,
        "command": "quarkcrawl " + command.replace("{work}/", "").format(
            corpus="CORPUS", shards="SHARDS", work=""
        ),
    }  # fmt: skip


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def run(folder: Path, n_pages: int, jobs: list[str]) -> None:
    shards, corpus = folder / f"shards-{n_pages}", folder / f"corpus-{n_pages}"
    if not shards.exists():
        shutil.rmtree(draft := folder / "draft", ignore_errors=True)
        make_shards(draft, n_pages, n_links=5)
        draft.rename(shards)
    work = folder / f"work-{n_pages}"
    for job in jobs:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        about = circumstances()
        figures = {"n": n_pages, "unit": "pages", **measure(job, corpus, shards, work)}
        keep("scale", {**about, "command": figures.pop("command"), "figures": figures})
        print(json.dumps(figures), flush=True)


def add(file: Path) -> None:
    """Keep lines measured by another program: job, n, peak_mib, command, and what else is known."""
    for line in map(json.loads, file.read_text("utf-8").splitlines()):
        missing = {"job", "n", "peak_mib", "command"} - line.keys()
        if missing:
            raise SystemExit(f"{file}: {line}: no {', '.join(sorted(missing))}")
        about = {k: v for k, v in circumstances().items() if k != "load"}
        keep("scale", {**about, "command": line.pop("command"), "figures": line})


def newest() -> dict[str, dict[int, dict[str, Any]]]:
    """The newest line of each job and size."""
    lines: dict[str, dict[int, dict[str, Any]]] = {}
    for figures in (entry["figures"] for entry in entries("scale")):
        lines.setdefault(figures["job"], {})[figures["n"]] = figures
    return lines


def table() -> str:
    """A row a job: what was measured, and what a billion would take by the largest size."""
    jobs = tomllib.loads((HERE / "scale.toml").read_text("utf-8"))
    measured = newest()
    head = ["job", "measured: CPU, memory of a process, disk", "1 billion, calculated"]
    rows = [[*head, "breaks first"], ["---"] * 4]
    for job, about in jobs.items():
        sizes = [line for _, line in sorted(measured.get(job, {}).items())]
        if not sizes:
            rows.append([about["what"], "not yet", "", about["breaks"]])
            continue
        cells = "<br>".join(map(shown, sizes))
        rows.append([about["what"], cells, at_a_billion(sizes[-1]), about["breaks"]])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def shown(line: dict[str, Any]) -> str:
    disk = f", {size(line['disk_mib'])}" if line.get("disk_mib") else ""
    unit = line.get("unit", "pages")
    times = {"cpu_s": "{:,.0f} s", "wall_s": "{:,.0f} s by the clock"}
    shown_times = [text.format(line[name]) for name, text in times.items() if name in line]
    figures = ", ".join([*shown_times, size(line["peak_mib"])])
    return f"{count(line['n'])} {unit}: {figures}{disk}"


def at_a_billion(line: dict[str, Any]) -> str:
    if "cpu_s" not in line:
        return "not calculated: no CPU time"
    times = 1e9 / line["n"]
    hours = line["cpu_s"] * times / 3600
    disk = f", {size(line['disk_mib'] * times)} of disk" if line.get("disk_mib") else ""
    return f"{rounded(hours)} core hours{disk}"


def count(n: int) -> str:
    return f"{n / 1e6:g} M" if n >= 1_000_000 else f"{n:,}"


def size(mib: float) -> str:
    if mib >= 1 << 20:
        return f"{mib / (1 << 20):.1f} TiB"
    return f"{mib / 1024:.1f} GiB" if mib >= 1024 else f"{mib:.0f} MiB"


def rounded(number: float) -> str:
    """Two digits: more would pretend to know."""
    digits = 1 - math.floor(math.log10(number)) if number > 0 else 0
    return f"{round(number, digits):,.{max(digits, 0)}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="verb", required=True)
    running = commands.add_parser("run")
    running.add_argument("--pages", type=int, default=1_000_000)
    running.add_argument("--folder", type=Path, required=True, help="kept")
    running.add_argument("--jobs", nargs="+", choices=sorted(COMMANDS), default=list(COMMANDS))
    commands.add_parser("add").add_argument("file", type=Path)
    commands.add_parser("page")
    given = parser.parse_args()
    if given.verb == "run":
        run(given.folder.resolve(), given.pages, given.jobs)
    elif given.verb == "add":
        add(given.file)
    else:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    main()
