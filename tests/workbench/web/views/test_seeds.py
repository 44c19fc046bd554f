"""A selection of seed sites: lists, evidence, families, elections; keeping a host; what is refused."""

from __future__ import annotations

import re
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli import main
from quarkcrawl.select import (
    SelectionWork,
    read_decisions,
    read_keep_list,
)
from quarkcrawl.workbench.web import create_app
from tests.select.selected import selected_work
from tests.workbench.web.views.listing import every_row

TOKEN = "secret"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "work", 2500, seed=205)


@contextmanager
def opened(seeds, folder):
    app = create_app(token=TOKEN, gold=folder / "g", templates=folder / "t.json", seeds=seeds)
    try:
        yield TestClient(app, base_url="http://127.0.0.1")
    finally:
        app.state.bench.close()


@pytest.fixture(scope="module")
def client(work, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    with opened(work.root, folder) as client:
        yield client


@pytest.mark.full
def test_each_number_of_the_funnel_leads_to_so_many_hosts(client, work):
    found = client.get("/api/seeds").json()
    assert found["steps"] == work.summary()["steps"]
    assert len(every_row(client, "/api/seeds/hosts")) == found["hosts"]
    html = client.get("/seeds?lang=en").text
    for step in found["steps"]:
        dropped = every_row(client, "/api/seeds/hosts", step=step["name"], state="dropped")
        assert len(dropped) == step["dropped"]
        assert {row["step"] for row in dropped} <= {step["name"]}
        left = f"/seeds/hosts?step={step['name']}&amp;state=left"
        assert f'<a href="{left}">{step["left"]:,}</a>' in html
        for reason, n in step["reasons"].items():
            rows = every_row(client, "/api/seeds/hosts", step=step["name"], reason=reason)
            assert len(rows) == n
            assert f"reason={reason}" in html


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_kind_of_host_has_its_evidence_in_words(client, work, lang):
    pattern = re.compile(r"\b(?:seeds|funnel|figure|reason|tab)\.[a-z_]+\b")
    for step in work.summary()["steps"]:
        rows = client.get(f"/api/seeds/hosts?step={step['name']}&state=dropped").json()["rows"]
        for row in rows[:3]:
            path = f"/seeds/host?host={quote(row['host'], safe='')}"
            html = client.get(f"{path}&lang={lang}").text
            (state,) = re.findall(rf'<li class="(\w+)" id="step-{step["name"]}">', html)
            assert state == "ended"
            assert row["reason"] in html
            assert 'id="keepform"' in html
            twin = client.get(f"/api{path}").json()
            assert twin["row"] == row | {"url": twin["row"]["url"], "overruled": None}
            assert {"step": step["name"], "outcome": "dropped"} in twin["steps"]
            assert not pattern.findall(html.partition("<main")[2])
    for path in ("/seeds", "/seeds/hosts", "/seeds/families", "/seeds/aliases", "/seeds/host"):
        html = client.get(f"{path}?lang={lang}").text
        assert not pattern.findall(html.partition("<main")[2]), path


def test_families_and_elections_are_those_of_the_tables(client, work):
    found = client.get("/api/seeds/families").json()
    assert [one["domain"] for one in found["families"]] == [
        one["domain"] for one in work.summary()["proposals"]
    ]
    assert {one["decision"] for one in found["families"]} == {"?"}
    spam = next(one for one in work.summary()["steps"] if one["name"] == "spam")
    assert sum(one["hosts"] for one in found["patterns"]) == spam["dropped"]
    html = client.get("/seeds/families?lang=en").text
    for one in found["families"][:50]:
        assert f'data-domain="{one["domain"]}"' in html
        for site in one["samples"]:
            assert f'href="/seeds/host?host={site}"' in html
    for rule, n in work.summary()["elections"].items():
        groups = every_row(client, "/api/seeds/aliases", rule=rule)
        assert len(groups) == n
        assert {group["chosen_by"] for group in groups} == {rule}
        assert all(group["names"][0]["host"] == group["kept"] for group in groups)


@pytest.mark.full
def test_a_host_that_is_kept_is_a_seed_after_the_next_run_and_the_way_back(client, work):
    row = client.get("/api/seeds/hosts?step=pages&state=dropped").json()["rows"][0]
    host, path = row["host"], f"/seeds/host?host={row['host']}&lang=en"
    reply = client.put(
        "/api/seeds/kept", json={"host": host, "note": "a\tgood one"}, headers=BEARER
    )
    assert reply.json() == {"kept": {host: "a good one"}}
    assert f"{host}  # a good one\n" in work.path("keep.txt").read_text("utf-8")
    (kept,) = client.get("/api/seeds").json()["kept"]
    assert kept == {"host": host, "note": "a good one", "is_seed": False}
    assert f"quarkcrawl select filter --work {work.root}" in client.get(path).text
    assert main(["select", "filter", "--work", str(work.root)]) == 0
    (kept,) = client.get("/api/seeds").json()["kept"]
    assert kept["is_seed"]
    twin = client.get("/api/seeds/host", params={"host": host}).json()
    assert twin["row"]["step"] is None
    assert twin["row"]["overruled"] == "pages: few_pages"
    assert "otherwise it would have been dropped (pages: few_pages)" in client.get(path).text
    assert f"http://{host}/" in work.path("seeds.txt").read_text("utf-8")
    reply = client.delete("/api/seeds/kept", params={"host": host}, headers=BEARER)
    assert reply.json() == {"kept": {}}
    assert client.delete(f"/api/seeds/kept?host={host}", headers=BEARER).status_code == 404
    assert main(["select", "filter", "--work", str(work.root)]) == 0
    twin = client.get("/api/seeds/host", params={"host": host}).json()
    assert (twin["row"]["step"], twin["row"]["overruled"]) == ("pages", None)


def test_a_decision_about_a_family_is_kept_by_the_next_run(client, work):
    domain = client.get("/api/seeds/families").json()["families"][0]["domain"]
    for word in ("accept", "reject", "?"):
        body = {"domain": domain, "decision": word}
        assert client.put("/api/seeds/decisions", json=body, headers=BEARER).json() == body
        assert read_decisions(work.path("proposals.tsv"))[domain] == word
        (one,) = [
            found
            for found in client.get("/api/seeds/families").json()["families"]
            if found["domain"] == domain
        ]
        assert one["decision"] == word


WRITING = [
    ("PUT", "/api/seeds/kept", {"host": "a.cn"}),
    ("DELETE", "/api/seeds/kept?host=a.cn", None),
    ("PUT", "/api/seeds/decisions", {"domain": "a.cn", "decision": "accept"}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITING)
def test_writing_needs_the_token_and_our_own_pages(client, work, method, path, body):
    before = {file.name: file.read_bytes() for file in work.root.iterdir() if file.is_file()}
    wrong = [
        {}, {"Authorization": "Bearer x"}, {"x-quarkcrawl-token": "x"},
        {**BEARER, "Origin": "http://evil.example"}, {**BEARER, "Origin": "null"},
        {**BEARER, "Sec-Fetch-Site": "cross-site"}, {**BEARER, "Host": "evil.example"},
    ]  # fmt: skip
    for headers in wrong:
        assert client.request(method, path, json=body, headers=headers).status_code == 403, headers
    assert {f.name: f.read_bytes() for f in work.root.iterdir() if f.is_file()} == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"host": "nobody.example"}, 404), ({"host": ""}, 400), ({"host": "a b"}, 400),
        ({"host": "a\n"}, 400), ({"host": "a#b"}, 400), ({"host": "../../etc"}, 404),
        ({"host": "x" * 300}, 400), ({"host": "a.cn", "note": "n" * 201}, 400),
        ({"host": "a.cn", "path": "/etc/passwd"}, 400), ({}, 400), ([], 400), ({"host": 1}, 400),
        ({"host": "a.cn", "note": "x" * 300_000}, 413),
    ],
)  # fmt: skip
def test_what_is_no_host_of_the_lists_is_refused(client, work, body, status):
    reply = client.put("/api/seeds/kept", json=body, headers=BEARER)
    assert reply.status_code == status, reply.text
    assert not read_keep_list(work.path("keep.txt"))
    body = {"domain": "nobody.example", "decision": "accept"}
    assert client.put("/api/seeds/decisions", json=body, headers=BEARER).status_code == 404


