"""The API of the filter of a selection: doors that must be shut, and what is wrong in one message."""

from __future__ import annotations

import json
import time
from functools import cache

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli import main
from quarkcrawl.cli.runner import LocalSelection
from quarkcrawl.workbench.web import Services, create_app
from quarkcrawl.workbench.web.http.security import FORM_HEADER
from tests.select.selected import selected_work

TOKEN = "secret"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
WRITING = [
    ("POST", "/api/seeds/filter", {"min_pages": 3}),
    ("PUT", "/api/seeds/filter/state", {"state": "stopped"}),
]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "work", 400)


@pytest.fixture(scope="module")
def app(work, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    services = Services(selection=cache(LocalSelection))
    made = create_app(services=services, token=TOKEN, gold=folder / "g",
                      templates=folder / "t.json", seeds=work.root)  # fmt: skip
    yield made
    for process in made.state.bench.services.selection(work.root)._started.values():
        process.wait(120)
    made.state.bench.close()


@pytest.fixture
def client(app):
    return TestClient(app, base_url="http://127.0.0.1")


def everything(work) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in work.root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("method", "path", "body"), WRITING)
def test_only_who_has_the_token_filters_and_no_other_site(client, work, method, path, body):
    before = everything(work)
    version = client.get("/api/seeds/filter").json()["version"]
    if method == "POST":
        body = body | {"replaces": version}
    wrong = [
        {}, {"Authorization": "Bearer x"}, {FORM_HEADER: "x"}, {**BEARER, "Host": "evil.example"},
        {**BEARER, "Origin": "http://evil.example"}, {**BEARER, "Origin": "null"},
        {**BEARER, "Origin": "http://127.0.0.1:9"}, {**BEARER, "Sec-Fetch-Site": "cross-site"},
        {**BEARER, "Sec-Fetch-Site": "same-site"},
    ]  # fmt: skip
    for headers in wrong:
        assert client.request(method, path, json=body, headers=headers).status_code == 403, headers
    client.get(f"/seeds?token={TOKEN}")  # the cookie alone does not write
    assert client.request(method, path, json=body).status_code == 403
    odd = {**BEARER, "Content-Type": "text/plain"}  # what a form of another site can send
    assert client.request(method, path, content=json.dumps(body), headers=odd).status_code == 415
    large = json.dumps(body | {"x": "x" * 300_000})
    as_json = {**BEARER, "Content-Type": "application/json"}
    assert client.request(method, path, content=large, headers=as_json).status_code == 413
    assert everything(work) == before


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [({}, 409, "a result already"), ({"replaces": "other"}, 409, "another result by now"),
     ({"min_pages": -1}, 400, "min_pages"), ({"min_pages": "many"}, 400, "min_pages"),
     ({"aliases": "guess"}, 400, "aliases"), ({"outliers": 1}, 400, "outliers"),
     ({"skip": ["crawl"]}, 400, "skip"), ({"skip": ["pages"] * 9}, 400, "skip"),
     ({"spam_list": ["/etc/hosts"]}, 400, "has to lie in"),
     ({"spam_list": ["../counts.parquet"]}, 400, "has to lie in"),
     ({"spam_list": ["none.txt"]}, 400, "not there"), ({"spam_list": [""]}, 400, "spam_list"),
     ({"spam_list": ["hosts.parquet"]}, 400, "hosts.parquet"),
     ({"spam_list": ["a"] * 21}, 400, "spam_list"), ({"work": "/tmp"}, 400, "work"),
     ([], 400, "object")],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_message_and_nothing_is_begun(
    client, work, body, status, message
):
    before = everything(work)
    reply = client.post("/api/seeds/filter", json=body, headers=BEARER)
    assert reply.status_code == status, reply.text
    detail = reply.json()["detail"]
    assert message in detail
    assert "\n" not in detail
    assert "Traceback" not in detail
    assert everything(work) == before


def test_the_log_is_read_with_the_token_only_and_orders_are_few(client):
    assert client.get("/api/seeds/filter/log").status_code == 403
    path = "/api/seeds/filter/state"
    assert client.put(path, json={"state": "started"}, headers=BEARER).status_code == 400
    reply = client.put(path, json={"state": "stopped"}, headers=BEARER)
    assert (reply.status_code, "does not run" in reply.json()["detail"]) == (409, True)


