"""Guides to code of one's own, tried: a spider, a stage, the add-on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from quarkcrawl.crawl.jobs import job_status
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import host_map
from tests.project.pageblocks import Session, blocks
from tests.redis.server import RedisServer

pytestmark = pytest.mark.full

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
TITLED = (
    "<title>北京大学</title><h1>北京大学</h1><p>一九九七年十月，天网搜索引擎在这里开始服务。" * 2
)


@pytest.fixture
def local(monkeypatch, tmp_path):
    """A session on a page of its own web."""
    monkeypatch.chdir(tmp_path)

    def session(server, *more):
        settings = f"-s QUARKCRAWL_HOST_MAP={host_map(server)} -s QUARKCRAWL_DELAY_S=0"
        return Session(tmp_path, [(r"^scrapy crawl .*", rf"\g<0> {settings}"), *more])

    return session


def test_a_spider_and_a_stage_of_your_own(local):
    host = "www.pku.edu.cn"
    pages = {
        f"http://{host}/": "<title>首页</title><a href=/a>甲</a>",
        f"http://{host}/a": TITLED + "1997" * 30,
    }
    *first, crawl_with_stage, stage_of_workers = blocks(GUIDES / "spider.md")
    with ServerProcess.for_pages(pages) as server:
        session = local(server)
        for block in first:
            session.run(block)
        corpus = Corpus.open("mine/corpus")
        (row,) = corpus.pages()
        assert row.url.endswith("/a")
        assert [(d.url, d.reason) for d in corpus.drops()] == [(f"http://{host}/", "no_item")]
        shares = [digit_share(session, crawl_with_stage)]
        session.run(stage_of_workers)
        shares.append(digit_share(session, crawl_with_stage))
    assert shares[0] == shares[1]
    assert 0.2 < shares[0] < 1


def digit_share(session, crawl):
    """What the stage of one's own finds in a crawl anew."""
    shutil.rmtree("mine/corpus")
    session.run(crawl)
    row = max(Corpus.open("mine/corpus").pages(), key=lambda row: row.url)
    assert not row.flags
    return row.analysis["digit_share"]


def addon_session(local, server):
    url = f"http://127.0.0.1:{server.info.http_port}/"
    header = """ -s 'DEFAULT_REQUEST_HEADERS={"Host": "www.guide.example"}'"""
    return local(server, (r"url=(\S+)(.*)", rf"url={url}\2{header}"))


def is_of_poet(block):
    return "poet" in block.text or "stories" in block.text


def test_the_add_on_in_another_project(local):
    with ServerProcess.for_pages({"http://www.guide.example/": TITLED}) as server:
        session = addon_session(local, server)
        for block in blocks(GUIDES / "addon.md"):
            if not is_of_poet(block):
                session.run(block)
    assert session.names["ADDONS"].keys() == {"quarkcrawl.crawl.ExtractionAddon"}
    (item,) = map(json.loads, Path("news.jsonl").read_text("utf-8").splitlines())
    assert "天网搜索引擎" in item["text"]
    assert item["encoding"] == "utf-8"
    assert session.names["page"].css("a::attr(href)").get() == "/tw"


def test_pages_as_inputs_in_another_project(local, monkeypatch):
    pytest.importorskip("scrapy_poet", reason="needs scrapy-poet: pip install 'quarkcrawl[poet]'")
    linked = f"{TITLED}<p class=date>2021-03-04 10:00</p><a href=/a>甲</a>"
    with ServerProcess.for_pages({"http://www.example.cn/": linked}) as server:
        # Its rules are for names, so that it has to be asked by its name.
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.info.http_port}")
        monkeypatch.setenv("no_proxy", "")
        session = local(server)
        for block in filter(is_of_poet, blocks(GUIDES / "addon.md")):
            session.run(block)
    assert session.names["ADDONS"].keys() == {
        "scrapy_poet.Addon",
        "quarkcrawl.crawl.ExtractionAddon",
    }
    items = map(json.loads, Path("stories.jsonl").read_text("utf-8").splitlines())
    story, links = sorted(items, key=lambda item: "links" in item)
    assert story["title"] == "北京大学"
    assert "天网搜索引擎" in story["text"]
    assert story["published"].startswith("2021-03-04")
    assert story["section"] == "news"
    assert links["links"] == ["http://www.example.cn/a"]


def test_a_spider_of_many_workers(local, tmp_path):
    pages = {
        "http://www.guide.example/": TITLED + "<a href=/a>甲</a>",
        "http://www.guide.example/a": "<title>甲</title>",
    }
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder)
    try:
        with ServerProcess.for_pages(pages) as server:
            port = server.info.http_port
            header = """ -s 'DEFAULT_REQUEST_HEADERS={"Host": "www.guide.example"}'"""
            session = local(
                server,
                (r"redis://server:6379/0", redis.url),
                (r"redis-cli -h server", f"redis-cli -p {redis.port}"),
                (r"http://www\.example\.cn/", f"http://127.0.0.1:{port}/"),
                (r"^scrapy runspider .*", rf"\g<0> {header}"),
            )
            for block in blocks(GUIDES / "shared.md"):
                session.run(block)
        (feed,) = tmp_path.glob("shop-*.jsonl")
        items = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
        assert [item["title"] for item in items] == ["北京大学", "甲"]
    finally:
        redis.stop()


def test_a_durable_crawl_of_any_spider(local, tmp_path):
    pages = {
        "http://www.guide.example/": TITLED + "<a href=/a>甲</a>",
        "http://www.guide.example/a": "<title>甲</title>",
    }
    with ServerProcess.for_pages(pages) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        header = """ -s 'DEFAULT_REQUEST_HEADERS={"Host": "www.guide.example"}'"""
        session = local(server, (r"url=(\S+)(.*)", rf"url={url}\2{header}"))
        for block in blocks(GUIDES / "durable.md"):
            session.run(block)
    items = [json.loads(line) for line in Path("pages.jsonl").read_text("utf-8").splitlines()]
    assert [item["title"] for item in items] == ["北京大学", "甲"]
    (job,) = (tmp_path / ".scrapy" / "jobs").iterdir()
    assert job.name.startswith("pages-")
    assert job_status(job)["finished"]
