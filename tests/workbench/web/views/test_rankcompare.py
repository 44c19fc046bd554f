"""Two rankings beside each other: the view and its twin say what `rank compare` prints."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli import main
from quarkcrawl.workbench.web import create_app
from tests.workbench.web.conftest import await_tables


@pytest.fixture(scope="module")
def root(made_corpus, tmp_path_factory):
    return shutil.copytree(made_corpus, tmp_path_factory.mktemp("compared") / "corpus")


@contextmanager
def opened(root):
    app = create_app(root, token="t", gold=root / "gold", templates=root / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    try:
        await_tables(lambda: client.get("/hosts").status_code)
        yield client
    finally:
        app.state.bench.close()


@pytest.fixture(scope="module")
def client(root):
    with opened(root) as client:
        yield client


def compared(client, first, second, **more):
    return client.get("/api/ranks/compare", params={"first": first, "second": second, **more})


def test_the_twin_says_what_the_command_prints(client, root, capsys):
    for first, second in (("pagerank", "blpr"), ("quarkrank", "pagerank")):
        assert main(["rank", "compare", str(root), first, second, "--top", "3"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert compared(client, first, second, movers=3).json() == printed
    alike = compared(client, "blpr", "blpr").json()
    assert (alike["kendall_tau"], alike["l1"], alike["gained"]) == (1.0, 0.0, [])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_view_shows_figure_and_movers_with_links_to_the_pages(client, lang):
    found = compared(client, "pagerank", "blpr", movers=20).json()
    html = client.get(f"/ranks/compare?first=pagerank&second=blpr&movers=20&lang={lang}").text
    assert f"{found['kendall_tau']:.3f}" in html
    assert html.count('class="dot many"') == found["pages"]
    for name in ("gained", "lost"):
        table = re.search(rf'<table class="stack" id="{name}">.*?</table>', html, re.DOTALL)[0]
        assert len(found[name]) == 20
        assert table.count('href="/page/') == 20
        for mover in found[name]:
            assert mover["url"].partition("://")[2].replace("&", "&amp;")[:40] in table
    assert not re.findall(r"\b(?:rankcompare|figure)\.[a-z_]+\b", html.partition("<main")[2])


def test_without_words_it_compares_the_first_two_and_odd_words_are_told(client, root):
    html = client.get("/ranks/compare?lang=en").text
    assert re.search(r"<option selected>blpr</option>", html)
    assert re.search(r"<option selected>pagerank</option>", html)
    for odd in ("none", "../ranks/blpr", "quarkrank-hosts", "<script>x", "\0"):
        reply = client.get("/ranks/compare", params={"first": odd, "lang": "en"})
        assert reply.status_code == 200
        assert "<script>x" not in reply.text
        assert "cannot be compared" in reply.text or odd == "\0"
        assert compared(client, odd, "blpr").status_code in {400, 404}
    assert compared(client, "blpr", "pagerank", movers=100_000).status_code == 400


def test_a_broken_or_missing_table_is_named_and_the_rest_compared(made_corpus, tmp_path):
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    path = root / "analysis" / "ranks" / "pagerank.parquet"
    path.write_bytes(path.read_bytes()[:100])
    with opened(root) as client:
        html = client.get("/ranks/compare?first=blpr&second=pagerank&lang=en").text
        assert str(path) in html
        assert "no table of ranks" in html
        assert compared(client, "blpr", "pagerank").status_code == 503
        assert compared(client, "blpr", "quarkrank").status_code == 200
        shutil.rmtree(path.parent)
        assert "No ranks yet" in client.get("/ranks/compare?lang=en").text
