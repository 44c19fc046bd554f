"""The ten main jobs of the workbench, each from its first link to its result, in every way.

Mouse alone and keyboard alone, in a wide and in a narrow window, in Chinese and in English. No word
of a language is written here: where the view has to say something, the catalog says what.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from quarkcrawl.lab.gold.marks import read_marks
from quarkcrawl.lab.gold.pages import load_gold
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.select import SelectionOptions, read_keep_list
from quarkcrawl.store import Corpus
from quarkcrawl.template.site import read_rules
from quarkcrawl.workbench.theme import words
from tests.corpus.sitepages import NOTICE
from tests.corpus.taughtpages import N_PAGES, TAUGHT, store_site
from tests.crawl.harness import FAST, host_map
from tests.select.selected import selected_work
from tests.workbench.web.conftest import TOKEN, Bench, running, watching
from tests.workbench.web.hands import EVERY_WAY, Mouse
from tests.workbench.web.sites import HOSTS
from tests.workbench.web.test_compare import HTML
from tests.workbench.web.test_find import WORD, marked, page_with_hits

if TYPE_CHECKING:
    from tests.workbench.web.hands import Way

pytestmark = [pytest.mark.full, pytest.mark.parametrize("way", EVERY_WAY, ids=str)]

CRAWLED = "jobs.example.cn"
N_CRAWLED = 30  # one each two seconds, so that there is time to kill who crawls them
PATIENCE_MS = 240_000  # processes are started, and models loaded


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "work", 1500)


@pytest.fixture(scope="module")
def crawls(tmp_path_factory):
    return tmp_path_factory.mktemp("crawls")


@pytest.fixture(scope="module")
def bench(made_corpus, work, crawls, tmp_path_factory):
    """One workbench for all: a corpus of its own, seeds, and a folder to crawl into."""
    corpus = shutil.copytree(made_corpus, tmp_path_factory.mktemp("jobs") / "corpus")
    with running(str(corpus), "--work", str(work.root), "--campaigns", str(crawls)) as base:
        yield Bench(base, TOKEN, corpus)


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A selection of its own, which is filtered anew."""
    return selected_work(tmp_path_factory.mktemp("counted") / "work", 400)


@pytest.fixture(scope="module")
def selecting(counted):
    """A workbench that was opened on a selection alone."""
    with running("--work", str(counted.root)) as base:
        yield Bench(base, TOKEN)


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    corpus = tmp_path_factory.mktemp("taught") / "corpus"
    store_site(corpus)
    with running(str(corpus)) as base:
        yield Bench(base, TOKEN, corpus)


@pytest.fixture(scope="module")
def web():
    """A site of articles in a row behind its home page."""
    links = "".join(f"<p><a href=/{n}.html>{n}</a></p>" for n in range(N_CRAWLED))
    pages = {f"http://{CRAWLED}/": {"html": f"<title>首页</title>{links}"}}
    for n in range(N_CRAWLED):
        pages[f"http://{CRAWLED}/{n}.html"] = {"html": f"<title>{n}</title><p>第{n}篇文章"}
    with ServerProcess.for_pages(pages) as server:
        yield server


@contextmanager
def at_work(browser, base: str, way: Way):
    """Somebody who sees the workbench, what there is to see, and a hand."""
    with watching(browser, base, **way.options) as watched:
        page = watched.page
        yield watched, page, way.hand(page)
        page.wait_for_load_state()  # without its sheet a page is as wide as its widest control
        assert page.evaluate("document.documentElement.lang")[:2] == way.locale[:2]
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        watched.assert_quiet()


def said(way: Way, key: str) -> str:
    """What the view says in somebody's language, as far as it holds no values."""
    return words(way.locale[:2])(f"js.{key}").partition("{")[0]


