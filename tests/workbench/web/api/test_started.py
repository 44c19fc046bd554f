"""The API of campaigns and data sets that are started here: doors that must be shut, versions, conditions."""

from __future__ import annotations

import json
import re
import shutil
import time
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli.runner import LocalCampaigns, LocalDatasets
from quarkcrawl.frontier import Candidate, FrontierOptions, SqliteFrontier
from quarkcrawl.store import Corpus
from quarkcrawl.workbench.web import Services, create_app
from quarkcrawl.workbench.web.api.campaign import MOST_FORM_BYTES
from quarkcrawl.workbench.web.http.security import FORM_HEADER
from tests.workbench.web.conftest import await_tables, served, status_of

TOKEN = "secret"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
NEW = {"name": "news", "seeds": "www.pku.edu.cn\n", "settings": "levels = 2"}
WRITING = [
    ("POST", "/api/campaigns", NEW | {"name": "other"}),
    ("POST", "/api/campaigns/check", NEW | {"name": "other"}),
    ("PUT", "/api/campaigns/news/files", {"toml": "", "seeds": "", "version": ""}),
    ("PUT", "/api/campaigns/news/state", {"state": "started"}),
    ("POST", "/api/campaigns/news/seeds", {"seeds": "b.cn"}),
    ("POST", "/api/datasets", {"name": "zh"}),
    ("PUT", "/api/datasets/zh/state", {"state": "started"}),
]


@pytest.fixture(scope="module")
def corpus_of_sets(made_corpus, tmp_path_factory):
    return shutil.copytree(made_corpus, tmp_path_factory.mktemp("sets") / "corpus")


@pytest.fixture(scope="module")
def app(corpus_of_sets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("crawls")
    services = Services(campaigns=LocalCampaigns(folder), datasets=LocalDatasets(corpus_of_sets))
    return create_app(corpus_of_sets, services=services, token=TOKEN)


@pytest.fixture(scope="module")
def client(app):
    with served(app) as base:
        await_tables(lambda: status_of(f"{base}/hosts"))
        client = TestClient(app, base_url="http://127.0.0.1")
        reply = client.post("/api/campaigns", json=NEW, headers=BEARER)
        assert reply.status_code == 200, reply.text
        yield client


@pytest.fixture
def plain(app, client):
    """Another browser: no cookies."""
    return TestClient(app, base_url="http://127.0.0.1")


def written(app) -> set[str]:
    services = app.state.bench.services
    return {path.name for one in (services.campaigns, services.datasets)
            for path in one.folder.glob("*")}  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), WRITING)
def test_only_who_has_the_token_writes_and_no_other_site(app, plain, method, path, body):
    before = written(app)
    other_names = {**BEARER, "Host": "evil.example"}
    other_sites = [{**BEARER, **more} for more in (
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://127.0.0.1:9"},
    )]  # fmt: skip
    wrong = {"Authorization": "Bearer x"}
    for headers in ({}, wrong, {FORM_HEADER: "x"}, other_names, *other_sites):
        assert plain.request(method, path, json=body, headers=headers).status_code == 403, headers
    plain.get(f"/campaigns?token={TOKEN}")  # the cookie alone does not write
    assert plain.request(method, path, json=body).status_code == 403
    form = json.dumps(body)
    odd = {**BEARER, "Content-Type": "text/plain"}  # what a form of another site can send
    assert plain.request(method, path, content=form, headers=odd).status_code == 415
    large = json.dumps(body | {"name": "x" * (MOST_FORM_BYTES + 1)})
    as_json = {**BEARER, "Content-Type": "application/json"}
    assert plain.request(method, path, content=large, headers=as_json).status_code == 413
    assert plain.request(method, path, json=body | {"x": 1}, headers=BEARER).status_code == 400
    assert written(app) == before
    assert not app.state.bench.services.campaigns.is_running("news")


def test_files_and_logs_are_read_with_the_token_only(app, client, plain):
    for path in ("/api/campaigns/news/files", "/api/campaigns/news/log"):
        assert plain.get(path).status_code == 403
        assert plain.get(path, headers=BEARER).status_code == 200
    assert "www.pku.edu.cn" not in plain.get("/campaigns/news/edit").text
    plain.get(f"/campaigns?token={TOKEN}")
    assert "www.pku.edu.cn" in plain.get("/campaigns/news/edit").text
    stranger = {"Sec-Fetch-Site": "same-site"}
    assert "www.pku.edu.cn" not in plain.get("/campaigns/news/edit", headers=stranger).text


