"""Commands that may take long show how far they are on a terminal, and nowhere else."""

from __future__ import annotations

import json
import shutil
import sys
import time

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.options import progress_shown
from quarkcrawl.store import CorpusWriter
from tests.progress import screen, terminal
from tests.store.samples import make_item


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("progress") / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(8):
            writer.append_page(make_item(number, host=f"h{number % 3}.cn"))
    return root


@pytest.fixture(scope="module")
def warcs(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("progress") / "warcs"
    assert main(["corpus", "export-warc", str(corpus), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def extracted(corpus, tmp_path_factory):
    root = shutil.copytree(corpus, tmp_path_factory.mktemp("progress") / "extracted")
    assert main(["extract", str(root), "--method", "default", "--in-process"]) == 0
    return root


@pytest.fixture(scope="module")
def labeled(extracted, tmp_path_factory):
    root = shutil.copytree(extracted, tmp_path_factory.mktemp("progress") / "labelled")
    assert main(["refine", str(root), "--in-process"]) == 0
    return root


@pytest.fixture(scope="module")
def web_graph(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("progress") / "graph"
    assert main(["rank", "export", str(corpus), "--out", str(out), "--level", "pages"]) == 0
    return out


COMMANDS = {
    "corpus links CORPUS --out OUT": ["buckets of pages", "3/3"],
    "corpus links CORPUS": ["buckets of pages", "3/3"],
    "corpus verify CORPUS": ["url of rows", "md5 of rows", "records", "8/8"],
    "extract COPY --method default --in-process": ["pages", "8/8", "0 failed"],
    "corpus merge CORPUS --out OUT": ["rows", "which pages stay", "pages", "8/8"],
    "corpus export-warc CORPUS --out OUT": ["pages", "8/8", "redirects and duplicates"],
    "corpus dedup COPY": ["tables", "MD5s that occur twice", "equal pages", "duplicates"],
    "corpus dedup COPY --method thesis": ["tables", "duplicates", "report"],
    "corpus near EXTRACTED --extraction default --min-chars 1": ["buckets", "256/256", "stages"],
    "corpus stats CORPUS": ["tables", "hosts", "kinds of pages", "3/3"],
    "corpus sample CORPUS --out OUT --with-duplicates --draw 20": [
        "sizes of hosts",
        "pages of hosts that were drawn",
        "pages",
        "8/8",
        "duplicates and",
        "checksums",
    ],
    "refine EXTRACTED --in-process": [
        "buckets",
        "documents",
        "8/8",
        "paragraphs of texts",
        "substrings of texts",
        "repeats",
    ],
    "export LABELLED --out OUT": ["which documents stay", "documents", "8/8", "card"],
    "template train CORPUS --out OUT --content --curve": [
        "pages",
        "8/8",
        "grouping",
        "8/8",
        "kinds of lists",
        "templates",
        "content",
        "least similarities",
        "9/9",
    ],
    "template apply TEMPLATES CORPUS": ["pages", "8/8"],
    "template evaluate LABELED.jsonl": ["pages", "8/8", "grouping"],
    "classify train LABELED.jsonl --model OUT --method page --label template_label --folds 2": [
        "pages",
        "8/8",
        "fitting",
        "sites left out",
        "2/2",
    ],
    "classify apply COPY --model MODEL --workers 1": ["pages", "8/8"],
    "pictures index COPY --workers 1": ["pages", "8/8", "sorting"],
    "select count LIST LIST --work OUT": ["lists", "2/2", "merging"],
    "select filter --work COUNTED --unchecked": ["steps", "8/8", "tables"],
    "select blocklist LIST --out OUT": ["lists", "1/1"],
    "train priors MARKED.jsonl --out OUT": ["pages"],
    "train idf TEXTS.jsonl --out OUT": ["files", "1/1", "texts", "8/8"],
    "train topic TOPICS.jsonl --out OUT": ["pages", "8/8", "hosts left out", "2/2"],
    "train perplexity TEXTS.jsonl --out OUT --order 2": ["texts"],
    "report CORPUS --out OUT --workers 1": [
        "counting",
        "drawing a sample",
        "pages of the sample",
        "8/8",
        "labels and ranks",
    ],
    "corpus info CORPUS": ["counting"],
    "corpus replay CORPUS --for-s 0.01": ["reading the pages"],
    "corpus salvage CORPUS --out OUT": ["hosts", "3/3"],
    "evaluate dedup --max-articles 5 --method md5 --whole-pages --json": [
        "pages",
        "methods",
        "1/1",
        "table of the paper",
    ],
    "classify apply COPY --model MODEL --workers 1 --task 0/1": ["tasks"],
    "rank pagerank CORPUS --out OUT": ["files of pages", "graph", "rounds", "tables"],
    "rank quarkrank CORPUS --out OUT": ["files of pages", "graph", "rounds", "tables"],
    "rank blpr CORPUS --out OUT --blocks": ["files of pages", "graph", "rounds", "tables"],
    "rank export CORPUS --out OUT": ["files of pages", "graph", "vertices", "batches of edges"],
    "rank webgraph VERTICES EDGES --out OUT.txt.gz": [
        "bytes of vertices",
        "bytes of edges",
        "files of links",
        "rounds",
        "walks",
        "batches of ranks",
    ],
    "corpus import-warc WARCS --out OUT --workers 1": ["bytes", "revisits"],
}


SAID = {
    "corpus verify": ": 8 pages checked: no problems\n", "report": "written: /out\n",
    "select filter": "".join(
        f"{step}: 0 dropped, 3 left\n"
        for step in ("names", "services", "spam", "outliers", "digits", "pages")
    ),
}  # fmt: skip
"""What commands write to standard error besides, without the folder."""

FIXTURES = {
    "TEMPLATES": "templates", "LABELED.jsonl": "labeled_pages", "MODEL": "model",
    "TEXTS.jsonl": "texts", "MARKED.jsonl": "marked", "TOPICS.jsonl": "topics",
    "LIST": "url_list", "COUNTED": "counted",
}  # fmt: skip


@pytest.fixture(scope="module")
def templates(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("progress") / "templates.json"
    assert main(["template", "train", str(corpus), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def labeled_pages(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "labeled.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(8):
            words = ("news of today", "a list of links")[number % 2]
            html = f"<html><body><h1>{words}</h1><p>{words} {words}</body></html>"
            record = {"url": f"http://h{number % 4 // 2}.cn/{number}", "html": html}
            file.write(json.dumps(record | {"template_label": words[:4]}) + "\n")
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "texts.jsonl"
    lines = (json.dumps({"text": f"天网 北京大学 {n}"}) for n in range(8))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "marked.jsonl"
    gold = "What is said here is the content of the page, at some length. " * 4
    html = f"<div><p>{gold}</p></div><div><a href='/x'>links</a> <a href='/y'>more</a></div>"
    path.write_text((json.dumps({"html": html, "gold_text": gold}) + "\n") * 8)
    return path


@pytest.fixture(scope="module")
def topics(labeled_pages, tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "topics.jsonl"
    records = map(json.loads, labeled_pages.read_text().splitlines())
    rows = [record | {"is_topic": number % 2 == 0} for number, record in enumerate(records)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def model(labeled_pages, tmp_path_factory):
    out = tmp_path_factory.mktemp("progress") / "model.npz"
    words = ["classify", "train", str(labeled_pages), "--model", str(out), "--method", "page"]
    assert main([*words, "--label", "template_label", "--folds", "0"]) == 0
    return out


@pytest.fixture(scope="module")
def url_list(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "urls.txt"
    path.write_text("".join(f"http://www.h{n % 3}.cn/{n}\n" for n in range(60)))
    return path


@pytest.fixture(scope="module")
def counted(url_list, tmp_path_factory):
    work = tmp_path_factory.mktemp("progress") / "work"
    assert main(["select", "count", str(url_list), "--work", str(work)]) == 0
    return work


@pytest.fixture
def words(request, corpus, tmp_path):
    def of(command):
        places = {"CORPUS": corpus, "OUT": tmp_path / "out"}
        if "COPY" in command:
            places["COPY"] = shutil.copytree(corpus, tmp_path / "copy")
        if "EXTRACTED" in command:
            extracted = request.getfixturevalue("extracted")
            places["EXTRACTED"] = shutil.copytree(extracted, tmp_path / "copy")
        if "LABELLED" in command:
            places["LABELLED"] = request.getfixturevalue("labeled")
        if "WARCS" in command:
            places["WARCS"] = request.getfixturevalue("warcs")
        for name, fixture in FIXTURES.items():
            if name in command:
                places[name] = request.getfixturevalue(fixture)
        if "EDGES" in command:
            graph = request.getfixturevalue("web_graph")
            places |= {name.upper(): graph / f"{name}.txt.gz" for name in ("vertices", "edges")}
            places["OUT.txt.gz"] = tmp_path / "out.txt.gz"
        return [str(places.get(word, word)) for word in command.split()]

    return of


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_sees_each_step_and_keeps_no_bar(command, words, monkeypatch, capsys):
    with terminal(monkeypatch) as shown:
        assert main(words(command)) == 0
    at = 0
    for step in COMMANDS[command]:
        at = shown[0].index(step, at)
    assert [line for line in screen(shown[0]) if "━" in line or "0:00" in line] == []
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
def test_no_bar_is_written_where_stderr_is_no_terminal(
    command, words, monkeypatch, capsys, corpus, tmp_path
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(words(command)) == 0
    err = capsys.readouterr().err
    said = next((text for start, text in SAID.items() if command.startswith(start)), "")
    assert err.replace(str(tmp_path), "").replace(str(corpus), "") == said
    assert "\x1b" not in err


def test_lines_on_the_terminal_are_not_mixed_with_a_bar(corpus, monkeypatch):
    with terminal(monkeypatch, "stdout", "stderr", columns=2000) as shown:
        assert main(["corpus", "links", str(corpus)]) == 0
    assert "buckets of pages" not in shown[0]
    assert all(map(json.loads, shown[0].splitlines()))


def test_a_line_aside_stays_above_the_bar(monkeypatch):
    with terminal(monkeypatch) as shown, progress_shown() as show:
        show("pages", 1, 3)
        with show.aside():
            sys.stderr.write("a line\n")
        show("pages", 3, 3, "2 failed")
    assert screen(shown[0]) == ["a line"]
    assert "2 failed" in shown[0]


def test_a_bar_has_counts_and_time_left_and_a_spinner_neither(monkeypatch):
    with terminal(monkeypatch) as shown, progress_shown() as show:
        for done in range(0, 1001, 250):
            show("pages", done, 2000)
            time.sleep(0.15)
        show("rounds", 0, None)
        for number in range(1, 200_000):  # looked at some times a second only
            show("rounds", number, None)
    bars, spinners = (part for part in [shown[0].split("rounds", 1)] for part in part)
    assert "1,000/2,000" in bars
    assert " left" in bars
    assert " left" not in spinners
    assert "━" not in spinners
    assert len(shown[0]) < 50_000


def test_a_terminal_that_cannot_take_back_sees_nothing(monkeypatch):
    with terminal(monkeypatch) as shown:
        monkeypatch.setenv("TERM", "dumb")
        with progress_shown() as show:
            show("pages", 1, 3)
    assert shown == [""]
