"""Each way a request can end: its lease ends exactly once, with the first reason, and the run
closes by itself (design.md section 5, "Scheduler traps")."""

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import POLLS_S, UNPOLLED, crawl, endings, scrapy_crawl

HOST = "www.trap.example"
HOME = f"http://{HOST}/"


def html(body: str) -> str:
    return f"<html><head><title>t</title></head><body>{body}</body></html>"


def links(*paths: str) -> str:
    return html("".join(f"<a href='{p}'>{p}</a> " for p in paths))


def settled(run, **reasons: int) -> None:
    run.assert_settled()
    assert endings(run) == reasons, run.stderr
    assert run.summary["finish_reason"] == "finished"


@pytest.mark.full
def test_errors_redirects_and_refusals_end_with_their_reason(tmp_path):
    pages = {
        HOME: links("/gone", "/moved", "/away", "/loop", "/img", "/private", "/late.txt", "/file"),
        f"http://{HOST}/robots.txt": {
            "html": "User-agent: *\nDisallow: /private",
            "headers": [["Content-Type", "text/plain"]],
        },
        f"http://{HOST}/moved": {"status": 301, "headers": [["Location", "/there"]]},
        f"http://{HOST}/there": html("there"),
        f"http://{HOST}/away": {"status": 302, "headers": [["Location", "http://other.example/"]]},
        f"http://{HOST}/loop": {"status": 302, "headers": [["Location", "/loop"]]},
        f"http://{HOST}/file": {"status": 302, "headers": [["Location", "file:///etc/passwd"]]},
        f"http://{HOST}/img": {"body_b64": "iVBORw==", "headers": [["Content-Type", "image/png"]]},
        f"http://{HOST}/private": html("no"),
        f"http://{HOST}/late.txt": {"html": "text", "headers": [["Content-Type", "text/plain"]]},
    }
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [HOST])
        asked = server.counts()
    settled(run, stored=3, http_404=1, redirect=3, bad_redirect=1, mime=1)
    assert set(run.pages()) == {HOME, f"http://{HOST}/there", f"http://{HOST}/late.txt"}
    assert run.drops()[f"http://{HOST}/private"] == "robots"
    assert asked[f"http://{HOST}/private"] == 0
    assert {(r.url, r.target, r.in_scope) for r in run.rows("redirect")} == {
        (f"http://{HOST}/moved", f"http://{HOST}/there", True),
        (f"http://{HOST}/away", "http://other.example/", False),
        (f"http://{HOST}/loop", f"http://{HOST}/loop", True),
    }
    assert run.pages()[f"http://{HOST}/there"].origin == f"http://{HOST}/moved"


@pytest.mark.full
def test_a_passing_error_is_tried_again_and_a_lasting_one_is_dropped(tmp_path):
    busy = {"status": 503, "headers": [["Retry-After", "1"]], "html": ""}
    pages = {
        HOME: links("/busy", "/broken"),
        f"http://{HOST}/busy": [busy, html("fine now")],
        f"http://{HOST}/broken": {"status": 500, "html": "no"},
    }
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [HOST], late_tries="0")
        log = server.log()
    settled(run, stored=2, http_500=1)
    assert run.summary["retries"] == 3
    tries = [entry.time for entry in log if entry.target == "/busy"]
    assert len(tries) == 2
    assert tries[1] - tries[0] >= 0.95
    assert sum(entry.target == "/broken" for entry in log) == 3


@pytest.mark.full
def test_a_host_that_does_not_resolve_and_a_closed_port(tmp_path):
    with ServerProcess.for_pages({HOME: html("home")}) as server:
        run = crawl(tmp_path, server, [HOST, "nowhere.invalid", "http://shut.example:81/x"])
    settled(run, stored=1, dns=1, connection_refused=1)
    assert run.drops() == {
        "http://nowhere.invalid/": "dns",
        "http://shut.example:81/x": "connection_refused",
    }


@pytest.mark.full
def test_a_server_that_never_answers_times_out(tmp_path):
    pages = {HOME: links("/slow"), f"http://{HOST}/slow": {"html": "late", "delay_s": 30}}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="0")
    settled(run, stored=1, timeout=1)


@pytest.mark.full
def test_a_run_whose_hosts_are_all_delayed_goes_on_when_they_are_due(tmp_path):
    pages = {f"http://h{i}.example/": links("/a", "/b", f"#{i}") for i in range(3)}
    for i in range(3):
        pages |= {f"http://h{i}.example/{p}": html(f"{p} of {i}") for p in "ab"}
    with ServerProcess.for_pages(pages) as server:
        wanted = {"QUARKCRAWL_DELAY_S": "0.5", "QUARKCRAWL_HOST_CONCURRENCY": "1"}
        names = [f"h{i}.example" for i in range(3)]
        run = scrapy_crawl(tmp_path, server, "unpolled", names, spiders=UNPOLLED, settings=wanted)
        log = server.log()
    settled(run, stored=9)
    for host in (f"h{i}.example" for i in range(3)):
        times = [e.time for e in log if e.host == host]
        gaps = [b - a for a, b in zip(times, times[1:], strict=False)]
        assert min(gaps) >= 0.475, gaps
        assert max(gaps) < POLLS_S, gaps


