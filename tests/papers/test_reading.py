"""What docs/published.md says of pages that a reader judged: held to the marks, the kept run, and made again."""

from __future__ import annotations

import itertools
from collections import Counter

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


PRINTED_GRADES = {
    "Sina": [86, 11, 2, 1, 0],
    "Sohu": [83, 12, 4, 1, 0],
    "NetEase": [76, 10, 11, 2, 1],
    "Tencent": [86, 9, 2, 0, 3],
    "Xinhua": [87, 10, 1, 2, 0],
    "Qianlong": [90, 7, 0, 2, 1],
    "Zaobao": [85, 10, 1, 0, 4],
}
"""Table 1 of the IB-DOM paper: good, fairly good, medium, fairly poor, poor."""

PRINTED_SUMS = [593, 69, 21, 8, 9]
RUN_TOGETHER = {
    "Sina": "8611210", "Sohu": "8312410", "NetEase": "76101121", "Tencent": "869203",
    "Xinhua": "8710120", "Qianlong": "907021", "Zaobao": "8510104",
}  # fmt: skip
"""The same as the deposited text has it, after the 100 pages of each."""


def cuts(digits: str, parts: int) -> list[list[int]]:
    """All ways to read digits as so many numbers, none with a zero in front."""
    if parts == 1:
        return [[int(digits)]] if digits and str(int(digits)) == digits else []
    return [
        [int(digits[:end]), *rest]
        for end in range(1, len(digits))
        if str(int(digits[:end])) == digits[:end]
        for rest in cuts(digits[end:], parts - 1)
    ]


def test_one_way_to_cut_the_printed_table_fits_its_sums() -> None:
    choices = [[cut for cut in cuts(row, 5) if sum(cut) == 100] for row in RUN_TOGETHER.values()]
    assert max(map(len, choices)) == 3, "a row alone does not tell"
    fitting = [
        rows
        for rows in itertools.product(*choices)
        if list(map(sum, zip(*rows, strict=True))) == PRINTED_SUMS
    ]
    assert fitting == [tuple(PRINTED_GRADES.values())]
    assert sum(PRINTED_SUMS) == 700


def test_printed_grades_stand_beside_ours(kept: dict, page: list[list[str]]) -> None:
    """Each portal of the paper, the sums, and our pages by their years."""
    start = next(n for n, row in enumerate(page) if row[0] == "grades by portal")
    rows = {row[0]: row[1:] for row in page[start + 2 : start + 12]}
    names = {
        **{name: name for name in PRINTED_GRADES}, "sum": "paper's portals",
        "of these, 2004 and 2005": "paper's portals, 2004 and 2005",
        "of these, later": "paper's portals, later",
    }  # fmt: skip
    assert list(rows) == list(names)
    for name, printed in {**PRINTED_GRADES, "sum": PRINTED_SUMS}.items():
        assert rows[name][0] == " ".join(map(str, printed)), name
    for name, group in names.items():
        for cell, method in zip(rows[name][2:], ("ibdom", "rules", "default"), strict=True):
            found = kept["grades"]["methods"][method].get(group)
            if name == "Zaobao":
                assert (found, rows[name][1], cell[:13]) == (None, "0", "not measured:")
                continue
            assert cell == " ".join(map(str, found["grades"].values())), (name, method)
            assert rows[name][1] == str(found["pages"]) == str(sum(found["grades"].values()))


def test_sums_of_the_paper_stand_in_the_tables_above(page: list[list[str]]) -> None:
    share = ".944 printed, .946 by its counts"
    assert round(sum(PRINTED_SUMS[:2]) / 700, 3) == 0.946
    rows = [row for row in page if share in row]
    assert len(rows) == 2
    for row in rows:
        end = row.index(share)
        assert row[end - 5 : end] == list(map(str, PRINTED_SUMS))


@needs_pages
@pytest.mark.shared
def test_names_that_end_like_a_portal_are_other_sites(reading: object) -> None:
    """Pages of news.cn by the end of the name, and those that are Xinhua's."""
    rows = [
        row
        for name in ("cwced", "daniel_zh", "magic_article_zh")
        for row in reading.records(SHARED / "extraction" / f"{name}.jsonl.gz")
    ]
    hosts = Counter(reading.host_of(row) for row in rows)
    assert {host: n for host, n in hosts.items() if host.endswith("news.cn")} == {
        "www.northnews.cn": 5,
        "www.hinews.cn": 1,
        "www.he.news.cn": 1,
    }
    (xinhua,) = [row for row in rows if reading.portal_of(row) == "Xinhua"]
    assert reading.host_of(xinhua) == "www.he.news.cn"


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
