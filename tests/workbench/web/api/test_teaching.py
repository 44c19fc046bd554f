"""Teaching over the API: proposed, tried, accepted, taken back; nothing counts before it is accepted."""

from __future__ import annotations

import time

import pytest
from starlette.testclient import TestClient

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus
from quarkcrawl.lab.evaluate import comparable
from quarkcrawl.store import page_dat_path
from quarkcrawl.template.site import SiteRule, read_rules
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.documents import LARGE_BYTES
from quarkcrawl.workbench.web.http.security import FORM_HEADER
from tests.corpus.corpora import rows_of
from tests.corpus.sitepages import NOTICE, store
from tests.corpus.taughtpages import ALONE, N_PAGES, TAUGHT, article, store_site
from tests.workbench.web.conftest import await_tables

BEARER = {"Authorization": "Bearer t"}
PLACE = {"host": TAUGHT, "kind": "noise", "select": "div.note"}


class Opened(TestClient):
    """A client with its corpus and the parts behind the server."""

    def __init__(self, corpus):
        app = create_app(corpus, token="t")
        super().__init__(app, base_url="http://127.0.0.1", raise_server_exceptions=True)
        self.corpus, self.bench = corpus, app.state.bench
        await_tables(lambda: self.get("/hosts").status_code)

    def page(self, number: int, host: str = TAUGHT) -> str:
        rows = self.get("/api/pages", params={"q": f"{host}/{number}.html"}).json()["rows"]
        return rows[0]["id"]

    def effect(self, **place):
        """The effect of a rule when all pages have been tried."""
        for _ in range(600):
            reply = self.get("/api/rules/effect", params=PLACE | place)
            assert reply.status_code == 200, reply.text
            found = reply.json()
            assert not found["failure"]
            if found["is_done"]:
                return found
            time.sleep(0.1)
        return pytest.fail("the pages are not tried")

    def accept(self, **place):
        return self.post("/api/rules", json=PLACE | place, headers=BEARER)

    def text(self, number: int, model: str = "site") -> str:
        return self.get(f"/api/pages/{self.page(number)}/text?model={model}").json()["text"]


@pytest.fixture
def client(tmp_path):
    store_site(tmp_path)
    found = Opened(tmp_path)
    yield found
    found.bench.close()


def block_with(client, page: str, text: str) -> int:
    blocks = client.get(f"/api/pages/{page}/blocks?count=50").json()["blocks"]
    return next(block["number"] for block in blocks if text in block["text"])


@pytest.mark.full
def test_from_a_block_to_a_rule_and_back(client):
    page = client.page(3)
    block = block_with(client, page, NOTICE[:9])
    proposed = client.get(
        f"/api/pages/{page}/rule", params={"block": block, "kind": "noise"}
    ).json()
    assert {name: proposed[name] for name in PLACE} == PLACE
    assert proposed["page"] == f"http://{TAUGHT}/3.html"
    assert not proposed["own"]
    found = client.effect()
    assert not found["is_accepted"]
    assert found["pages"]["changed"] == found["n_pages"] == N_PAGES
    assert found["chars"]["removed"] == N_PAGES * len(NOTICE)
    assert found["chars"]["added"] == 0
    assert {row["url"] for row in found["rows"]} == {
        f"http://{TAUGHT}/{n}.html" for n in range(N_PAGES)
    }
    assert found["rows"][0]["gone"] == [NOTICE]
    # Nothing has changed: not the file, not the contents.
    assert not (client.corpus / "rules.toml").exists()
    assert NOTICE in client.text(3)
    assert client.get("/api/rules").json()["rules"] == []

    reply = client.accept(page=proposed["page"])
    assert reply.status_code == 200, reply.text
    assert reply.json()["key"] == proposed["key"]
    [rule] = read_rules(client.corpus / "rules.toml").rules
    assert rule == SiteRule(TAUGHT, "noise", "div.note", page=proposed["page"])
    assert NOTICE not in client.text(3)
    assert NOTICE in client.text(3, model="page")
    after = client.effect()
    assert after["is_accepted"]
    assert (after["pages"], after["chars"], after["rows"]) == (
        found["pages"],
        found["chars"],
        found["rows"],
    )

    assert client.delete(f"/api/rules/{proposed['key']}", headers=BEARER).json() == {
        "removed": True
    }
    assert len(read_rules(client.corpus / "rules.toml")) == 0
    assert NOTICE in client.text(3)
    assert client.delete(f"/api/rules/{proposed['key']}", headers=BEARER).status_code == 404


