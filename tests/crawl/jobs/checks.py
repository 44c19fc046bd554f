"""What must be true of a job that was stopped in whatever way and then finished."""

from __future__ import annotations

import csv
from collections import Counter

import pyarrow.parquet as pq

from .runs import Job


def assert_whole(job: Job) -> None:
    """No request is lost, every item was given, and each is in each feed once."""
    expected = job.server.shop.rows(job.spider)
    lost = job.server.shop.asked(job.spider) - job.server.counts()
    assert not lost, f"{lost.total()} requests lost: {list(lost)[:5]}"
    logged = job.logged()
    missing = expected.keys() - logged.keys()
    assert not missing, f"{len(missing)} items never came to the pipeline: {sorted(missing)[:5]}"
    assert logged.keys() == expected.keys()
    assert_twice_only_in_flight(job)
    assert_feeds(job, expected)


def assert_twice_only_in_flight(job: Job) -> None:
    """An item comes to the pipeline again for each kill at which no feed had it, not for more."""
    in_flight = sum(map(Counter, job.in_flight()), Counter())
    twice = Counter({sku: n - 1 for sku, n in job.logged().items()})
    more = twice - in_flight
    assert not more, f"{more.total()} items given again though a feed had them: {list(more)[:5]}"


def assert_feeds(job: Job, expected: dict[str, dict]) -> None:
    for name, counts in feeds(job).items():
        lost, more = Counter(expected.keys()) - counts, counts - Counter(expected.keys())
        assert not lost, f"{name} lacks {lost.total()}: {list(lost)[:5]}"
        assert not more, f"{name} has {more.total()} too many: {list(more)[:5]}"
    for row in job.lines():
        assert stated(row) == expected[row["sku"]]
    names = [f"batch-{n + 1:05d}.jsonl" for n in range(-(-len(expected) // 500))]
    others = ["items.csv", "items.jsonl", "items.parquet"]
    assert sorted(path.name for path in (job.folder / "feeds").iterdir()) == [*names, *others]
    sizes = [len(job.lines(name)) for name in names]
    assert sizes[:-1] == [500] * (len(names) - 1)


def stated(row: dict) -> dict:
    return {key: value for key, value in row.items() if value is not None}


def feeds(job: Job) -> dict[str, Counter[str]]:
    """How often each item is in each feed, as it should be read; all columns of the typed ones."""
    folder = job.folder / "feeds"
    expected = job.server.shop.rows(job.spider)
    with (folder / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        texts = {key: str(value) for key, value in expected[row["sku"]].items()}
        assert {key: value for key, value in row.items() if value} == texts
    counts = {"csv": Counter(row["sku"] for row in rows)}
    counts["jsonl"] = Counter(row["sku"] for row in job.lines())
    table = pq.read_table(str(folder / "items.parquet")).to_pylist()
    assert all(stated(row) == expected[row["sku"]] for row in table)
    counts["parquet"] = Counter(row["sku"] for row in table)
    batches = sorted(path.name for path in folder.glob("batch-*"))
    counts["batches"] = Counter(row["sku"] for name in batches for row in job.lines(name))
    return counts
