"""Ctrl-C while a command loads or begins: one line, exit code 130, nothing lost."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from quarkcrawl.store import Corpus
from tests.crawl.harness import command, environment, host_map, write_hosts
from tests.crawl.test_givenup import ALL, HOST, failing

LIMIT_S = 240
SETTINGS = {"content": "no", "segmentation": "no", "delay_s": "0"}

STARTS = {
    "loading": ("import", "quarkcrawl.cli.app"),
    "loading late": ("import", "scrapy.crawler"),
    "a file is opened": ("open", "hosts.txt"),
    "the corpus is opened": ("sqlite3.connect", "frontier.sqlite"),
}
"""Where a command is when Ctrl-C comes: an event of Python's audit and what its first word holds."""

SITECUSTOMIZE = """
import os, signal, sys
event, word = {event!r}, {word!r}
seen = []

def hook(name, given):
    if name == event and not seen and given and word in str(given[0]):
        seen.append(name)
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(hook)
"""


def interrupted(folder, words, where) -> subprocess.CompletedProcess:
    """Run a command that is sent SIGINT at a point of its start."""
    event, word = STARTS[where]
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE.format(event=event, word=word))
    env = environment()
    env["PYTHONPATH"] = f"{folder}{os.pathsep}{env['PYTHONPATH']}"
    return subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


@pytest.mark.full
@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.parametrize("where", STARTS)
def test_ctrl_c_at_the_start_of_a_crawl_says_one_line_and_loses_nothing(tmp_path, where):
    out = tmp_path / "corpus"
    with failing(lambda path, n: 0) as server:
        settings = SETTINGS | {"host_map": host_map(server)}
        words = command(write_hosts(tmp_path, [HOST]), out, settings)
        done = interrupted(tmp_path, words, where)
        told = "interrupted; the same command goes on where it was\n"
        assert (done.returncode, done.stderr, done.stdout) == (130, told, "")
        (tmp_path / "sitecustomize.py").unlink()
        done = subprocess.run(
            words, cwd=tmp_path, env=environment(), capture_output=True, text=True,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(list(Corpus.open(out).pages())) == len(ALL)


def test_ctrl_c_while_a_command_loads_says_one_line(tmp_path):
    words = [sys.executable, "-m", "quarkcrawl", "--version"]
    done = interrupted(tmp_path, words, "loading")
    assert (done.returncode, done.stderr, done.stdout) == (130, "interrupted\n", "")
