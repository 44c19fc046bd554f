"""Benchmarks over time: run one and keep what it printed; make the table of README.md anew.

    python benchmarks/history.py run page items     # one after the other, in processes of their own
    python benchmarks/history.py add rank out.json  # keep what a run printed before
    python benchmarks/history.py table              # README.md, from the newest entry of each

``history/NAME.jsonl`` has a line a run: when, of which commit, on what machine and at what load,
the command, and the JSON that it printed. Lines from before there was a history have only the
figures that were copied into a page then (``"said"``); they are marked in the table.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
import time
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history"
README = HERE / "README.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def shown() -> dict[str, dict[str, Any]]:
    """For each benchmark its command, and the rows that the table shows of it."""
    return tomllib.loads((HERE / "table.toml").read_text("utf-8"))


def entries(name: str) -> list[dict[str, Any]]:
    path = HISTORY / f"{name}.jsonl"
    return list(map(json.loads, path.read_text("utf-8").splitlines())) if path.exists() else []


def keep(name: str, entry: dict[str, Any]) -> None:
    HISTORY.mkdir(exist_ok=True)
    with (HISTORY / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def circumstances() -> dict[str, Any]:
    """Commit, time, machine and load."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=HERE, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    return {
        "date": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime()),
        "commit": git("rev-parse", "--short=10", "HEAD"),
        "is_changed": bool(
            git("status", "--porcelain", "--untracked-files=no", "--", "../quarkcrawl")
        ),
        "machine": f"{os.cpu_count()} × {model[1] if model else platform.machine()}, Python "
        f"{platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
    }


def started(command: str) -> list[str]:
    """A command with the programs of this environment and its patterns of files written out."""
    first, *rest = shlex.split(command)
    programs = {"python": [sys.executable], "quarkcrawl": [sys.executable, "-m", "quarkcrawl"]}
    root = HERE.parent
    files = (sorted(glob.glob(word, root_dir=root)) or [word] for word in rest)  # noqa: PTH207
    return [*programs.get(first, [first]), *chain.from_iterable(files)]


def run(name: str) -> None:
    """Run a benchmark and keep what it prints."""
    command = shown()[name]["command"]
    about = circumstances()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        started(command), cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = parsed(done.stdout)
    if not figures:
        raise SystemExit(f"{name}: {command} printed no JSON; nothing is kept")
    keep(name, {**about, "command": command, "cpu_s": round(cpu_s, 1), "figures": figures})


def parsed(text: str) -> Any:
    """One JSON document, or one a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def figure(figures: Any, path: str) -> float:
    """A number by its place: keys and indexes with dots between, or a ratio ``a / b``."""
    if " / " in path:
        above, below = path.split(" / ")
        return figure(figures, above) / figure(figures, below)
    for key in path.split("."):
        figures = figures[int(key)] if isinstance(figures, list) else figures[key]
    return float(figures)


def written(row: dict[str, Any], entry: dict[str, Any]) -> str | None:
    """What a row says: the words with the figures put in, or what was noted once."""
    if "said" in entry:
        return entry["said"].get(row["what"])
    if "figures" not in row:
        return None
    return row["said"].format(*(figure(entry["figures"], place) for place in row["figures"]))


def cells(about: dict[str, Any], row: dict[str, Any], found: list[dict[str, Any]]) -> list[str]:
    """A row of the table, from the newest entry that says something of it."""
    told = ((w, e) for e in reversed(found) if (w := written(row, e)) is not None)
    number, entry = next(told, ("", None))
    when = "not yet"
    if entry:
        when = f"{entry['date'][:10]} ({entry['commit'][:7]})" + ", noted" * ("said" in entry)
        when += f", load {entry['load']}" if "load" in entry else ""
    page = "[{}]({})".format(*row["page"]) if "page" in row else ""
    return [row["what"], number, f"`{row.get('command', about['command'])}`", when, page]


def table() -> str:
    lines = ["| what | number | command | measured | explained in |", "|---|---|---|---|---|"]
    for name, about in shown().items():
        found = entries(name)
        lines += ["| " + " | ".join(cells(about, row, found)) + " |" for row in about["rows"]]
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="verb", required=True)
    commands.add_parser("run").add_argument("names", nargs="+", choices=sorted(shown()))
    adding = commands.add_parser("add")
    adding.add_argument("name", choices=sorted(shown()))
    adding.add_argument("file", type=argparse.FileType())
    commands.add_parser("table")
    given = parser.parse_args()
    if given.verb == "run":
        for name in given.names:
            run(name)
    elif given.verb == "add":
        about = {k: v for k, v in circumstances().items() if k != "load"}
        command = shown()[given.name]["command"]
        keep(given.name, {**about, "command": command, "figures": parsed(given.file.read())})
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