@pytest.mark.full
def test_what_is_told_is_what_the_extraction_of_the_corpus_does(client):
    here = {"options": ExtractionOptions(site_pages=0), "pool": PoolOptions(in_process=True)}
    extract_corpus(client.corpus, out=client.corpus / "out", **here)
    before = rows_of(client.corpus, "default", out=client.corpus / "out")
    told = {row["url"]: row for row in client.effect()["rows"]}
    client.accept()
    report = extract_corpus(client.corpus, out=client.corpus / "out", **here)
    after = rows_of(client.corpus, "default", out=client.corpus / "out")
    changed = {
        url for url, row in after.items() if row["content_text"] != before[url]["content_text"]
    }
    assert report.corrected == len(changed) == len(told)
    assert changed == told.keys()
    assert all(after[url]["taught_chars"] == row["removed"] for url, row in told.items())


@pytest.mark.full
def test_a_block_that_speaks_against_it_is_taught_for_its_page_only(client):
    page, url = client.page(3), f"http://{TAUGHT}/3.html"
    block = block_with(client, page, "第3次实验")
    proposed = client.get(
        f"/api/pages/{page}/rule", params={"block": block, "kind": "noise"}
    ).json()
    assert (proposed["page_only"], proposed["page"]) == (True, url)
    assert "page_only = true" in proposed["toml"]
    place = {"page": url, "page_only": "yes"}
    found = client.effect(**place)
    assert [row["url"] for row in found["rows"]] == [url]
    assert (found["n_pages"], found["pages"]["changed"]) == (N_PAGES, 1)
    assert client.get("/api/rules/effect", params=PLACE | {"page_only": "yes"}).status_code == 409
    assert client.accept(page_only=True).status_code == 409
    reply = client.accept(page=url, page_only=True)
    assert read_rules(client.corpus / "rules.toml").rules == (
        SiteRule(TAUGHT, "noise", "div.note", page=url, page_only=True),
    )
    assert NOTICE not in client.text(3)
    assert NOTICE in client.text(4)
    assert client.effect(**place)["is_accepted"]
    assert not client.effect()["is_accepted"]
    client.delete(f"/api/rules/{reply.json()['key']}", headers=BEARER)
    assert NOTICE in client.text(3)


@pytest.mark.full
def test_both_texts_of_a_page(client):
    found = client.get(f"/api/pages/{client.page(2)}/taught", params=PLACE).json()
    gone = "".join(text for who, text in found["before"] if who == "gone")
    assert comparable(gone) == comparable(NOTICE)
    assert {who for who, _ in found["after"]} == {"common"}
    assert not found["is_cut"]
    again = client.get(f"/api/pages/{client.page(2)}/taught", params=PLACE | {"kind": "content"})
    assert {who for side in ("before", "after") for who, _ in again.json()[side]} == {"common"}


@pytest.mark.full
def test_the_opposite_takes_the_place_of_a_rule(client):
    client.accept()
    client.accept(kind="content")
    assert [rule.kind for rule in read_rules(client.corpus / "rules.toml").rules] == ["content"]
    assert client.effect(kind="content")["pages"]["changed"] == 0
    assert not client.effect()["is_accepted"]


@pytest.mark.full
def test_pages_that_would_lose_nearly_all_keep_it_and_are_counted(client):
    found = client.effect(select="div.text, div.note")
    assert found["pages"]["kept"] == N_PAGES
    assert found["pages"]["changed"] == 0


@pytest.mark.full
def test_pages_that_cannot_be_tried_are_counted(tmp_path):
    more = f"<p>{'长。' * LARGE_BYTES}</p>"
    store(tmp_path, TAUGHT, [article(0), article(1), article(2, more), article(3)])
    client = Opened(tmp_path)
    try:
        rows = client.bench.tables.rows(
            "SELECT \"offset\", shard FROM pages WHERE url LIKE '%/1.html'"
        )
        path = page_dat_path(tmp_path, TAUGHT)
        data = bytearray(path.read_bytes())
        data[rows[0]["offset"] : rows[0]["offset"] + 60] = b"\0" * 60
        path.write_bytes(data)
        found = client.effect()
        assert found["pages"] == {"changed": 2, "same": 0, "kept": 0, "unreadable": 1, "large": 1,
                                  "failed": 0}  # fmt: skip
    finally:
        client.bench.close()


