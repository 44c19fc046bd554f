"""Fields of a cluster in a real browser: named one after the other, seen on all its pages, exported."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from tests.crawl.harness import environment
from tests.workbench.web.conftest import TOKEN, running, watching
from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full


def articles(bench) -> dict:
    """The template of most articles of the blog, with no names."""
    rows = [row for row in bench.get(f"/api/templates?host={HOSTS[1]}")["rows"]
            if "/archives/" in row["example"]]  # fmt: skip
    found = max(rows, key=lambda row: row["n_pages"])
    for name in found["labels"]:
        bench.send("PUT", f"/api/templates/{found['id']}/labels", {"name": name, "position": ""})
    return found


def whole_grid(bench, name: str) -> dict:
    for _ in range(200):
        found = bench.get(f"/api/templates/{name}/grid")
        assert not found["failure"]
        if found["is_done"]:
            return found
        time.sleep(0.2)
    return pytest.fail("the pages are not read")


def named(watched, text, name: str) -> str:
    """Click on a text, type a name; the position that was named."""
    text.click()
    field = watched.page.locator("#name [name=position]")
    expect(field).not_to_have_value("")
    position = field.input_value()
    watched.page.keyboard.type(name)
    watched.page.keyboard.press("Enter")
    expect(watched.page.locator(f"#fields [data-name={name}]")).to_be_visible()
    return position


def test_three_fields_one_after_the_other_keep_their_names(watched, bench):
    """At db60640 the names saved were title, titledate and titledatebody, and two pages shown."""
    one = articles(bench)
    watched.open(f"/templates/{one['id']}")
    frame = watched.page.frame_locator("#frame")
    positions = {
        "title": named(watched, frame.locator("h1 qk-run").first, "title"),
        "date": named(watched, frame.locator("qk-run", has_text="2003-").first, "date"),
        "body": named(watched, frame.locator("p qk-run").last, "body"),
    }
    assert bench.get(f"/api/templates/{one['id']}")["fields"] == positions
    assert watched.page.locator("#fields b").all_inner_texts() == ["title", "date", "body"]
    frame.locator("h1 qk-run").first.click()  # a name that is there is shown, and typed over
    expect(watched.page.locator("#name [name=name]")).to_have_value("title")
    watched.page.keyboard.type("headline")
    assert watched.page.input_value("#name [name=name]") == "headline"
    watched.page.fill("#name [name=name]", "title")


def test_the_grid_has_all_pages_of_the_cluster(watched, bench):
    one = articles(bench)
    watched.open(f"/templates/{one['id']}")
    frame = watched.page.frame_locator("#frame")
    named(watched, frame.locator("h1 qk-run").first, "title")
    found = whole_grid(bench, one["id"])
    assert found["n_rows"] >= one["n_pages"] > 10
    expect(watched.page.locator("#grid tbody tr")).to_have_count(min(50, found["n_rows"]))
    [field] = found["fields"]
    titles = [row["fields"]["title"][0] for row in found["rows"]]
    assert field == {"name": "title", "n_filled": len(titles), "n_distinct": len(set(titles))}
    head = watched.page.locator("#grid th[data-field=title]")
    expect(head).to_contain_text(f"{len(titles)} of {len(titles)} filled")
    expect(head).to_contain_text(f"{len(set(titles))} distinct")


def test_the_grid_is_paged_and_its_part_is_in_the_address(watched, bench):
    one = articles(bench)
    bench.send("PUT", f"/api/templates/{one['id']}/labels", {"name": "title", "position": "0.1"})
    n_rows = whole_grid(bench, one["id"])["n_rows"]
    watched.open(f"/templates/{one['id']}?row={n_rows - 3}")  # a pasted link
    rows = watched.page.locator("#grid tbody tr")
    expect(rows).to_have_count(3)
    last = rows.first.inner_text()
    watched.page.locator("#grid .pager button").first.click()
    expect(rows).to_have_count(min(50, n_rows))
    watched.page.go_back()
    expect(rows).to_have_count(3)
    assert rows.first.inner_text() == last


def test_exports_are_what_the_command_line_prints(watched, bench, tmp_path):
    """At db60640 there was no export, and the command line wrote JSON and XML only."""
    one = articles(bench)
    watched.open(f"/templates/{one['id']}")
    frame = watched.page.frame_locator("#frame")
    named(watched, frame.locator("h1 qk-run").first, "title")
    named(watched, frame.locator("p qk-run").last, "body")
    n_rows = whole_grid(bench, one["id"])["n_rows"]
    files = {}
    for form in ("csv", "json", "xml", "parquet"):
        link = watched.page.locator(f"#export [data-form={form}]")
        expect(link).not_to_have_attribute("aria-disabled", "true")
        with watched.page.expect_download() as told:
            link.click()
        files[form] = Path(told.value.path()).read_bytes()
        assert told.value.suggested_filename.startswith(f"fields-{one['id']}.")
    env = environment()
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    command = watched.page.inner_text("#command")  # pasted as it stands
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, env=env, check=True, timeout=300)
    printed = (tmp_path / f"fields-{one['id']}.csv").read_bytes()
    assert printed == files["csv"]
    for form in ("json", "xml", "parquet"):
        other = command.partition(" >")[0].replace("--format csv", f"--format {form}")
        done = subprocess.run(["/bin/sh", "-c", other], env=env, check=True, timeout=300,
                              capture_output=True)  # fmt: skip
        assert done.stdout == files[form], form
    table = list(csv.DictReader(io.StringIO(files["csv"].decode(), newline="")))
    lines = [json.loads(line) for line in files["json"].splitlines()]
    parquet = pq.ParquetFile(pa.BufferReader(files["parquet"])).read().to_pylist()
    documents = ET.fromstring(files["xml"]).findall("document")
    assert len(table) == len(lines) == len(parquet) == len(documents) == n_rows
    for row, line, stored, document in zip(table, lines, parquet, documents, strict=True):
        assert row["url"] == line["url"] == stored["url"] == document.get("url")
        assert [row["title"]] == line["fields"]["title"] == stored["title"]
        assert stored["body"] == line["fields"]["body"]
        assert row["body"] == " | ".join(stored["body"])
        assert document.findtext("title") == row["title"]
    assert list(table[0]) == ["url", "template", "similarity", "title", "body"]


def test_pages_that_cannot_be_read_any_more_are_left_out(browser, bench, tmp_path):
    """Half of the host's page.dat is gone: the rest of the cluster is shown and exported."""
    corpus = shutil.copytree(bench.corpus, tmp_path / "corpus")
    one = articles(bench)
    n_rows = whole_grid(bench, one["id"])["n_rows"]
    [file] = corpus.glob(f"*/{HOSTS[1]}/page.dat")
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)
    with running(str(corpus)) as base:
        other = type(bench)(base, TOKEN, corpus)
        other.send(
            "PUT", f"/api/templates/{one['id']}/labels", {"name": "title", "position": "0.1"}
        )
        found = whole_grid(other, one["id"])
        assert 0 < found["n_rows"] < n_rows
        with watching(browser, base) as watched:
            watched.open(f"/templates/{one['id']}")
            expect(watched.page.locator("#grid tbody tr")).to_have_count(found["n_rows"])
