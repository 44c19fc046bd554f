"""``quarkcrawl extract`` on archives: what is printed, and what is refused."""

from __future__ import annotations

import json

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.archive import archive_extractions
from tests.corpus.archive.commoncrawl import make_archive


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return make_archive(
        tmp_path_factory.mktemp("cli") / "cc", n_files=2, n_pages=15, damaged_every=10, n_hosts=4
    )


def lists_of(archive) -> str:
    return str(archive.paths.with_name("cc-index-table.paths.gz"))


def test_an_index_from_start_to_failure_list(archive, tmp_path, capfd):
    out = str(tmp_path / "rows")
    command = ["extract", lists_of(archive), "--method", "quark", "--out", out, "--in-process"]
    command += ["--base", str(archive.root), "--status", "200", "--mime", "text/html"]
    assert main(command) == 0
    told = capfd.readouterr()
    report = json.loads(told.out)
    wanted = [
        row
        for row in archive.rows
        if row["fetch_status"] == 200 and row["content_mime_type"] == "text/html"
    ]
    damaged = {row["url"] for row in wanted} & archive.damaged.keys()
    assert (report["chosen"], report["files"]) == (len(wanted), 2)
    assert report["counts"]["pages"] == len(wanted) - len(damaged)
    assert sum(report["counts"]["damages"].values()) == len(damaged) > 0
    assert told.err == f"{len(damaged)} damaged records; --failures lists them\n"
    assert main([*command, "--failures"]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {line["url"] for line in lines} == damaged
    assert main(command) == 0
    again = json.loads(capfd.readouterr().out)
    assert again["done_before"] == report["counts"]["pages"]
    assert again["counts"] == report["counts"]


def test_warc_files_without_an_index(archive, tmp_path, capfd):
    sources = [str(path) for path in archive.warcs]
    command = ["extract", *sources, "--method", "quark", "--out", str(tmp_path), "--workers", "1"]
    assert main([*command, "--domain", "SITE0.cn"]) == 0
    report = json.loads(capfd.readouterr().out)
    rows = archive_extractions(tmp_path, "quark").to_table(columns=["host"]).to_pylist()
    assert len(rows) == report["counts"]["pages"] > 0
    assert {row["host"].partition(".")[2] for row in rows} == {"site0.cn"}


def test_a_file_that_is_missing_is_told_and_the_code_says_so(archive, tmp_path, capfd):
    command = ["extract", str(archive.paths), "--method", "quark", "--out", str(tmp_path)]
    assert main([*command, "--base", "/nowhere", "--in-process"]) == 1
    told = capfd.readouterr()
    assert len(json.loads(told.out)["unreadable"]) == 2
    lines = told.err.splitlines()
    assert [
        line.endswith(".warc.gz: cannot read (No such file or directory)") for line in lines
    ] == [True, True]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--out"),
        (["--out", "OUT", "--format", "markdown"], "is not for archives"),
        (["--out", "OUT", "--engine", "spark"], "--engine spark needs --spark-master URL"),
        (["--out", "OUT", "--only-flagged"], "is not for archives"),
        (["--out", "OUT", "--learn-sites", "--task", "0/2"], "is not for archives"),
        (["--out", "OUT", "--tasks", "7"], "needs --engine spark or ray"),
        (["--out", "OUT", "--engine", "ray", "--restart"], "not on a cluster, for archives"),
        (["--out", "OUT", "--engine", "ray", "--task", "0/2"], "a cluster does all tasks by"),
        (["--out", "OUT", "--tasks", "2", "--finish"], "a cluster does all tasks by itself"),
        (["--out", "OUT", "--finish"], "there are no tasks to finish"),
        (["--out", "OUT", "--finish", "--task", "0/2"], "not with --task"),
        (["--out", "OUT", "--restart", "--task", "0/2"], "not with --task"),
        (["--out", "OUT", "--failures", "--task", "0/2"], "not with --task"),
        (["--out", "OUT", "--site-pages", "80"], "is not for archives"),
        (["--out", "OUT", "--lang", "zh"], "three letters (zho)"),
        (["--out", "OUT", "--failures"], "no extraction from an archive by the method 'default'"),
        (["page.html", "--out", "OUT"], "cannot be given together with pages"),
    ],
)
def test_what_does_not_go_together_is_said(archive, tmp_path, options, words, capfd):
    options = [str(tmp_path / "rows") if word == "OUT" else word for word in options]
    assert main(["extract", lists_of(archive), *options]) in {1, 2}
    told = capfd.readouterr()
    assert words in " ".join(told.err.replace("│", " ").split())
    assert told.out == ""
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.parametrize(
    "option", [("--base", "/cc"), ("--host", "a.cn"), ("--lang", "zho"), ("--mime", "text/html")]
)
def test_options_of_archives_are_refused_for_pages(tmp_path, option, capfd):
    page = tmp_path / "page.html"
    page.write_text("<p>text")
    assert main(["extract", str(page), *option]) == 2
    assert "are for WARC files and their index" in " ".join(capfd.readouterr().err.split())


def test_an_empty_folder_is_no_archive(tmp_path, capfd):
    assert main(["extract", str(tmp_path), "--out", str(tmp_path / "rows")]) == 2
    assert "archive" not in capfd.readouterr().err