def test_why_a_block(browser, bench, way):
    rows = bench.get(f"/api/pages?host={HOSTS[0]}&sort=longest")["rows"]
    name = next(row["id"] for row in rows if row["is_topic"])
    blocks = bench.get(f"/api/pages/{name}/blocks?count=200")["blocks"]
    block = next(one for one in blocks if "content" in one["kinds"])
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open(f"/pages?host={HOSTS[0]}&sort=longest")
        hand.press(page.locator(f'a.page[href="/page/{name}"]'))
        page.wait_for_url(f"**/page/{name}")
        run = page.frame_locator("#blocks").locator(f"[data-qk-block='{block['number']}']").first
        expect(run).to_have_attribute("data-qk-fill", "content")
        expect(page.locator("#facts dd").nth(3)).to_be_visible()  # it is known how many there are
        if way.hand is Mouse:
            run.click()
        else:
            for _ in range(block["number"] + 1):
                page.keyboard.press("j")
        page.wait_for_url(f"**block={block['number']}")
        facts = page.locator("#facts-of-block")
        expect(facts.locator(".why").last).to_contain_text(said(way, f"why.{block['why']}"))
        expect(facts).to_contain_text(f"{block['posterior']:.4f}")
        expect(facts).to_contain_text(block["path"])
        expect(facts.locator(".kind-content")).to_be_visible()


def mark_longest(bench, page, hand, way: Way, name: str) -> None:
    """The longest block of the page is content, and nothing else."""
    blocks = bench.get(f"/api/pages/{name}/blocks?count=200")["blocks"]
    block = max(blocks, key=lambda one: one["n_chars"])["number"]
    run = page.frame_locator("#frame").locator(f"[data-qk-block='{block}']").first
    run.wait_for()
    brush, state = page.locator("#brush input[value=content]"), page.locator("#state")
    if way.hand is Mouse:
        brush.locator("xpath=..").click()
    else:
        hand.reach(brush)  # letters are no keys in the field before it
    expect(state).to_have_text(said(way, "fresh"))
    if way.hand is Mouse:
        run.click()
    else:
        for key in ["j"] * (block + 1) + ["1"]:
            page.keyboard.press(key)
    expect(state).to_have_text(said(way, "unsaved"))
    expect(run).to_have_attribute("data-qk-fill", "content")


def test_gold_for_three_pages_and_its_score(browser, bench, way):
    (bench.corpus / "gold" / "sample.json").unlink(missing_ok=True)
    marker = str(way)
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open("/")
        hand.press(page.locator("a[href='/marking']").first)
        page.wait_for_url("**/marking")
        hand.write(page.locator("[name=size]"), "3")
        hand.press(page.locator("#draw button"))
        expect(page.locator(".todo tr")).to_have_count(3)
        links = page.locator(".todo a.page").all()
        ids = [urlsplit(one.get_attribute("href")).path.rpartition("/")[2] for one in links]
        hand.press(page.locator("#go"))
        for place, name in enumerate(ids):
            page.wait_for_url(f"**/marking/{name}?order=blind")
            if place == 0:
                hand.write(page.locator("#marker"), marker)
            mark_longest(bench, page, hand, way, name)
            hand.press(page.locator("#next" if place < 2 else "#save"))
        expect(page.locator("#state")).to_contain_text(said(way, "saved"))
        hand.press(page.locator(".crumbs a").first)
        page.wait_for_url("**/marking?order=blind")
        hand.choose(page.locator("#score-marker"), marker)
        cells = page.locator("#score-table tr[data-method=default] td")
        expect(cells.first).to_have_text("3")
        scores = bench.get(f"/api/marking/{marker}/scores")["methods"]
        f1 = next(one["f1"] for one in scores if one["method"] == "default")
        assert 0 < f1 <= 1
        expect(cells.nth(3)).to_have_text(f"{f1:.3f}")
    gold = load_gold(bench.corpus / "gold" / marker)
    assert [one.number for one in gold] == sorted(ids)
    assert all(read_marks(one.page(), one.where).is_topic for one in gold)


def test_compare(browser, bench, way):
    name = bench.add(HTML)
    found = bench.get(f"/api/pages/{name}/compare?first=rules&second=turbohtml")
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open(f"/page/{name}")
        expect(page.locator("#sheet-text > div")).to_be_visible()
        hand.open_tab(page.locator("#tab-compare"))
        expect(page.locator("#compared .columns")).to_be_visible()
        hand.choose(page.locator("#first"), "rules")
        hand.choose(page.locator("#second"), "turbohtml")
        expect(page.locator("#compared .hint").first).to_contain_text(f"{found['f1']:.3f}")
        hand.press(page.locator("#next-difference"))
        expect(page.locator("#compared [role=status]")).to_contain_text("1")
        texts = page.locator("#compared .here").all_inner_texts()
        only = [one["text"].strip() for one in found["stretches"] if one["who"] != "common"]
        assert len(texts) == 2
        assert any(one in "".join(texts) for one in only)
        folded = page.locator("#compared .same details").first
        hand.press(folded.locator("summary"))
        expect(folded).to_have_attribute("open", "")
        query = parse_qs(urlsplit(page.url).query)
        assert query == {"tab": ["compare"], "first": ["rules"], "second": ["turbohtml"]}


