"""A list of pages by the API: facets, search, exports, links; what does not fit is refused."""

from __future__ import annotations

import csv
import io
import shutil
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.api import results
from tests.workbench.web.conftest import await_tables
from tests.workbench.web.sites import HOSTS

BEARER = {"Authorization": "Bearer t"}


@pytest.fixture(scope="module")
def client(made_corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    root = shutil.copytree(made_corpus, folder / "corpus")
    app = create_app(root, token="t", gold=folder / "gold", templates=folder / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    await_tables(lambda: client.get("/hosts").status_code)
    yield client
    app.state.bench.close()


def got(client, path, **query):
    reply = client.get(path, params=query)
    assert reply.status_code == 200, reply.text
    return reply


QUERIES = (
    {},
    {"host": f"{HOSTS[0]}|{HOSTS[1]}", "topic": "yes", "sort": "longest"},
    {"text": "增长", "date": "2003", "sort": "newest"},
    {"text": '"增长了"', "page_type": "article|forum"},
    {"q": "archives", "labels": "-"},
)


@pytest.mark.full
@pytest.mark.parametrize("query", QUERIES)
def test_list_facets_exports_and_sql_are_of_the_same_pages(client, query):
    listed = got(client, "/api/search" if "text" in query else "/api/pages", **query).json()
    assert listed["total"] > 0
    rows = got(client, "/api/results", **query).json()
    assert rows["is_cut"] is False
    ids = [row["id"] for row in rows["rows"]]
    assert len(ids) == listed["total"]
    assert ids[: len(listed["rows"])] == [row["id"] for row in listed["rows"]]
    reply = got(client, "/api/results/csv", **query)
    assert reply.headers["content-disposition"] == 'attachment; filename="pages.csv"'
    table = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8"))))
    assert [row["id"] for row in table] == ids
    assert [row["url"] for row in table] == [row["url"] for row in rows["rows"]]
    facets = got(client, "/api/facets", **query).json()["facets"]
    for name in ("topic", "page_type"):
        (values,) = [one["values"] for one in facets if one["name"] == name and name not in query] or [[]]  # fmt: skip
        assert sum(one["n"] for one in values) in {listed["total"], 0}
    sql = got(client, "/api/results/sql", **query).json()["sql"]
    found = client.get("/api/sql", params={"q": sql}, headers=BEARER)
    assert found.status_code == 200, found.text
    assert {row[0] for row in found.json()["rows"]} == set(ids)


def test_the_view_leads_to_its_exports_and_its_sql(client):
    query = {"text": "增长", "topic": "yes", "lang": "en"}
    html = got(client, "/pages", **query).text
    for path in ("/api/results/csv", "/api/results", "/pages/sql"):
        assert f'href="{path}?text=%E5%A2%9E%E9%95%BF&amp;topic=yes"' in html
    reply = client.get("/pages/sql", params=query, follow_redirects=False)
    assert reply.status_code == 303
    address = urlsplit(reply.headers["location"])
    assert address.path == "/sql"
    (sql,) = parse_qs(address.query)["q"]
    assert sql == got(client, "/api/results/sql", text="增长", topic="yes").json()["sql"]


def test_a_search_is_in_the_order_of_relevance_and_tells_where_words_stand(client):
    rows = got(client, "/api/search", text="增長").json()["rows"]
    assert rows != got(client, "/api/search", text="增长", sort="url").json()["rows"]
    assert [row["id"] for row in rows] == [
        row["id"] for row in got(client, "/api/search", text="增长").json()["rows"]
    ]
    for row in rows:
        assert row["snippet_hits"] or row["title_hits"]
        for name in ("snippet", "title"):
            words = {row[name][start:end] for start, end in row[f"{name}_hits"]}
            assert words <= {"增长"}


def test_only_quotation_marks_find_nothing_and_say_so(client):
    found = got(client, "/api/search", text='""').json()
    assert found["is_done"] is True
    assert client.get("/pages?text=%22%22").status_code == 200


def test_more_values_of_a_facet_can_be_asked_for(client):
    hosts = got(client, "/api/facets", expanded="host").json()["facets"][0]
    assert hosts["name"] == "host"
    assert len(hosts["values"]) == hosts["n_values"] == 4


def test_an_export_is_bounded_and_says_that_it_is_cut(client):
    rows = got(client, "/api/results", rows=3).json()
    assert (len(rows["rows"]), rows["is_cut"]) == (3, True)
    assert len(got(client, "/api/results/csv", rows=3).text.splitlines()) == 4


def test_an_export_waits_for_the_end_of_a_search(client, monkeypatch):
    tables = client.app.state.bench.tables
    texts = [tables.texts[row["text_row"]] for row in tables.rows("SELECT text_row FROM pages", [])]
    monkeypatch.setattr("quarkcrawl.workbench.web.index.search.STRETCH_BYTES", 1)
    monkeypatch.setattr("quarkcrawl.workbench.web.index.search.WALL_S", -1.0)
    assert got(client, "/api/search", text="调整").json()["searched"] == 1
    assert got(client, "/pages", text="调整", lang="en").status_code == 200
    n_found = len(got(client, "/api/results", text="调整").json()["rows"])
    assert 0 < n_found == sum("调整" in text for text in texts)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/api/facets", {"expanded": "shoe_size"}),
        ("/api/facets", {"text": "x" * 201}),
        ("/api/results", {"rows": results.MOST_ROWS + 1}),
        ("/api/results", {"rows": 0}),
        ("/api/results/csv", {"sort": "random"}),
        ("/api/results/sql", {"host": "x" * 2001}),
        ("/api/pages", {"shoe_size": "9"}),
        ("/api/search", {"text": " "}),
    ],
)
def test_what_is_not_described_is_refused(client, path, query):
    assert client.get(path, params=query).status_code == 400


