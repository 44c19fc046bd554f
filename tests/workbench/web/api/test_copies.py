"""Groups of copies by the API and in the view: which page is kept, and by which method."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from quarkcrawl.cli import main
from quarkcrawl.corpus import dedup_folder, dedup_method
from quarkcrawl.store import CorpusWriter
from quarkcrawl.workbench.web import create_app
from tests.store.samples import make_item
from tests.workbench.web.conftest import await_tables

METHODS = {None: "", "default": "http://h2.cn/x", "thesis": "http://h0.cn/xxx"}
"""Methods of corpus dedup, and the page that each keeps."""
SAID = {
    "default": ("shortest URL is kept", "保留 URL 最短的一页"),
    "thesis": ("1024 databases by MD5", "1024 个数据库"),
}
"""What the view says of each in English and in Chinese."""


def corpus_of_copies(root):
    """The same page on three hosts, the one with the shortest URL last."""
    with CorpusWriter(root) as writer:
        for number in range(3):
            url = f"http://h{number}.cn/{'x' * (3 - number)}"
            writer.append_page(make_item(number, url=url, host=f"h{number}.cn", body=b"<p>copy"))
        writer.sync().acknowledged()
    return root


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_copies_say_which_page_is_kept_and_by_which_method(method, tmp_path):
    root = corpus_of_copies(tmp_path / "corpus")
    if method:
        assert main(["corpus", "dedup", str(root), "--method", method]) == 0
    app = create_app(root, token="t", gold=tmp_path / "gold", templates=tmp_path / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    await_tables(lambda: client.get("/hosts").status_code)
    found = client.get("/api/copies").json()
    views = {name: client.get("/copies", params={"lang": name}).text for name in ("en", "zh")}
    near = client.get("/api/copies", params={"kind": "near"}).json()
    app.state.bench.close()
    assert found["method"] == (method or "")
    assert [row["first"] for row in found["rows"]] == ([METHODS[method]] if method else [])
    assert near["method"] == ""
    for name, words in SAID.items():
        assert (words[0] in views["en"], words[1] in views["zh"]) == (name == method,) * 2


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"method": "own"}', '{"method": ["thesis"]}'])
def test_a_report_that_names_no_known_method_names_none(text, tmp_path):
    folder = dedup_folder(tmp_path)
    assert dedup_method(tmp_path) is None
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(text)
    assert dedup_method(tmp_path) is None
