"""One run of ``quarkcrawl demo`` for all tests that look at what it leaves."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crawl.harness import environment


@dataclass(frozen=True)
class DemoRun:
    """Where it ran and what it said; do not change the folder, copy it."""

    folder: Path
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory) -> DemoRun:
    """The demo, run by the first process of the tests that asks for it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder, note = shared / "the-demo", shared / "the-demo.json"
    folder.mkdir(exist_ok=True)
    with (shared / "the-demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            note.write_text(json.dumps(_run(folder)))
    return DemoRun(folder, *json.loads(note.read_text()))


def _run(folder: Path) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "quarkcrawl", "demo"], cwd=folder, text=True,
                          env=environment(), capture_output=True, check=False, timeout=800)  # fmt: skip
    return done.returncode, done.stdout, done.stderr