def test_fields_of_a_cluster_to_parquet(browser, bench, way, tmp_path):
    rows = bench.get(f"/api/templates?host={HOSTS[1]}")["rows"]
    one = max((row for row in rows if "/archives/" in row["example"]), key=lambda r: r["n_pages"])
    for name in one["labels"]:  # of another way
        bench.send("PUT", f"/api/templates/{one['id']}/labels", {"name": name, "position": ""})
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open("/templates")
        hand.press(page.locator(f"a[href='/templates/{one['id']}']"))
        page.wait_for_url(f"**/templates/{one['id']}")
        frame = page.frame_locator("#frame")
        texts = {"title": frame.locator("h1 qk-run").first, "body": frame.locator("p qk-run").last}
        title = texts["title"].inner_text()
        for name, run in texts.items():
            if way.hand is Mouse:
                run.click()
            else:  # the positions are listed with samples of what stands there
                position = run.get_attribute("data-qk-position")
                hand.press(page.locator(f".positions [data-position='{position}']"))
            expect(page.locator("#name [name=position]")).not_to_have_value("")
            hand.write(page.locator("#name [name=name]"), name)
            hand.press(page.locator("#name button"))
            expect(page.locator(f"#fields [data-name={name}]")).to_be_visible()
        link = page.locator("#export [data-form=parquet]")
        expect(link).not_to_have_attribute("aria-disabled", "true")
        with page.expect_download() as told:
            hand.press(link)
        told.value.save_as(tmp_path / "fields.parquet")
    found = bench.get(f"/api/templates/{one['id']}/grid")
    assert found["is_done"]
    table = pq.read_table(tmp_path / "fields.parquet").to_pylist()
    assert len(table) == found["n_rows"] > 10
    assert {row["url"]: row["title"] for row in table[:50]} == {
        row["url"]: row["fields"]["title"] for row in found["rows"]
    }
    assert any(row["title"] == [title] for row in table)


def test_find_a_text(browser, bench, way):
    name, n = page_with_hits(bench, 3)
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open("/")
        hand.write(page.locator("[name=text]"), WORD)
        hand.press(page.locator("form.search button"))
        page.wait_for_url(f"**/pages?text={quote(WORD)}")
        hand.press(page.locator(f'a[href^="/page/{name}?find="]'))
        count = page.locator("#find-count")
        here = words(way.locale[:2])
        expect(count).to_have_text(here("js.find.count", n=1, all=n))
        assert marked(page) == [WORD] * (n + 1)
        for place in (2, 3):
            hand.press(page.locator("#find-after"))
            expect(count).to_have_text(here("js.find.count", n=place, all=n))
        hand.press(page.locator("#find-before"))
        expect(count).to_have_text(here("js.find.count", n=2, all=n))
        assert marked(page) == [WORD] * (n + 1)


