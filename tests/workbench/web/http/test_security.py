"""Doors that must be shut: host names, tokens, other sites, sizes, private addresses."""

from __future__ import annotations

import socket

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli.guard import guarded_fetch
from quarkcrawl.errors import FetchError
from quarkcrawl.page import Page
from quarkcrawl.workbench.web import Services, create_app
from quarkcrawl.workbench.web.documents import MAX_BYTES
from quarkcrawl.workbench.web.http.security import FORM_HEADER

TOKEN = "secret"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def fetched(url: str) -> Page:
    return Page.from_html("<title>fetched</title><p>" + "网页。" * 40, url)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    return create_app(
        services=Services(fetched), token=TOKEN, gold=folder / "gold", templates=folder / "t.json"
    )


@pytest.fixture(scope="module")
def client(app):
    yield TestClient(app, base_url="http://127.0.0.1")  # no start: what is needed loads when asked
    app.state.bench.close()


@pytest.fixture
def plain(app, client):
    """Another browser: no cookies."""
    return TestClient(app, base_url="http://127.0.0.1")


def test_only_loopback_names_are_answered(plain):
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io:80", "", "[::1].x"):
        reply = plain.get("/inspect", headers={"Host": host})
        assert reply.status_code == 403, host
    for host in ("127.0.0.1:8021", "localhost", "LOCALHOST:1", "[::1]:8021"):
        assert plain.get("/inspect", headers={"Host": host}).status_code == 200, host


def test_every_reply_has_its_policy(plain):
    for path in ("/inspect", "/api/openapi.json", "/static/style.css", "/nowhere", "/api/nowhere"):
        headers = plain.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "unsafe-inline" not in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_writing_needs_the_token(plain):
    assert plain.post("/api/documents", content=b"<p>x").status_code == 403
    for wrong in ({"Authorization": "Bearer x"}, {"Authorization": "Basic x"}, {FORM_HEADER: "x"}):
        assert plain.post("/api/documents", content=b"<p>x", headers=wrong).status_code == 403
    assert plain.post("/api/documents", content=b"<p>x", headers=BEARER).status_code == 200


def test_the_cookie_alone_does_not_write_nor_does_the_form_token_alone(plain, app):
    reply = plain.get(f"/inspect?token={TOKEN}&lang=en", follow_redirects=False)
    assert reply.status_code == 303
    assert reply.headers["location"] == "/inspect?lang=en"
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    page = plain.get("/inspect").text
    form_token = app.state.bench.access.form_token
    assert form_token in page
    assert TOKEN not in page
    assert plain.post("/api/documents", content=b"<p>").status_code == 403
    sent = {FORM_HEADER: form_token}
    assert plain.post("/api/documents", content=b"<p>", headers=sent).status_code == 200
    stranger = TestClient(app, base_url="http://127.0.0.1")
    assert stranger.post("/api/documents", content=b"<p>", headers=sent).status_code == 403
    assert form_token not in stranger.get("/inspect").text
    assert form_token not in stranger.get("/inspect?token=wrong").text


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://127.0.0.1:9"}],
)  # fmt: skip
def test_other_sites_cannot_write_even_with_the_token(plain, headers):
    reply = plain.post("/api/documents", content=b"<p>", headers={**BEARER, **headers})
    assert reply.status_code == 403


def test_sizes_are_bounded(client):
    big = client.post("/api/documents", content=b"x" * (MAX_BYTES + 1), headers=BEARER)
    assert big.status_code == 413
    body = b'{"url": "' + b"x" * 300_000 + b'"}'
    json_type = {**BEARER, "Content-Type": "application/json"}
    assert client.post("/api/fetch", content=body, headers=json_type).status_code == 413
    deep = b"[" * 100_000
    assert client.post("/api/fetch", content=deep, headers=json_type).status_code == 400
    assert client.post("/api/fetch", content=b"url=x", headers=BEARER).status_code == 415


@pytest.mark.full
def test_frames_have_an_origin_of_their_own(client):
    name = client.post("/api/documents", content=b"<p>x", headers=BEARER).json()["id"]
    original = client.get(f"/frames/{name}/original").headers["content-security-policy"]
    assert original.startswith(
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    first, second = (
        client.get(f"/frames/{name}/content").headers["content-security-policy"] for _ in range(2)
    )
    assert first.startswith("sandbox allow-scripts; default-src 'none'")
    assert "allow-same-origin" not in first
    assert "script-src 'nonce-" in first
    assert first != second


def test_a_page_as_stored_is_a_download(client):
    body = "<p onclick=x>天网".encode("gb18030")
    name = client.post("/api/documents", content=body, headers=BEARER).json()["id"]
    reply = client.get(f"/api/pages/{name}/raw")
    assert reply.content == body
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"].startswith("attachment")


def test_a_fetched_page_opens(client):
    reply = client.post("/api/fetch", json={"url": "http://a.example/x"}, headers=BEARER)
    found = client.get(f"/api/pages/{reply.json()['id']}/summary").json()
    assert (found["url"], found["page_title"]) == ("http://a.example/x", "fetched")


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://localhost:22/", "http://[::1]/", "http://10.0.0.1/", "http://0x7f.1/",
     "http://2130706433/", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/", "http://x.internal/",
     "file:///etc/passwd", "ftp://a.cn/", "gopher://a.cn/", "http://", "javascript:1", "", "http://127.0.0.1%2f@a.cn:99999/"],
)  # fmt: skip
def test_private_addresses_and_other_schemes_are_not_fetched(url):
    with pytest.raises(FetchError) as caught:
        guarded_fetch(url)
    assert caught.value.reason in {"private_address", "bad_url"}


def test_names_that_lead_to_private_addresses_are_not_fetched(monkeypatch):
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [place])
    with pytest.raises(FetchError) as caught:
        guarded_fetch("http://rebinding.example/")
    assert caught.value.reason == "private_address"


def test_redirects_to_private_addresses_are_not_followed():
    from quarkcrawl.cli.guard import _GuardedRedirects

    with pytest.raises(FetchError):
        _GuardedRedirects().redirect_request(None, None, 302, "", {}, "http://127.0.0.1/")