WRONG = [
    ("GET", "/api/rules/effect?host=taught.cn&kind=noise&select=p%5B", 409),
    ("GET", "/api/rules/effect?host=taught.cn&kind=other&select=p", 400),
    ("GET", "/api/rules/effect?host=taught.cn&kind=noise", 400),
    ("GET", f"/api/rules/effect?host=taught.cn&kind=noise&select={'p' * 1001}", 400),
    ("GET", "/api/pages/0123456789abcdef/rule?block=1&kind=noise", 404),
    ("DELETE", "/api/rules/0123456789abcdef", 404),
    ("DELETE", "/api/rules/..%2Frules.toml", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), WRONG)
def test_what_makes_no_sense_is_refused(client, method, path, status):
    reply = client.request(method, path, headers=BEARER)
    assert reply.status_code == status, reply.text


def test_rules_that_make_no_sense_are_not_accepted(client):
    assert client.accept(select="p[").status_code == 409
    for place in ({"select": ""}, {"kind": "x"}, {"host": ""}, {"own": "yes"}, {"page_only": "yes"},
                  {"select": "p" * 1001}, {"page": "p" * 3000}, {"more": 1}):  # fmt: skip
        assert client.accept(**place).status_code == 400, place
    assert client.accept(host="elsewhere.cn").status_code == 409
    assert not (client.corpus / "rules.toml").exists()


@pytest.mark.full
def test_blocks_that_are_not_there_and_pages_that_are_not_stored(client):
    page = client.page(1)
    for path in (f"/api/pages/{page}/rule?block=999&kind=noise", f"/teach?page={page}&block=999"):
        reply = client.get(path)
        assert reply.status_code == 409
        assert "no block 999 with text" in reply.text
    pasted = client.post("/api/documents", content=article(1), headers=BEARER).json()["id"]
    assert client.get(f"/api/pages/{pasted}/rule?block=1&kind=noise").status_code == 409
    assert client.get("/teach").status_code == 404


def test_writing_needs_the_token_and_our_own_pages(client):
    json = {"json": PLACE}
    assert client.post("/api/rules", **json).status_code == 403
    key = SiteRule(TAUGHT, "noise", "div.note").key
    client.accept()
    assert client.delete(f"/api/rules/{key}").status_code == 403
    for headers in ({"Authorization": "Bearer x"}, {FORM_HEADER: "x"},
                    {**BEARER, "Origin": "http://evil.example"}, {**BEARER, "Origin": "null"},
                    {**BEARER, "Sec-Fetch-Site": "cross-site"}, {**BEARER, "Host": "evil.example"}):  # fmt: skip
        assert client.post("/api/rules", **json, headers=headers).status_code == 403, headers
        assert client.delete(f"/api/rules/{key}", headers=headers).status_code == 403, headers
    assert len(read_rules(client.corpus / "rules.toml")) == 1
    long = client.post(
        "/api/rules", content=b"x" * 300_000, headers={**BEARER, "Content-Type": "application/json"}
    )
    assert long.status_code == 413
    assert client.post("/api/rules", content=b"x", headers=BEARER).status_code == 415


@pytest.mark.full
def test_a_file_with_a_fault_is_told_and_the_rest_works(client):
    (client.corpus / "rules.toml").write_text("[[rule]]\nhost = 'a'\nkind = 'noise'\n")
    reply = client.get("/api/rules")
    assert reply.status_code == 503
    assert reply.json()["detail"].endswith("rules.toml: rule 1: select is missing")
    assert client.accept().status_code == 503
    shown = client.get("/rules?lang=en")
    assert shown.status_code == 200
    assert "rule 1: select is missing" in shown.text
    assert client.get(f"/page/{client.page(1)}").status_code == 200
    assert NOTICE in client.text(1, model="page")
    assert client.get(f"/api/pages/{client.page(1)}/text?model=site").status_code == 503


@pytest.mark.full
def test_rules_of_another_host_change_nothing_here(client):
    client.accept(host=ALONE)
    assert NOTICE in client.text(3)
    assert client.effect()["pages"]["changed"] == N_PAGES
