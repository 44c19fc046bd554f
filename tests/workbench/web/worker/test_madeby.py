"""What the sheet of the template says of how templates were made."""

from __future__ import annotations

import json

from quarkcrawl.cli import main
from quarkcrawl.template import BufferOptions, TemplateMatcher
from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.worker.templates import match
from tests.template.blogpages import post

OPTIONS = {
    "usual": "",
    "thesis": "--tags thesis --records suffix-tree --measure path-set --min-similarity 0.5",
}


def test_a_template_that_a_buffer_found_says_how_large_it_was(tmp_path):
    path = tmp_path / "t.json"
    matcher = TemplateMatcher(path, tmp_path / "u.jsonl", options=BufferOptions(7, 5))
    for number in range(7):
        matcher.match(post(number, number % 3))
    page = post(20, 1)
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8>{page.html}", encoding="utf-8")
    document = DocumentSource(str(tmp_path), page.url, str(tmp_path / "page.html"))
    found = match(document, str(path))
    assert found["template"]
    assert found["made_by"]["buffer"] == "7"
    other = DocumentSource(f"{tmp_path}/other", page.url, str(tmp_path / "other.html"))
    (tmp_path / "other.html").write_text("<h5>x</h5><x-y>z", encoding="utf-8")
    assert "buffer" not in match(other, str(path))["made_by"]


def test_options_of_the_thesis_are_named_as_they_were_given(tmp_path, monkeypatch):
    """The sheet says what `template train` was told, from the file that the command wrote."""
    pages = [post(number, number % 3) for number in range(6)]
    rows = [json.dumps({"url": page.url, "html": page.html}) for page in pages]
    (tmp_path / "pages.jsonl").write_text("\n".join(rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8>{pages[0].html}", encoding="utf-8")
    found = {}
    for name, words in OPTIONS.items():
        out = f"{name}.json"
        assert main(["template", "train", "pages.jsonl", "--out", out, *words.split()]) == 0
        document = DocumentSource(str(tmp_path), pages[0].url, str(tmp_path / "page.html"))
        found[name] = match(document, str(tmp_path / out))["made_by"]
    usual, thesis = found["usual"], found["thesis"]
    names = ("tags", "repeats", "measure")
    assert [usual[name] for name in names] == ["default", "all", "lcs"]
    assert [thesis[name] for name in names] == ["thesis", "suffix-tree", "path-set"]
    assert {name for name in usual if usual[name] != thesis[name]} <= {*names, "min_similarity"}
