"""The campaign on a Redis server, in a browser: what its frontier knows, and orders."""

from __future__ import annotations

import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from quarkcrawl.cli import main
from quarkcrawl.cli.serve import campaign_service
from quarkcrawl.frontier import Candidate, FrontierOptions, RedisFrontier
from quarkcrawl.workbench.web import Services, create_app
from tests.redis.server import RedisServer
from tests.workbench.web.conftest import TOKEN, Bench, served, watching


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Three hosts on a server, one URL out at a worker."""
    folder = tmp_path_factory.mktemp("redis")
    server = RedisServer(folder)
    url = f"{server.url}#news"
    (folder / "hosts.txt").write_text("www.a.cn\nhttp://b.cn/x\nc.cn\n")
    assert main(["frontier", "add", url, str(folder / "hosts.txt")]) == 0
    frontier = RedisFrontier(url, FrontierOptions(delay_s=0.0, robots=False), worker="w1")
    frontier.lease(1, now=time.time())
    yield frontier, url
    frontier.close()
    server.stop()


@pytest.fixture
def worker(campaign):
    """The worker is alive: it has reported within half a minute."""
    report = f'{{"pages": 7, "pages_per_s": 1.5, "seen_at": {time.time() + 600}}}'
    campaign[0].server.call([["report", report]])


@pytest.fixture(scope="module")
def bench(campaign, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    services = Services(campaign=campaign_service(campaign[1], None))
    app = create_app(services=services, token=TOKEN, gold=folder, templates=folder / "t.json")
    with served(app, lifespan="off") as base:  # no page is read here
        yield Bench(base)
    app.state.bench.close()


@pytest.mark.full
def test_the_campaign_of_a_redis_server_is_shown_and_steered(browser, bench, campaign, worker):
    frontier, _ = campaign
    with watching(browser, bench.base) as watched:
        watched.open("/campaign")
        page = watched.page
        expect(page.locator("#state")).to_have_text("running")
        expect(page.locator('[data-figure="pending"]')).to_have_text("2")
        expect(page.locator('[data-figure="leased"]')).to_have_text("1")
        expect(page.locator("#hosts tbody tr")).to_have_count(3)
        expect(page.locator("#workers tbody tr")).to_contain_text("w1")
        for name, word in (("paused", "paused"), ("running", "running"), ("draining", "draining")):
            page.click(f"[data-state={name}]")
            expect(page.locator("#state")).to_have_text(word)
            assert frontier.state() == name
            may_lease = name == "running"
            assert len(frontier.lease(1, now=time.time())) == may_lease
        watched.assert_quiet()


def test_whoever_has_no_token_may_look_but_not_steer(browser, bench, campaign, worker):
    frontier, _ = campaign
    frontier.set_state("running")
    with watching(browser, bench.base, token="") as watched:
        watched.open("/campaign")
        expect(watched.page.locator("#state")).to_have_text("running")
        assert watched.page.locator("[data-state=paused]").is_disabled()
        watched.assert_quiet()
    assert frontier.state() == "running"


@pytest.mark.full
@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (390, "zh-CN")])
def test_seeds_are_added_to_a_campaign_on_a_server(browser, bench, campaign, worker, width, locale):
    frontier, _ = campaign
    seed = f"http://w{width}.cn/"
    options = {"viewport": {"width": width, "height": 844}, "locale": locale}
    with watching(browser, bench.base, **options) as watched:
        watched.open("/campaign")
        page = watched.page
        page.locator("#more-seeds summary").click()
        page.fill("#add-seeds textarea", "www.a.cn\nnot a host\n")
        page.click("#add-seeds button")
        expect(page.locator("#refused")).to_contain_text("seeds:2: neither a host")
        assert frontier.find([seed]) == [None]
        (said,) = watched.said  # by the browser itself
        assert "400 (Bad Request)" in said
        watched.said.clear()
        page.fill("#add-seeds textarea", f"www.a.cn\n{seed}\n{seed.upper()}\n")
        page.click("#add-seeds button")
        expect(page.locator("#added")).to_contain_text("2")
        expect(page.locator("#refused")).to_be_hidden()
        expect(page.locator("#add-seeds textarea")).to_have_value("")
        assert frontier.find([seed]) == [Candidate(seed, f"w{width}.cn", 1)]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        watched.assert_quiet()


def test_whoever_has_no_token_adds_no_seeds(browser, bench, campaign):
    path = f"{bench.base}/api/campaign/seeds"
    for token in ("", "Bearer x"):
        headers = {"Content-Type": "application/json", "Authorization": token}
        request = urllib.request.Request(path, b'{"seeds": "x.cn"}', headers, method="POST")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert refused.value.code == 403
        refused.value.close()
    with watching(browser, bench.base, token="") as watched:
        watched.open("/campaign")
        watched.page.locator("#more-seeds summary").click()
        expect(watched.page.locator("#add-seeds button")).to_be_disabled()
        watched.assert_quiet()
    assert campaign[0].find(["http://x.cn/"]) == [None]


@pytest.mark.full
def test_a_worker_that_is_not_heard_any_more_is_named(browser, bench, campaign, worker):
    """On db60640 the state was "running", whatever the workers did."""
    frontier, _ = campaign
    with watching(browser, bench.base) as watched:
        watched.open("/campaign")
        page = watched.page
        expect(page.locator("#state")).to_have_text("running")
        expect(page.locator("[data-figure='rate.mean']")).to_have_text("1.5")
        report = f'{{"pages": 8, "pages_per_s": 1.5, "seen_at": {time.time() - 60}}}'
        frontier.server.call([["report", report]])
        expect(page.locator("#state")).to_contain_text("no worker heard since")
        expect(page.locator("#workers tbody tr")).to_contain_text("no, not since")
        expect(page.locator("[data-figure='rate.mean']")).to_have_text("–")
        watched.assert_quiet()
