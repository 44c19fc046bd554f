"""Classes and fields as tasks: the rows of one run, killed or not, and one table at any time."""

import json
import random
import shutil
from pathlib import Path

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus import classify_corpus, page_classes, pagetable, template_task
from quarkcrawl.corpus.tasks import TaskFolder, files, folder
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.store import page_dat_path
from tests.corpus.corpora import add_pages
from tests.corpus.tasks.pagetables import (
    KINDS,
    dying,
    make_corpus,
    make_models,
    model_of,
    printed,
    rows,
    task,
)
from tests.corpus.tasks.processes import CONTEXT, IN_PROCESS, small_parts, started
from tests.corpus.tasks.test_kills import finish

N_TASKS = 32
N_PAGES = 15 * N_TASKS
AT_ONCE = 4


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@pytest.fixture
def root(tmp_path):
    make_corpus(tmp_path / "corpus", 30)
    return tmp_path / "corpus"


def tasks_of(kind, root):
    name = "topics" if kind == "classes" else "blog"
    folder = root / "analysis" / kind
    return TaskFolder(folder / f"{name}.tasks", folder / f"{name}.parquet")


def single_run(kind, root, models, out, capsys):
    """What one run without tasks has of each page."""
    if kind == "classes":
        classify_corpus(root, model_of(kind, models), out=out, pool=IN_PROCESS)
        return rows(kind, root, out)
    assert main(["template", "apply", str(model_of(kind, models)), str(root)]) == 0
    return printed(capsys.readouterr().out)


def comparable(kind, found):
    """Rows of the table in the form of what one run has."""
    if kind == "classes":
        return found
    return {
        url: {
            "url": url,
            "template": row["template"],
            "similarity": row["similarity"],
            "fields": dict(row["fields"]),
            "dynamic": row["dynamic"],
        }
        for url, row in found.items()
    }


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_tasks_of_which_some_are_killed_and_one_runs_three_times_at_once(
    kind, models, tmp_path, capsys
):
    root = tmp_path / "corpus"
    make_corpus(root, N_PAGES)
    expected = single_run(kind, root, models, tmp_path / "one", capsys)
    numbers = list(range(N_TASKS))
    rng = random.Random(26)
    rng.shuffle(numbers)
    copied, *others = numbers
    deaths = {number: rng.randrange(8) for number in rng.sample(others, 8)}
    barrier = CONTEXT.Barrier(3)
    copies = [
        started(dying, kind, root, models, (copied, N_TASKS), None, barrier) for _ in range(3)
    ]
    assert finish(copies) == [0, 0, 0]
    for begin in range(0, len(others), AT_ONCE):
        some = others[begin : begin + AT_ONCE]
        running = [
            started(dying, kind, root, models, (number, N_TASKS), deaths.get(number))
            for number in some
        ]
        assert finish(running) == [-9 if number in deaths else 0 for number in some]
    tasks = tasks_of(kind, root)
    assert tasks.missing() == sorted(deaths)
    assert not tasks.results.exists()  # nothing is published before the last
    for number in deaths:
        assert finish([started(dying, kind, root, models, (number, N_TASKS), None)]) == [0]
    found = rows(kind, root)
    assert comparable(kind, found) == expected
    assert len(found) == N_PAGES == tasks.totals().rows
    if kind == "fields":
        assert sum(bool(row["fields"]) for row in expected.values()) > N_PAGES // 4
    assert not list(root.rglob("*.tmp"))


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_tasks_make_the_rows_of_one_run(kind, root, models, tmp_path, monkeypatch, capsys):
    small_parts(monkeypatch, pagetable)
    expected = single_run(kind, root, models, tmp_path / "one", capsys)
    reports = [task(kind, root, models, number, 3) for number in (2, 0, 1)]
    assert [report.missing for report in reports] == [2, 1, 0]
    assert sum(report.rows for report in reports) == 30
    assert len(list(tasks_of(kind, root).results.glob("*.parquet"))) > 8
    assert comparable(kind, rows(kind, root)) == expected
    with monkeypatch.context() as patch:
        patch.setattr(pagetable, "map_pages", None)  # no page is done again
        assert task(kind, root, models, 1, 3).rows == reports[2].rows
    assert task(kind, root, models, 1, 3).missing == 0


