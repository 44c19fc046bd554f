"""The API against its own description, and against pages that break parsers."""

from __future__ import annotations

import os
import signal
import urllib.request

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.api.routes import OPERATIONS
from tests.workbench.web.conftest import Bench, await_tables, served

BEARER = {"Authorization": "Bearer t"}
# 503 is told for pages that cannot be read
EXCLUDED = [schemathesis.checks.not_a_server_error]


@pytest.fixture(scope="module")
def app(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "templates.json").write_bytes((corpus / "templates.json").read_bytes())
    return create_app(
        corpus, token="t", gold=folder / "gold", templates=folder / "templates.json",
        rules=folder / "rules.toml",
    )  # fmt: skip


@pytest.fixture(scope="module")
def apart(app):
    """A server of its own, for requests that may mark and label anything."""
    with served(app) as base:
        await_tables(lambda: urllib.request.urlopen(f"{base}/hosts", timeout=30).status)
        yield Bench(base, token="t")


@pytest.fixture(scope="module")
def client(app, apart):
    """The same application without a network; its life is that of the server."""
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=True)


@pytest.mark.full
def test_the_description_names_every_endpoint(client):
    found = client.get("/api/openapi.json").json()
    described = {(method.upper(), path) for path, ways in found["paths"].items() for method in ways}
    assert described == {(one.method, one.path) for one in OPERATIONS}
    names = [way["operationId"] for ways in found["paths"].values() for way in ways.values()]
    assert len(set(names)) == len(names)


UNCALLED = {
    "/api/templates/train", "/api/campaign/state", "/api/campaign/seeds", "/api/fetch",
}  # fmt: skip
"""These start processes, steer a campaign, go to the web."""


def fuzz(bench, n_examples: int) -> None:
    """Each operation with generated requests; real ids now and then, so that more than 404 comes."""
    schema = schemathesis.openapi.from_url(bench.base + "/api/openapi.json")
    page = bench.get("/api/pages")["rows"][0]["id"]
    template = bench.get("/api/templates")["rows"][0]["id"]
    n_called = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in UNCALLED:
            continue

        @settings(max_examples=n_examples, database=None, derandomize=True,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @schemathesis_given(operation)
        def call(case):
            nonlocal n_called
            n_called += 1
            if n_called % 2 and "id" in case.path_parameters:
                case.path_parameters["id"] = page
            if n_called % 2 and "template" in case.path_parameters:
                case.path_parameters["template"] = template
            reply = case.call(headers={"Authorization": f"Bearer {bench.token}"})
            assert reply.status_code != 500, reply.text
            case.validate_response(reply, excluded_checks=EXCLUDED)

        call()
    assert n_called >= n_examples * 10


def schemathesis_given(operation):
    from hypothesis import given

    return given(case=operation.as_strategy())


@pytest.mark.full
def test_generated_requests_get_what_the_description_promises(apart):
    fuzz(apart, 3)


@pytest.mark.slow
def test_many_generated_requests_get_what_the_description_promises(apart):
    fuzz(apart, 100)


@pytest.mark.full
def test_what_stands_behind_a_line_end_is_no_part_of_a_name(client):
    """``$`` is the end in JSON Schema; for Python it may be in front of a line end, too."""
    page = client.post("/api/documents", content=b"<h1>x", headers=BEARER).json()["id"]
    assert client.get(f"/api/marking/anna/{page}").status_code == 200
    for path in (f"anna%0A/{page}", f"anna/{page}%0A"):
        assert client.get(f"/api/marking/{path}").status_code == 404


@pytest.mark.full
@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"<", b"\xff\xfe\xff", b"<p>" + b"\xed\xa0\x80" * 50, b"<div>" * 3000, b"plain text " * 50, b"<a b=c " * 500,
     "<p>\ud83d 天".encode("utf-8", "surrogatepass") * 30, b"<!--", b"<svg><style><table>", b"{}", b"<title>"],
)  # fmt: skip
def test_any_bytes_are_a_page(client, body):
    name = client.post("/api/documents", content=body, headers=BEARER).json()["id"]
    for path in ("summary", "text", "items", "source", "blocks", "compare", "template", "raw"):
        assert client.get(f"/api/pages/{name}/{path}").status_code == 200, path
    for view in ("original", "map", "content"):
        assert client.get(f"/frames/{name}/{view}").status_code == 200, view
    assert client.get(f"/page/{name}").status_code == 200


@pytest.mark.full
def test_a_crash_of_the_reading_process_is_told_and_the_next_page_is_read(client, app):
    worker = app.state.bench.worker
    while worker.ask("warm"):
        pass  # else the thread that warms it may be the one that is told
    name = client.post("/api/documents", content=b"<p>x", headers=BEARER).json()["id"]
    assert client.get(f"/api/pages/{name}/summary").status_code == 200
    pid = worker._process.worker._process.pid
    os.kill(pid, signal.SIGSEGV)
    reply = client.get(f"/api/pages/{name}/summary")
    assert reply.status_code == 503
    assert "crashed" in reply.json()["detail"]
    assert client.get(f"/api/pages/{name}/summary").status_code == 200


@pytest.mark.full
def test_marks_of_odd_pages_can_be_read_back(client):
    for html in ("<p>天网</p>", "text without tags", "<body><table><tr><td>" + "正文。" * 40):
        name = client.post("/api/documents", content=html.encode(), headers=BEARER).json()["id"]
        n = client.get(f"/api/pages/{name}/blocks").json()["n_blocks"]
        path = f"/api/marking/x/{name}"
        reply = client.put(path, json={"kinds": ["content"] * n}, headers=BEARER)
        assert reply.status_code in {200, 409}
        if reply.status_code == 200:
            found = client.get(path).json()
            assert found["kinds"] == ["content"] * n
            assert (found["is_saved"], found["origin"]) == (True, "unknown")  # nothing was said
            assert (
                client.put(path, json={"kinds": ["noise"] * (n + 1)}, headers=BEARER).status_code
                == 409
            )
            assert client.delete(path, headers=BEARER).status_code == 200
            assert client.delete(path, headers=BEARER).status_code == 404
