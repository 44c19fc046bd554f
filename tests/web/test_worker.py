"""The process that reads pages: ahead of questions, behind them, and over its time."""

from __future__ import annotations

import pytest

from quarkcrawl.web.documents import Documents
from quarkcrawl.web.endpoint import ApiError
from quarkcrawl.web.worker import STEPS, PageWorker

BODY = (
    "<title>天网</title>" + "<div><p>" + "北京大学网络实验室，搜索引擎。" * 20 + "</p></div>"
) * 3


@pytest.fixture
def document():
    documents = Documents(None)
    yield documents.add(BODY.encode())
    documents.close()


@pytest.fixture
def worker():
    made = PageWorker()
    yield made
    made.close()


def test_a_page_is_read_step_by_step_and_then_answers(worker, document, monkeypatch):
    asked, ask = [], worker.ask

    def noted(question, *words, **values):
        asked.append(values.get("step", question))
        return ask(question, *words, **values)

    monkeypatch.setattr(worker, "ask", noted)
    worker.prepare(document).join()
    assert asked == list(STEPS)
    assert ask("summary", document, method="default", templates="")["page_title"] == "天网"
    assert "搜索引擎" in ask("text", document, method="default", templates="")["text"]


def test_what_takes_too_long_behind_the_scene_ends_quietly_and_is_told_when_asked(document):
    worker = PageWorker(timeout_s=0.001)  # nothing can be done in that time
    worker.warm().join()
    worker.prepare(document).join()
    with pytest.raises(ApiError) as caught:
        worker.ask("summary", document, method="default", templates="")
    assert caught.value.status == 503
    assert "longer than" in str(caught.value)
    worker.close()
