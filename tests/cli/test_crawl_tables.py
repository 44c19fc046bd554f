"""How a crawl ends: tables for people on a terminal, JSON for programs."""

import io
import json
import os
import pty
import subprocess

import pytest
from rich.console import Console

from quarkcrawl.cli.tables import crawl_tables
from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import FAST, command, environment, host_map, write_hosts

HOST = "www.tables.example"
PAGES = {
    f"http://{HOST}/": '<title>家</title><a href="/a">甲</a><a href="/gone">乙</a>',
    f"http://{HOST}/a": "<title>甲</title><p>文",
}
SUMMARY = {
    "corpus": "my corpus", "finish_reason": "finished", "complete": False, "left": 0,
    "given_up": {
        "urls": 7, "reasons": {"timeout": 7},
        "listed": {f"http://a.cn/{k}\x1b[2J[red]": "timeout" for k in range(7)},
    },
    "elapsed_s": 125.2, "pages": 1234, "pages_per_s": 9.86, "body_bytes": 5 << 20,
    "stored_bytes": 1 << 20, "retries": 3, "warnings": ["no contact"],
    "reasons": {"stored": 1234, "http_404": 20, "timeout": 7, "http_799": 1},
    "frontier": {"ended": {"stored": 2000}},
    "hosts": {"a.cn": {"stored": 1234}, "b.cn": {"dns": 1}},
    "config": {"redis": "", "out": "my corpus"}, "summary": "my corpus/runs/run-1.json",
}  # fmt: skip


def shown(**changes):
    console = Console(width=130, record=True, file=io.StringIO())
    console.print(crawl_tables(SUMMARY | changes))
    return console.export_text()


def test_tables_say_what_was_stored_why_not_how_fast_and_what_next():
    text = shown()
    for words in (
        "my corpus: at its end, not complete", "1,234 in this run", "2,000 in all", "5.0 MiB",
        "2:05 min, 9.86 pages a second", "HTTP 404 Not Found", "HTTP 799", "no whole reply in time",
        "2 more", "b.cn", "warning: no contact", "quarkcrawl frontier retry 'my corpus'",
        "quarkcrawl extract 'my corpus'", "my corpus/runs/run-1.json",
    ):  # fmt: skip
        assert words in text
    assert "\x1b" not in text
    assert "[red]" in text  # as it was written, no markup


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"finish_reason": "shutdown", "left": 5}, ("stopped before its end", "the same command")),
        ({"finish_reason": "storage_failed", "frontier": None, "left": None}, ("storage failed",)),
        ({"complete": True, "given_up": {"urls": 0, "reasons": {}, "listed": {}}}, ("complete",)),
        (
            {"config": {"redis": "redis://:***@h/0#news", "out": "o"}},
            ("frontier retry 'redis://:***@h/0#news' o", "corpus merge o --out"),
        ),
    ],
)
def test_the_next_step_depends_on_the_end(changes, words):
    text = shown(**changes)
    assert all(word in text for word in words)
    assert ("frontier retry" in text) == bool((SUMMARY | changes)["given_up"]["urls"])


def _read_to_end(descriptor):
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other end of a terminal is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()


@pytest.mark.full
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_terminal_gets_tables_unless_json_is_asked_for(tmp_path, options):
    with ServerProcess.for_pages(PAGES) as server:
        settings = {**FAST, "host_map": host_map(server)}
        words = [*command(write_hosts(tmp_path, [HOST]), tmp_path / "corpus", settings), *options]
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            words, cwd=tmp_path, env=environment(COLUMNS="130", TERM="xterm"), stdout=theirs,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        text = _read_to_end(ours)
        assert process.wait(timeout=300) == 0
    if options:
        assert json.loads(text)["reasons"] == {"stored": 2, "http_404": 1}
    else:
        assert "corpus: complete" in text
        assert "HTTP 404 Not Found" in text
        assert "quarkcrawl extract" in text


@pytest.mark.full
def test_a_pipe_gets_json(tmp_path):
    with ServerProcess.for_pages(PAGES) as server:
        settings = {**FAST, "host_map": host_map(server)}
        words = command(write_hosts(tmp_path, [HOST]), tmp_path / "corpus", settings)
        done = subprocess.run(
            words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
            timeout=300,
        )  # fmt: skip
    assert done.returncode == 0
    summary = json.loads(done.stdout)
    assert summary["complete"]
