"""After a crawl that has come to its end, contents are stored again without what hosts repeat."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.corpus import cleaned_contents
from quarkcrawl.crawl.run import CrawlResult
from quarkcrawl.errors import StoreError
from quarkcrawl.store import Corpus
from quarkcrawl.workbench.web.http.pending import TablesPendingError
from quarkcrawl.workbench.web.index.index import CorpusIndex
from tests.corpus.sitepages import COPIED, NOTICE, articles, copies
from tests.crawl.harness import environment

HOSTS = {
    "www.noted.cn": articles(24),
    "www.mirror.cn": copies(24),
    "www.small.cn": articles(9, start=100),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    with (folder / "web.jsonl").open("w") as file:
        for host, bodies in HOSTS.items():
            links = "".join(f"<a href=/{n}.html>第{n}篇</a>" for n in range(len(bodies)))
            pages = {"": f"<title>{host}</title>{links}"}
            pages |= {f"{n}.html": body.decode("gb18030") for n, body in enumerate(bodies)}
            for name, html in pages.items():
                file.write(json.dumps({"url": f"http://{host}/{name}", "html": html}) + "\n")
    (folder / "hosts.txt").write_text("".join(f"{host}\n" for host in HOSTS))
    return folder


def command(web, out, *words):
    base = [sys.executable, "-m", "quarkcrawl", "crawl", web / "hosts.txt", "--levels", "2"]
    base += ["--out", out, "--replay", web / "web.jsonl", "--quiet", "--workers", "1"]
    return [*base, "--set", "robots=no", *words]


def crawl(web, out, *words):
    done = subprocess.run(command(web, out, *words), env=environment(), cwd=web, timeout=200,
                          check=False, capture_output=True, text=True)  # fmt: skip
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else {}


@pytest.fixture(scope="module")
def crawled(web):
    done, summary = crawl(web, web / "corpus")
    assert done.returncode == 0, done.stderr
    return web / "corpus", summary


def rows_of(root):
    return {row["url"]: row for row in cleaned_contents(root).to_table().to_pylist()}


@pytest.mark.full
@pytest.mark.timeout(300)
def test_a_finished_crawl_cleans_the_hosts_that_repeat_something(crawled):
    root, summary = crawled
    # The home page says nothing that repeats, but its host does: it has a row as well.
    assert (summary["cleaned"]["extracted"], summary["cleaned"]["shortened"]) == (25, 24)
    assert json.loads(Path(summary["summary"]).read_text())["cleaned"] == summary["cleaned"]
    rows, pages = rows_of(root), {row.url: row for row in Corpus.open(root).pages()}
    assert {row["host"] for row in rows.values()} == {"www.noted.cn"}
    for url, row in rows.items():
        stored = pages[url].analysis["content_text"]
        assert row["content_text"] == "\n".join(x for x in stored.split("\n") if x != NOTICE)
        assert row["repeated_chars"] == (len(NOTICE) if NOTICE in stored else 0)
    mirrored = [page for url, page in pages.items() if "mirror.cn/" in url and "html" in url]
    assert len(mirrored) == 24
    assert all(COPIED[2] in page.analysis["content_text"] for page in mirrored)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_the_same_command_again_has_nothing_to_do(crawled, web):
    root, _ = crawled
    before = rows_of(root)
    done, summary = crawl(web, root)
    assert done.returncode == 0, done.stderr
    assert (summary["cleaned"]["extracted"], summary["cleaned"]["site_pages_read"]) == (0, 0)
    assert rows_of(root) == before


@pytest.mark.full
@pytest.mark.timeout(300)
def test_the_workbench_shows_what_was_cleaned(crawled, tmp_path):
    root = shutil.copytree(crawled[0], tmp_path / "corpus")
    rows = rows_of(root)
    stored = {row["url"]: row for row in Corpus.open(root).table("page").to_table().to_pylist()}
    tables = CorpusIndex(root)
    tables.warm()
    for _ in range(100):
        try:
            shown = tables.rows("SELECT url, content_chars FROM pages")
            break
        except TablesPendingError:
            continue
    tables.close()
    assert any(row["repeated_chars"] for row in rows.values())
    assert len(shown) == len(stored) > len(rows)
    for row in shown:
        best = rows.get(row["url"], stored[row["url"]])
        assert row["content_chars"] == len(best["content_text"] or "")


@pytest.mark.timeout(300)
@pytest.mark.full
def test_switched_off_there_are_no_such_rows(web, tmp_path):
    done, summary = crawl(web, tmp_path / "corpus", "--set", "site_pages=0")
    assert done.returncode == 0, done.stderr
    assert "cleaned" not in summary
    with pytest.raises(StoreError, match="no extraction"):
        cleaned_contents(tmp_path / "corpus")


@pytest.mark.timeout(300)
@pytest.mark.full
def test_a_crawl_that_was_stopped_is_cleaned_when_it_has_gone_on(crawled, web, tmp_path):
    root = tmp_path / "corpus"
    slow = ("--delay-s", "0.3", "--set", "host_concurrency=1")
    process = subprocess.Popen(command(web, root, *slow), env=environment(), cwd=web,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    while not list(root.glob("data_*/www.noted.cn/page.dat")):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    words, _ = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "cleaned" not in json.loads(words)
    assert not (root / "analysis" / "cleaned").exists()
    done, _summary = crawl(web, root)
    assert done.returncode == 0, done.stderr
    texts = [{url: row["content_text"] for url, row in rows_of(one).items()}
             for one in (crawled[0], root)]  # fmt: skip
    assert texts[0] == texts[1]
    shutil.rmtree(root)


@pytest.mark.parametrize(
    ("config", "changes", "expected"),
    [
        ({}, {}, True),
        ({"site_pages": 0}, {}, False),
        ({"content": False}, {}, False),
        ({"redis": "redis://a/0#b"}, {}, False),
        ({}, {"finish_reason": "shutdown"}, False),
        ({}, {"finish_reason": "storage_failed"}, False),
        ({}, {"left": 3}, False),
        ({}, {"complete": False}, True),
    ],
)
def test_only_a_whole_crawl_of_one_worker_is_cleaned(config, changes, expected):
    summary = {"finish_reason": "finished", "complete": True, "left": 0, **changes}
    assert CrawlResult(summary, None, CrawlConfig(**config)).is_cleanable is expected


@pytest.mark.full
@pytest.mark.timeout(300)
def test_a_crawl_follows_what_people_taught_also_without_looking_for_repeated_lines(web, tmp_path):
    root = tmp_path / "corpus"
    root.mkdir()
    rule = '[[rule]]\nhost = "www.small.cn"\nkind = "noise"\nselect = "div.content > div > p"\n'
    (root / "rules.toml").write_text(rule)
    done, summary = crawl(web, root, "--set", "site_pages=0")
    assert done.returncode == 0, done.stderr
    assert (summary["cleaned"]["extracted"], summary["cleaned"]["corrected"]) == (10, 9)
    rows = rows_of(root)
    assert {row["host"] for row in rows.values()} == {"www.small.cn"}
    assert not any(NOTICE in row["content_text"] for row in rows.values())
    pages = {row.url: row for row in Corpus.open(root).pages()}
    assert all(NOTICE in pages[url].analysis["content_text"] for url in rows if "html" in url)