def test_links_have_anchors_and_the_pages_at_their_other_end(client):
    home = got(client, "/api/pages", q=f"http://{HOSTS[1]}/", host=HOSTS[1]).json()["rows"][0]
    out = got(client, f"/api/pages/{home['id']}/links", direction="out").json()
    assert out["is_done"] is True
    stored = [row for row in out["rows"] if row["id"] and row["url"] != home["url"]]
    assert stored
    for row in stored[:3]:
        path = f"/api/pages/{row['id']}/links"
        while not (back := got(client, path).json())["is_done"]:
            pass
        anchors = {one["text"] for one in back["rows"] if one["id"] == home["id"]}
        assert row["text"] in anchors
        assert (back["searched"], back["damaged"]) == (back["of"], 0)
    assert client.get("/api/pages/0123456789abcdef/links").status_code == 404
    pasted = client.post("/api/documents", content=b"<a href=/x>x", headers=BEARER).json()["id"]
    assert client.get(f"/api/pages/{pasted}/links").status_code == 404


def test_a_broken_table_of_labels_costs_its_facet_only(made_corpus, tmp_path):
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    for path in ("labels/texts/part-000001.parquet", "classes/topics.parquet"):
        (root / "analysis" / path).parent.mkdir(parents=True)
        (root / "analysis" / path).write_bytes(b"PAR1 no more")
    app = create_app(root, token="t", gold=tmp_path / "gold", templates=tmp_path / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    await_tables(lambda: client.get("/hosts").status_code)
    for lang, words in (
        ("en", ("table of labels", "table of classes")),
        ("zh", ("标签表", "类别表")),
    ):
        html = got(client, "/pages", lang=lang).text
        assert all(word in html for word in words)
        assert "labels/texts/part-000001.parquet" in html
    facets = {one["name"]: one for one in got(client, "/api/facets").json()["facets"]}
    assert facets["labels"]["values"] == []
    assert facets["labels"]["command"] == "refine"
    assert facets["host"]["values"]
    app.state.bench.close()
