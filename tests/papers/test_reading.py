"""What docs/published.md says of pages that a reader judged: held to the marks, the kept run, and made again."""

from __future__ import annotations

import numpy as np
import pytest

from tests.papers.conftest import ROOT, SHARED, kept_run, short

needs_pages = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is absent")
SAME_AGAIN = 0.03
"""How far a figure may move when methods change before the page must be measured anew."""


@pytest.fixture(scope="module")
def kept() -> dict:
    return kept_run("reading")


@pytest.fixture(scope="module")
def reading(program) -> object:
    return program("reading")


def around(values: list[float]) -> str:
    return "[{}, {}]".format(*map(short, values[1:]))


# Topic pages


def test_marks_of_topic_pages_are_whole(reading: object, kept: dict) -> None:
    marks = reading.topic_marks()
    assert len({mark.page for mark in marks}) == len(marks) == kept["topic"]["pages"] == 232
    assert sum(mark.is_topic for mark in marks) == kept["topic"]["topic"] == 141
    assert sum(not mark.is_sure for mark in marks) == kept["topic"]["unsure"]
    of_reason = {mark.reason: mark.is_topic for mark in marks}
    assert all(of_reason[mark.reason] == mark.is_topic for mark in marks)


def test_marks_hold_no_text_of_pages() -> None:
    for line in (ROOT / "benchmarks" / "topic_read.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, mark, sure, reason = line.split("\t")
            assert "/" in name
            assert (mark in {"topic", "other"}, sure in {"sure", "unsure"}) == (True, True)
            assert len(reason) < 20


def test_topic_decisions_stand_on_the_page(kept: dict, page: list[list[str]]) -> None:
    names = {"all pages": "all pages taken", "the same without the address": None}
    for method, figures in kept["topic"]["methods"].items():
        first, comma, rest = method.partition(",")
        name = names.get(method) or (method if method in names else f"`{first}`{comma}{rest}")
        found = figures["all"]
        row = next(row for row in page if len(row) == 10 and row[2] == name)
        assert row[3:6] == [short(found[key][0]) for key in ("precision", "recall", "f1")], method
        wanted = [around(found["f1"]), short(found["accuracy"][0]), around(found["accuracy"])]
        assert row[6:] == [*wanted, short(figures["sure"]["f1"][0])], method


def test_a_fitted_decision_is_at_the_level_of_the_teams(kept: dict) -> None:
    methods = kept["topic"]["methods"]
    _, low, high = methods["scut, fitted on the pages read"]["all"]["f1"]
    assert low < 0.880 < 0.883 < high
    for method in ("dlut", "scu"):
        assert methods[method]["all"]["recall"][0] > 0.877
        assert methods[method]["all"]["precision"][2] < {"dlut": 0.889, "scu": 0.846}[method]
    lists = ("list", "links", "home", "excerpts")
    assert sum(methods["dlut"]["wrong"][reason] for reason in lists) == 45


@needs_pages
@pytest.mark.full
@pytest.mark.shared
def test_topic_pages_decided_again(reading: object, kept: dict) -> None:
    sample, marks = reading.topic_sample(), reading.topic_marks()
    assert [mark.page for mark in marks] == list(sample)
    truth = np.array([mark.is_topic for mark in marks])
    hosts = np.array([reading.host_of(record) for record in sample.values()])
    for method, found in reading.unfitted(marks, list(sample.values())).items():
        now = reading.measured(truth, found, hosts)
        for name, values in kept["topic"]["methods"][method]["all"].items():
            assert now[name] == pytest.approx(values, abs=SAME_AGAIN)


@needs_pages
@pytest.mark.slow
@pytest.mark.shared
def test_topic_classifiers_fitted_again(reading: object, kept: dict) -> None:
    found = reading.topic()["methods"]
    for method, figures in kept["topic"]["methods"].items():
        for name, values in figures["all"].items():
            assert found[method]["all"][name] == pytest.approx(values, abs=SAME_AGAIN)


# Grades


def test_grades_are_whole(reading: object, kept: dict) -> None:
    rows = reading.stored_grades()
    assert len({row[:2] for row in rows}) == len(rows) == 3 * kept["grades"]["pages"] == 300
    assert {row.method for row in rows} == set(kept["grades"]["methods"])
    assert {row.grade for row in rows} <= {str(grade) for grade in reading.Grade}
    assert all(len(row.text) == 12 and int(row.text, 16) >= 0 for row in rows)
    assert all(len(row.reason) < 12 for row in rows)


def test_grades_stand_on_the_page(reading: object, kept: dict, page: list[list[str]]) -> None:
    rows = reading.stored_grades()
    for method, groups in kept["grades"]["methods"].items():
        for name in ("paper's portals", "others"):
            found = groups[name]
            numbers = [str(number) for number in found["grades"].values()]
            wanted = [*numbers, short(found["share"][0]), around(found["share"])]
            assert [f"`{method}`", f"{name}, {found['pages']}", *wanted] in page
            own = [row for row in rows if row.method == method]
            chosen = [row for row in own if (row.portal == "-") == (name == "others")]
            counted = [sum(row.grade == grade for row in chosen) for grade in found["grades"]]
            assert counted == list(found["grades"].values())
    for name in ("Sina", "Tencent", "paper's portals, 2004 and 2005"):
        row = next(row for row in page if row[0] == name)
        for cell, method in zip(row[1:], ("ibdom", "rules", "default"), strict=True):
            found = kept["grades"]["methods"][method][name]
            well = found["grades"]["good"] + found["grades"]["fairly good"]
            assert cell == f"{well} of {found['pages']}"


def test_ibdom_is_of_its_time(kept: dict) -> None:
    groups = kept["grades"]["methods"]["ibdom"]
    assert groups["paper's portals, 2004 and 2005"]["share"][0] == 1.0
    assert groups["Sina"]["share"][0] > 0.9 > 0.5 > groups["Tencent"]["share"][0]
    assert groups["others"]["share"][2] < kept["grades"]["published_share"]
    wrong = groups["paper's portals"]["reasons"]["links"] + groups["others"]["reasons"]["links"]
    assert wrong == 29  # one of them fairly good


@needs_pages
@pytest.mark.full
@pytest.mark.shared
def test_grades_are_of_what_the_methods_find(reading: object, kept: dict) -> None:
    """A changed method makes grades stale; a few may be, more need a reader."""
    found = reading.grades()
    assert found["pages"] == kept["grades"]["pages"] == 100
    assert len(found["stale"]) <= 15
    for method, groups in kept["grades"]["methods"].items():
        for name in ("paper's portals", "others"):
            assert found["methods"][method][name]["share"] == groups[name]["share"]


@needs_pages
@pytest.mark.shared
def test_a_hash_tells_a_changed_text(reading: object) -> None:
    records = reading.records(SHARED / "extraction" / "cwced.jsonl.gz")
    record = next(row for row in records if reading.portal_of(row) == "Qianlong")
    texts, by_ruler = reading.found_now({record["id"]: record})
    stored = {row[:2]: row.text for row in reading.stored_grades() if row.page == record["id"]}
    assert texts == stored
    assert all(by_ruler.values())
    _, found = reading.outputs(record["id"], record)
    whole, last = found["ibdom"], found["ibdom"].text.splitlines()[-1]
    cut = whole.with_runs(whole.runs, whole.text.removesuffix(last))
    assert reading.text_hash(whole) == texts[record["id"], "ibdom"] != reading.text_hash(cut)
