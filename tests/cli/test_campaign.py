"""The file of a campaign, its commands, and what happens when steps fail, end or are skipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.campaign import run_campaign
from quarkcrawl.cli.campaign_file import STEPS, load_campaign
from quarkcrawl.crawl.campaign.control import Control, add_hosts
from quarkcrawl.errors import ConfigError
from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item

WHOLE = """
[campaign]
name = "T"
out = "here"
[count]
lists = ["a.txt", "b.txt.gz"]
[check]
timeout_s = 5
[filter]
spam_list = "spam.txt"
drop_undecided = true
[crawl]
levels = 2
mime_types = ["text/html"]
replay = "web.jsonl"
[extract]
method = "quark"
[sample]
seed = 3
bytes = "1 GiB"
[stats]
ip_database = "x.xdb"
[refine]
benchmark = ["c.jsonl"]
[export]
where = ["language = 'zh'"]
no_shuffle = true
[engine]
memory = "512MiB"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "c.toml"
    path.write_text(text)
    return path


def words(steps):
    return {step.name: " ".join(step.words) for step in steps}


def test_every_step_is_a_command(tmp_path):
    found = words(load_campaign(write(tmp_path, WHOLE)).steps())
    here, top = tmp_path / "here", tmp_path
    assert found == {
        "count": f"select count {top}/a.txt {top}/b.txt.gz --work {here}/seeds",
        "check": f"select check --work {here}/seeds --set timeout_s=5",
        "filter": f"select filter --work {here}/seeds --spam-list {top}/spam.txt --drop-undecided",
        "crawl": f"crawl {here}/seeds/seeds.txt --out {here}/corpus --replay {top}/web.jsonl"
        " --set levels=2 --set mime_types=text/html",
        "extract": f"extract {here}/corpus --method quark",
        "dedup": f"corpus dedup {here}/corpus --memory 512MiB",
        "sample": f"corpus sample {here}/corpus --out {here}/collection --name T --seed 3"
        " --bytes 1 GiB --memory 512MiB",
        "stats": f"corpus stats {here}/collection --folder {here}/statistics"
        f" --ip-database {top}/x.xdb --memory 512MiB",
        "refine": f"refine {here}/corpus --extraction quark --benchmark {top}/c.jsonl --memory 512MiB",
        "export": f"export {here}/corpus --out {here}/dataset --name T --extraction quark --replace"
        " --where language = 'zh' --no-shuffle --memory 512MiB",
        "report": f"select report --work {here}/seeds",
    }
    assert tuple(found) == STEPS


def test_a_selection_that_is_there_is_filtered_where_it_lies(tmp_path):
    text = '[campaign]\nseeds = "../w"\nskip = ["count", "check"]\n[filter]\nunchecked = {}\n'
    for is_unchecked, option in ((True, " --unchecked"), (False, "")):
        loaded = load_campaign(write(tmp_path, text.format(str(is_unchecked).lower())))
        assert loaded.seeds == tmp_path.parent / "w"
        assert words(loaded.steps())["filter"] == f"select filter --work {loaded.seeds}{option}"
    assert words(loaded.steps())["crawl"].startswith(f"crawl {loaded.seeds}/seeds.txt ")
    with pytest.raises(ConfigError, match="seeds has to be a path"):
        load_campaign(write(tmp_path, "[campaign]\nseeds = 3\n"))


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("", "default"),
        ('[extract]\nmethod = "quark"\n', "quark"),
        ('[extract]\nmethod = "quark"\n[refine]\nmethod = "rules"\n', "rules"),
        ('[crawl]\nhosts = "h.txt"\ncontent_method = "rules"\n', "default"),
    ],
)
def test_a_data_set_has_the_texts_that_were_extracted_last(tmp_path, text, method):
    text = text if "[crawl]" in text else "[crawl]\nhosts = 'h.txt'\n" + text
    head = '[campaign]\nskip = ["count", "check", "filter"]\n'
    found = words(load_campaign(write(tmp_path, head + text)).steps())
    assert f"--extraction {method}" in found["refine"]
    assert f"--extraction {method}" in found["export"]


def test_without_an_extraction_there_is_no_data_set_unless_it_is_asked_for(tmp_path):
    head = '[campaign]\nskip = ["count", "check", "filter", "extract"]\n[crawl]\nhosts = "h.txt"\n'
    found = words(load_campaign(write(tmp_path, head)).steps())
    assert (found["refine"], found["export"]) == ("", "")
    found = words(load_campaign(write(tmp_path, head + "[export]\n")).steps())
    assert "--extraction default" in found["refine"]
    head += 'content_method = "rules"\n[refine]\n'
    found = words(load_campaign(write(tmp_path, head)).steps())
    assert "--extraction rules" in found["export"]


