"""Runs that are killed, terminated or starved of disk: nothing lost, nothing twice."""

import json
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from quarkcrawl.frontier import SqliteFrontier
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify

from .harness import FAST, command, crawl, environment, host_map, write_hosts

pytestmark = pytest.mark.timeout(600)  # a dozen starts of a process each, on a busy machine

N_HOSTS, N_PAGES = 12, 60
PLAIN = {"segmentation": "false", "content": "false"}  # two fifths of the CPU time of a start


def web() -> dict[str, str]:
    """Hosts whose home links to sections that link to pages; every body is its own."""
    pages = {}
    for h in range(N_HOSTS):
        root = f"http://h{h}.kill.example/"
        sections = [f"s{i}/" for i in range(6)]
        pages[root] = _page(f"home {h}", sections)
        for i, section in enumerate(sections):
            names = [f"p{j}.html" for j in range(i, N_PAGES, 6)]
            pages[root + section] = _page(f"section {h} {i}", names)
            for name in names:
                pages[root + section + name] = _page(f"page {h} {i} {name}", ["../p", "/"])
    return pages


def _page(title: str, hrefs: list[str]) -> dict[str, object]:
    anchors = "".join(f"<a href='{h}'>{h}</a>" for h in hrefs)
    html = f"<title>{title}</title><body>{anchors}<p>{title * 50}</p>"
    return {"html": html, "delay_s": 0.02}


@pytest.fixture(scope="module")
def server():
    with ServerProcess.for_pages(web()) as process:
        yield process


def stored_rows(out: Path) -> dict[str, bytes]:
    """URL to MD5 of every stored page that the tables show now."""
    rows = list(Corpus.open(out).pages())
    found = {row.url: row.md5 for row in rows}
    assert len(found) == len(rows), "a page is stored twice"
    return found


def acknowledged(out: Path) -> int:
    frontier = SqliteFrontier(out / "frontier.sqlite", readonly=True)
    try:
        return frontier.counts().ended.get("stored", 0)
    finally:
        frontier.close()


class Interrupted:
    """Starts the same crawl again and again and stops it each time."""

    def __init__(self, folder: Path, server) -> None:
        self.folder, self.server, self.out = folder, server, folder / "corpus"
        self.hosts = write_hosts(folder, [f"h{h}.kill.example" for h in range(N_HOSTS)])

    def start(self) -> subprocess.Popen[bytes]:
        settings = {**FAST, **PLAIN, "host_map": host_map(self.server), "host_concurrency": "2",
                    "commit_pages": "16", "commit_interval_s": "0.2"}  # fmt: skip
        return subprocess.Popen(
            command(self.hosts, self.out, settings), env=environment(), cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def stop(self, number: int, dice: random.Random) -> bool:
        """Send a signal after a random number of fetches; True if the run was cut short.

        Fetches, not seconds: ten stops must leave work to do however fast the machine is.
        """
        process = self.start()
        _wait_for_pages(self.server, process, dice.randint(3, 50))
        time.sleep(dice.uniform(0.0, 0.02))
        process.send_signal(number)
        process.communicate(timeout=200)
        return process.returncode != 0


def _wait_for_pages(server, process: subprocess.Popen[bytes], n_fetches: int = 3) -> None:
    """Until this run has fetched so much."""
    before = len(server.log())
    while process.poll() is None and len(server.log()) < before + n_fetches:
        time.sleep(0.02)


def finish(interrupted: Interrupted) -> dict:
    process = interrupted.start()
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr.decode()
    return json.loads(stdout)


def assert_complete(interrupted: Interrupted, expected: dict[str, bytes]) -> None:
    assert stored_rows(interrupted.out) == expected
    assert list(verify(interrupted.out)) == []
    assert acknowledged(interrupted.out) == len(expected)


@pytest.fixture(scope="module")
def expected(server, tmp_path_factory) -> dict[str, bytes]:
    """The corpus of a run that nobody disturbed."""
    run = crawl(tmp_path_factory.mktemp("calm"), server,
                [f"h{h}.kill.example" for h in range(N_HOSTS)], **PLAIN)  # fmt: skip
    assert run.code == 0
    rows = stored_rows(run.out)
    assert len(rows) == N_HOSTS * (1 + 6 + N_PAGES)
    return rows


@pytest.mark.full
@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ten_stops_at_random_moments(tmp_path, server, expected, number):
    dice = random.Random(2008)
    interrupted = Interrupted(tmp_path, server)
    cuts = 0
    for _ in range(10):
        before = stored_rows(interrupted.out) if interrupted.out.exists() else {}
        cuts += interrupted.stop(number, dice)
        now = stored_rows(interrupted.out)
        assert before.items() <= now.items(), "a page that was there is gone"
        assert acknowledged(interrupted.out) <= len(now)
    assert cuts >= 5, "the runs ended before they were stopped: make the web larger"
    summary = finish(interrupted)
    assert summary["frontier"]["pending"] == summary["frontier"]["leased"] == 0
    assert_complete(interrupted, expected)


def test_interrupt_once_finishes_what_is_out_and_exits_130(tmp_path, server):
    interrupted = Interrupted(tmp_path, server)
    process = interrupted.start()
    _wait_for_pages(server, process)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=200)
    assert process.returncode == 130
    assert json.loads(stdout)["finish_reason"] == "shutdown"
    assert list(verify(interrupted.out)) == []
    assert acknowledged(interrupted.out) == len(stored_rows(interrupted.out))


@pytest.mark.full
def test_interrupt_twice_stops_at_once_and_the_next_run_goes_on(tmp_path, server, expected):
    interrupted = Interrupted(tmp_path, server)
    process = interrupted.start()
    _wait_for_pages(server, process)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    process.communicate(timeout=200)
    assert process.returncode != 0
    finish(interrupted)
    assert_complete(interrupted, expected)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.full
def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path, server, expected, small_disk):
    interrupted = Interrupted(tmp_path, server)
    interrupted.out = small_disk / "corpus"
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 1_500_000)
    for _ in range(2):
        process = interrupted.start()
        stdout, stderr = process.communicate(timeout=300)
        assert process.returncode == 1, stdout
        assert b"No space left" in stderr or b"disk is full" in stderr, stderr.decode()
    kept = stored_rows(interrupted.out)
    assert 0 < len(kept) < len(expected)
    filler.unlink()
    remount = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(remount, check=True)
    finish(interrupted)
    assert kept.items() <= stored_rows(interrupted.out).items()
    assert_complete(interrupted, expected)
