"""Pages that end, hold or starve what analyses them: stored once with a flag, and nobody waits."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus, shard_roots
from tests.crawl.harness import ROOT, host_map, write_hosts
from tests.redis.server import RedisServer

PLACES = ("parse", "links", "segmentation", "content")
FLAGS = {
    "exception": "failed:{place}",
    "segfault": "failed:crash",
    "killed": "failed:crash",
    "hang": "failed:timeout",
    "memory": "failed:{place}",
}
HOSTS = [f"www.good{n}.cn" for n in range(10)]
BAD = "www.bad.cn"
DELAY_S = 0.5
MOST_S = 5  # that a host is not asked
TIMEOUT_S = 8  # no page of four crawls at once on two busy cores takes so long twice


def site():
    pages = {}
    for host in HOSTS:
        links = "".join(f"<a href=/{n}.html>{n}</a>" for n in range(20))
        pages[f"http://{host}/"] = f"<title>{host}</title>{links}"
        for n in range(20):
            pages[f"http://{host}/{n}.html"] = f"<p>{host} page {n} " + "天网" * 99
    words = [f"{place}-{fault}" for place in PLACES for fault in FLAGS]
    pages[f"http://{BAD}/"] = "".join(f"<a href=/{word}.html>x</a>" for word in words)
    for n, word in enumerate(words):
        pages[f"http://{BAD}/{word}.html"] = f"<p>{word}<a href=/behind{n}.html>x</a>"
        pages[f"http://{BAD}/behind{n}.html"] = f"<p>behind {n}"
    return pages


def crawl(folder, server, hosts, *words, settings, number=1):
    """The command, so many times at once, with what is on PYTHONPATH; each in a group of its own.

    Returns:
        Summaries of the crawls; all have ended well and nothing is left of them.
    """
    command = [sys.executable, "-m", "quarkcrawl", "crawl", write_hosts(folder, hosts)]
    command += ["--out", folder / "corpus", "--quiet", *words]
    for name, value in {"host_map": host_map(server), **settings}.items():
        command += ["--set", f"{name}={value}"]
    path = os.pathsep.join([str(Path(__file__).with_name("poison")), str(ROOT)])
    processes = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         start_new_session=True)
        for _ in range(number)
    ]  # fmt: skip
    summaries = []
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        summaries.append(json.loads(out))
        assert is_alone(process.pid)
    return summaries


def is_alone(group):
    """Whether nothing of a process group is left, or will be soon."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


SETTINGS = {
    "delay_s": DELAY_S, "robots": "no", "page_timeout_s": TIMEOUT_S, "timeout_s": 10,
}  # fmt: skip


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.timeout(400)
def test_whatever_a_page_does_where(tmp_path):
    pages = site()
    with ServerProcess.for_pages(pages) as server:
        (summary,) = crawl(tmp_path, server, [*HOSTS, BAD], settings={**SETTINGS, "workers": 2})
        log = server.log()
    assert summary["left"] == 0
    check(pages, list(Corpus.open(tmp_path / "corpus").pages()), log)


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.timeout(400)
def test_four_workers_that_share_redis(tmp_path):
    pages = site()
    redis = RedisServer(tmp_path)
    settings = {**SETTINGS, "workers": 1, "redis": f"{redis.url}#poison"}
    try:
        with ServerProcess.for_pages(pages) as server:
            summaries = crawl(tmp_path, server, [*HOSTS, BAD], settings=settings, number=4)
            log = server.log()
    finally:
        redis.stop()
    assert all(summary["left"] == 0 for summary in summaries)
    roots = shard_roots(tmp_path / "corpus")
    assert len(roots) == 4
    check(pages, [row for root in roots for row in Corpus.open(root).pages()], log)


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.timeout(400)
@pytest.mark.parametrize("size", [0, 2 << 20])
def test_a_page_that_hangs_silences_no_host_not_even_its_own(tmp_path, size):
    """Of as many workers as there are one is held for half a minute; small page or large."""
    pages, hosts, space = {}, [BAD, *HOSTS[:3]], " " * size
    for host in hosts:
        words = [f"page{n}" for n in range(12)]
        if host == BAD:
            words[3] = "content-hang"
        links = "".join(f"<a href=/{word}.html>x</a>" for word in words)
        pages[f"http://{host}/"] = f"<p>{host}{links}"
        for n, word in enumerate(words):
            links = "".join(f"<a href=/{n}/{k}.html>x</a>" for k in range(4))
            pages[f"http://{host}/{word}.html"] = f"<p>{host}{word}{links}{space}"
            pages |= {f"http://{host}/{n}/{k}.html": f"<p>{host}{n}/{k}" for k in range(4)}
    held_s = 16  # at least: a host that waits for the page is silent for longer
    settings = {**SETTINGS, "workers": 2, "page_timeout_s": held_s, "page_cpu_s": 10}
    with ServerProcess.for_pages(pages) as server:
        (summary,) = crawl(tmp_path, server, hosts, settings=settings)
        log = server.log()
    rows = list(Corpus.open(tmp_path / "corpus").pages())
    assert summary["left"] == 0
    assert summary["elapsed_s"] > 30
    assert sorted(row.url for row in rows) == sorted(pages)
    hung = f"http://{BAD}/content-hang.html"
    assert {row.url: row.flags for row in rows if row.flags} == {hung: ("failed:timeout",)}
    for host in hosts:
        times = [entry.time for entry in log if entry.host == host]
        silence_s = max(later - at for at, later in pairwise(times)) - DELAY_S
        print(host, round(silence_s, 2), most_in_between(log, host), len(times))
        assert silence_s < (held_s if size else MOST_S)
        assert most_in_between(log, host) <= MOST_S / DELAY_S + 1


def most_in_between(log, host):
    """Most requests that another host had between two of this one.

    In seconds that were a measure of the machine: of large pages few are read in five of them
    where others are at work.
    """
    places = [n for n, entry in enumerate(log) if entry.host == host]
    others = [Counter(entry.host for entry in log[n + 1 : m]) for n, m in pairwise(places)]
    return max(max(hosts.values(), default=0) for hosts in others)


def check(pages, rows, log):
    """Each page is stored once, the bad ones with their flags; no host had to wait for them."""
    stored = {row.url: row for row in rows}
    assert len(rows) == len(stored)
    flags = {url: row.flags for url, row in stored.items() if row.flags}
    wanted = {
        f"http://{BAD}/{place}-{fault}.html": (flag.format(place=place),)
        for place in PLACES
        for fault, flag in FLAGS.items()
    }
    assert flags == wanted
    # A page that was parsed at all has its links, and what they lead to is stored.
    lost = {f"http://{BAD}/behind{n}.html" for n in range(2 * len(FLAGS))}
    assert stored.keys() == pages.keys() - lost
    for host in HOSTS:
        times = [entry.time for entry in log if entry.host == host]
        assert max(later - at for at, later in pairwise(times)) < DELAY_S + MOST_S
