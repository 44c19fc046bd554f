"""Pages that were pasted, and what the reading process keeps of them."""

from __future__ import annotations

import shutil

import pytest

from quarkcrawl.errors import StoreError
from quarkcrawl.template import TemplateSet, write_templates
from quarkcrawl.workbench.web import documents as module
from quarkcrawl.workbench.web.documents import Documents
from quarkcrawl.workbench.web.http.operation import ApiError
from quarkcrawl.workbench.web.worker.analyzed import analyzed


@pytest.fixture
def documents():
    made = Documents(None)
    yield made
    made.close()


def test_the_oldest_pasted_pages_go_first(documents, monkeypatch):
    monkeypatch.setattr(module, "_MOST_PAGES", 3)
    names = [documents.add(b"<p>%d" % number).id for number in range(3)]
    assert documents[names[0]].id == names[0]  # looked at: now the second is the oldest
    last = documents.add(b"<p>4").id
    with pytest.raises(ApiError, match="no such page"):
        documents[names[1]]
    assert [documents[name].id for name in (names[0], names[2], last)] == [names[0], names[2], last]


def test_the_same_bytes_from_elsewhere_are_another_page(documents):
    names = {documents.add(b"<p>x", url, kind).id
             for url in ("", "http://a.cn/") for kind in ("", "text/html")}  # fmt: skip
    assert len(names) == 4
    assert documents.add(b"<p>x").id in names


def test_a_folder_that_cannot_be_written_is_told(documents):
    shutil.rmtree(documents._folder)
    with pytest.raises(StoreError, match="cannot write"):
        documents.add(b"<p>x")


def test_new_templates_replace_what_was_found_with_old_ones(documents, tmp_path):
    file = tmp_path / "templates.json"
    held = analyzed(documents.add("<title>天网</title><p>北京大学网络实验室。".encode()))
    first = held.content("default", str(file))
    assert held.content("default", str(file)) is first
    write_templates(TemplateSet(), file)
    second = held.content("default", str(file))
    assert second is not first
    assert held.facts("default", str(file))._content is second
    assert len(held._read) == 1
