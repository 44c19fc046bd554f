"""The corpus commands on a small corpus: links, replay, dedup, sample, stats."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.store import Corpus, CorpusWriter
from tests.crawl.harness import environment
from tests.store.samples import duplicate_row, make_body, make_item


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("commands") / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(8):
            row = writer.append_page(make_item(number, host=f"h{number % 3}.cn"))
        copy = make_item(7, url=f"{row.url}?idle=1", host=row.host)
        writer.append_page(copy)
        writer.append_row(duplicate_row("http://z.cn/", row.url, row.md5, 1, 1.0, row.links))
    return root


def expected_links(root):
    return [
        (row.url, link.url, link.text) for row in Corpus.open(root).pages() for link in row.links
    ]


@pytest.mark.full
def test_links(root, tmp_path, capsys):
    assert main(["corpus", "links", str(root)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(r["source"], r["target"], r["text"]) for r in rows] == expected_links(root)
    assert len(rows) >= 40
    out = tmp_path / "links.parquet"
    assert main(["corpus", "links", str(root), "--out", str(out), "--duplicates"]) == 0
    table = pq.read_table(out)
    n_more = sum(len(row.links) for row in Corpus.open(root).duplicates())
    assert n_more > 0
    assert json.loads(capsys.readouterr().out)["links"] == table.num_rows == len(rows) + n_more
    assert table["source"].to_pylist()[-2:] == ["http://z.cn/"] * 2
    assert main(["corpus", "links", str(root), "--out", str(tmp_path / "no" / "x")]) == 1
    assert "folder is missing" in capsys.readouterr().err


@pytest.mark.full
def test_replay(root):
    command = [sys.executable, "-m", "quarkcrawl", "corpus", "replay", str(root), "--for-s", "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        about = json.loads(process.stdout.readline())
        connection = http.client.HTTPConnection(about["address"], about["http_port"], timeout=300)
        connection.request("GET", "/p1.html", headers={"Host": "h1.cn"})
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (200, make_body(1))
        connection.close()
        process.send_signal(2)
        assert process.wait(timeout=300) in {0, 130}


@pytest.mark.full
def test_dedup_sample_stats(root, tmp_path, capsys):
    assert main(["corpus", "sample", str(root), "--out", str(tmp_path / "c")]) == 1
    assert "corpus dedup" in capsys.readouterr().err
    assert main(["corpus", "dedup", str(root), "--memory", "256MiB"]) == 0
    assert json.loads(capsys.readouterr().out)["stored_duplicates"] == 1
    words = [
        "corpus",
        "sample",
        str(root),
        "--out",
        str(tmp_path / "c"),
        "--group",
        "1",
        "--draw",
        "1",
    ]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 8
    assert main(["corpus", "stats", str(tmp_path / "c"), "--format", "csv"]) == 0
    assert "totals,pages,count,8\n" in capsys.readouterr().out
    assert main(["corpus", "stats", str(tmp_path / "c"), "--folder", str(tmp_path / "s")]) == 0
    assert len(list((tmp_path / "s").iterdir())) == 5
    assert (
        main(
            ["corpus", "stats", str(root), "--out", str(tmp_path / "s.md"), "--format", "markdown"]
        )
        == 0
    )
    assert (tmp_path / "s.md").read_text().startswith("## Totals")


def test_media_types_that_servers_make_up_are_shown_as_text(tmp_path, capsys):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(0, header_lines=((b"Content-Type", b"text/x[/b]\x1b[2J"),)))
    assert main(["corpus", "info", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "text/x[/b]" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dedup", "nowhere"], "nowhere"),
        (["sample", "ROOT", "--out", "x", "--bytes", "much"], "--bytes"),
        (["sample", "ROOT", "--out", "x", "--docno", "{m}"], "--docno"),
        (["stats", "ROOT", "--format", "xls"], "'text', 'markdown', 'csv', 'html', 'json'"),
        (["stats", "ROOT", "--ip-database", "/nowhere.xdb"], "nowhere.xdb"),
    ],
)
def test_mistakes(root, words, message, capsys):
    words = [str(root) if word == "ROOT" else word for word in words]
    assert main(["corpus", *words]) in {1, 2}
    assert message in capsys.readouterr().err