def test_a_form_of_another_version_is_refused(client):
    files = client.get("/api/campaigns/news/files", headers=BEARER).json()
    assert json.loads(json.dumps(files)) == files
    body = files | {"seeds": "b.cn\n"}
    first = client.put("/api/campaigns/news/files", json=body, headers=BEARER)
    assert first.status_code == 200, first.text
    again = client.put("/api/campaigns/news/files", json=body | {"seeds": ""}, headers=BEARER)
    assert again.status_code == 400  # no seeds: nothing was looked at further
    again = client.put("/api/campaigns/news/files", json=body | {"seeds": "c.cn"}, headers=BEARER)
    assert again.status_code == 409
    found = client.get("/api/campaigns/news/files", headers=BEARER).json()
    assert (found["seeds"], found["version"]) == ("b.cn\n", first.json()["version"])
    assert client.post("/api/campaigns", json=NEW, headers=BEARER).status_code == 409
    back = found | {"seeds": NEW["seeds"]}  # as the others want it
    assert client.put("/api/campaigns/news/files", json=back, headers=BEARER).status_code == 200


def test_what_is_not_there_is_said(client):
    for path in ("/api/campaigns/nobody", "/api/campaigns/a.b",
                 "/campaigns/nobody", "/campaigns/nobody/edit", "/api/datasets/nobody",
                 "/datasets/nobody"):  # fmt: skip
        assert client.get(path).status_code == 404, path
    for path in ("/campaigns", "/campaigns/new", "/campaigns/news", "/datasets"):
        assert client.get(path).status_code == 200, path
    (row,) = client.get("/api/campaigns").json()["rows"]
    assert (row["name"], row["is_running"], row["crawl"]) == ("news", False, None)
    assert client.get("/api/datasets").json()["rows"] == []


def test_seeds_for_a_crawl_are_checked_as_on_the_command_line(app, client):
    def add(seeds: str):
        headers = BEARER | {"Content-Type": "application/json"}
        body = json.dumps({"seeds": seeds})
        return client.post("/api/campaigns/adds/seeds", content=body, headers=headers)

    assert add("b.cn").status_code == 404
    form = NEW | {"name": "adds", "settings": ""}
    assert client.post("/api/campaigns", json=form, headers=BEARER).status_code == 200
    early = add("b.cn")
    assert (early.status_code, "not begun" in early.json()["detail"]) == (409, True)
    root = app.state.bench.services.campaigns.folder / "adds" / "corpus"
    Corpus.create(root)
    with closing(SqliteFrontier(root / "frontier.sqlite", FrontierOptions())) as frontier:
        frontier.push([Candidate("http://www.pku.edu.cn/", "www.pku.edu.cn", 1)])
    wrong = {
        "": "no hosts", "a.cn\nno host": "seeds:2: neither", "a.cn\n10.0.0.1": "private_address",
        "a.cn\n" * 100_001: "100,000 at most", "http://a.cn/\ud800": "half a character|UTF-8|utf-8",
    }  # fmt: skip
    for seeds, message in wrong.items():
        refused = add(seeds)
        assert refused.status_code == 400, seeds[:20]
        assert re.search(message, refused.json()["detail"]), refused.text
    assert not (root / "frontier.inbox").exists()
    found = add("www.pku.edu.cn\nB.cn  # new\nhttp://b.cn/\n").json()
    expected = {"offered": 2, "duplicates": 1, "new": 1, "tried_again": 0, "refused": {}}
    assert found == expected
    left = (root / "frontier.inbox").read_text()
    assert left == "http://www.pku.edu.cn/\nhttp://b.cn/\n"
    files = client.get("/api/campaigns/adds/files", headers=BEARER).json()
    assert files["seeds"] == NEW["seeds"]
    shutil.rmtree(root.parent)