def test_it_is_filtered_and_its_form_begins_with_the_options_of_the_result(client, work):
    found = client.get("/api/seeds/filter").json()
    assert (found["state"], found["options"]["min_pages"]) == ("waiting", 10)
    assert client.get("/api/seeds/filter/log", headers=BEARER).json() == {"lines": []}
    (work.root / "mine.txt").write_text("nobody.example\n")
    body = {"min_pages": 3, "skip": ["digits"], "spam_list": ["mine.txt"],
            "replaces": found["version"]}  # fmt: skip
    assert client.post("/api/seeds/filter", json=body, headers=BEARER).json()["state"] == "started"
    for _ in range(1200):
        found = client.get("/api/seeds/filter").json()
        if found["state"] != "running":
            break
        time.sleep(0.1)
    assert (found["state"], found["error"]) == ("done", "")
    options = found["options"]
    assert (options["min_pages"], options["skip"]) == (3, ["digits"])
    assert (options["spam_list"], options["elsewhere"]) == (["mine.txt"], [])
    assert "digits" not in {one["name"] for one in client.get("/api/seeds").json()["steps"]}
    html = client.get("/seeds?lang=en").text
    assert 'name="min_pages" type="number" min="0" max="2147483647" required value="3"' in html
    assert 'value="digits">' in html
    assert 'value="names" checked>' in html
    assert ">mine.txt</textarea>" in html


def test_lists_elsewhere_and_results_without_options_are_told(client, work, tmp_path):
    away = tmp_path / "away.txt"
    away.write_text("nobody.example\n")
    words = ["select", "filter", "--work", str(work.root), "--spam-list", str(away)]
    assert main(words) == 0
    options = client.get("/api/seeds/filter").json()["options"]
    assert (options["spam_list"], options["elsewhere"]) == ([], [str(away)])
    assert str(away) in client.get("/seeds?lang=en").text
    old = json.loads(work.path("filter.json").read_text())
    del old["options"]
    work.path("filter.json").write_text(json.dumps(old))
    assert not client.get("/api/seeds/filter").json()["options"]["is_noted"]
    assert "of an earlier version" in client.get("/seeds?lang=en").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_selection_that_is_only_counted_has_the_form(tmp_path, work, lang):
    root = tmp_path / "counted"
    root.mkdir()
    (root / "counts.parquet").write_bytes(work.path("counts.parquet").read_bytes())
    services = Services(selection=cache(LocalSelection))
    app = create_app(services=services, token=TOKEN, gold=tmp_path / "g", seeds=root)
    client = TestClient(app, base_url="http://127.0.0.1")
    assert client.get("/", follow_redirects=False).headers["location"] == "/seeds"
    html = client.get(f"/seeds?lang={lang}").text
    assert f"{work.counts().num_rows:,}" in html
    assert '<details class="card" id="filter" open>' in html
    assert 'name="unchecked" checked' in html
    assert 'name="replace"' not in html
    assert "quarkcrawl select check --work" in html
    (root / "counts.parquet").write_bytes(b"no table")
    assert "counts.parquet" in client.get(f"/seeds?lang={lang}").text
    app.state.bench.close()


def test_a_job_whose_file_was_broken_by_hand_does_not_hide_the_selection(tmp_path):
    own = selected_work(tmp_path / "work", 200)
    job = own.root / "jobs" / "filter"
    job.mkdir(parents=True)
    (job / "campaign.toml").write_text("[campaign")
    services = Services(selection=cache(LocalSelection))
    app = create_app(services=services, token=TOKEN, gold=tmp_path / "g", seeds=own.root)
    client = TestClient(app, base_url="http://127.0.0.1")
    html = client.get("/seeds?lang=en").text
    assert "campaign.toml" in html
    assert 'id="steps"' in html
    assert client.get("/api/seeds/filter").status_code == 503
    app.state.bench.close()


def test_without_a_selection_or_a_runner_nothing_is_filtered(tmp_path, work):
    for seeds, services in ((None, Services(selection=LocalSelection)), (work.root, Services())):
        app = create_app(services=services, token=TOKEN, gold=tmp_path / "g", seeds=seeds)
        client = TestClient(app, base_url="http://127.0.0.1")
        assert client.get("/api/seeds/filter").status_code == 404
        assert client.post("/api/seeds/filter", json={}, headers=BEARER).status_code == 404
        assert 'id="filter"' not in client.get("/seeds").text
        assert 'href="/seeds#filter"' not in client.get("/seeds/families").text
        app.state.bench.close()