@pytest.mark.full
def test_tasks_take_the_place_of_a_table_when_all_are_done(root, models):
    """Of one that a run has written, and of one of tasks when pages were added."""
    classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
    task("classes", root, models, 0, 2)
    assert len(rows("classes", root)) == 30  # of the run, until the last task
    add_pages(root, range(5))
    task("classes", root, models, 1, 2)
    assert tasks_of("classes", root).results.is_dir()
    assert len(rows("classes", root)) == 30
    task("classes", root, models, 0, 2)  # anew, with the pages that were added
    assert len(rows("classes", root)) == 30
    task("classes", root, models, 1, 2)
    assert len(rows("classes", root)) == 35
    report = classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
    assert report.pages == len(rows("classes", root)) == 35
    assert tasks_of("classes", root).results.is_file()


def offsets(root):
    return sorted(page_classes(root, "topics")["offset"].to_pylist())


def killed(*_, **__):
    raise KeyboardInterrupt


def killed_at(monkeypatch, stop, results):
    """Have publishing end at a step, as if the process were killed."""
    n_left = 4

    def rename(path, target, really=Path.rename):
        nonlocal n_left
        if stop == "parts" and path.suffix == ".parquet":
            if n_left == 0:
                raise KeyboardInterrupt
            n_left -= 1
        if stop == "between" and target == results:
            raise KeyboardInterrupt
        return really(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    if stop == "before":
        monkeypatch.setattr(folder, "put_in_place", killed)
    if stop == "after":
        monkeypatch.setattr(files, "remove", killed)


@pytest.mark.full
@pytest.mark.parametrize("stop", ["parts", "before", "between", "after"])
@pytest.mark.parametrize("can_exchange", [True, False])
def test_readers_see_the_old_or_the_new_table_though_publishing_is_killed(
    root, models, monkeypatch, stop, can_exchange
):
    small_parts(monkeypatch, pagetable)
    if not can_exchange:
        monkeypatch.setattr(files, "_exchange", lambda *_: False)
    for number in range(2):  # rows of tasks, which others replace
        task("classes", root, models, number, 2)
    add_pages(root, range(3))
    old = offsets(root)
    tasks = tasks_of("classes", root)
    task("classes", root, models, 0, 2)
    assert offsets(root) == old
    with monkeypatch.context() as patch:
        killed_at(patch, stop, tasks.results)
        if stop == "between" and can_exchange:
            task("classes", root, models, 1, 2)  # there is nothing between
        else:
            with pytest.raises(KeyboardInterrupt):
                task("classes", root, models, 1, 2)
            assert tasks.missing() == []
            assert tasks.totals() is None
    if stop == "between" and not can_exchange:
        assert not tasks.results.exists()
    else:
        assert len(offsets(root)) == (30 if stop in {"parts", "before"} else 33)
    tasks.finish()
    assert len(rows("classes", root)) == len(offsets(root)) == tasks.totals().rows == 33
    assert not [path for path in tasks.results.iterdir() if path.suffix != ".parquet"]
    assert not list(tasks.path.glob("table*"))
    assert task("classes", root, models, 1, 2).missing == 0  # and that is all


def test_a_table_that_an_earlier_version_had_published_in_part(root, models, monkeypatch):
    """It took the old parts away and renamed the new ones, one after the other."""
    small_parts(monkeypatch, pagetable)
    tasks = tasks_of("classes", root)
    task("classes", root, models, 0, 2)
    with monkeypatch.context() as patch:
        killed_at(patch, "parts", tasks.results)
        with pytest.raises(KeyboardInterrupt):
            task("classes", root, models, 1, 2)
    tasks.results.mkdir()
    moved = list((tasks.path / "table").iterdir())
    assert len(moved) == 4
    for path in moved:
        path.rename(tasks.results / path.name)
    tasks.finish()
    assert len(offsets(root)) == tasks.totals().rows == 30


@pytest.mark.full
def test_a_reader_begins_again_when_its_table_goes(root, models, monkeypatch):
    for number in range(2):
        task("classes", root, models, number, 2)
    real, seen = pagetable.parquet_files, []

    def replaced_after_a_look(path):
        found = real(path)
        seen.append(found)
        if len(seen) == 1:
            shutil.rmtree(path)
            classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
        return found

    monkeypatch.setattr(pagetable, "parquet_files", replaced_after_a_look)
    assert len(offsets(root)) == 30
    assert len(seen) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_record_is_a_row_with_its_reason(kind, root, models):
    path = page_dat_path(root, "e.cn")
    path.write_bytes(path.read_bytes()[:-20])
    counts = [task(kind, root, models, number, 2).counts for number in range(2)]
    assert rows(kind, root)["http://e.cn/"]["reason"] == "damaged"
    assert sum(one.get("damaged", 0) for one in counts) == 1


def test_one_plan_and_clear_words(root, models, tmp_path):
    task("classes", root, models, 0, 2)
    with pytest.raises(ConfigError, match="under way are 2 tasks, not 4"):
        task("classes", root, models, 1, 4)
    with pytest.raises(InputError, match="2/2: is no task"):
        task("classes", root, models, 2, 2)
    with pytest.raises(StoreError, match=r"tasks are under way \(1 of 2 are done\)"):
        classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
    with pytest.raises(StoreError, match="no such table"):
        page_classes(root, "topics")
    other = tmp_path / "topics.npz"
    other.write_bytes(model_of("classes", models).read_bytes() + b"\0")  # read as the same model
    with pytest.raises(ConfigError, match="tasks with sha256 = "):
        task("classes", root, tmp_path, 1, 2)
    other.write_bytes(model_of("classes", models).read_bytes())
    assert task("classes", root, tmp_path, 1, 2).missing == 0  # wherever the file lies
    with pytest.raises(InputError):
        task("fields", root, tmp_path, 0, 2)
    assert not (root / "analysis" / "fields").exists()


@pytest.mark.full
def test_classes_and_fields_do_not_take_the_place_of_each_other(root, models, tmp_path):
    out, templates = tmp_path / "out", tmp_path / "topics.json"
    classify_corpus(root, model_of("classes", models), out=out, pool=IN_PROCESS)
    templates.write_bytes(model_of("fields", models).read_bytes())
    with pytest.raises(ConfigError, match=r"topics.parquet: is no table of fields"):
        template_task(root, templates, (0, 1), out=out, pool=IN_PROCESS)
    assert page_classes(root, "topics", out=out).num_rows == 30
    (out / "topics.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(StoreError, match=r"topics\.parquet"):
        page_classes(root, "topics", out=out)
    classify_corpus(root, model_of("classes", models), out=out, pool=IN_PROCESS)
    assert page_classes(root, "topics", out=out).num_rows == 30


@pytest.mark.full
def test_a_table_of_tasks_stays_until_the_file_in_its_place_is_whole(root, models, monkeypatch):
    for number in range(2):
        task("classes", root, models, number, 2)

    def rename(path, target, really=Path.rename):
        if target.name == "topics.parquet" and path.is_file():
            raise OSError("no")
        return really(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(files, "_exchange", lambda *_: False)  # a system that cannot
        patched.setattr(Path, "rename", rename)
        with pytest.raises(StoreError):
            classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
    assert page_classes(root, "topics").num_rows == 30
    classify_corpus(root, model_of("classes", models), pool=IN_PROCESS)
    assert page_classes(root, "topics").num_rows == 30
    folder = root / "analysis" / "classes"
    assert sorted(path.name for path in folder.iterdir()) == ["topics.parquet", "topics.tasks"]
    assert (folder / "topics.parquet").is_file()


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_the_commands(kind, root, models, tmp_path, capsys):
    model = str(model_of(kind, models))
    out = ["--out", str(tmp_path / "out"), "--name", "mine", "--workers", "1"]
    words = {
        "classes": ["classify", "apply", str(root), "--model", model, *out],
        "fields": ["template", "apply", model, str(root), *out],
    }[kind]
    assert main([*words, "--task", "0/2"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 1
    assert main([*words, "--finish"]) == 1
    assert "1 tasks are not done: 1" in capsys.readouterr().err
    assert main([*words, "--task", "1/2"]) == 0
    capsys.readouterr()
    assert main([*words, "--finish"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 30
    assert len(list((tmp_path / "out" / "mine.parquet").glob("*.parquet"))) >= 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["template", "apply", "T", "C", "--task", "0/2", "--format", "xml"], "not with tasks"),
        (["template", "apply", "T", "C", "--task", "0/2", "--unknown", "u"], "not with tasks"),
        (["template", "apply", "T", "F", "--task", "0/2"], "is for a corpus"),
        (["template", "apply", "T", "C", "--name", "x"], "are for tasks"),
        (["template", "apply", "T", "C", "--task", "2/2"], "counted from 0/2 to 1/2"),
        (["classify", "apply", "F", "--model", "M", "--finish"], "is for a corpus"),
        (["classify", "apply", "C", "--model", "M", "--finish", "--task", "0/2"], "not with"),
        (["classify", "apply", "C", "--model", "M", "--finish"], "there are no tasks to finish"),
    ],
)
def test_what_the_commands_refuse(root, models, tmp_path, capsys, words, message):
    (tmp_path / "page.html").write_text("<p>页</p>")
    paths = {
        "C": root,
        "F": tmp_path / "page.html",
        "T": model_of("fields", models),
        "M": model_of("classes", models),
    }
    assert main([str(paths.get(word, word)) for word in words]) in {1, 2}
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert message in said
