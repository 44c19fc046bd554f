"""A page that kills the process: the next run stores it unparsed and goes on."""

import signal
import subprocess
import sys

import pytest

from quarkcrawl.crawl.campaign.crashes import CERTAIN, CrashGuard
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


def fragile(tmp_path, server, name):
    """A crawl that analyses pages in its own process."""
    return scrapy_crawl(tmp_path / name, server, "fragile", [HOST], settings={"QUARKCRAWL_IN_PROCESS": "yes"},
                        spiders=SPIDER, out=tmp_path / "corpus")  # fmt: skip


@pytest.mark.full
def test_a_page_that_segfaults_is_stored_unparsed_by_the_next_run(tmp_path):
    pages = {
        f"http://{HOST}/": "<a href=/bad>x</a><a href=/good>y</a>",
        f"http://{HOST}/bad": "<title>poison</title><a href=/never>z</a>",
        f"http://{HOST}/good": "<title>good</title>",
    }
    with ServerProcess.for_pages(pages) as server:
        assert fragile(tmp_path, server, "1").code == -signal.SIGSEGV
        second = fragile(tmp_path, server, "2")
    assert second.code == 0, second.stderr
    second.assert_settled()
    rows = second.pages()
    assert set(rows) == set(pages)
    assert rows[f"http://{HOST}/bad"].flags == ("failed:crash",)
    assert rows[f"http://{HOST}/good"].title == "good"
    guard = CrashGuard(tmp_path / "corpus")
    assert guard.deaths == {f"http://{HOST}/bad": CERTAIN}
    guard.close()


@pytest.mark.full
@pytest.mark.parametrize(("name", "deaths"), [("SIGKILL", 1), ("SIGTERM", 1), ("SIGSEGV", CERTAIN)])
def test_a_death_is_noted_with_the_page_that_was_at_work(tmp_path, name, deaths):
    code = (
        "import os, signal, sys; from pathlib import Path; "
        "from quarkcrawl.crawl.campaign.crashes import CERTAIN, CrashGuard; "
        "guard = CrashGuard(Path(sys.argv[1])); guard.end(guard.begin('http://a.cn/done')); "
        f"guard.begin('http://a.cn/'); os.kill(os.getpid(), signal.{name})"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    guard = CrashGuard(tmp_path)
    assert guard.deaths == {"http://a.cn/": deaths}
    guard.close()
    assert [p.name for p in tmp_path.iterdir()] == ["crashed.txt"]


def test_no_page_is_known_to_be_guilty_where_many_were_at_work(tmp_path):
    guard = CrashGuard(tmp_path)
    slots = [guard.begin(f"http://a.cn/{n}") for n in range(100)]
    guard.end(slots[0])
    guard.end(slots[99])
    (tmp_path / "crash.log").write_text("Fatal Python error: Segmentation fault")
    again = CrashGuard(tmp_path)
    assert again.deaths == {f"http://a.cn/{n}": 1 for n in range(1, 64)}
    again.close()
    guard.close()


def test_what_an_earlier_version_gave_up_stays_given_up(tmp_path):
    (tmp_path / "crashed.txt").write_text("http://a.cn/\n")
    guard = CrashGuard(tmp_path)
    assert guard.deaths == {"http://a.cn/": CERTAIN}
    guard.close()


@pytest.mark.full
def test_plain_text_is_stored_without_being_read_as_html(tmp_path):
    text = {"html": "a < b <a href=/x>no link</a>", "content_type": "text/plain; charset=utf-8"}
    with ServerProcess.for_pages({f"http://{HOST}/t.txt": text}) as server:
        run = crawl(tmp_path, server, [f"http://{HOST}/t.txt"])
    (row,) = run.pages().values()
    assert (row.title, row.links, row.mime) == ("", Links(), "text/plain")
