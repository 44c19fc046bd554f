"""The process that reads pages: ahead of questions, behind them, and over its time."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from quarkcrawl.workbench.web.documents import LARGE_BYTES, Documents
from quarkcrawl.workbench.web.http.operation import ApiError
from quarkcrawl.workbench.web.http.pending import PagePendingError
from quarkcrawl.workbench.web.sql.runner import SqlRunner
from quarkcrawl.workbench.web.worker.worker import PageWorker
from tests.page.pdf.raw import page_file, shown, stream

BODY = (
    "<title>天网</title>" + "<div><p>" + "北京大学网络实验室，搜索引擎。" * 20 + "</p></div>"
) * 3


@pytest.fixture
def document():
    documents = Documents(None)
    yield documents.add(BODY.encode())
    documents.close()


@pytest.fixture(scope="module")
def worker():
    made = PageWorker()
    yield made
    made.close()


@pytest.fixture
def large(document):
    """The same page, taken for a large one."""
    return replace(document, n_bytes=LARGE_BYTES)


@pytest.mark.full
def test_a_large_page_is_read_ahead_by_one_and_then_answers(worker, large):
    threads = {worker.prepare(large) for _ in range(5)}
    assert len(threads) == 1
    threads.pop().join()
    assert worker.is_read(large, "default", "")
    found = worker.ask("summary", large, method="default", templates="")
    assert found["page_title"] == "天网"
    assert "搜索引擎" in worker.ask("text", large, method="default", templates="")["text"]


@pytest.mark.full
def test_plain_text_is_shown_as_text(worker, document):
    """As a crawl and `extract CORPUS` take it: what looks like a tag is none, blocks are none."""
    plain = replace(document, id="plain", is_markup=False)
    asked = {"method": "default", "templates": ""}
    assert worker.ask("text", plain, **asked)["text"] == BODY
    summary = worker.ask("summary", plain, **asked)
    assert (summary["n_blocks"], summary["is_topic"], summary["failure"]) == (0, False, "")
    assert worker.ask("source", plain, **asked, start=0, count=9)["text"] == BODY[:9]
    assert worker.ask("blocks", plain, **asked, start=0, count=9) == {"n_blocks": 0, "blocks": []}
    assert worker.ask("items", plain, method="default")["n_items"] == 0
    views = {"templates": "", "method": "default", "part": 0, "nonce": "n"}
    assert "&lt;div&gt;" in worker.ask("frame", plain, view="original", **views)[0]
    for view in ("map", "content"):
        assert "<p>" not in worker.ask("frame", plain, view=view, **views)[0]
    worker.ask("compare", plain, first="default", second="quark", templates="")


@pytest.mark.parametrize("is_markup", [True, False])
def test_of_a_pdf_the_text_is_shown_and_what_stands_in_it_is_not_run(
    worker, document, tmp_path, is_markup
):
    pytest.importorskip("pypdfium2")
    path = tmp_path / "report.pdf"
    path.write_bytes(page_file(stream(shown("<script>alert\\(1\\)</script> of a report"))))
    pdf = replace(
        document, id="pdf", path=str(path), content_type="application/pdf", is_markup=is_markup
    )
    asked = {"method": "default", "templates": ""}
    told = "<script>alert(1)</script> of a report"
    assert worker.ask("text", pdf, **asked)["text"] == told
    summary = worker.ask("summary", pdf, **asked)
    assert (summary["page_type"], summary["n_blocks"], summary["failure"]) == ("document", 0, "")
    assert worker.ask("source", pdf, **asked, start=0, count=99)["text"] == told
    assert worker.ask("blocks", pdf, **asked, start=0, count=9) == {"n_blocks": 0, "blocks": []}
    assert worker.ask("items", pdf, method="default")["n_items"] == 0
    views = {"templates": "", "method": "default", "part": 0, "nonce": "n"}
    assert "&lt;script&gt;alert" in worker.ask("frame", pdf, view="original", **views)[0]
    for view in ("map", "content"):
        assert "<script>alert" not in worker.ask("frame", pdf, view=view, **views)[0]
    worker.ask("compare", pdf, first="default", second="quark", templates="")
    path.write_bytes(b"no pdf")
    broken = replace(pdf, id="broken")
    assert worker.ask("summary", broken, **asked)["failure"] == "pdf_broken"


def test_who_asks_about_a_large_page_is_told_to_ask_again(worker, document, large, monkeypatch):
    monkeypatch.setattr("quarkcrawl.workbench.web.worker.worker.PATIENCE_S", 0.01)
    monkeypatch.setattr("quarkcrawl.workbench.web.worker.worker.TURN_S", 0.01)
    with worker._lock:  # another question is being answered
        with pytest.raises(PagePendingError):
            worker.ask("summary", large, method="default", templates="")
        with pytest.raises(PagePendingError):
            worker.ask("block_count", large)
        assert not worker.is_read(large, "default", "")
        small = threading.Thread(target=worker.ask, args=("block_count", document), daemon=True)
        small.start()
        small.join(0.1)
        assert small.is_alive()  # about a small page one waits
    small.join()
    worker.prepare(large).join()
    assert worker._n_waiting == 0
    assert worker.ask("block_count", large) == 3


@pytest.mark.full
def test_what_is_wrong_with_a_large_page_is_told_when_asked(worker, large):
    gone = replace(large, id="x0", path=f"{large.path}-gone")
    worker.prepare(gone).join()
    with pytest.raises(ApiError, match="the page is gone"):
        worker.ask("summary", gone, method="default", templates="")


@pytest.mark.full
def test_what_takes_too_long_behind_the_scene_ends_quietly_and_is_told_when_asked(document):
    worker = PageWorker(timeout_s=0.001)  # nothing can be done in that time
    worker.warm().join()
    worker.prepare(document).join()
    with pytest.raises(ApiError) as caught:
        worker.ask("summary", document, method="default", templates="")
    assert caught.value.status == 503
    assert "longer than" in str(caught.value)
    worker.close()


@pytest.mark.full
def test_one_that_was_closed_starts_no_process_again():
    """What warms it, or reads ahead, asks on behind the scene."""
    worker = PageWorker()
    thread = worker.warm()
    worker.ask("warm")  # it lives
    worker.close()
    thread.join()
    with pytest.raises(ApiError, match="closed"):
        worker.ask("warm")
    assert worker._process.worker is None


def test_a_runner_of_queries_that_was_closed_starts_no_process_again(tmp_path):
    runner = SqlRunner()
    runner.close()
    runner.warm(tmp_path / "tables.duckdb")
    with pytest.raises(ApiError, match="closed"):
        runner.rows(tmp_path / "tables.duckdb", "select 1", 1)
    assert runner._process.worker is None
