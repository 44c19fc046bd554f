"""Fingerprints as tasks: the groups of one run, without a text fingerprinted again."""

import json

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.near import astasks, find_near, finish_near_tasks, near_groups, near_task
from quarkcrawl.corpus.near import sketches as nearsketches
from quarkcrawl.corpus.near.methods import near_method
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.store import CorpusWriter
from tests.corpus.near_stages import make_texts
from tests.corpus.tasks.processes import CONTEXT, mortal, started
from tests.corpus.tasks.test_kills import finish
from tests.store.samples import make_item

N_TASKS = 5


def make_corpus(root, texts, first=0):
    with CorpusWriter(root) as writer:
        for number, text in enumerate(texts, first):
            item = make_item(
                number,
                host=f"h{number % 23}.cn",
                fetched_at=1e9 + number,
                analysis={"content_text": text},
            )
            writer.append_page(item)


@pytest.fixture
def root(tmp_path):
    make_corpus(tmp_path / "corpus", make_texts(150))
    return tmp_path / "corpus"


def groups(root, method):
    return sorted(near_groups(root, method), key=lambda group: group[0]["kept_url"])


def rows_of(folder):
    """What is kept of each text; none twice."""
    found = [row for path in folder.glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert len({row["url"] for row in found}) == len(found)
    return {row["url"]: row for row in found}


def dying(root, method, number, died_at, barrier=None):
    """Do a task; before its bucket `died_at` the process is killed."""
    astasks.write_bucket = mortal(astasks.write_bucket, died_at, barrier)
    near_task(root, (number, N_TASKS), method, least_chars=0)


@pytest.mark.full
@pytest.mark.parametrize("method", ["default", "simhash"])
def test_tasks_of_which_some_are_killed_and_one_runs_three_times_at_once(
    root, tmp_path, monkeypatch, method
):
    one = tmp_path / "one"
    make_corpus(one, make_texts(150))
    find_near(one, method, least_chars=0)
    barrier = CONTEXT.Barrier(3)
    copies = [started(dying, root, method, 1, None, barrier) for _ in range(3)]
    assert finish(copies) == [0, 0, 0]
    assert finish([started(dying, root, method, number, 2) for number in (0, 3)]) == [-9, -9]
    assert finish([started(dying, root, method, number, None) for number in (2, 4)]) == [0, 0]
    tasks = astasks.fingerprint_tasks(root, near_method(method))
    assert tasks.missing() == [0, 3]
    assert not list(tasks.home.glob("*.parquet"))  # nothing is published before the last
    assert finish([started(dying, root, method, number, None) for number in (0, 3)]) == [0, 0]
    expected = rows_of(one / "analysis" / "near" / method / "sketches")
    assert rows_of(tasks.home) == expected
    assert tasks.totals().rows == len(expected) == 150
    assert not list(root.rglob("*.tmp"))
    with monkeypatch.context() as patch:
        patch.setattr(nearsketches, "sketch_rows", None)  # no text is fingerprinted again
        report = find_near(root, method, least_chars=0)
    assert report.texts == 150
    assert groups(root, method) == groups(one, method)
    assert report.groups > 5


@pytest.mark.full
def test_texts_that_have_changed_are_done_by_the_run(root, tmp_path, monkeypatch):
    for number in range(2):
        near_task(root, (number, 2), least_chars=0)
    make_corpus(root, make_texts(3, seed=7), first=150)
    done = []
    real = nearsketches._write
    monkeypatch.setattr(nearsketches, "_write", lambda *given: (done.append(1), real(*given)))
    assert find_near(root, least_chars=0).texts == 153
    assert 0 < len(done) <= 3  # the buckets of the hosts of the pages that were added
    one = tmp_path / "one"
    make_corpus(one, [*make_texts(150), *make_texts(3, seed=7)])
    find_near(one, least_chars=0)
    assert groups(root, "default") == groups(one, "default")
    find_near(root, least_chars=60)  # other texts than those of the tasks
    find_near(one, least_chars=60)
    assert groups(root, "default") == groups(one, "default")
    reports = [near_task(root, (number, 2), least_chars=0) for number in range(2)]  # anew
    assert sum(report.rows for report in reports) == 153


def test_a_file_of_tasks_that_cannot_be_read_is_made_again(root):
    for number in range(2):
        near_task(root, (number, 2), least_chars=0)
    victim = min(astasks.fingerprint_tasks(root, near_method("default")).home.glob("*.parquet"))
    victim.write_bytes(victim.read_bytes()[:-9])
    assert find_near(root, least_chars=0).texts == 150


def test_one_plan_and_clear_words(root, tmp_path):
    near_task(root, (0, 2))
    with pytest.raises(ConfigError, match="under way are 2 tasks, not 3"):
        near_task(root, (0, 3))
    with pytest.raises(ConfigError, match="tasks with least_chars = 50, not 9"):
        near_task(root, (1, 2), least_chars=9)
    with pytest.raises(InputError, match="2/2: is no task"):
        near_task(root, (2, 2))
    with pytest.raises(StoreError, match=r"tasks are under way \(1 of 2 are done\)"):
        find_near(root)
    with pytest.raises(StoreError, match="1 tasks are not done: 1"):
        finish_near_tasks(root)
    assert near_task(root, (1, 2)).missing == 0
    find_near(root)
    assert near_task(root, (0, 2)).missing == 0  # done, and not again
    with pytest.raises(StoreError, match="quark"):
        near_task(root, (0, 2), "simhash", extraction="quark")


@pytest.mark.full
def test_the_command(root, capsys):
    words = ["corpus", "near", str(root), "--min-chars", "0"]
    for number in range(2):
        assert main([*words, "--task", f"{number}/2"]) == 0
        assert json.loads(capsys.readouterr().out)["missing"] == 1 - number
    assert main([*words, "--finish"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 150
    assert main([*words, "--finish", "--groups"]) == 2
    assert "fingerprints alone" in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["texts"] == 150
