"""Large pages are read in steps; what is found is what a small page of the same bytes gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from quarkcrawl.content.quark.bayes import features, posterior
from quarkcrawl.content.quark.priors import FEATURES
from quarkcrawl.content.words import noise_words
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.documents import LARGE_BYTES, Documents
from quarkcrawl.workbench.web.http.pending import PagePendingError
from quarkcrawl.workbench.web.worker import analyzed as kept
from quarkcrawl.workbench.web.worker import answers as pagework
from quarkcrawl.workbench.web.worker import reading
from quarkcrawl.workbench.web.worker.blockfacts import BlockFacts
from quarkcrawl.workbench.web.worker.reading import STEPS, read
from quarkcrawl.workbench.web.worker.worker import LAST_STEP, NEEDED
from tests.content.posts import pages as posts

TEXTS = (
    "北京大学网络实验室的搜索引擎。" * 5,
    "北京大学网络实验室。" * 6 + "版权所有，联系我们。",
    "很长的正文。" * 60,
)
BODY = "<title>天网</title><h1>天网</h1>" + "".join(
    f"<table><tr><td>{TEXTS[number % 3]}</table>" for number in range(30)
)


@pytest.fixture
def document():
    kept._kept.clear()
    documents = Documents(None)
    yield documents.add(BODY.encode())
    documents.close()


@pytest.fixture
def large(document):
    return replace(document, n_bytes=LARGE_BYTES)


@pytest.fixture
def done(monkeypatch):
    """Steps as they are done; each takes longer than one may wait."""
    names = []

    def noting(name, step):
        def run(*words):
            names.append(name)
            return step(*words)

        return run

    monkeypatch.setattr(
        reading, "STEPS", {name: noting(name, step) for name, step in STEPS.items()}
    )
    monkeypatch.setattr(reading, "PATIENCE_S", -1.0)
    return names


ALL = {"method": "default", "templates": "", "upto": LAST_STEP}


def asked_until_answered(question, document, **values):
    """The answer, and how often one was told to ask again."""
    for n_pending in range(20):
        try:
            return pagework.answer_page((question, document, values)), n_pending
        except PagePendingError as error:
            assert error.where == document.id
    pytest.fail("reading does not end")


def test_one_step_at_a_time_and_none_twice(large, done):
    _, n_pending = asked_until_answered("summary", large, method="default", templates="")
    assert (done, n_pending) == (["tree", "blocks", "content"], 2)
    _, n_pending = asked_until_answered("text", large, method="default", templates="")
    assert n_pending == 0
    _, n_pending = asked_until_answered("read", large, **ALL)
    assert (done, n_pending) == (list(STEPS), 1)
    asked_until_answered("read", large, **ALL)
    assert done == list(STEPS)


def test_the_server_waits_for_steps_that_there_are():
    assert list(STEPS)[-1] == LAST_STEP
    assert set(NEEDED.values()) <= set(STEPS)
    assert set(NEEDED) <= set(pagework.ANSWERS)


def test_a_small_page_is_read_at_once(document, done):
    assert read(document, "spans").page.title == "天网"
    assert done == []


QUESTIONS = {
    "summary": {},
    "text": {},
    "blocks": {"start": 3, "count": 7},
    "source": {"start": 0, "count": 500},
    "frame": {"view": "content", "part": 0, "nonce": "n"},
    "compare": {"first": "default", "second": "quark"},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_in_steps_the_same_is_found_as_at_once(name, document, large, done):
    """Having been read as far as the server knows to wait for, the page answers at once."""
    values = {"templates": "", **QUESTIONS[name]}
    if name != "compare":
        values["method"] = "quark"
    at_once = pagework.answer_page((name, document, values))
    kept._kept.clear()
    in_steps, n_pending = asked_until_answered(name, large, **values)
    assert n_pending >= 1
    kept._kept.clear()
    for method in {values.get("method", "default"), values.get("second", "default")}:
        asked_until_answered("read", large, method=method, templates="", upto=NEEDED[name])
    assert asked_until_answered(name, large, **values)[1] == 0
    for found in (at_once, in_steps):
        if name == "summary":
            found.pop("elapsed_s")
    assert in_steps == at_once


def test_facts_of_some_blocks_are_those_of_all(document):
    """Noise words are looked for in the blocks shown only."""
    content = read(document, "content").content("quark")
    facts = BlockFacts(content)
    blocks = content.segmentation
    present = features(blocks, noise_words())
    likely = posterior(present)
    assert 0 < present[:, FEATURES.index("noise_word")].sum() < len(blocks)
    pieces = [one for start in range(0, len(blocks), 7) for one in facts.some(start, 7)]
    assert len(pieces) == len(blocks) > 20
    for number, one in enumerate(pieces):
        assert one["number"] == number
        assert one["features"] == [
            name for name, has in zip(FEATURES, present[number], strict=True) if has
        ]
        assert one["posterior"] == round(float(likely[number]), 4)


@pytest.mark.full
def test_the_api_says_that_a_large_page_is_being_read(tmp_path, monkeypatch):
    app = create_app(token="t", gold=tmp_path / "gold", templates=tmp_path / "t.json")
    bench, client = app.state.bench, TestClient(app, base_url="http://127.0.0.1")
    monkeypatch.setattr("quarkcrawl.workbench.web.worker.worker.PATIENCE_S", 0.01)
    monkeypatch.setattr("quarkcrawl.workbench.web.worker.worker.TURN_S", 0.01)
    body = BODY.encode() + b" " * LARGE_BYTES
    with bench.worker._lock:  # as while a step takes long
        bearer = {"Authorization": "Bearer t"}
        page = client.post("/api/documents", content=body, headers=bearer).json()["id"]
        for path in (f"/api/pages/{page}/summary", f"/frames/{page}/content"):
            reply = client.get(path)
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
            assert "being read" in reply.json()["detail"]
        assert client.get(f"/api/pages/{page}/reading").json() == {"is_read": False}
        assert 'data-large="yes"' in client.get(f"/page/{page}").text
    bench.worker.prepare(bench.documents[page]).join()
    monkeypatch.undo()
    assert client.get(f"/api/pages/{page}/reading").json() == {"is_read": True}
    assert client.get(f"/api/pages/{page}/summary").json()["title"] == "天网"
    bench.close()


@pytest.mark.parametrize(
    ("html", "kind"), [(posts.phpbb(), "post"), (posts.wordpress(f"<p>{TEXTS[2]}"), "comment")]
)
def test_what_users_wrote_is_told(html, kind):
    documents = Documents(None)
    document = documents.add(html.encode())
    found = BlockFacts(read(document, "content").content("default")).some(0, 99)
    assert {one["why"] for one in found if one["kind"] == kind} == {kind}
    summary = pagework.ANSWERS["summary"](document, method="default", templates="")
    chars = sum(one["n_chars"] for one in found if one["kind"] == kind)
    assert summary["chars"][kind] == chars > 0
    documents.close()
