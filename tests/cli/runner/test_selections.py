"""The filter of a selection from a browser: what is checked, what is never overwritten, stopping."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.runner import LocalSelection
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.select import SelectionWork
from quarkcrawl.workbench.web import ApiError, HostFilterOptions
from tests.select.selected import selected_work

RESULTS = ("hosts.parquet", "aliases.parquet", "spam_domains.txt", "seeds.parquet", "seeds.txt")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "work", 400)


@pytest.fixture
def work(made, tmp_path):
    return SelectionWork(shutil.copytree(made.root, tmp_path / "work"))


@pytest.fixture
def opened():
    """Makes what filters; its processes have ended before the test has."""
    made = []

    def open_one(root):
        made.append(LocalSelection(root))
        return made[-1]

    yield open_one
    for one in made:
        for process in one._started.values():
            process.wait(120)


def ended(selection: LocalSelection) -> dict:
    """What is told of the filter once it has ended."""
    for _ in range(1200):
        told = selection.told()
        if told["state"] != "running":
            return told
        time.sleep(0.1)
    raise AssertionError(told)


def results(work: SelectionWork) -> dict[str, bytes]:
    return {name: work.path(name).read_bytes() for name in (*RESULTS, "filter.json")
            if work.path(name).exists()}  # fmt: skip


@pytest.mark.full
def test_its_result_is_that_of_the_command(work, tmp_path, opened):
    (work.root / "mine.txt").write_text("cn\n")
    other = SelectionWork(shutil.copytree(work.root, tmp_path / "other"))
    words = ["--min-pages", "3", "--aliases", "md5", "--outliers", "line", "--drop-undecided",
             "--skip", "digits", "--skip", "names", "--spam-list", str(work.path("mine.txt"))]  # fmt: skip
    assert main(["select", "filter", "--work", str(other.root), *words]) == 0
    selection = opened(work.root)
    before = selection.told()
    assert (before["state"], before["started_at"]) == ("waiting", None)
    options = HostFilterOptions(3, "md5", "line", drop_undecided=True, skip=("digits", "names"),
                            spam_list=("mine.txt",))  # fmt: skip
    selection.begin(options, before["version"])
    with pytest.raises(ApiError, match="runs already"):
        selection.begin(options, before["version"])
    told = ended(selection)
    assert (told["state"], told["error"]) == ("done", "")
    assert told["elapsed_s"] > 0
    assert told["version"] not in {"", before["version"]}
    assert results(work) == results(other)
    noted = work.summary()["options"]
    assert noted == asdict(options) | {
        "skip": ["names", "digits"], "spam_list": [str(work.path("mine.txt"))],
    }  # fmt: skip
    lines = selection.lines()
    for step in work.summary()["steps"]:
        line = f"{step['name']}: {step['dropped']:,} dropped, {step['left']:,} left"
        assert any(one.startswith(line) for one in lines), line


@pytest.mark.full
def test_a_result_that_is_there_is_replaced_only_if_it_was_named(work, opened):
    selection = opened(work.root)
    before, version = results(work), selection.told()["version"]
    with pytest.raises(ApiError, match="a result already"):
        selection.begin(HostFilterOptions(), "")
    work.path("seeds.txt").write_text("http://by.hand.cn/\n")  # by somebody else, meanwhile
    with pytest.raises(ApiError, match="another result by now"):
        selection.begin(HostFilterOptions(), version)
    assert results(work) == before | {"seeds.txt": b"http://by.hand.cn/\n"}
    assert not (work.root / "jobs").exists()
    for name in before:
        work.path(name).unlink()
    selection.begin(HostFilterOptions(), "")
    first = ended(selection)
    assert first["state"] == "done"
    selection.begin(HostFilterOptions(), first["version"])  # the same words run again
    second = ended(selection)
    assert (second["state"], second["version"] != first["version"]) == ("done", True)
    assert second["started_at"] > first["started_at"]


@pytest.mark.full
def test_the_result_of_before_outlives_a_filter_that_is_stopped_or_fails(work, opened):
    selection = opened(work.root)
    before, version = results(work), selection.told()["version"]
    with pytest.raises(ApiError, match="does not run"):
        selection.end()
    selection.begin(HostFilterOptions(), version)
    selection.end()
    told = ended(selection)
    assert (told["state"], told["version"]) == ("failed", version)
    assert results(work) == before
    with pytest.raises(ApiError, match="does not run"):
        selection.end()
    work.path("keep.txt").write_text("two words\n")
    selection.begin(HostFilterOptions(), version)
    told = ended(selection)
    assert told["state"] == "failed"
    assert "keep.txt:1: no host: 'two words'" in told["error"]
    assert results(work) == before


@pytest.mark.parametrize(
    ("options", "wrong"),
    [({"min_pages": -1}, "0 or more"), ({"aliases": "guess"}, "no method 'guess'"),
     ({"outliers": "guess"}, "no method 'guess'"), ({"skip": ("crawl",)}, "no step 'crawl'"),
     ({"spam_list": ("none.txt",)}, "not there"), ({"spam_list": ("plots",)}, "no file"),
     ({"spam_list": ("/etc/hosts",)}, "has to lie in"),
     ({"spam_list": ("../../etc/hosts",)}, "has to lie in"),
     ({"spam_list": ("away",)}, "has to lie in"), ({"spam_list": ("bad.txt",)}, r"bad\.txt:2")],
)  # fmt: skip
def test_options_are_checked_as_on_the_command_line(work, options, wrong, opened):
    (work.root / "plots").mkdir()
    (work.root / "away").symlink_to("/etc/hosts")
    (work.root / "bad.txt").write_text("a.cn\nno domain\n")
    selection = opened(work.root)
    with pytest.raises((ConfigError, InputError), match=wrong):
        selection.begin(HostFilterOptions(**options), selection.told()["version"])
    assert not (work.root / "jobs").exists()


@pytest.mark.full
@pytest.mark.parametrize("name", ["counts.parquet", "probes.jsonl"])
def test_a_step_before_that_is_missing_is_named(work, name, opened):
    work.path(name).unlink()
    selection = opened(work.root)
    version = selection.told()["version"]
    with pytest.raises(InputError, match=f"{name}: is not there"):
        selection.begin(HostFilterOptions(), version)
    if name == "probes.jsonl":
        selection.begin(HostFilterOptions(unchecked=True), version)
        assert ended(selection)["state"] == "done"
        assert {one["name"] for one in work.summary()["steps"]}.isdisjoint({"check", "aliases"})


@pytest.mark.full
def test_the_process_goes_on_and_another_workbench_finds_it(work, opened):
    one = opened(work.root)
    one.begin(HostFilterOptions(), one.told()["version"])
    other = opened(work.root)
    assert other.told()["state"] == "running"
    assert ended(other)["state"] == "done"
    note = json.loads((work.root / "jobs" / "filter" / "steps" / "filter.json").read_text())
    assert note["report"] == work.summary()