SPIDERS = """
from quarkcrawl.crawl import Campaign, page_item
from spiders.cwt import CwtSpider


class Silent(CwtSpider):
    name = "silent"

    def parse(self, response):
        page_item(response, Campaign.of(self.crawler))
        return
        yield


class SilentAsync(CwtSpider):
    name = "silent_async"

    async def parse(self, response):
        for item in ():
            yield item


class Raising(CwtSpider):
    name = "raising"

    def parse(self, response):
        page_item(response, Campaign.of(self.crawler))
        raise RuntimeError("the callback broke")


class Twice(CwtSpider):
    name = "twice"

    def parse(self, response):
        item = page_item(response, Campaign.of(self.crawler))
        yield item
        yield item
"""

PIPELINES = """
from scrapy.exceptions import DropItem

from quarkcrawl.crawl import AnalysisStage, DropPage


class Choking:
    def process_item(self, item):
        if item.url.endswith("/a"):
            raise ValueError("this stage broke")
        return item


class Dropping:
    def process_item(self, item):
        if item.url.endswith("/a"):
            raise DropItem("not wanted")
        return item


class Judging(AnalysisStage):
    name = "judging"

    def analyze(self, item):
        if item.url.endswith("/a"):
            raise DropPage("not_stored", "too short")
        return item
"""

SITE = {HOME: links("/a", "/b"), f"http://{HOST}/a": html("a"), f"http://{HOST}/b": html("b")}


@pytest.mark.full
@pytest.mark.parametrize(
    ("spider", "reasons"),
    [
        ("silent", {"no_item": 3}),
        ("silent_async", {"no_item": 1}),
        ("raising", {"callback_error": 3}),
        ("twice", {"stored": 3}),
    ],
)
def test_callbacks_without_item_with_exception_with_two_items(tmp_path, spider, reasons):
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, spider, [HOST], spiders=SPIDERS)
    settled(run, **reasons)


@pytest.mark.full
@pytest.mark.parametrize(
    ("pipeline", "reasons", "mark"),
    [
        ("Choking", {"stored": 3}, ("failed:extra",)),
        ("Dropping", {"stored": 2, "dropped": 1}, None),
        ("Judging", {"stored": 2, "not_stored": 1}, None),
    ],
)
def test_pipelines_that_choke_or_drop(tmp_path, pipeline, reasons, mark):
    settings = {"ITEM_PIPELINES": f'{{"pipelines.extra.{pipeline}": 150}}'}
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=PIPELINES, settings=settings)
    settled(run, **reasons)
    row = run.pages().get(f"http://{HOST}/a")
    assert (row.flags if row else None) == mark
    if mark is None:
        (reason,) = {*reasons} - {"stored"}
        assert run.drops() == {f"http://{HOST}/a": reason}


PASSING = """
from pipelines.page_dat import PageDatPipeline


class Passing(PageDatPipeline):
    def process_item(self, item):
        return item if item.url.endswith("/a") else super().process_item(item)
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("stages", "reasons"),
    [
        ('{"pipelines.extra.Passing": 900, "pipelines.page_dat.PageDatPipeline": null}',
         {"stored": 2, "not_stored": 1}),
        ('{"pipelines.page_dat.PageDatPipeline": null}', {"not_stored": 3}),
    ],
)  # fmt: skip
def test_pages_that_no_stage_stores_are_listed(tmp_path, stages, reasons):
    settings = {"ITEM_PIPELINES": stages}
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=PASSING, settings=settings)
    settled(run, **reasons)
    assert run.drops()[f"http://{HOST}/a"] == "not_stored"


REDIRECTING = """
from scrapy import Request
from quarkcrawl.crawl import Campaign, page_item
from spiders.cwt import CwtSpider


class ByMiddleware(CwtSpider):
    name = "by_middleware"

    def parse(self, response):
        item = page_item(response, Campaign.of(self.crawler))
        if item is not None:
            yield item
"""


@pytest.mark.full
def test_a_redirect_that_scrapys_middleware_follows_keeps_its_lease(tmp_path):
    pages = {
        HOME: links("/old"),
        f"http://{HOST}/old": {"status": 302, "headers": [["Location", "/new"]]},
        f"http://{HOST}/new": html("new"),
    }
    followed = (
        REDIRECTING.replace(
            '    name = "by_middleware"\n',
            '    name = "by_middleware"\n    custom_settings = {"REDIRECT_ENABLED": True, '
            '"DOWNLOADER_MIDDLEWARES": {"spiders.extra.Plain": 650}}\n',
        )
        + """

class Plain:
    def process_request(self, request):
        if "level" in request.meta:
            request.meta.pop("handle_httpstatus_all", None)
"""
    )
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "by_middleware", [HOST], spiders=followed)
    settled(run, stored=2)
