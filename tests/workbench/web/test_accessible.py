"""Every view by axe's rules, in both languages, at both widths, dark and light."""

from __future__ import annotations

import json
import shutil
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from quarkcrawl.workbench.web.views import view_routes
from tests.select.selected import selected_work
from tests.workbench.web.conftest import Bench, await_tables, running, status_of, watching

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

SCREENS = [
    (1280, "light", "en-US"),
    (390, "dark", "zh-CN"),
    (1280, "dark", "zh-CN"),
    (390, "light", "en-US"),
]
RESULTS = ("hosts.parquet", "aliases.parquet", "spam_domains.txt", "seeds.parquet", "seeds.txt",
           "filter.json")  # fmt: skip
SHEETS = ("text", "items", "source", "compare", "table", "template", "links", "history")
QUERY = "SELECT host, count(*) AS pages FROM pages GROUP BY host"


@pytest.fixture(scope="module")
def bench(made_corpus, tmp_path_factory):
    """A workbench with all that it may be given."""
    folder = tmp_path_factory.mktemp("accessible")
    corpus = shutil.copytree(made_corpus, folder / "corpus")
    work = selected_work(folder / "work", 400)
    with running(str(corpus), "--work", str(work.root), "--before", str(made_corpus)) as base:
        yield Bench(base, corpus=corpus)


@pytest.fixture(scope="module")
def addresses(bench):
    """Of each view its addresses, by its route: whoever adds a view adds one here."""
    page = bench.get("/api/pages?sort=largest")["rows"][0]
    template = quote(bench.get("/api/templates")["rows"][0]["id"])
    group = bench.get("/api/copies?kind=near")["rows"][0]
    bench.send("POST", "/api/campaigns", {"name": "news", "seeds": "a.example\n", "settings": ""})
    bench.send("POST", "/api/datasets", {"name": "zh"})
    bench.send("POST", "/api/marking/sample", {"size": 3, "seed": 1})
    compared = {"n_compared": 0, "n_pages": 3}
    while compared["n_compared"] < compared["n_pages"]:  # else the view loads itself again
        compared = bench.send("POST", "/api/marking/disagreement?peers=turbohtml")
    dropped = bench.get("/api/seeds/hosts?state=dropped")["rows"][0]["host"]
    for path in ("/labels", "/runs"):  # a view that is being made loads itself again
        await_tables(lambda path=path: status_of(bench.base + path))
    taught = urlencode({"page": page["id"], "block": 1, "kind": "noise", "method": "default"})
    return {
        "/": ["/"],
        "/hosts": ["/hosts", "/hosts?q=nowhere"],
        "/pages": ["/pages", "/pages?text=%E5%A4%A9", f"/pages?host={page['host']}&sort=largest"],
        "/pages/sql": [f"/pages/sql?host={page['host']}"],
        "/page/{id}": [f"/page/{page['id']}?tab={sheet}" for sheet in SHEETS],
        "/inspect": ["/inspect"],
        "/drops": ["/drops"],
        "/copies": ["/copies"],
        "/copies/group": ["/copies/group?" + urlencode({"kind": group["kind"], "first": group["first"]})],
        "/ranks": ["/ranks"],
        "/ranks/compare": ["/ranks/compare?first=pagerank&second=blpr"],
        "/labels": ["/labels"],
        "/labels/documents": ["/labels/documents"],
        "/runs": ["/runs"],
        "/runs/pages": ["/runs/pages"],
        "/pictures": ["/pictures"],
        "/trace": ["/trace", f"/trace?url={quote(page['url'])}", "/trace?url=http://nowhere.example/"],
        "/sql": ["/sql", f"/sql?q={quote(QUERY)}", "/sql?q=SELECT+nothing"],
        "/seeds": ["/seeds", "/seeds#filter"],
        "/seeds/hosts": ["/seeds/hosts?state=dropped"],
        "/seeds/host": [f"/seeds/host?host={quote(dropped)}"],
        "/seeds/families": ["/seeds/families"],
        "/seeds/aliases": ["/seeds/aliases"],
        "/teach": [f"/teach?{taught}"],
        "/rules": ["/rules"],
        "/marking": ["/marking", "/marking?order=disagreement&peers=turbohtml"],
        "/marking/{id}": [f"/marking/{page['id']}"],
        "/templates": ["/templates"],
        "/templates/{template}": [f"/templates/{template}", f"/templates/{template}?sort=outliers"],
        "/campaign": ["/campaign"],
        "/campaigns": ["/campaigns"],
        "/campaigns/new": ["/campaigns/new"],
        "/campaigns/{name}": ["/campaigns/news"],
        "/campaigns/{name}/edit": ["/campaigns/news/edit"],
        "/datasets": ["/datasets"],
        "/datasets/{name}": ["/datasets/zh"],
        "/api": ["/api"],
    }  # fmt: skip