@pytest.mark.parametrize(
    ("condition", "wrong"),
    [
        ("length(", "syntax error"), ("pagerank > 3", "pagerank"), ("n_chars", "no condition but a"),
        ("true; DROP TABLE pages", "no ;"), ("true -- )", "no comments"), ("true /* ", "no comments"),
        ("true, n_chars > (3", "syntax"), ("true) AS a, (n_chars", "no condition"),
        ("(SELECT count(*) FROM read_text('/etc/passwd')) > 0", "disabled|Permission"),
        ("(SELECT count(*) FROM glob('/etc/?asswd')) > 0", "disabled"), ("(SELECT 1) > 0", "no query"), ("EXISTS (FROM pages)", "no query"),
        ("(SELECT count(*) FROM read_csv('http://a.cn/x.csv')) > 0", "disabled|Permission|httpfs"),
        ("true) AS a FROM glob('/etc/?asswd') WHERE (true", "no query|syntax"), ("n_chars IN (VALUES (3))", "no query"),
        ("true) UNION ALL SELECT (false", "no query|syntax|no condition"),
        ("n_chars > (WITH a AS (SELECT 1 AS b) SELECT b FROM a)", "no query"),
        ("", "does not fit"), ("x" * 501, "does not fit"),
    ],
)  # fmt: skip
def test_conditions_that_reach_out_are_refused(app, client, condition, wrong):
    body = {"name": "zh", "where": [condition]}
    reply = client.post("/api/datasets", json=body, headers=BEARER)
    assert reply.status_code == 400, reply.text
    assert re.search(wrong, reply.json()["detail"]), reply.json()["detail"]
    assert not (app.state.bench.services.datasets.folder / "zh").exists()


@pytest.mark.parametrize(
    "more",
    [{"without": ["no_text"]}, {"fields": ["id"]}, {"fields": ["text", "x"]}, {"validation": 1},
     {"validation": 0.6, "test": 0.6}, {"form": "csv"}, {"name": "../x"}, {"name": "a.b"},
     {"method": "/etc/x.toml"}, {"seed": -1}, {"refine": "yes"}],
)  # fmt: skip
def test_options_that_the_command_refuses_are_refused(app, client, more):
    reply = client.post("/api/datasets", json={"name": "zh"} | more, headers=BEARER)
    assert reply.status_code == 400, reply.text
    assert not app.state.bench.services.datasets.folder.exists()


@pytest.mark.full
def test_a_data_set_is_stopped_and_gone_on_with_and_made_once(app, client, corpus_of_sets):
    runner = app.state.bench.services.datasets

    def told() -> dict:
        return client.get("/api/datasets/zh").json()

    def order(state: str) -> int:
        path = "/api/datasets/zh/state"
        return client.put(path, json={"state": state}, headers=BEARER).status_code

    def await_end() -> None:
        while runner.is_running("zh"):
            runner._started["zh"].wait(240)

    where = [
        "title NOT LIKE '%\"from_table\":%' OR text LIKE '%(SELECT%'",
        "spam IS NULL AND list_contains(opted_out, 'x') IS NOT TRUE",
    ]
    body = {"name": "zh", "where": where, "form": "jsonl", "without": ["short"]}
    assert client.post("/api/datasets", json=body, headers=BEARER).status_code == 200
    second = client.post("/api/datasets", json=body | {"name": "b"}, headers=BEARER)
    assert second.status_code == 409
    assert "one at a time" in second.json()["detail"]
    assert order("started") == 409
    while not runner.log("zh"):  # it has begun: until then Ctrl-C finds no command of ours
        assert runner.is_running("zh")
        time.sleep(0.02)
    assert order("stopped") == 200
    await_end()
    assert told()["state"] == "failed"
    assert (told()["card"], told()["report"], told()["files"]) == ("", None, [])
    assert order("started") == 200
    assert told()["state"] == "running"
    await_end()
    found = told()
    assert found["state"] == "done", client.get("/api/datasets/zh/log", headers=BEARER).text
    assert [step["name"] for step in found["steps"]] == ["refine", "export"]
    assert sum(found["report"]["documents"].values()) > 10
    assert found["card"].startswith("---")
    assert {"README.md", "dataset.json"} <= {one["path"] for one in found["files"]}
    assert order("started") == 409
    assert order("stopped") == 409
    assert client.post("/api/datasets", json=body, headers=BEARER).status_code == 409
    (row,) = client.get("/api/datasets").json()["rows"]
    assert row["documents"] == sum(found["report"]["documents"].values())
    url = client.get("/api/pages").json()["rows"][0]["url"]
    traced = client.get("/api/trace", params={"url": url}).json()
    assert any(one["step"] == "dataset" for one in traced["points"])


def test_a_workbench_without_these_says_so():
    app = create_app(token=TOKEN)
    client = TestClient(app, base_url="http://127.0.0.1")
    for path in ("/campaigns", "/datasets", "/api/campaigns", "/api/datasets"):
        assert client.get(path).status_code == 404, path
    app.state.bench.close()
