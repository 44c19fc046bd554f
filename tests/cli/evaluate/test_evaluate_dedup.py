"""Articles that ``quarkcrawl evaluate dedup`` reads."""

from __future__ import annotations

import gzip
import json

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.evaluate.dedup import read_articles


def test_articles_that_begin_alike_are_taken_once(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"text": "甲" * 300}, {"gold_text": "甲" * 300 + "乙"}, {"text": "丙"}]
    path.write_text("\n\n".join(map(json.dumps, rows)))
    assert read_articles([path]) == ["甲" * 300, "丙"]


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("none.jsonl", None, "none.jsonl: cannot be read"),
        ("a.jsonl", b'{"text": "x"}\n{"text"', "a.jsonl:2: no JSON: "),
        ("a.jsonl", b"3\n", "a.jsonl:1: no JSON object"),
        ("a.jsonl", b"[" * 100_000, "a.jsonl:1: no JSON: "),
        ("a.jsonl", b"\xff\n", "a.jsonl: cannot be read"),
        ("a.jsonl.gz", gzip.compress(b"{}", mtime=0)[:-6], "a.jsonl.gz: cannot be read"),
        (
            "a.jsonl.gz",
            gzip.compress(b"{}", mtime=0)[:10] + b"\xff" * 20,
            "a.jsonl.gz: cannot be read",
        ),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, capsys, name, body, message):
    if body is not None:
        (tmp_path / name).write_bytes(body)
    assert main(["evaluate", "dedup", str(tmp_path / name)]) == 2
    assert f"quarkcrawl: {tmp_path}/{message}" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [["dedup"], ["items", "none.jsonl"]])
def test_no_method_is_wrong_use(capsys, verb):
    assert main(["evaluate", *verb, "--method", ","]) == 2
    assert "--method: is empty" in capsys.readouterr().err
