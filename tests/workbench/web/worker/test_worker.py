"""The process that reads pages: ahead of questions, behind them, and over its time."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from quarkcrawl.workbench.web.documents import LARGE_BYTES, Documents
from quarkcrawl.workbench.web.http.operation import ApiError
from quarkcrawl.workbench.web.http.pending import PagePendingError
from quarkcrawl.workbench.web.worker.worker import PageWorker

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


def test_what_is_wrong_with_a_large_page_is_told_when_asked(worker, large):
    gone = replace(large, id="x0", path=f"{large.path}-gone")
    worker.prepare(gone).join()
    with pytest.raises(ApiError, match="the page is gone"):
        worker.ask("summary", gone, method="default", templates="")


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
def test_warming_loads_what_templates_need_too():
    """Compiling it takes seconds, which the first to match a page would wait for."""
    script = (
        "from quarkcrawl.template.structure import repeats; from quarkcrawl.workbench.web.worker import answers as pagework\n"
        "pagework._cold[:-1] = []; print(len(repeats.find_repeats.dispatcher.signatures), end=' ')\n"
        "print(pagework._warm(), len(repeats.find_repeats.dispatcher.signatures))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["0", "0", "1"]
