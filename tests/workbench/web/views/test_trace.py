"""The way of a URL: what the view and its JSON twin say of every kind of it."""

from __future__ import annotations

import re
import shutil

import pytest
from starlette.testclient import TestClient

from quarkcrawl.dataset import WAY_STEPS, explain_url
from quarkcrawl.store import Corpus
from quarkcrawl.workbench.theme.words import words
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.views.trace import DOUBTED, ENDED, PASSED
from tests.corpus.sitepages import NOTICE
from tests.corpus.taughtpages import RULE, TAUGHT, store_site
from tests.workbench.web.conftest import await_tables
from tests.workbench.web.sites import HOSTS


def opened(corpus, folder):
    app = create_app(corpus, token="t", gold=folder / "gold", templates=folder / "t.json")
    return TestClient(app, base_url="http://127.0.0.1"), app.state.bench


@pytest.fixture(scope="module")
def client(made_corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    client, bench = opened(shutil.copytree(made_corpus, folder / "corpus"), folder)
    await_tables(lambda: client.get("/hosts").status_code)
    yield client
    bench.close()


def traced(client, url):
    reply = client.get("/api/trace", params={"url": url})
    assert reply.status_code == 200, reply.text
    return reply.json()


def shown(client, url, lang="en"):
    reply = client.get("/trace", params={"url": url, "lang": lang})
    assert reply.status_code == 200, reply.text
    return reply.text


def station(html: str, step: str) -> str:
    return re.search(rf'<li class="\w+" id="step-{step}">.*?</li>', html, re.DOTALL)[0]


def stored_urls(client):
    return [row["url"] for row in client.get("/api/pages?sort=longest").json()["rows"]]


def test_every_outcome_has_a_state_and_words():
    english = words("en").texts
    keys = [key.split(".") for key in english if key.startswith("trace.") and key.count(".") == 2]
    outcomes = {(step, outcome) for _, step, outcome in keys if step in WAY_STEPS}
    assert {outcome for _, outcome in outcomes} == (PASSED | ENDED | DOUBTED) - {"unreadable"}
    assert {f"trace.step.{step}" for step in WAY_STEPS} <= english.keys()
    assert {f"trace.none.{step}" for step in WAY_STEPS} <= english.keys()


@pytest.mark.full
def test_the_twin_says_what_explain_says(client, made_corpus):
    for url in stored_urls(client)[:10]:
        points = [
            (point.step, point.finding, point.outcome) for point in explain_url(made_corpus, url)
        ]
        found = traced(client, url)
        assert [(one["step"], one["finding"], one["outcome"]) for one in found["points"]] == points
        assert found["is_known"] is True
        assert found["pages"]


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_url_of_the_corpus_has_its_way_in_words(client, made_corpus, lang):
    corpus = Corpus.open(made_corpus)
    urls = [row.url for row in (*corpus.drops(), *corpus.redirects(), *corpus.duplicates())]
    assert len(urls) > 10
    for url in [*urls, *stored_urls(client)[:10]]:
        html = shown(client, url, lang)
        assert not re.findall(r"\btrace\.[a-z_.]+\b", html)
        assert html.count('<li class="') >= len(WAY_STEPS)


@pytest.mark.full
def test_a_stored_page_leads_to_its_blocks_and_says_how_it_was_decoded(client):
    row = client.get(f"/api/pages?host={HOSTS[0]}&sort=longest").json()["rows"][0]
    html = shown(client, row["url"])
    assert f'href="/page/{row["id"]}"' in station(html, "blocks")
    for step in ("filters", "fetch", "charset", "blocks", "content", "rank"):
        assert 'class="passed"' in station(html, step), step
    page = client.get(f"/api/pages/{row['id']}").json()["page"]
    charset = next(one for one in traced(client, row["url"])["points"] if one["step"] == "charset")
    assert charset["finding"] == page["charset"]
    assert charset["facts"]["decided_by"] == page["charset_source"]
    assert {"header", "meta", "undecodable"} <= charset["facts"].keys()


@pytest.mark.parametrize("method", ["pagerank", "blpr"])
def test_the_place_in_a_rank_is_that_of_the_list_of_ranks(client, method):
    for number, row in enumerate(client.get(f"/api/ranks?method={method}").json()["rows"][:3], 1):
        assert f"{method}: place {number}." in station(shown(client, row["url"]), "rank")


@pytest.mark.full
def test_what_was_not_stored_says_why_when_and_what_it_means(client, made_corpus):
    for row in Corpus.open(made_corpus).drops():
        step = station(shown(client, row.url), "fetch")
        assert 'class="ended"' in step
        assert row.reason in step
        meaning = words("en").reason(row.reason)
        assert meaning == row.reason or meaning.split(",")[0] in step
        assert re.search(r"\d{4}-\d\d-\d\dT", step)


def test_a_redirect_leads_on(client, made_corpus):
    for row in Corpus.open(made_corpus).redirects():
        target = next(
            one["facts"]["target"]
            for one in traced(client, row.url)["points"]
            if one["outcome"] == "redirected"
        )
        assert target == row.target
        assert 'href="/trace?url=http' in station(shown(client, row.url), "fetch")


def test_an_address_that_nobody_has_seen_says_so_and_names_others(client):
    url = stored_urls(client)[0]
    html = shown(client, url[:-2])
    assert words("en")("trace.unknown") in html
    found = traced(client, url[:-2])
    assert found["is_known"] is False
    assert url in found["similar"]
    assert traced(client, "http://nobody.example/")["similar"] == []


def test_an_address_is_found_however_it_is_written(client):
    url = next(url for url in stored_urls(client) if url.startswith("http://"))
    upper = url.replace("http://", "HTTP://").replace(HOSTS[1], HOSTS[1].upper())
    for written in (f"  {url} ", url.removeprefix("http://"), upper, f"{url}#place"):
        found = traced(client, written)
        assert (found["url"], found["is_known"]) == (url, True), written


@pytest.mark.full
@pytest.mark.parametrize(
    "url",
    ["x", "http://", "//", "http://[::1", "javascript:alert(1)", "<script>RAN</script>", 'http://a/"><script>RAN</script>',
     "http://a b/", "%", "http://a:999999/", "' OR 1=1 --", "天网", "http://" + "a" * 1900, "\ufffd", "../../etc/passwd"],
)  # fmt: skip
def test_any_text_is_answered(client, url):
    found = traced(client, url)
    assert found["is_known"] is False
    assert "<script>RAN" not in shown(client, url)


@pytest.mark.full
@pytest.mark.parametrize(
    ("lang", "changed", "read"),
    [("en", "changes what", "cannot be told"), ("zh", "改变了", "无法查看")],
)
def test_taught_rules_are_told_with_what_the_method_had_said(tmp_path, lang, changed, read):
    store_site(tmp_path / "corpus")
    rules = tmp_path / "corpus" / "rules.toml"
    absent = RULE.replace("div.note", "div.none")
    rules.write_text(f"{absent}\n{RULE}")
    client, bench = opened(tmp_path / "corpus", tmp_path)
    await_tables(lambda: client.get("/hosts").status_code)
    url = f"http://{TAUGHT}/3.html"
    points = [one for one in traced(client, url)["points"] if one["step"] == "rules"]
    told = [(one.finding, one.outcome, one.facts, one.place)
            for one in explain_url(tmp_path / "corpus", url) if one.step == "rules"]  # fmt: skip
    names = ("finding", "outcome", "facts", "place")
    assert [tuple(one[name] for name in names) for one in points] == told
    assert [one["outcome"] for one in points] == ["absent", "changed"]
    html = station(shown(client, url, lang), "rules")
    assert changed in html
    assert f"<dd>{len(NOTICE)}</dd>" in re.sub(r"\s+(?=<)|(?<=>)\s+", "", html)
    (block,) = points[1]["facts"]["blocks"]
    assert re.search(rf'href="/page/[0-9a-f]+\?block={block}"', html)
    assert not re.findall(r"\btrace\.[a-z_.]+\b", html)
    rules.write_text("[[rule]]\nhost = 3\n")
    html = shown(client, url, lang)
    assert read in station(html, "rules")
    assert "rule 1: host: 3 is no text" in station(html, "rules")
    assert 'class="passed"' in station(html, "fetch")
    rules.unlink()
    assert [one for one in traced(client, url)["points"] if one["step"] == "rules"] == []
    bench.close()


@pytest.mark.full
def test_the_rest_is_told_when_tables_or_pages_are_gone(made_corpus, tmp_path):
    corpus = shutil.copytree(made_corpus, tmp_path / "corpus")
    url = next(iter(Corpus.open(corpus).table("page").to_table(columns=["url"])["url"].to_pylist()))
    ranks = corpus / "analysis" / "ranks" / "quarkrank.parquet"
    ranks.write_bytes(ranks.read_bytes()[:100])
    for part in (corpus / "analysis" / "drops").rglob("*.parquet"):
        part.write_bytes(b"broken")
    client, bench = opened(corpus, tmp_path)  # its index of tables cannot be made
    html = shown(client, url)
    assert "cannot be read" in station(html, "rank")
    assert "pagerank" in station(html, "rank")
    assert "The page is stored" in station(html, "fetch")
    for data in corpus.glob("data_*"):
        shutil.rmtree(data)
    assert "The page is stored" in station(shown(client, url), "fetch")
    bench.close()


def test_without_a_corpus_there_is_no_way(tmp_path):
    client, bench = opened(None, tmp_path)
    assert client.get("/trace").status_code == 404
    assert client.get("/api/trace?url=http://a.cn/").status_code == 404
    bench.close()
