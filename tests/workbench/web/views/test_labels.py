"""What labels leave of a corpus: the funnel, its lists, their twins; what is missing is told."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from quarkcrawl.dataset import LABEL_VALUES
from quarkcrawl.workbench.web import create_app
from tests.crawl.harness import environment
from tests.workbench.web.conftest import await_tables
from tests.workbench.web.views.listing import every_row


@contextmanager
def opened(root):
    app = create_app(root, token="t", gold=root / "gold", templates=root / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    try:
        for path in ("/hosts", "/labels"):
            await_tables(lambda path=path: client.get(path).status_code)
        yield client
    finally:
        app.state.bench.close()


@pytest.fixture(scope="module")
def labeled(made_corpus, tmp_path_factory):
    root = shutil.copytree(made_corpus, tmp_path_factory.mktemp("labelled") / "corpus")
    command = [sys.executable, "-m", "quarkcrawl", "refine", str(root), "--workers", "1"]
    subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=300)
    return root


@pytest.fixture(scope="module")
def client(labeled):
    with opened(labeled) as client:
        yield client


def listed(client, **asked):
    rows = every_row(client, "/api/labels/documents", **asked)
    assert len({row["url"] for row in rows}) == len(rows)
    return rows


def test_each_number_of_the_funnel_leads_to_so_many_documents(client):
    found = client.get("/api/labels").json()
    assert len(listed(client)) == found["documents"] > 50
    assert len(listed(client, reason="kept")) == found["steps"][-1]["left"]
    dropped = {step["reason"]: step["dropped"] for step in found["steps"]}
    assert dropped["short"] > 0
    for reason, n in dropped.items():
        rows = listed(client, reason=reason)
        assert len(rows) == n
        assert {row["reason"] for row in rows} <= {reason}
    for label, values in found["labels"].items():
        assert label in LABEL_VALUES
        for value in values[:3]:
            assert len(listed(client, label=label, value=value["name"])) == value["n"], label


def test_documents_are_drawn_and_lead_to_their_pages(client):
    rows = listed(client, label="language", value="zh")
    urls = [row["url"] for row in rows]
    assert urls != sorted(urls)
    assert urls == [row["url"] for row in listed(client, label="language", value="zh")]
    assert all(row["id"] for row in rows)
    html = client.get("/labels/documents?label=language&value=zh&lang=en").text
    for row in rows[:50]:
        assert f'href="/page/{row["id"]}"' in html


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_views_have_words_for_everything(client, lang):
    found = client.get("/api/labels").json()
    html = client.get(f"/labels?lang={lang}").text
    for step in found["steps"]:
        assert step["reason"] in html
    assert (found["steps"][3]["meaning"] in html) == (lang == "en")
    paths = [f"/labels/documents?reason={one['reason']}" for one in found["steps"]]
    for path in ("/labels", *paths):
        sign = "&" if "?" in path else "?"
        assert not re.findall(
            r"\b(?:labels?|left_out)\.[a-z_]+\b", client.get(f"{path}{sign}lang={lang}").text
        )


@pytest.mark.parametrize("value", ["' OR 1=1 --", "<script>RAN</script>", "天网", "x" * 190])
def test_any_value_is_answered(client, value):
    assert listed(client, label="spam", value=value) == []
    html = client.get("/labels/documents", params={"label": "spam", "value": value}).text
    assert "<script>RAN" not in html
    params = {"label": "spam; DROP TABLE pages", "value": value}
    assert client.get("/api/labels/documents", params=params).status_code == 400
    assert client.get("/labels/documents", params=params).status_code == 200


def test_without_labels_the_views_name_the_command(made_corpus, tmp_path):
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    with opened(root) as client:
        for path in ("/labels", "/labels/documents?reason=spam"):
            reply = client.get(path, params={"lang": "en"})
            assert reply.status_code == 200
            assert f"quarkcrawl refine {root}" in reply.text
        assert client.get("/api/labels").status_code == 503
        assert "no labels" in client.get("/api/labels").json()["detail"]


@pytest.mark.full
def test_a_broken_table_of_labels_is_named_until_it_is_whole_again(labeled, tmp_path):
    root = shutil.copytree(labeled, tmp_path / "corpus")
    part = next((root / "analysis" / "labels" / "texts").glob("*.parquet"))
    whole = part.read_bytes()
    part.write_bytes(whole[:-200])
    with opened(root) as client:
        reply = client.get("/labels?lang=en")
        assert reply.status_code == 200
        assert "cannot be read" in reply.text
        assert part.name in reply.text
        assert client.get("/hosts").status_code == 200
        assert client.get("/api/labels").status_code == 503
        part.write_bytes(whole)
        for _ in range(50):  # a thread may have read it while it was written
            client.app.state.bench.labels._derived._next_at = 0.0  # as if it had rested
            await_tables(lambda: client.get("/labels").status_code)
            if client.get("/api/labels").status_code == 200:
                break
        assert client.get("/api/labels").json()["documents"] > 50
