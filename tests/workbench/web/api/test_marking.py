"""Marks through the API: parts of blocks, notes, what comes next, agreement, an export that is taken."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import urllib.request
from itertools import combinations

import numpy as np
import pytest
from starlette.testclient import TestClient

from quarkcrawl.errors import QuarkError
from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.lab.gold import load_gold, marked_text
from quarkcrawl.lab.training.data import read_marked_pages
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.api import PEERS
from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.worker.gold import disagreements
from tests.crawl.harness import environment
from tests.workbench.web.conftest import await_tables, served

BEARER = {"Authorization": "Bearer t"}
HEAD = "新华网 2003-10-26 电"
TEXT = "天网搜索引擎。" * 30
PAGE = f"<title>x</title><div><p>{HEAD}</p></div><hr><div><p>{TEXT}点击：20次</p></div>"


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    return tmp_path_factory.mktemp("marking") / "gold"


@pytest.fixture(scope="module")
def client(corpus, gold):
    app = create_app(corpus, token="t", gold=gold)
    with served(app) as base:
        await_tables(lambda: urllib.request.urlopen(f"{base}/hosts", timeout=30).status)
        yield TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=True)


def add(client, html: str) -> str:
    path = "/api/documents?url=http://outside.example/a"
    return client.post(path, content=html.encode(), headers=BEARER).json()["id"]


def put(client, marker: str, page: str, **body):
    return client.put(f"/api/marking/{marker}/{page}", json=body, headers=BEARER)


def sample(client, n: int, **more) -> list[str]:
    body = {"seed": 3, "size": n, **more}
    return client.post("/api/marking/sample", json=body, headers=BEARER).json()["ids"]


def runs_of(client, page: str) -> dict[str, int]:
    """Number of each text run, as the frame tells it."""
    frame = client.get(f"/frames/{page}/neutral").text
    return {
        piece.partition(">")[2].partition("<")[0]: int(piece.partition('data-qk-run="')[2].partition('"')[0])
        for piece in frame.split("<qk-run")[1:]
    }  # fmt: skip


@pytest.mark.full
def test_parts_of_blocks_are_kept_and_are_exact_in_the_gold(client, gold):
    page = add(client, PAGE)
    runs = runs_of(client, page)
    head, body = runs[HEAD], runs[f"{TEXT}点击：20次"]
    fresh = client.get(f"/api/marking/dan/{page}").json()
    assert (fresh["is_saved"], fresh["passages"], fresh["origin"]) == (False, [], "blank")
    n = len(fresh["kinds"])
    kinds = ["content"] * n
    passages = [
        {"run": head, "start": 0, "end": 3, "kind": "byline"},
        {"run": head, "start": 4, "end": 14, "kind": "date"},
        {"run": body, "start": len(TEXT), "end": len(TEXT) + 6, "kind": "noise"},
    ]
    reply = put(client, "dan", page, kinds=kinds, passages=passages, origin="blank", order="blind")
    assert reply.status_code == 200, reply.text
    found = client.get(f"/api/marking/dan/{page}").json()
    assert found["kinds"] == kinds
    by_place = {(one["run"], one["start"], one["end"]): one["kind"] for one in found["passages"]}
    assert by_place[head, 4, 14] == "date"
    assert by_place[head, 14, len(HEAD)] == "content"  # the whole of a run is told
    [made] = [one for one in load_gold(gold / "dan") if one.number == page]
    assert marked_text(made).gold_text == f"电\n{TEXT}"
    assert (
        put(client, "dan", page, **found_of(found)).status_code == 200
    )  # as a view saves it again
    assert client.get(f"/api/marking/dan/{page}").json()["passages"] == found["passages"]


def found_of(found: dict) -> dict:
    return {name: found[name] for name in ("kinds", "passages", "origin")}


@pytest.mark.parametrize(
    ("passage", "status"),
    [({"run": 999, "start": 0, "end": 1}, 409), ({"run": 1, "start": 5, "end": 5}, 409),
     ({"run": 1, "start": 0, "end": 9999}, 409), ({"run": 0, "start": 0, "end": 1}, 409),
     ({"run": -1, "start": 0, "end": 1}, 400), ({"run": 1, "start": 0, "end": 1, "kind": "x"}, 400)],
)  # fmt: skip
def test_passages_that_the_page_does_not_have_are_refused(client, passage, status):
    page = add(client, PAGE)
    n = len(client.get(f"/api/marking/dan/{page}").json()["kinds"])
    reply = put(client, "eva", page, kinds=["noise"] * n, passages=[{"kind": "date", **passage}])
    assert reply.status_code == status, reply.text
    assert not client.get(f"/api/marking/eva/{page}").json()["is_saved"]


def test_agreement_is_counted_inside_of_blocks_and_for_each_kind(client):
    page = add(client, PAGE)
    head = runs_of(client, page)[HEAD]
    n = len(client.get(f"/api/marking/x/{page}").json()["kinds"])
    date = [{"run": head, "start": 4, "end": 14, "kind": "date"}]
    wider = [{"run": head, "start": 0, "end": 14, "kind": "date"}]
    for name, passages in (("fay", date), ("gus", wider)):
        assert put(client, name, page, kinds=["content"] * n, passages=passages).status_code == 200
    found = client.get("/api/marking/agreement?first=fay&second=gus").json()
    pairs = {(one["first"], one["second"]): one["chars"] for one in found["pairs"]}
    assert pairs["content", "date"] == 3
    assert pairs["date", "date"] == 10
    n_chars = len(HEAD.replace(" ", "")) + len(TEXT) + 6
    assert (found["n_chars"], sum(pairs.values())) == (n_chars, n_chars)
    [of_date] = [one for one in found["kinds"] if one["kind"] == "date"]
    assert of_date == {"kind": "date", "first": 10, "second": 13, "both": 10, "f1": 0.8696}


def test_marks_of_older_versions_agree_and_are_scored_as_before(client, gold):
    page = add(client, PAGE)
    n = len(client.get(f"/api/marking/x/{page}").json()["kinds"])
    assert put(client, "hal", page, kinds=["content"] * n, origin="blank").status_code == 200
    file = gold / "hal/marks.json"
    marks = json.loads(file.read_text())
    for name in ("origin", "order", "passages", "pieces"):
        del marks[page][name]
    file.write_text(json.dumps(marks))
    found = client.get(f"/api/marking/hal/{page}").json()
    assert (found["origin"], found["passages"], found["kinds"]) == ("unknown", [], ["content"] * n)
    assert client.get("/api/marking/agreement?first=hal&second=hal").json()["kappa"] == 1.0
    assert scores(client, "hal")["methods"][0]["n_scored"] == 1


def scores(client, marker: str) -> dict:
    while True:
        found = client.get(f"/api/marking/{marker}/scores").json()
        if not any(one["n_waiting"] + one["own"]["n_waiting"] for one in found["methods"]):
            return found


def test_the_sample_is_shuffled_over_the_hosts(client):
    """Before, hosts took turns in the order, too: the first pages were of as many hosts, always."""
    hosts = {row["id"]: row["host"] for number in range(1, 9) for row in
             client.get(f"/api/pages?page={number}").json()["rows"]}  # fmt: skip
    n_hosts = len(set(hosts.values()))
    assert n_hosts >= 3
    draws = [sample(client, 40, seed=seed) for seed in range(12)]
    firsts = [[hosts.get(one, "?") for one in ids[:n_hosts]] for ids in draws]
    assert any(len(set(first)) < n_hosts for first in firsts)
    assert len({first[0] for first in firsts}) > 1
    assert draws[3] == sample(client, 40, seed=3)  # the same draw is the same order


def test_skip_flag_and_what_comes_next(client):
    ids = sample(client, 5, topic=True)
    assert client.get("/api/marking/ida/queue").json()["next"] == ids[0]
    note = {"is_skipped": True, "is_flagged": True, "note": "两篇文章"}
    path = f"/api/marking/ida/{ids[0]}/note"
    assert client.put(path, json=note, headers=BEARER).json() == note
    assert client.put(path, json=note).status_code == 403
    found = client.get(f"/api/marking/ida/{ids[0]}").json()
    assert (found["is_skipped"], found["is_flagged"], found["note"]) == (True, True, "两篇文章")
    assert client.get("/api/marking/ida/queue").json()["next"] == ids[1]
    assert put(client, "ida", ids[0], kinds=found["kinds"]).status_code == 200
    found = client.get(f"/api/marking/ida/{ids[0]}").json()
    assert (found["is_skipped"], found["is_flagged"]) == (False, True)
    assert client.put(path, json={}, headers=BEARER).json()["note"] == ""
    assert (
        client.put("/api/marking/ida/ffffffffffffffff/note", json={}, headers=BEARER).status_code
        == 404
    )


@pytest.mark.full
def test_pages_on_which_methods_disagree_come_first(client):
    ids = sample(client, 12, topic=True)
    assert client.post("/api/marking/disagreement").status_code == 403
    while True:
        found = client.post("/api/marking/disagreement", headers=BEARER).json()
        if found["n_compared"] == found["n_pages"]:
            break
    values = {one: disagreement(client, one) for one in ids}
    best = client.get("/api/marking/jo/queue?order=disagreement").json()["next"]
    assert values[best] == pytest.approx(max(values.values()), abs=0.02)
    assert max(values.values()) > min(values.values()) + 0.1
    assert client.get("/api/marking/jo/queue?order=best").status_code == 400
    found = client.get("/api/marking?order=disagreement").json()
    told = [found["disagreement"][one] for one in found["ids"]]
    assert told == sorted(told, reverse=True)
    assert found["ids"][0] == best
    assert client.get("/api/marking").json()["ids"] == ids


@pytest.mark.full
def test_peers_take_part_in_the_disagreement_where_they_are_installed(client):
    ids = sample(client, 6, topic=True)
    alone = compared(client, "")
    every = compared(client, ",".join(PEERS))
    installed = [name for name in PEERS if extractor(name).is_installed]
    assert "turbohtml" in installed  # it is one of our own needs
    assert every["peers"] == installed
    assert every["absent"] == [name for name in PEERS if name not in installed]
    found = compared(client, "turbohtml")
    assert (found["peers"], found["absent"]) == (["turbohtml"], [])
    values = found["disagreement"]
    assert sorted(values) == sorted(ids)
    for one in ids:
        told = disagreement(client, one, "turbohtml")
        assert values[one] == pytest.approx(told, abs=0.02)
    assert values != alone["disagreement"]
    best = client.get("/api/marking/jo/queue?order=disagreement&peers=turbohtml").json()["next"]
    assert values[best] == max(values.values())
    refused = client.get("/api/marking?peers=goose")
    assert refused.status_code == 400
    assert "trafilatura" in refused.json()["detail"]
    assert client.get("/marking?order=disagreement&peers=goose").status_code == 200


def compared(client, peers: str):
    """The sample by disagreement, when all of its pages were compared."""
    while True:
        found = client.post(f"/api/marking/disagreement?peers={peers}", headers=BEARER).json()
        if found["n_compared"] == found["n_pages"]:
            return client.get(f"/api/marking?order=disagreement&peers={peers}").json()


def test_a_peer_that_fails_on_a_page_is_left_out_there(tmp_path, monkeypatch):
    file = tmp_path / "page.html"
    line = "湖边的读书会今天开始了，来的人很多。"  # only the default takes it
    links = f"<ul><li><a href=/a>{line}</a><li><a href=/b>{line}</a></ul>"
    file.write_text(PAGE.replace(HEAD, line) + links)
    document = DocumentSource("0" * 16, "http://a.cn/", str(file))
    methods = ("default", "quark", "turbohtml")
    (with_peer,) = disagreements([document], methods, 1.0)
    (without,) = disagreements([document], methods[:2], 1.0)

    def broken(name, page, language=""):
        raise QuarkError(f"{name}: ZeroDivisionError")

    monkeypatch.setattr("quarkcrawl.workbench.web.worker.gold.peer_text", broken)
    assert disagreements([document], methods, 1.0) == [without]
    assert with_peer != without


def disagreement(client, page: str, *peers: str) -> float:
    """From the texts that the methods give, by another way."""
    texts = []
    for one, two in combinations(("default", "quark", "ibdom", "rules", *peers), 2):
        found = client.get(f"/api/pages/{page}/compare?first={one}&second={two}").json()
        texts.append(1 - found["f1"])
    return float(np.mean(texts))


def test_a_proposal_keeps_lines_that_a_method_leaves_and_what_stands_apart(client):
    page = sample(client, 12, topic=True)[0]
    for method in ("default", "ibdom"):
        found = client.get(f"/api/pages/{page}/proposal?method={method}").json()
        assert put(client, f"own_{method}", page, **found, origin="blank").status_code == 200
        own = {one["method"]: one for one in scores(client, f"own_{method}")["methods"]}
        assert own[method]["f1"] > 0.97  # a headline in the content is marked as headline
    found = client.get(f"/api/pages/{page}/proposal").json()
    assert "headline" in {one["kind"] for one in found["passages"]}
    kinds = {one["kind"]: one for one in scores(client, "own_default")["kinds"]}
    assert kinds["headline"]["f1"] == 1.0
    assert kinds["content"]["marked"] == kinds["content"]["both"] > 100


@pytest.fixture(scope="module")
def exported(client, tmp_path_factory):
    """Ids of four pages that kim marked, and a folder with the export."""
    ids = sample(client, 4, topic=True)
    for page in ids:
        found = client.get(f"/api/pages/{page}/proposal").json()
        assert put(client, "kim", page, **found, origin="blank").status_code == 200
    reply = client.get("/api/marking/kim/export")
    assert reply.headers["content-disposition"].endswith("gold-kim.jsonl.gz")
    folder = tmp_path_factory.mktemp("sets")
    (folder / "gold-kim.jsonl.gz").write_bytes(reply.content)
    return ids, folder


def test_the_export_has_texts_addresses_and_parts(client, exported):
    ids, folder = exported
    data = gzip.decompress((folder / "gold-kim.jsonl.gz").read_bytes())
    records = [json.loads(line) for line in data.splitlines()]
    assert sorted(one["id"] for one in records) == sorted(ids)
    assert all(one["gold_text"] and one["is_topic"] for one in records)
    assert all(one["url"].startswith("http") for one in records)
    assert all(one["parts"]["headline"] for one in records)
    assert client.get("/api/marking/nobody/export").status_code == 404


@pytest.mark.full
def test_evaluate_takes_the_export_and_the_folder(client, exported):
    """They give the same scores as the workbench."""
    wanted = {one["method"]: one["f1"] for one in scores(client, "kim")["methods"]}
    folder = client.app.state.bench.gold.root / "kim"
    for gold_set in (exported[1] / "gold-kim.jsonl.gz", folder):
        words = ["evaluate", "content", str(gold_set), "--workers", "1", "--json", "-"]
        words += [word for name in wanted for word in ("--method", name)]
        told = {one["name"]: one["score"]["f1"] for one in json.loads(ran(*words).stdout)}
        assert told == {name: pytest.approx(f1, abs=0.001) for name, f1 in wanted.items()}


def test_training_reads_the_same_pages_from_the_export_as_from_the_folder(client, exported):
    folder = client.app.state.bench.gold.root / "kim"
    read = [
        sorted(read_marked_pages(path), key=lambda one: one.name) for path in (exported[1], folder)
    ]
    assert len(read[0]) == len(read[1]) == 4
    for one, two in zip(*read, strict=True):
        assert (one.name, one.body, one.url, one.site) == (two.name, two.body, two.url, two.site)
        assert one.gold == two.gold
        assert b"quark=" not in one.body


@pytest.mark.slow
def test_train_lines_takes_the_export(exported, tmp_path):
    ran("train", "lines", str(exported[1]), "--out", str(tmp_path / "model.npz"))
    assert (tmp_path / "model.npz").stat().st_size > 1000


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "quarkcrawl", *words], env=environment(),
                          capture_output=True, text=True, timeout=900, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done