def test_watch_kill_and_resume_a_crawl(browser, bench, web, crawls, way):
    folder = crawls / str(way)
    settings = FAST | {"host_map": host_map(web)}
    del settings["delay_s"]
    with at_work(browser, bench.base, way) as (watched, page, hand):
        state = page.locator("#state")

        def expect_state(name: str) -> None:
            expect(state).to_have_attribute("data-is", name, timeout=PATIENCE_MS)

        watched.open("/campaigns")
        hand.press(page.locator("a[href='/campaigns/new']"))
        hand.write(page.locator("[name=name]"), str(way))
        hand.write(page.locator("[name=seeds]"), CRAWLED)
        hand.write(page.locator("[name=delay_s]"), "2")
        hand.write(
            page.locator("[name=settings]"), "\n".join(f"{k} = {v}" for k, v in settings.items())
        )
        hand.press(page.locator("[data-then=start]"))
        page.wait_for_url(f"**/campaigns/{way}")
        expect_state("running")
        expect(page.locator("[data-figure=stored]")).not_to_have_text("0")

        os.killpg(json.loads((folder / "process.json").read_text())["pid"], signal.SIGKILL)
        expect_state("silent")
        expect(page.locator("[data-alert=silent]")).to_be_visible()
        expect(page.locator("[data-step=crawl]")).to_have_attribute("data-is", "failed")
        stored = {row.url for row in Corpus.open(folder / "corpus").pages()}
        assert len(stored) <= N_CRAWLED
        file = folder / "campaign.toml"  # the rest need not wait
        text = file.read_text()
        file.write_text(text.replace('"2"', '"0"'))
        assert file.read_text() != text
        hand.press(page.locator("[data-state=started]"))
        expect_state("finished")
        expect(page.locator("[data-alert=silent]")).to_have_count(0)
        expect(page.locator("[data-step=crawl]")).to_have_attribute("data-is", "done")
        expect(page.locator("[data-figure=stored]")).to_have_text(str(N_CRAWLED + 1))
    urls = [row.url for row in Corpus.open(folder / "corpus").pages()]
    assert len(urls) == len(set(urls)) == N_CRAWLED + 1
    assert stored <= set(urls)


def test_why_a_site_was_dropped(browser, bench, work, way):
    """And it is kept anyway, and that is taken back."""
    assert read_keep_list(work.path("keep.txt")) == {}
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open("/")
        hand.press(page.locator('a[href="/seeds"]').first)
        page.wait_for_url("**/seeds")
        hand.press(page.locator('#steps a[href="/seeds/hosts?step=pages&state=dropped"]'))
        page.wait_for_url("**/seeds/hosts?step=pages&state=dropped")
        link = page.locator("#hosts tbody a").first
        host = link.inner_text()
        hand.press(link)
        page.wait_for_url("**/seeds/host?host=*")
        expect(page.locator("#step-pages")).to_have_class("ended")
        expect(page.locator("#outcome")).to_contain_text("few_pages")
        hand.write(page.locator("#keepform input"), "天网")
        hand.press(page.locator("#keepform button"))
        expect(page.locator("#unkeep")).to_be_visible()
        expect(page.locator("#keep")).to_contain_text("天网")
        assert read_keep_list(work.path("keep.txt")) == {host: "天网"}
        hand.press(page.locator("#unkeep"))
        expect(page.locator("#unkeep")).to_have_count(0)
        assert read_keep_list(work.path("keep.txt")) == {}


def test_filter_the_hosts_anew(browser, selecting, counted, way):
    """And another run is stopped, which leaves the result as it is."""
    counted.filter(SelectionOptions())  # as no other way has left it
    first = counted.result_version()
    with at_work(browser, selecting.base, way) as (watched, page, hand):
        state, run = page.locator("#state"), page.locator("#form button.main")
        watched.open("/")
        page.wait_for_url("**/seeds")
        expect(page.locator("#steps")).to_contain_text("digit_leading")
        hand.press(page.locator("#filter summary"))
        hand.write(page.locator("[name=min_pages]"), "3")
        hand.press(page.locator("[name=step][value=digits]"))
        hand.press(run)  # nothing is replaced that nobody said may be
        expect(page.locator("[name=replace]")).to_be_focused()
        assert counted.result_version() == first
        hand.press(page.locator("[name=replace]"))
        hand.press(run)
        expect(state).to_have_text(said(way, "step.running"))
        expect(page.locator("#log")).to_contain_text("== filter: quarkcrawl select filter")
        expect(page.locator("#steps")).not_to_contain_text("digit_leading", timeout=PATIENCE_MS)
        expect(state).to_have_attribute("data-is", "done")
        expect(state).to_have_text(said(way, "step.done"))
        pages = counted.summary()["steps"][-1]
        expect(page.locator("#log")).to_contain_text(f"pages: {pages['dropped']} dropped")
        left = page.locator('#steps a[href="/seeds/hosts?step=pages&state=left"]')
        expect(left).to_have_text(str(pages["left"]))
        options = counted.summary()["options"]
        assert (options["min_pages"], options["skip"]) == (3, ["digits"])

        hand.press(page.locator("#filter summary"))
        expect(page.locator("[name=min_pages]")).to_have_value("3")
        expect(page.locator("[name=step][value=digits]")).not_to_be_checked()
        second = counted.result_version()
        hand.press(page.locator("[name=replace]"))
        hand.press(run)
        expect(state).to_have_attribute("data-is", "running")
        hand.press(page.locator("#stop"))
        expect(state).to_have_attribute("data-is", "failed", timeout=PATIENCE_MS)
        expect(state).to_have_text(said(way, "step.failed"))
        expect(page.locator("#stop")).to_be_disabled()
        expect(run).to_be_enabled()
        assert counted.result_version() == second


