"""``quarkcrawl items`` and ``quarkcrawl evaluate items``."""

import csv
import gzip
import json

import pytest

import quarkcrawl as qc
from quarkcrawl.content.items.serialize import items_as_html, items_as_markdown

from .test_extract import call, run

__all__ = ["call"]  # a fixture

BODY = "<p>图书馆新到了一批书，借的人很多。请大家看完以后按时归还。</p>" * 5
TABLE = "<table><tr><th>名<th>价<tr><td>甲<td>3<tr><td>乙<td>4</table>"
HTML = (
    f"<title>新书</title><div class=nav><a href=/>首页</a></div><div>{BODY}"
    f"<a href=b.jpg><img src=a.jpg></a>{TABLE}<div class=related><a href=x>别的新闻</a></div></div>"
)
URL = "http://a.cn/n/"


@pytest.fixture(autouse=True)
def page(tmp_path):
    (tmp_path / "page.html").write_bytes(HTML.encode("gb18030"))


def test_json_is_a_line_an_item(call):
    done = call("items", "page.html", "--url", URL)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["kind"] for row in rows] == ["paragraph"] * 5 + ["picture", "table"]
    assert rows[5]["src"] == "http://a.cn/n/a.jpg"
    assert rows[6]["rows"][1][0]["text"] == "甲"


def test_documents_are_those_of_the_library(call):
    items = qc.topic_items(HTML, URL)
    assert call("items", "page.html", "--url", URL, "--format", "html").stdout == (
        items_as_html(items)
    )
    assert call("items", "page.html", "--url", URL, "--format", "markdown").stdout == (
        items_as_markdown(items)
    )


def test_the_paper_has_no_picture_in_a_link(call):
    done = call("items", "page.html", "--method", "ibdom")
    assert "picture" not in done.stdout
    assert '"table"' in done.stdout


def test_csv_in_files_and_on_stdout(call, tmp_path):
    done = call("items", "page.html", "--format", "csv", "--out", "tables")
    assert json.loads(done.stdout) == {"table": 1, "file": "tables/table_1.csv"}
    with (tmp_path / "tables" / "table_1.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [["名", "价"], ["甲", "3"], ["乙", "4"]]
    assert call("items", "page.html", "--format", "csv").stdout.split() == ["名,价", "甲,3", "乙,4"]


def test_map_names_what_was_removed(call):
    shown = call("items", "page.html", "--format", "map").stdout
    assert "data-qk-region" in shown
    assert "mostly links" in shown
    assert "<script" not in shown


@pytest.mark.full
def test_standard_input_in_a_process_of_its_own(tmp_path):
    done = run("items", "-", cwd=tmp_path, stdin=HTML.encode("gb18030"))
    assert done.returncode == 0
    assert len(done.stdout.decode().splitlines()) == 7


def test_mistakes(call):
    assert call("items", "page.html", "--method", "dom").returncode == 2
    done = call("items", "page.html", "--out", "x")
    assert done.returncode == 2
    assert "--format csv" in done.stderr
    assert call("items", "absent.html").returncode == 2
    done = call("items", "page.html", "--format", "csv", "--out", "page.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert "page.html: cannot be written (File exists)" in done.stderr


@pytest.mark.full
def test_grades(call, tmp_path):
    row = {"id": "1", "url": URL, "html": HTML, "gold_text": qc.extract(HTML, method="rules").text}
    bad = row | {"id": "2", "gold_text": "完全是别的文字"}
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in (row, bad))
    done = call("evaluate", "items", "mine.jsonl.gz", "--method", "rules", "--json", "--workers", 1)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["rules"]["mine"]
    assert (found["n_pages"]["good"], found["n_pages"]["poor"]) == (1, 1)
    assert found["good_share"] == 0.5
    assert call("evaluate", "items", "mine.jsonl.gz", "--method", "rulez").returncode == 2
    table = call("evaluate", "items", "mine.jsonl.gz", "--workers", 1).stdout
    assert "fairly good" in table
