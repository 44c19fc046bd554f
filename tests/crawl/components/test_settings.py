"""Settings of Scrapy and of ours meet; replies and addresses that are not as usual."""

import base64
import gzip
import socket
import sys
import time

import pytest
from protego import Protego
from scrapy.settings import Settings

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.robots import robots_text
from quarkcrawl.crawl.components.addon import CampaignAddon
from quarkcrawl.crawl.http.guards import HostMap, address_is_public
from quarkcrawl.crawl.http.inflate import inflate
from quarkcrawl.crawl.options import config_of
from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb import ServerProcess
from tests import forked
from tests.crawl.harness import (
    POLLS_S,
    UNPOLLED,
    crawl,
    endings,
    environment,
    host_map,
    scrapy_crawl,
)

HOST = "www.set.example"
HOME = f"http://{HOST}/"


def settings_of(**given: tuple[object, str]) -> Settings:
    settings = Settings()
    for name, (value, priority) in given.items():
        settings.set(name, value, priority)
    CampaignAddon().update_settings(settings)
    return settings


@pytest.mark.parametrize(
    ("scrapy_name", "ours", "field", "first", "second"),
    [
        ("USER_AGENT", "QUARKCRAWL_USER_AGENT", "user_agent", "a/1", "b/1"),
        ("CONCURRENT_REQUESTS", "QUARKCRAWL_CONCURRENCY", "concurrency", 3, 5),
        ("DOWNLOAD_TIMEOUT", "QUARKCRAWL_TIMEOUT_S", "timeout_s", 3, 5),
    ],
)
def test_twin_settings_agree_and_the_higher_priority_wins(scrapy_name, ours, field, first, second):
    for given, value in [
        ({}, getattr(CrawlConfig(), field)),
        ({scrapy_name: (first, "cmdline")}, first),
        ({scrapy_name: (first, "project")}, first),
        ({ours: (first, "project")}, first),
        ({ours: (first, "project"), scrapy_name: (second, "cmdline")}, second),
        ({ours: (first, "cmdline"), scrapy_name: (second, "project")}, first),
    ]:
        settings = settings_of(**given)
        assert settings[scrapy_name] == value
        assert getattr(config_of(settings), field) == value


def test_a_lease_must_outlast_a_request():
    with pytest.raises(ConfigError, match="lease_s"):
        CrawlConfig.from_mapping({"lease_s": 10, "timeout_s": 20})


ROBOTS = "User-agent: mybot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"


@pytest.mark.full
def test_robots_is_read_for_the_agent_that_is_sent(tmp_path):
    pages = {
        HOME: "<a href=/a>a</a><a href=/b>b</a>",
        f"{HOME}robots.txt": {"html": ROBOTS, "content_type": "text/plain"},
        f"{HOME}a": "<p>a",
        f"{HOME}b": "<p>b",
    }
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], settings={"USER_AGENT": "MyBot/1"})
    run.assert_settled()
    assert set(run.pages()) == {HOME, f"{HOME}b"}


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b""])
def test_robots_with_a_byte_order_mark_forbids_as_well(head):
    text = robots_text(200, head + b"User-agent: *\r\nDisallow: /x\r\n")
    assert text is not None
    assert not Protego.parse(text).can_fetch("http://a.cn/x", "bot")


@pytest.mark.full
def test_switches_take_every_spelling_of_yes_and_no(tmp_path):
    with ServerProcess.for_pages({HOME: "<p>home"}) as server:
        run = crawl(tmp_path, server, [HOST], progress="off", allow_private="no")
    assert run.code == 0, run.stderr
    assert endings(run) == {"stored": 1}


@pytest.mark.full
def test_a_mapped_web_also_answers_for_addresses(tmp_path):
    """The real owner of an address must not be asked, whatever a replayed page says."""
    moved = {"status": 302, "headers": [["Location", "http://1.2.3.7/robots.txt"]]}
    pages = {
        "http://1.2.3.6/": "<p>by number",
        "https://[2606:4700::6]/": "<p>by long number",
        f"{HOME}robots.txt": moved,
        "http://1.2.3.7/robots.txt": {"html": "User-agent: *\nDisallow: /x"},
        HOME: "<a href=/x>x</a>",
    }
    hosts = ["1.2.3.6", "https://[2606:4700::6]/", "http://1.2.3.6:99/", HOST]
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, hosts)
        assert server.counts()["http://1.2.3.7/robots.txt"] == 1
    run.assert_settled()
    assert set(run.pages()) == {"http://1.2.3.6/", "https://[2606:4700::6]/", HOME}
    assert run.drops() == {
        "http://1.2.3.6:99/": "connection_refused",
        f"{HOME}x": "robots",
    }


def test_site_local_addresses_are_private():
    assert not address_is_public("fec0::1")


@pytest.mark.full
def test_replies_without_content_or_type(tmp_path):
    def raw(body: bytes, **more: object) -> dict[str, object]:
        return {"body_b64": base64.b64encode(body).decode(), **more}

    pages = {
        HOME: "".join(f"<a href=/{p}>{p}</a>" for p in ("none", "untyped", "text", "frames")),
        f"{HOME}none": {"status": 204, "html": ""},
        f"{HOME}untyped": raw(b"<p>untyped", headers=[["Content-Type", ""]]),
        f"{HOME}text": raw(
            "纯文本 <a href=/no>".encode("gb18030"), content_type="text/plain", coding="gzip"
        ),
        f"{HOME}frames": "<frameset><frame src=/left></frameset>",
        f"{HOME}left": "<p>left",
    }
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [HOST])
    run.assert_settled()
    assert endings(run) == {"stored": 5, "http_204": 1}
    assert run.pages()[f"{HOME}text"].charset == "gb18030"
    assert run.bodies()[f"{HOME}text"] == "纯文本 <a href=/no>".encode("gb18030")


