"""Two runs beside each other: the view, its twin and its lists; what is missing is told."""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from quarkcrawl.corpus import CHANGES
from quarkcrawl.errors import StoreError
from quarkcrawl.store import Corpus, CorpusWriter, DropRow
from quarkcrawl.workbench.web import create_app
from tests.store.samples import make_item
from tests.workbench.web.conftest import await_tables
from tests.workbench.web.views.listing import every_row


@contextmanager
def opened(root, before):
    app = create_app(root, token="t", gold=root / "g", templates=root / "t.json", before=before)
    client = TestClient(app, base_url="http://127.0.0.1")
    try:
        for path in ("/hosts", "/runs/pages"):
            await_tables(lambda path=path: client.get(path).status_code)
        yield client
    finally:
        app.state.bench.close()


def earlier_run(made_corpus, root):
    """Two of three pages as they were with other bytes, seven that are gone, some timeouts."""
    table = Corpus.open(made_corpus).table("page").to_table(columns=["url", "host"])
    rows = table.sort_by("url").to_pylist()
    with CorpusWriter(root) as writer:
        for number, row in enumerate(rows):
            if number % 3:
                body = "<title>旧</title><p>以前的页面。".encode()
                writer.append_page(make_item(number, host=row["host"], url=row["url"], body=body))
            else:
                writer.append_row(DropRow(row["url"], row["host"], "timeout", "", 2, 5.0))
        for number in range(7):
            host = rows[0]["host"]
            url = f"http://{host}/gone-{number}"
            writer.append_page(make_item(900 + number, host=host, url=url, body=b"<p>gone"))
    return root


@pytest.fixture(scope="module")
def client(made_corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    before = earlier_run(made_corpus, folder / "before")
    root = shutil.copytree(made_corpus, folder / "corpus")
    with opened(root, before) as client:
        yield client


def listed(client, **asked):
    rows = every_row(client, "/api/runs/pages", **asked)
    assert len({row["url"] for row in rows}) == len(rows)
    return rows


def test_each_number_leads_to_so_many_pages(client, made_corpus):
    found = client.get("/api/runs").json()
    assert found["changes"]["went"] == 7
    assert found["pages"][1] == len(
        Corpus.open(made_corpus).table("page").to_table(columns=["url"])
    )
    for change in CHANGES:
        rows = listed(client, change=change)
        assert len(rows) == found["changes"][change]
        assert {row["change"] for row in rows} <= {change}
        assert all(bool(row["id"]) == (change != "went") for row in rows)
    assert found["elsewhere"] == {
        "came": {"timeout": found["changes"]["came"]},
        "went": {"not_met": 7},
    }
    assert len(listed(client, elsewhere="timeout")) == found["changes"]["came"]
    for host in found["hosts"]:
        for change in ("came", "went", "changed"):
            assert len(listed(client, host=host["host"], change=change)) == host[change]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_views_have_words_for_everything(client, lang):
    for path in ("/runs", "/runs/pages", *(f"/runs/pages?change={one}" for one in CHANGES)):
        html = client.get(f"{path}{'&' if '?' in path else '?'}lang={lang}").text
        main = html.partition("<main")[2]
        assert not re.findall(r"\b(?:runs|figure|column|tab)\.[a-z_]+\b", main), path
    assert 'href="/runs"' in html
    html = client.get(f"/runs?lang={lang}").text
    for change in CHANGES:
        assert f'href="/runs/pages?change={change}"' in html


def test_any_text_is_answered(client):
    for text in ("<script>RAN</script>", "' OR 1=1 --", "天网"):
        assert listed(client, host=text) == []
        html = client.get("/runs/pages", params={"host": text, "change": text}).text
        assert "<script>RAN" not in html
    assert client.get("/api/runs/pages?change=x").status_code == 400


@pytest.mark.full
def test_without_an_earlier_run_or_with_a_broken_one(made_corpus, tmp_path):
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    with opened(root, None) as client:
        assert "--before" in client.get("/runs").text
        assert 'href="/runs"' not in client.get("/hosts").text
        for path in ("/api/runs", "/api/runs/pages"):
            assert client.get(path).status_code == 404
    with pytest.raises(StoreError):
        create_app(root, token="t", gold=root / "g", templates=root / "t.json", before=tmp_path)
    before = shutil.copytree(made_corpus, tmp_path / "before")
    part = next((before / "analysis" / "pages").rglob("*.parquet"))
    part.write_bytes(part.read_bytes()[:100])
    with opened(root, before) as client:
        reply = client.get("/runs?lang=en")
        assert reply.status_code == 200
        assert "cannot be compared" in reply.text
        assert part.name in reply.text
        assert client.get("/api/runs").status_code == 503
        assert client.get("/hosts").status_code == 200
