"""What earlier versions wrote is read, resumed and finished; not a byte of their pages changes."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.dataset import export_dataset
from quarkcrawl.engines import DuckEngine
from quarkcrawl.lab.gold.marks import read_marks
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.page import Page
from quarkcrawl.refine import refine_corpus
from quarkcrawl.store import Corpus
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.template import read_templates
from tests.crawl.harness import crawl
from tests.redis.server import RedisServer

ARCHIVES = sorted(Path(__file__).parent.glob("*.tar.gz"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def folder(request, tmp_path):
    with tarfile.open(request.param) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4
        archive.extractall(tmp_path, **safely)
    return tmp_path


@pytest.fixture
def web(folder):
    return json.loads((folder / "web.json").read_text("utf-8"))


@pytest.fixture
def server(web):
    with ServerProcess.for_pages(web) as process:
        yield process


def hosts_of(folder):
    return (folder / "hosts.txt").read_text().split()


def page_dats(root):
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("page.dat")}


def bodies(root):
    corpus = Corpus.open(root)
    rows = list(corpus.pages())
    found = {row.url: corpus.page(row).body for row in rows}
    assert len(found) == len(rows)
    return found


def test_a_corpus_is_read(folder):
    root = folder / "corpus"
    before = page_dats(root)
    expected = json.loads((folder / "expected.json").read_text())
    assert {url: hashlib.md5(body).hexdigest() for url, body in bodies(root).items()} == expected
    assert list(verify(root)) == []
    assert all(row.analysis["content_text"] for row in Corpus.open(root).pages() if "p" in row.url)
    assert page_dats(root) == before


@pytest.mark.full
def test_a_finished_crawl_has_nothing_left_to_do(folder, server):
    before = page_dats(folder / "corpus")
    run = crawl(folder, server, hosts_of(folder), out=folder / "corpus")
    assert run.code == 0, run.stderr
    assert page_dats(folder / "corpus") == before


def test_a_killed_crawl_goes_on(folder, server, web):
    root = folder / "stopped"
    before = page_dats(root)
    assert before
    run = crawl(folder, server, hosts_of(folder), out=root)
    assert run.code == 0, run.stderr
    run.assert_settled()
    assert {url: body.decode() for url, body in bodies(root).items()} == web
    after = page_dats(root)
    assert all(after[name].startswith(content) for name, content in before.items())


@pytest.mark.full
def test_a_killed_campaign_on_redis_goes_on(folder, server, web):
    """Pages of the shards and of the worker that joins are merged: each once."""
    shards = folder / "shared"
    before = page_dats(shards)
    store = RedisServer(folder / "redis")
    try:
        url = f"{store.url}#earlier"
        run = crawl(folder, server, hosts_of(folder), out=shards, redis=url)
    finally:
        store.stop()
    assert run.code == 0, run.stderr
    after = page_dats(shards)
    assert all(after[name].startswith(content) for name, content in before.items())
    merge_corpora([shards], folder / "merged")
    assert {url: body.decode() for url, body in bodies(folder / "merged").items()} == web


def test_templates_are_read(folder):
    found = read_templates(folder / "templates.json")
    assert found.templates


def test_marked_pages_are_read(folder):
    for path in (folder / "gold").iterdir():
        page = Page.from_bytes(path.read_bytes())
        assert read_marks(page, path.name)


@pytest.mark.full
def test_a_corpus_becomes_a_data_set(folder, tmp_path):
    root = folder / "corpus"
    documents = bodies(root)
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        refined = refine_corpus(engine, root, pool=PoolOptions(in_process=True))
        report = export_dataset(engine, root, tmp_path / "out")
    assert not refined.failures
    assert refined.documents == report.pages == len(documents)
    assert sum(report.documents.values()) + sum(report.left_out.values()) == len(documents)
