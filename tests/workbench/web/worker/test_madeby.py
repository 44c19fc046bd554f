"""What the sheet of the template says of how templates were made."""

from __future__ import annotations

from quarkcrawl.template import BufferOptions, TemplateMatcher
from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.worker.templates import match
from tests.template.blogpages import post


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
