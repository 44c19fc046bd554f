"""A page that kills the process: the next run stores it unparsed and goes on."""

import signal
import subprocess
import sys

import pytest

from quarkcrawl.crawl.campaign.crashes import CrashGuard
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.page import Links
from tests.crawl.harness import crawl, scrapy_crawl

HOST = "www.crash.example"
SPIDER = """
import ctypes

from quarkcrawl.page import PageTree
from spiders.cwt import CwtSpider

whole = PageTree.parse


def parse(html):
    if "poison" in html:
        ctypes.string_at(0)
    return whole(html)


PageTree.parse = staticmethod(parse)


class Fragile(CwtSpider):
    name = "fragile"
"""


@pytest.mark.full
def test_a_page_that_segfaults_is_stored_unparsed_by_the_next_run(tmp_path):
    pages = {
        f"http://{HOST}/": "<a href=/bad>x</a><a href=/good>y</a>",
        f"http://{HOST}/bad": "<title>poison</title><a href=/never>z</a>",
        f"http://{HOST}/good": "<title>good</title>",
    }
    with ServerProcess.for_pages(pages) as server:
        first = scrapy_crawl(tmp_path / "1", server, "fragile", [HOST], spiders=SPIDER,
                             out=tmp_path / "corpus")  # fmt: skip
        assert first.code == -signal.SIGSEGV
        second = scrapy_crawl(tmp_path / "2", server, "fragile", [HOST], spiders=SPIDER,
                              out=tmp_path / "corpus")  # fmt: skip
    assert second.code == 0, second.stderr
    second.assert_settled()
    rows = second.pages()
    assert set(rows) == set(pages)
    assert rows[f"http://{HOST}/bad"].flags == ("failed:parse",)
    assert rows[f"http://{HOST}/good"].title == "good"
    assert (tmp_path / "corpus" / "crashed.txt").read_text() == f"http://{HOST}/bad\n"


@pytest.mark.full
def test_a_kill_is_no_crash(tmp_path):
    code = (
        "import os, signal, sys; from pathlib import Path; "
        "from quarkcrawl.crawl.campaign.crashes import CrashGuard; "
        "guard = CrashGuard(Path(sys.argv[1])); guard.begin('http://a.cn/'); "
        "os.kill(os.getpid(), signal.{})"
    )
    for name, expected in (("SIGKILL", set()), ("SIGTERM", set()), ("SIGSEGV", {"http://a.cn/"})):
        subprocess.run([sys.executable, "-c", code.format(name), str(tmp_path)], check=False)
        guard = CrashGuard(tmp_path)
        assert guard.crashed == expected, name
        guard.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["crashed.txt"]


@pytest.mark.full
def test_plain_text_is_stored_without_being_read_as_html(tmp_path):
    text = {"html": "a < b <a href=/x>no link</a>", "content_type": "text/plain; charset=utf-8"}
    with ServerProcess.for_pages({f"http://{HOST}/t.txt": text}) as server:
        run = crawl(tmp_path, server, [f"http://{HOST}/t.txt"])
    (row,) = run.pages().values()
    assert (row.title, row.links, row.mime) == ("", Links(), "text/plain")