def test_each_view_has_an_address_here(addresses):
    assert set(addresses) == {route.path for route in view_routes()}


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_no_view_breaks_a_rule(browser, bench, addresses, width, scheme, locale):
    size = {"width": width, "height": 844}
    # axe is put into the page, which the policy of the views forbids; others test the policy
    options = {"viewport": size, "color_scheme": scheme, "locale": locale, "bypass_csp": True}
    axe, faults = Axe(), []
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        for address in (one for each in addresses.values() for one in each):
            watched.open(address)
            expect(page.locator("main")).to_be_visible()
            page.wait_for_load_state("networkidle")
            expect(page.locator("main [aria-busy=true]")).to_have_count(0)
            found = axe.run(page, options={"iframes": False}).response["violations"]
            faults += [
                (address, one["id"], [node["html"] for node in one["nodes"]]) for one in found
            ]
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults.append((address, "wider than the screen", []))
        watched.assert_quiet()
    assert faults == [], json.dumps(faults, indent=1, ensure_ascii=False)[:4000]


def test_the_form_for_seeds_breaks_no_rule(browser, bench):
    with watching(browser, bench.base, bypass_csp=True, color_scheme="dark") as watched:
        watched.open("/campaign")
        watched.page.locator("#more-seeds summary").click()
        expect(watched.page.locator("#add-seeds textarea")).to_be_visible()
        watched.page.wait_for_load_state("networkidle")
        assert Axe().run(watched.page).response["violations"] == []
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_a_selection_that_is_filtered_breaks_no_rule(browser, tmp_path, width, scheme, locale):
    """Before it was filtered at all, and after runs that failed and that have ended."""
    work = selected_work(tmp_path / "work", 200)
    keep = work.path("keep.txt")
    keep.write_text("two words\n")
    for name in RESULTS:
        work.path(name).unlink()
    size = {"width": width, "height": 844}
    options = {"viewport": size, "color_scheme": scheme, "locale": locale, "bypass_csp": True}
    with running("--work", str(work.root)) as base, watching(browser, base, **options) as watched:
        page, bench = watched.page, Bench(base)

        def assert_accessible() -> None:
            expect(page.locator("[name=min_pages]")).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert Axe().run(page).response["violations"] == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        watched.open("/seeds")
        assert_accessible()
        for state in ("failed", "done"):
            bench.send("POST", "/api/seeds/filter", {})
            watched.open("/inspect")
            watched.open("/seeds#filter")
            expect(page.locator("#state")).to_have_attribute("data-is", state)
            expect(page.locator("#failed")).to_be_visible(visible=state == "failed")
            expect(page.locator("[name=replace]")).to_have_count(int(state == "done"))
            if state == "done":
                expect(page.locator("#steps")).to_be_visible()
            assert_accessible()
            keep.unlink(missing_ok=True)
        watched.assert_quiet()


def test_a_fault_is_seen(browser, bench):
    """Else the test above could not fail."""
    with watching(browser, bench.base, bypass_csp=True) as watched:
        watched.open("/hosts")
        watched.page.evaluate(
            "document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"data:,\">')"
        )
        found = Axe().run(watched.page).response["violations"]
        assert "image-alt" in {one["id"] for one in found}
