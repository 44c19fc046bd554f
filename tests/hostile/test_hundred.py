"""One hundred more behaviors in one crawl, each with a good host beside it."""

from __future__ import annotations

import pytest

from .behavior import BESIDE, BESIDE_PATHS, Behavior
from .crawls import Outcome, crawl
from .hundred import HUNDRED
from .server import behaviors
from .test_hostile import ends_by_itself, wrong_rows

ROWS = list(HUNDRED.values())
MIB = 1 << 20
GOOD = dict.fromkeys(BESIDE_PATHS, "stored")


def test_they_are_one_hundred_and_others_than_the_first():
    assert len(ROWS) >= 100
    assert not HUNDRED.keys() & {row.name for row in behaviors()}


@pytest.mark.full
@pytest.mark.timeout(900)
def test_one_crawl_over_all_of_them_and_their_neighbors(tmp_path):
    outcome = _crawl(tmp_path, ROWS)
    wrong = wrong_rows(ROWS, outcome)
    poor = poor_neighbors(ROWS, outcome)
    if late := wrong.keys() | poor:
        # Four seconds are short for a good reply too, where six processes share a processor.
        rows = [row for row in ROWS if row.name in late]
        again = _crawl(tmp_path / "late", rows, request_timeout_s=15)
        wrong, poor = wrong_rows(rows, again), poor_neighbors(rows, again)
    assert wrong == {}
    assert poor == set()
    ends_by_itself(outcome)
    assert outcome.peak_rss_bytes < 700 * MIB
    assert outcome.stored_bytes < 40 * MIB


def poor_neighbors(rows: list[Behavior], outcome: Outcome) -> set[str]:
    ends = {name: host.ends for name, host in outcome.hosts.items()}
    return {row.name for row in rows if ends.get(BESIDE + row.name) != GOOD}


def _crawl(folder, rows: list[Behavior], **more) -> Outcome:
    return crawl(folder, rows, timeout_s=400, table=("hundred",), beside=True, **more)
