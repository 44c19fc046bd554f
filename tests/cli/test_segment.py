"""``quarkcrawl segment``: the blocks of a page as text, JSON and map."""

import json

import pytest

import quarkcrawl as qc
from quarkcrawl.segment import segmentation_of
from quarkcrawl.workbench.report import block_map

from .test_extract import HTML, call, run

__all__ = ["call"]  # a fixture


@pytest.fixture(autouse=True)
def page(tmp_path):
    (tmp_path / "page.html").write_bytes(HTML.encode("gb18030"))


def test_text_names_each_block_and_shows_what_it_holds(call):
    done = call("segment", "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    for block in qc.segment(HTML):
        assert f"[{block.number}] {block.path} ({block.tag_class.value}, " in done.stdout
        assert block.text in done.stdout


def test_json_has_a_line_a_block(call):
    words = ("segment", "page.html", "--format", "json", "--method", "quark", "--spans")
    rows = [json.loads(line) for line in call(*words).stdout.splitlines()]
    page = qc.Page.from_bytes(HTML.encode("gb18030"))
    blocks = qc.extract(page, method="quark").blocks
    assert [row["path"] for row in rows] == [block.path for block in blocks]
    assert [row["kind"] for row in rows] == [block.kind for block in blocks]
    assert [row["n_chars"] for row in rows] == [block.n_chars for block in blocks]
    for row in rows:
        for span in row["spans"]:
            piece = page.body[span["byte_start"] : span["byte_end"]].decode("gb18030")
            assert piece == page.html[span["start"] : span["end"]]


@pytest.mark.full
def test_the_map_is_a_page(tmp_path):
    body = HTML.encode("gb18030")
    done = run("segment", "-", "--format", "html", cwd=tmp_path, stdin=body)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    page = qc.Page.from_bytes(body)
    assert shown == block_map(page, segmentation_of(page)) + "\n"
    assert "栏目29" in shown


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["missing.html"], 2, "missing.html: cannot be read"),
        (["page.html", "--method", "quirk"], 2, "did you mean 'quark'"),
        (["page.html", "--format", "pdf"], 2, "pdf"),
        ([], 2, ""),
        (["."], 2, "cannot be read (Is a directory)"),
    ],
)
def test_wrong_use(call, words, code, message):
    done = call("segment", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_an_example(call):
    assert "quarkcrawl segment - --format html" in call("segment", "--help").stdout
