"""Extraction from an archive as tasks: the files of one run, whoever was killed on the way."""

import json
import random

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.archive import (
    ArchiveReport,
    RecordFilter,
    archive_failures,
    archive_task,
    extract_archive,
    finish_archive,
    job,
)
from quarkcrawl.corpus.archive.results import ArchiveFolder
from quarkcrawl.errors import ConfigError, InputError, StoreError
from tests.corpus.tasks.processes import CONTEXT, mortal, started
from tests.corpus.tasks.test_kills import finish

from .commoncrawl import make_archive
from .test_extract import HERE, QUARK, pages_of, rows_of

N_FILES = 9
N_TASKS = 4


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """9 files, 180 pages, 1 in 10 of them damaged."""
    folder = tmp_path_factory.mktemp("cc") / "cc"
    return make_archive(folder, n_files=N_FILES, n_pages=20, damaged_every=10, n_hosts=20)


def task(archive, out, number, n_tasks=N_TASKS, source="list", **more):
    words = [str(archive.paths if source == "list" else archive.index)]
    return archive_task(
        words, out, QUARK, (number, n_tasks), base=str(archive.root), pool=HERE, **more
    )


def single_run(archive, out, source="list") -> ArchiveReport:
    words = [str(archive.paths if source == "list" else archive.index)]
    return extract_archive(words, out, QUARK, base=str(archive.root), pool=HERE)


def names_of(out):
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def dying(archive, out, number, source, died_at, barrier=None):
    """Do a task; before the batch `died_at` of its records the process is killed."""
    job.extract_records = mortal(job.extract_records, died_at, barrier)
    task(archive, out, number, source=source)


@pytest.mark.full
@pytest.mark.parametrize("source", ["list", "index"])
def test_tasks_of_which_some_are_killed_and_one_runs_three_times_at_once(archive, tmp_path, source):
    one, out = tmp_path / "one", tmp_path / "many"
    expected = single_run(archive, one, source)
    numbers = list(range(N_TASKS))
    random.Random(26).shuffle(numbers)
    copied, last, *killed = numbers
    barrier = CONTEXT.Barrier(3)
    copies = [started(dying, archive, out, copied, source, None, barrier) for _ in range(3)]
    assert finish(copies) == [0, 0, 0]
    running = [started(dying, archive, out, number, source, 4) for number in killed]
    assert finish(running) == [-9, -9]
    kept = list((out / "quark" / "_tasks").rglob("parts/*/CC-*.parquet"))
    assert finish([started(dying, archive, out, last, source, None)]) == [0]
    results = ArchiveFolder(out / "quark")
    assert results.tasks.missing() == sorted(killed)
    assert not list((out / "quark").glob("*.parquet"))  # nothing is published before the last
    assert finish([started(dying, archive, out, number, source, None) for number in killed]) == [
        0,
        0,
    ]
    assert len(kept) > len(killed)  # files that were whole when their tasks were killed
    assert rows_of(out) == rows_of(one)
    assert list(archive_failures(out, "quark")) == list(archive_failures(one, "quark"))
    totals = results.tasks.totals()
    assert totals.rows == expected.counts.pages == len(rows_of(one))
    assert totals.counts["records"] == expected.counts.records
    assert totals.counts["damages"] == sum(expected.counts.damages.values()) > 10
    left = [name for name in names_of(out) if "_tasks" not in name and "lock" not in name]
    assert left == [name for name in names_of(one) if "lock" not in name]
    report = single_run(archive, out, source)  # finds all done
    assert (report.done_before, report.counts) == (totals.rows, expected.counts)