def test_teach_and_undo(browser, taught, way):
    file = taught.corpus / "rules.toml"
    file.unlink(missing_ok=True)
    name = taught.get(f"/api/pages?q={TAUGHT}/3.html")["rows"][0]["id"]
    blocks = taught.get(f"/api/pages/{name}/blocks?count=50")["blocks"]
    block = next(one["number"] for one in blocks if NOTICE[:9] in one["text"])
    with at_work(browser, taught.base, way) as (watched, page, hand):
        watched.open(f"/page/{name}")
        run = page.frame_locator("#blocks").locator("qk-run", has_text=NOTICE[:9])
        run.wait_for()
        expect(page.locator("#facts dd").nth(3)).to_be_visible()
        if way.hand is Mouse:
            run.click()
        else:
            for _ in range(block + 1):
                page.keyboard.press("j")
        page.wait_for_url(f"**block={block}")
        hand.press(page.locator("#facts-of-block .teach a[href*='kind=noise']"))
        page.wait_for_url("**/teach?*")
        expect(page.locator("#gallery > .card del").filter(has_text=NOTICE)).to_have_count(N_PAGES)
        assert not file.exists()
        hand.press(page.locator("#accept"))
        expect(page.locator("#accepted")).to_be_visible()
        assert len(read_rules(file)) == 1
        hand.press(page.locator("#accepted a"))
        page.wait_for_url("**/page/*")
        expect(page.locator("#sheet-text")).to_contain_text("第3次实验")
        expect(page.locator("#sheet-text")).not_to_contain_text(NOTICE)
        page.go_back()
        expect(page.locator("#undo")).to_be_visible()
        hand.press(page.locator("#undo"))
        expect(page.locator("#accept")).to_be_visible()
        assert len(read_rules(file)) == 0
    assert NOTICE in taught.get(f"/api/pages/{name}/text?model=site")["text"]


def test_export_a_data_set(browser, bench, way):
    name = str(way)
    with at_work(browser, bench.base, way) as (watched, page, hand):
        watched.open("/")
        hand.press(page.locator(".tabs a[href='/datasets']"))
        hand.write(page.locator("[name=name]"), name)
        hand.press(page.locator("[name=rule][value=short]"))
        hand.write(page.locator("[name=where]"), "language = 'zh'\nn_chars > 20")
        hand.press(page.locator("#form button.main"))
        page.wait_for_url(f"**/datasets/{name}")
        expect(page.locator("#state")).to_have_attribute("data-is", "done", timeout=PATIENCE_MS)
        folder = bench.corpus / "datasets" / name / "dataset"
        n_rows = pq.read_table(folder / "data").num_rows
        assert n_rows > 10
        expect(page.locator("[data-figure=documents]")).to_have_text(str(n_rows))
        reasons = set(pq.read_table(folder / "left_out")["reason"].to_pylist())
        assert reasons
        for reason in reasons:
            expect(page.locator("#left-out")).to_contain_text(reason)
        expect(page.locator("#card")).to_contain_text(name)
        expect(page.locator("#files")).to_contain_text("left_out/documents.parquet")
        expect(page.locator("#log")).to_contain_text("== export: quarkcrawl export")
        expect(page.locator("[data-state=started]")).to_be_disabled()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        watched.assert_quiet()
        watched.open("/datasets")
        expect(page.locator("tbody")).to_contain_text(name)
        hand.write(page.locator("[name=name]"), name)
        hand.press(page.locator("#form button.main"))
        expect(page.locator("#problem")).to_contain_text("there already")
        watched.said.clear()  # the browser notes the 409
    told = json.loads((folder / "dataset.json").read_text())["options"]
    assert (told["where"], told["without"]) == (["language = 'zh'", "n_chars > 20"], ["short"])
