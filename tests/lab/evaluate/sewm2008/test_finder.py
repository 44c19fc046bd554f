"""Runs of our own methods: written, read back, and scored as the spans themselves."""

import numpy as np
import pytest

from quarkcrawl.content import extract
from quarkcrawl.content.topic.api import TOPIC_METHODS
from quarkcrawl.lab.evaluate.extractors.extractors import content_method, topic_method
from quarkcrawl.lab.evaluate.sewm2008.finder import (
    StoredPage,
    find_content,
    find_spans,
    find_topics,
    stored_page,
)
from quarkcrawl.lab.evaluate.sewm2008.finding import (
    ContentGold,
    content_gold,
    score_content,
    score_page,
)
from quarkcrawl.lab.evaluate.sewm2008.runfile import read_content_run, write_content_run
from quarkcrawl.lab.gold.pages import GoldPage
from quarkcrawl.page import Page
from tests.lab.baselines.test_content import NEWS
from tests.page.samples import real_pages

MARKED = NEWS.replace("<div id=main", "<div quark=content id=main").replace(
    "<div id=nav", "<div id=nav quark='noise'"
)
BODIES = {"gb": MARKED.encode("gb18030"), "utf8": MARKED.replace("天网", "天&nbsp;&#32593;<b>").encode(),
          "none": b"<p quark=noise>nothing here</p>"}  # fmt: skip
GOLD = [GoldPage(name, body, name, url="http://example.cn/") for name, body in BODIES.items()]


@pytest.mark.full
@pytest.mark.parametrize("unit", ["bytes", "chars"])
@pytest.mark.parametrize("method", ["quark", "sdu", "scut1", "dlut"])
def test_a_run_that_was_written_scores_as_the_spans(tmp_path, method, unit):
    gold = content_gold(GOLD, unit)
    direct = {
        number: score_page(page, find_spans(page.page, method, unit))
        for number, page in gold.items()
    }
    pages = {page.number: stored_page(page) for page in GOLD}
    run, failures = find_content(method, pages, unit, workers=1)
    assert failures == {}
    write_content_run(tmp_path / "run.txt", run.spans)
    read = read_content_run(tmp_path / "run.txt", lambda number: gold[number].places.size)
    assert read.spans == run.spans
    (result,) = score_content([read], gold)
    assert result.by_page == {number: direct[number] for number in ("gb", "utf8")}
    assert result.score.f1 > 0.5


@pytest.mark.parametrize("method", ["quark", "sdu", "scut1"])
@pytest.mark.parametrize("name", ["gb", "utf8"])
def test_spans_hold_exactly_the_text_of_the_method(method, name):
    gold = ContentGold.of(next(page for page in GOLD if page.number == name))
    content = content_method(method)(gold.page)
    covered = gold.places.covered(find_spans(gold.page, method, "bytes"))
    assert np.array_equal(covered, gold.of_runs(content.runs))


@pytest.mark.shared
def test_spans_of_real_pages_hold_exactly_the_text_of_the_method():
    for name, body, _ in real_pages("cwced", "magic_forum_zh", limit=8):
        page = Page.from_bytes(body)
        gold = ContentGold.of(
            GoldPage(name, body.replace(b"<body", b"<body quark=content", 1), name)
        )
        content = content_method("dlut")(page)
        if page.body == gold.page.body and content.runs.any():
            covered = gold.places.covered(find_spans(page, "dlut", "bytes"))
            assert np.array_equal(covered, gold.of_runs(content.runs)), name


def test_pages_that_are_given_to_a_system_have_no_marks():
    assert b"quark" not in stored_page(GOLD[0]).body
    unmarked = GoldPage("x", b"<p>text", "x", is_topic=False)
    assert stored_page(unmarked) == StoredPage("x", b"<p>text")


def test_topics_are_found_in_bytes():
    pages = {page.number: stored_page(page) for page in GOLD}
    run, failures = find_topics("dlut", pages, workers=1)
    assert failures == {}
    assert run.documents == {"gb", "utf8"}


@pytest.mark.parametrize("name", TOPIC_METHODS)
def test_every_topic_method_decides(name):
    page = stored_page(GOLD[0]).page()
    content = extract(page, method="quark")
    likely = TOPIC_METHODS[name](content.segmentation, content.text) > 0.5
    assert topic_method(name)(page) is likely


def test_a_page_that_takes_too_long_is_told():
    run, failures = find_content(
        "sdu", {"big": StoredPage("big", NEWS.encode() * 3000)}, workers=1, timeout_s=0.001
    )
    assert failures == {"big": "timeout"}
    assert run.spans == {}