@pytest.mark.full
def test_one_plan_and_clear_words(archive, tmp_path):
    assert task(archive, tmp_path, 0, 2).missing == 1
    with pytest.raises(ConfigError, match="under way are 2 tasks, not 3"):
        task(archive, tmp_path, 0, 3)
    with pytest.raises(ConfigError, match="tasks with wanted = "):
        task(archive, tmp_path, 1, 2, record_filter=RecordFilter(statuses=(200,)))
    with pytest.raises(InputError, match="2/2: is no task"):
        task(archive, tmp_path, 2, 2)
    with pytest.raises(ConfigError, match="three letters"):
        task(archive, tmp_path, 1, 2, record_filter=RecordFilter(languages=("zh",)))
    with pytest.raises(StoreError, match=r"tasks are under way \(1 of 2 are done\)"):
        single_run(archive, tmp_path)
    with pytest.raises(StoreError, match="1 tasks are not done: 1"):
        finish_archive(tmp_path, "quark")
    with pytest.raises(ConfigError, match="tasks work on folders"):
        task(archive, "s3://texts/rows", 0, 2)
    assert task(archive, tmp_path, 1, 2).missing == 0
    n_rows = len(rows_of(tmp_path))
    assert finish_archive(tmp_path, "quark").rows == n_rows
    assert task(archive, tmp_path, 0, 2).missing == 0  # done, and not again


def test_a_file_that_cannot_be_opened_is_left_to_the_next_round(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=4, n_pages=6)
    hidden = made.warcs[1]
    away = hidden.rename(tmp_path / "away")
    out = tmp_path / "out"

    def both():
        told = []
        for number in range(2):
            try:
                task(made, out, number, 2)
            except StoreError as error:
                told.append(str(error))
        return told

    (message,) = both()
    assert hidden.name in message
    assert "its others are done" in message
    n_rows = len(rows_of(out))
    assert finish_archive(out, "quark").counts["unreadable"] == 1
    assert 0 < n_rows == len(pages_of(made)) - 6
    assert len(both()) == 1  # again in vain
    away.rename(hidden)
    assert both() == []
    assert rows_of(out).keys() == pages_of(made).keys()
    assert both() == []
    assert finish_archive(out, "quark").rows == 6


def test_a_file_that_leaves_its_folder_meanwhile(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=2, n_pages=4)
    words, out = [str(made.warcs[0].parent)], tmp_path / "out"
    archive_task(words, out, QUARK, (0, 2), pool=HERE)
    gone = made.warcs[1]
    gone.unlink()
    with pytest.raises(StoreError, match=f"{gone.name}: is no longer among the files"):
        archive_task(words, out, QUARK, (1, 2), pool=HERE)
    assert len(rows_of(out)) == 4


def test_files_that_are_added_are_done_and_no_others(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=3, n_pages=10, damaged_every=20)
    out = tmp_path / "out"
    whole = made.warcs[2].rename(tmp_path / "away")
    words = [str(path) for path in made.warcs]

    def run(words, **more):
        return [archive_task(words, out, QUARK, (n, 2), pool=HERE, **more) for n in range(2)]

    assert sum(report.rows for report in run(words)) == len(rows_of(out)) < 20
    assert run(words)[1].missing == 0
    assert list(archive_failures(out, "quark"))
    whole.rename(made.root / "crawl-data" / "more.warc.gz")
    listed = tmp_path / "all.paths"
    listed.write_text("\n".join(words) + "\n")
    out = tmp_path / "listed"
    run([str(listed)])
    n_rows = len(rows_of(out))
    listed.write_text("\n".join([*words, str(made.root / "crawl-data" / "more.warc.gz")]) + "\n")
    added = run([str(listed)])
    assert sum(report.rows for report in added) > 0
    assert len(rows_of(out)) == n_rows + sum(report.rows for report in added)


@pytest.mark.full
def test_the_command(archive, tmp_path, capsys):
    words = ["extract", str(archive.paths), "--base", str(archive.root), "--out", str(tmp_path)]
    words += ["--method", "quark", "--in-process"]
    for word in ("--retry-failed", "--failures", "--learn-sites", "--restart"):
        assert main([*words, "--task", "0/2", word]) == 2
        assert word in capsys.readouterr().err
    for number in range(2):
        assert main([*words, "--task", f"{number}/2"]) == 0
        assert json.loads(capsys.readouterr().out)["missing"] == 1 - number
    assert main([*words, "--finish"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == len(rows_of(tmp_path)) > 150
