"""The pictures of a corpus in the workbench: found, shown without asking anybody, harmless."""

import pytest
from starlette.testclient import TestClient

from quarkcrawl.corpus.extraction.job import PoolOptions
from quarkcrawl.corpus.pictures.index import index_pictures
from quarkcrawl.store import CorpusWriter
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.api.pictures import _is_public
from tests.corpus.test_pictures import PAGE
from tests.store.samples import make_item

HOSTILE = PAGE.replace(
    "未名湖雪景 <b>[摄影]</b>", "颐和园&lt;img src=http://evil.example/x&gt;"
).replace("/lake.jpg", "http://127.0.0.1:9/x.jpg")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures") / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(1, host="pku.cn", url="http://pku.cn/a", body=PAGE.encode()))
        writer.append_page(make_item(2, host="b.cn", url="http://b.cn/b", body=HOSTILE.encode()))
        writer.sync().acknowledged()
    return root


@pytest.fixture(scope="module")
def without(corpus, tmp_path_factory):
    """What the view says before there is an index."""
    app = create_app(corpus)
    client = TestClient(app, base_url="http://127.0.0.1")  # no start: pages are not read here
    found = client.get("/pictures?lang=en"), client.get("/api/pictures?q=x")
    app.state.bench.close()
    index_pictures(corpus, pool=PoolOptions(workers=1))
    return found


@pytest.fixture(scope="module")
def client(corpus, without):
    app = create_app(corpus)
    made = TestClient(app, base_url="http://127.0.0.1")
    while made.get("/hosts").status_code == 202:  # tables are being read
        pass
    yield made
    app.state.bench.close()


def test_without_an_index_it_says_what_makes_it(without):
    view, api = without
    assert "quarkcrawl pictures index" in view.text
    assert api.status_code == 404
    assert "pictures index" in api.json()["detail"]


def test_pictures_are_found_with_their_pages(client):
    found = client.get("/api/pictures", params={"q": "未名湖 雪景"}).json()
    assert found["terms"] == ["未名湖", "雪景"]
    best = found["rows"][0]
    assert best["src"] == "http://pku.cn/lake.jpg"
    assert client.get(f"/page/{best['id']}").status_code == 200
    view = client.get("/pictures", params={"q": "未名湖 雪景"})
    assert f'href="/page/{best["id"]}"' in view.text
    assert "未名湖雪景 [摄影]" in view.text


def test_nothing_is_asked_of_others_unless_wanted(client):
    view = client.get("/pictures", params={"q": "湖面"})
    assert "<img" not in view.text
    assert "http:" not in view.headers["content-security-policy"]
    wanted = client.get("/pictures", params={"q": "湖面", "thumbs": "1"})
    assert '<img src="http://pku.cn/lake.jpg"' in wanted.text
    assert 'referrerpolicy="no-referrer"' in wanted.text
    policy = wanted.headers["content-security-policy"]
    assert "img-src 'self' http: https: data:" in policy
    assert "default-src 'none'; script-src 'self'" in policy


def test_words_of_strangers_are_words(client):
    view = client.get("/pictures", params={"q": "颐和园", "thumbs": "1"})
    assert "&lt;img src=http://evil.example/x&gt;" in view.text
    assert '<img src="http://127.0.0.1' not in view.text
    for query in ("", "<script>", "' OR 1", "\x00", "长" * 600):
        assert client.get("/pictures", params={"q": query}).status_code == 200


@pytest.mark.parametrize(
    ("src", "is_public"),
    [("http://a.cn/x.jpg", True), ("https://img.a-b.com.cn:8080/x", True), ("//a.cn/x", False),
     ("http://127.0.0.1/x", False), ("http://[::1]/x", False), ("http://2130706433/x", False),
     ("http://localhost/x", False), ("http://router.local/x", False), ("javascript:x", False),
     ("data:image/png;base64,x", False), ("http://10.0.0.1.nip/x", True), ("http://[x", False),
     ("http://intranet/x", False), ("http://0x7f.1/x", False)],
)  # fmt: skip
def test_addresses_that_a_browser_may_ask(src, is_public):
    assert _is_public(src) is is_public


def test_bad_requests(client):
    assert client.get("/api/pictures").status_code == 400
    assert client.get("/api/pictures?q=x&page=0").status_code == 400
    assert client.get("/api/pictures?q=" + "x" * 501).status_code == 400
    assert client.get("/api/pictures?q=xyzzy&page=99").json()["rows"] == []
