"""Tasks that are killed, started again, and run several times at once."""

import random
import shutil

import pyarrow.parquet as pq
import pytest

from quarkcrawl.corpus import extract_corpus, extractions
from quarkcrawl.corpus.extraction import ResultFolder
from quarkcrawl.store import CorpusWriter
from tests.corpus.corpora import rows_of
from tests.corpus.tasks.processes import (
    CONTEXT,
    IN_PROCESS,
    QUARK,
    dying_at_operation,
    dying_at_page,
    started,
)
from tests.store.samples import make_body, make_item

N_TASKS = 32
AT_ONCE = 4


def make_corpus(root, n_pages):
    """One large host and some small ones; pages of different lengths, some stored twice."""
    with CorpusWriter(root) as writer:
        for number in range(n_pages):
            host = "large.cn" if number % 4 else f"h{number % 20}.cn"
            url = f"http://{host}/{number % (n_pages - 9)}.html"
            body = make_body(number, n_words=5 + number % 60)
            writer.append_page(make_item(number, host=host, url=url, body=body))
    return root


def all_rows(root, out):
    """Every row of every part, by URL; none twice."""
    folder = out / "quark"
    n_rows = sum(pq.read_metadata(path).num_rows for path in folder.glob("bucket=*/*.parquet"))
    rows = rows_of(root, out=out)
    assert len(rows) == n_rows
    return rows


def finish(processes):
    for process in processes:
        process.join(600)
    return [process.exitcode for process in processes]


@pytest.mark.full
def test_32_tasks_of_which_8_are_killed_and_one_runs_three_times_at_once(tmp_path):
    root = make_corpus(tmp_path / "corpus", 400)
    extract_corpus(root, QUARK, out=tmp_path / "one", pool=IN_PROCESS)
    out = tmp_path / "many"
    rng = random.Random(26)
    numbers = list(range(N_TASKS))
    rng.shuffle(numbers)
    copied, *others = numbers
    deaths = {number: rng.randrange(11) for number in rng.sample(others, 8)}

    barrier = CONTEXT.Barrier(3)
    copies = [started(dying_at_page, root, out, (copied, N_TASKS), None, barrier) for _ in range(3)]
    assert finish(copies) == [0, 0, 0]
    for begin in range(0, len(others), AT_ONCE):
        some = others[begin : begin + AT_ONCE]
        codes = finish(
            [
                started(dying_at_page, root, out, (number, N_TASKS), deaths.get(number))
                for number in some
            ]
        )
        assert codes == [-9 if number in deaths else 0 for number in some]
    folder = ResultFolder(out / "quark").tasks[1]
    assert sorted(deaths) == folder.missing()
    assert not list((out / "quark").glob("bucket=*"))  # nothing is published before the last
    for number in deaths:
        assert finish([started(dying_at_page, root, out, (number, N_TASKS), None)]) == [0]
    totals = folder.totals()
    assert totals is not None
    assert all_rows(root, out) == all_rows(root, tmp_path / "one")
    assert totals.rows == len(all_rows(root, out)) < 400
    assert not list(out.rglob("*.tmp"))


@pytest.mark.full
def test_killed_at_any_operation_on_files_the_rows_are_the_same(tmp_path):
    """Planning, parts, marks and publishing: before each link, rename, sync and deletion."""
    root = make_corpus(tmp_path / "corpus", 24)
    extract_corpus(root, QUARK, out=tmp_path / "one", pool=IN_PROCESS)
    expected = all_rows(root, tmp_path / "one")
    n_killed = 0
    for died_at in range(0, 10_000, 3):
        out = tmp_path / "out"
        (code,) = finish([started(dying_at_operation, root, out, 2, died_at)])
        if code == 0:
            break
        assert code == -9
        n_killed += 1
        assert finish([started(dying_at_operation, root, out, 2, None)]) == [0]
        assert all_rows(root, out) == expected, died_at
        assert ResultFolder(out / "quark").tasks[1].totals().rows == len(expected)
        shutil.rmtree(out)
    assert n_killed > 20
    assert extractions(root, "quark", out=tmp_path / "out").count_rows() == len(expected)