OTHER_REQUESTS = """
from scrapy import Request
from spiders.cwt import CwtSpider


class Json(CwtSpider):
    name = "json"

    def parse(self, response):
        yield from super().parse(response)
        yield Request(response.urljoin("/api"), callback=self.api, dont_filter=True)

    def api(self, response):
        assert response.json() == {"n": 1}
        yield Request(response.urljoin("/from_api"))
"""


@pytest.mark.full
def test_a_spider_may_ask_for_other_types_in_callbacks_of_its_own(tmp_path):
    pages = {
        HOME: "<p>home",
        f"{HOME}api": {"html": '{"n": 1}', "content_type": "application/json"},
        f"{HOME}from_api": "<p>found by the API",
    }
    settings = {"QUARKCRAWL_LEVELS": "1"}
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "json", [HOST], spiders=OTHER_REQUESTS,
                           settings=settings)  # fmt: skip
    run.assert_settled()
    assert set(run.pages()) == {HOME, f"{HOME}from_api"}, run.stderr


BROKEN_ROBOTS = """
from quarkcrawl.crawl import Campaign
from spiders.cwt import CwtSpider


def broken(host, text):
    raise RuntimeError("the parser of robots.txt broke")


class Broken(CwtSpider):
    name = "broken"

    async def start(self):
        Campaign.of(self.crawler).robots.learn = broken
        async for thing in super().start():
            yield thing
"""


@pytest.mark.full
def test_robots_that_cannot_be_read_end_the_host_and_not_in_a_loop(tmp_path):
    pages = {HOME: "<p>home", f"{HOME}robots.txt": {"html": ROBOTS, "content_type": "text/plain"}}
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "broken", [HOST], spiders=BROKEN_ROBOTS, limit_s=150)
        assert server.counts() == {f"{HOME}robots.txt": 1}
    run.assert_settled()
    assert run.drops() == {HOME: "robots_unreachable"}


def test_thousands_of_gzip_members_are_read():
    body = gzip.compress(b"x") * 3000
    assert inflate(body, "gzip", max_bytes=10_000) == (b"x" * 3000, True, False)
    assert inflate(body, "gzip", max_bytes=100) == (b"x" * 100, True, True)


def test_many_names_are_looked_up_at_once(monkeypatch):
    import asyncio
    from types import SimpleNamespace

    from quarkcrawl.crawl.http.download import DownloadHandler

    def slow(*_args: object, **_more: object) -> list[object]:
        time.sleep(0.5)
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    async def look_up(n: int) -> float:
        crawler = SimpleNamespace(settings=settings_of())
        handler = DownloadHandler(crawler)
        resolver = handler._resolver
        start = time.monotonic()
        names = (resolver.resolve(f"h{i}.example", 80) for i in range(n))
        await asyncio.gather(*names, return_exceptions=True)
        elapsed_s = time.monotonic() - start
        await handler.close()
        return elapsed_s

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert asyncio.run(look_up(40)) < 10  # one after the other they take 20 s


def test_ports_of_a_host_map_are_ports():
    for text in ("127.0.0.1:0:1", "127.0.0.1:80:70000"):
        with pytest.raises(ConfigError):
            HostMap.parse(text)


def scrapy_in_project(folder, *words: str):
    project = folder / "project"
    new = [sys.executable, "-m", "quarkcrawl", "config", "new", str(project)]
    forked.run(new, cwd=folder, env=environment(), timeout=300).check_returncode()
    words = [sys.executable, "-m", "scrapy", *words]
    return forked.run(words, cwd=project, env=environment(), timeout=300)


@pytest.mark.full
def test_scrapy_fetch_and_shell_need_no_corpus(tmp_path):
    with ServerProcess.for_pages({HOME: "<title>天网</title>"}) as server:
        words = ["-s", f"QUARKCRAWL_HOST_MAP={host_map(server)}", "--nolog"]
        code = "print(type(response).__name__, response.css('title::text').get())"
        done = scrapy_in_project(tmp_path, "shell", *words, "-c", code, HOME)
    assert "HtmlResponse 天网" in done.stdout, done.stderr


def test_scrapy_crawl_without_a_corpus_is_an_error(tmp_path):
    (tmp_path / "hosts.txt").write_text(f"{HOST}\n")
    done = scrapy_in_project(tmp_path, "crawl", "cwt", "-a", f"hosts={tmp_path}/hosts.txt")
    assert done.returncode == 1
    assert "QUARKCRAWL_OUT" in done.stderr


@pytest.mark.full
def test_a_host_at_its_budget_goes_on_as_soon_as_its_pages_are_durable(tmp_path):
    paths = [f"/p{i}" for i in range(10)]
    pages = {HOME: "".join(f"<a href={p}>{p}</a>" for p in paths)}
    pages |= {f"http://{HOST}{p}": f"<p>{p}" for p in paths}
    with ServerProcess.for_pages(pages) as server:
        wanted = {"QUARKCRAWL_MAX_HOST_PAGES": "4", "QUARKCRAWL_COMMIT_INTERVAL_S": "0.2"}
        run = scrapy_crawl(tmp_path, server, "unpolled", [HOST], spiders=UNPOLLED, settings=wanted)
    run.assert_settled()
    assert endings(run) == {"stored": 4, "host_budget": 7}
    assert run.summary["elapsed_s"] < POLLS_S