@pytest.mark.parametrize(
    "text", ["<script>RAN</script>", "' OR 1=1", "../x", "天网", "\0", "x" * 250]
)
def test_any_text_is_answered(client, text):
    for path in ("/seeds/host?host=", "/seeds/hosts?q=", "/seeds/aliases?q=", "/seeds/hosts?step="):
        reply = client.get(path + quote(text, safe=""))
        assert reply.status_code == 200
        assert "<script>RAN" not in reply.text
    reply = client.get("/api/seeds/host", params={"host": text})
    assert reply.status_code in {400, 404}


def test_without_a_selection_the_views_name_the_commands_and_nothing_else_is_missing(tmp_path):
    paths = ("/seeds", "/seeds/hosts", "/seeds/host?host=a.cn", "/seeds/families", "/seeds/aliases")
    with opened(None, tmp_path) as client:
        for path in paths:
            reply = client.get(path)
            assert reply.status_code == 200
            assert "quarkcrawl select count" in reply.text
            assert client.get(f"/api{path}").status_code == 404
        for method, path, body in WRITING:
            assert client.request(method, path, json=body, headers=BEARER).status_code == 404
        assert 'href="/seeds"' not in client.get("/inspect").text


@pytest.mark.parametrize("name", ["hosts.parquet", "aliases.parquet", "filter.json", "keep.txt", "proposals.tsv", "probes.jsonl"])  # fmt: skip
def test_a_broken_file_is_named_and_the_rest_is_shown(work, tmp_path, name):
    own = SelectionWork(tmp_path / "work")
    own.root.mkdir()
    for file in work.root.iterdir():
        if file.is_file():
            own.path(file.name).write_bytes(file.read_bytes())
    host = own.counts()["host"][0].as_py()
    own.path(name).write_bytes(b"\xff two words {\n" + b'"' + host.encode() + b'"\n')
    paths = ("/seeds", "/seeds/hosts", f"/seeds/host?host={host}", "/seeds/families", "/seeds/aliases")  # fmt: skip
    with opened(own.root, tmp_path) as client:
        replies = {path: client.get(path) for path in paths}
        twins = {path: client.get(f"/api{path}").status_code for path in paths}
    told = {path for path, reply in replies.items() if 'role="alert"' in reply.text}
    assert {reply.status_code for reply in replies.values()} == {200}
    assert all(name in replies[path].text for path in told)
    assert {path for path, status in twins.items() if status != 200} <= told
    assert set(twins.values()) == {200, 503}
    assert 0 < len(told) < len(paths) or name == "filter.json"