def test_what_skipped_steps_change(tmp_path):
    text = '[campaign]\nskip = ["check", "dedup", "sample"]\n[count]\nlists = "a.txt"\n'
    campaign = load_campaign(write(tmp_path, text))
    found = words(campaign.steps())
    assert campaign.out == tmp_path / "c-out"
    assert "--unchecked" in found["filter"]
    assert (found["check"], found["dedup"], found["sample"]) == ("", "", "")
    assert f"corpus stats {tmp_path}/c-out/corpus" in found["stats"]
    spark = '[engine]\nname = "spark"\nspark_master = "spark://m:1"\n[count]\nlists = "a"\n'
    found = words(load_campaign(write(tmp_path, spark)).steps())
    for step in ("extract", "dedup", "sample", "stats"):
        assert found[step].endswith("--engine spark --spark-master spark://m:1")
    lacking = '[engine]\nname = "spark"\nmemory = "512MiB"\n[count]\nlists = "a"\n'
    found = words(load_campaign(write(tmp_path, lacking)).steps())
    assert found["extract"].endswith("corpus --engine spark")  # which says what is missing
    assert found["dedup"].endswith("--engine spark --memory 512MiB")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[cravl]\n", "did you mean 'crawl'"),
        ("[crawl]\nlevel = 3\n", "did you mean 'levels'"),
        ('[campaign]\nskip = ["smple"]\n', "did you mean 'sample'"),
        ("campaign = 3\n", "has to be a table"),
        ("[campaign]\nskip = 3\n", "skip has to be a list of steps"),
        ('[campaign]\nskip = "crawl"\n', "skip has to be a list of steps"),
        ("[campaign]\nskip = [[]]\n", "skip has to be a list of steps"),
        ("[campaign]\nout = 3\n", "out has to be a path"),
        ("[campaign]\ncorpus = true\n", "corpus has to be a path"),
        ("[campaign\n", "is not TOML"),
    ],
)
def test_wrong_files(tmp_path, text, message, capsys):
    assert main(["campaign", str(write(tmp_path, text))]) == 2
    assert message in capsys.readouterr().err


def test_missing_files_and_hosts(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_campaign(tmp_path / "no.toml")
    with pytest.raises(ConfigError, match="needs lists"):
        load_campaign(write(tmp_path, "")).steps()
    text = '[campaign]\nskip = ["count", "check", "filter"]\n'
    with pytest.raises(ConfigError, match="needs hosts"):
        load_campaign(write(tmp_path, text)).steps()


@pytest.fixture
def half_done(tmp_path):
    """A campaign whose crawl has been done by other means."""
    with CorpusWriter(tmp_path / "c-out" / "corpus") as writer:
        for number in range(6):
            writer.append_page(make_item(number, host=f"h{number % 3}.cn"))
    skip = '["count", "check", "filter", "crawl", "extract"]'
    return write(tmp_path, f"[campaign]\nskip = {skip}\n[sample]\nseed = 1\n")


@pytest.mark.full
def test_steps_are_resumed_and_redone_when_options_change(half_done, tmp_path):
    assert run_campaign(load_campaign(half_done), until="dedup", quiet=True) == 0
    steps = tmp_path / "c-out" / "steps"
    assert [path.name for path in steps.iterdir()] == ["dedup.json"]
    first = (steps / "dedup.json").read_bytes()
    assert run_campaign(load_campaign(half_done), until="sample", quiet=True) == 0
    assert (steps / "dedup.json").read_bytes() == first  # not run again
    noted = json.loads((steps / "sample.json").read_text())
    assert noted["report"]["pages"] == 6
    half_done.write_text(half_done.read_text().replace("seed = 1", "seed = 1\ngroup = 1\ndraw = 1"))
    assert run_campaign(load_campaign(half_done), quiet=True) == 0
    assert (steps / "dedup.json").read_bytes() == first
    assert json.loads((steps / "sample.json").read_text())["report"]["documents"] == 6
    assert "documents of the collection" in (tmp_path / "c-out" / "campaign.html").read_text()


CRAWLS = """
[campaign]
skip = ["count", "check", "filter", "extract", "dedup", "sample", "stats", "refine", "export", "report"]
[crawl]
hosts = "hosts.txt"
"""


def test_the_crawl_is_run_again_for_other_seeds_and_for_those_that_were_added(
    tmp_path, monkeypatch
):
    ran = []
    monkeypatch.setattr(
        "quarkcrawl.cli.campaign._command", lambda words: ran.append(words) or (0, "")
    )
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("a.cn\n")
    loaded = load_campaign(write(tmp_path, CRAWLS))

    def n_runs() -> int:
        before = len(ran)
        assert run_campaign(loaded, quiet=True) == 0
        return len(ran) - before

    assert (n_runs(), n_runs()) == (1, 0)
    hosts.write_text("a.cn\nb.cn\n")
    assert (n_runs(), n_runs()) == (1, 0)
    loaded.corpus.mkdir(parents=True)
    add_hosts(loaded.corpus, ["http://c.cn/"])
    assert n_runs() == 1
    Control(loaded.corpus).take_inbox()
    assert n_runs() == 1  # it was killed before it had them
    Control(loaded.corpus).inbox_done()
    assert n_runs() == 0
    note = loaded.out / "steps" / "crawl.json"
    earlier = json.loads(note.read_text())
    del earlier["seeds"]  # by a version that did not look
    note.write_text(json.dumps(earlier))
    hosts.unlink()
    assert n_runs() == 0


@pytest.mark.full
def test_a_failing_step_ends_the_campaign(half_done, tmp_path, capfd):
    (tmp_path / "c-out" / "collection").mkdir()
    (tmp_path / "c-out" / "collection" / "precious").touch()
    assert main(["campaign", str(half_done)]) == 2  # as the step's
    assert "is there and no collection" in capfd.readouterr().err
    assert (tmp_path / "c-out" / "collection" / "precious").exists()
    (tmp_path / "c-out" / "corpus" / "corpus.json").unlink()
    assert main(["campaign", str(half_done), "--from", "dedup"]) == 2
    assert "corpus.json is missing" in capfd.readouterr().err
    assert not (tmp_path / "c-out" / "steps" / "dedup.json").exists()


def test_a_step_that_is_killed_is_named(half_done, tmp_path, monkeypatch, capfd):
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(killed))
    assert main(["campaign", str(half_done)]) == 1
    assert capfd.readouterr().err.endswith("quarkcrawl: dedup: killed (Killed)\n")
    assert not (tmp_path / "c-out" / "steps" / "dedup.json").exists()
