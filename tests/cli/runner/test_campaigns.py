"""Campaigns from a browser: what is refused, what is written where, what is never overwritten."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import fields

import pytest

from quarkcrawl.cli.campaign_file import load_campaign
from quarkcrawl.cli.runner import LocalCampaigns, campaigns
from quarkcrawl.cli.runner.campaigns import MOST_SEEDS
from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import ConfigError, InputError, QuarkError
from quarkcrawl.frontier import Candidate, FrontierOptions, SqliteFrontier
from quarkcrawl.store import Corpus, CorpusLock
from quarkcrawl.workbench.web import ApiError

HEAD = '[campaign]\nout = "."\nskip = ["count", "check", "filter"]\n[crawl]\nhosts = "seeds.txt"\n'
SEEDS = "www.pku.edu.cn\nhttp://a.cn/bbs/  # forum\n"


@pytest.fixture
def runner(tmp_path):
    return LocalCampaigns(tmp_path / "crawls")


def crawl_of(runner, settings: str, *, dataset: bool = False) -> str:
    return runner.written("news", settings, dataset=dataset)


def test_seeds_and_settings_become_a_file_that_the_command_runs(runner):
    toml = crawl_of(
        runner, "levels = 2\n\n# a comment\ndelay_s = 500 ms\ncontact = mailto:我@a.cn\x7f"
    )
    with pytest.raises(ConfigError, match="plain ASCII"):
        runner.checked("news", toml, SEEDS)
    toml = crawl_of(runner, 'levels = 2\ndelay_s = 500 ms\ncontact = "a\\b"')
    found = runner.checked("news", toml, SEEDS)
    folder = runner.folder / "news"
    words = "--set levels=2 --set 'delay_s=500 ms' --set 'contact=\"a\\b\"'"
    assert found["commands"] == [
        f"quarkcrawl crawl {folder}/seeds.txt --out {folder}/corpus {words}"
    ]
    assert found["seeds"] == 2
    assert not runner.folder.exists()  # it was only checked
    runner.add("news", toml, SEEDS)
    steps = load_campaign(folder / "campaign.toml").steps()
    assert [step.name for step in steps if not step.is_skipped] == ["crawl"]
    assert (folder / "seeds.txt").read_text() == SEEDS
    assert runner.names() == ["news"]


def test_a_data_set_may_follow(runner):
    found = runner.checked("news", crawl_of(runner, "", dataset=True), SEEDS)
    assert [line.split()[1] for line in found["commands"]] == ["crawl", "refine", "export"]


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [("levles = 2", "levels"), ("levels = many", "levels"), ("delay_s", "NAME=VALUE"),
     ("lease_s = 1", "lease_s must be longer"), ("watch = yes", "watch needs refresh")],
)  # fmt: skip
def test_settings_are_checked_as_on_the_command_line(runner, settings, wrong):
    with pytest.raises(ConfigError, match=wrong):
        runner.checked("news", crawl_of(runner, settings), SEEDS)


@pytest.mark.parametrize(
    ("seeds", "wrong"),
    [("", "no hosts"), ("# none\n", "no hosts"), ("pku.edu.cn\nnot a host\n", "seeds.txt:2"),
     ("http://127.0.0.1/", "private_address"), ("localhost.localhost", "private_address"),
     ("http://10.1.2.3/\nhttp://a.cn/\nhttp://[::1]/", r"10\.1\.2\.3.*\[::1\]"),
     ("http://0x7f.1/", "private_address"), ("http://a.cn:6379/", "blocked_port"),
     ("ftp://a.cn/", "neither"), ("a.cn\n" * (MOST_SEEDS + 1), "100,000 at most"),
     ("http://a.cn/\ud800", "half a character")],
)  # fmt: skip
def test_seeds_that_are_not_crawled_are_refused(runner, seeds, wrong):
    with pytest.raises(InputError, match=wrong):
        runner.checked("news", crawl_of(runner, ""), seeds)


def test_a_private_address_takes_the_setting_that_the_command_line_has(runner):
    seeds = "http://127.0.0.1:8000/\n"
    assert runner.checked("news", crawl_of(runner, "allow_private = yes"), seeds)["seeds"] == 1


@pytest.mark.parametrize(
    ("toml", "wrong"),
    [(HEAD.replace('out = "."', 'out = "/tmp/elsewhere"'), "out has to lie in"),
     (HEAD.replace('out = "."', 'out = ".."'), "out has to lie in"),
     (HEAD.replace('out = "."', 'corpus = "../other/corpus"'), "corpus has to lie in"),
     (HEAD.replace('out = "."', 'out = "."\nseeds = "../../seeds"'), "seeds has to lie in"),
     (HEAD.replace("seeds.txt", "/etc/passwd"), "hosts has to lie below"),
     (HEAD.replace("seeds.txt", "../../../etc/passwd"), "hosts has to lie below"),
     ('[count]\nlists = ["/var/lists.gz"]\n', "lists has to lie below"),
     (HEAD + 'replay = "/data/web.jsonl"\n', "replay has to lie below"),
     (HEAD + 'opt_out = "/etc/hosts"\n', "opt_out has to lie below"),
     (HEAD + 'template_unknown = "../../x"\n', "template_unknown has to lie below"),
     (HEAD + 'class_file = "/x.model"\n', "class_file has to lie below"),
     (HEAD + 'content_method = "/x.toml"\n', "content_method has to lie below"),
     (HEAD + '[extract]\nmethod = "/x.toml"\n', "method has to lie below"),
     (HEAD + '[refine]\nlexicon = "/words"\n', "lexicon has to lie below"),
     (HEAD + '[export]\ntokenizer = "/t.json"\n', "tokenizer has to lie below"),
     (HEAD + "[export]\nwhere = [\"language = 'zh'\"]\n", "where is for the command line"),
     (HEAD + 'redis = "redis://h/0#c"\n', "redis is for the command line"),
     (HEAD + 'render_browser = "/bin/sh"\n', "render_browser is for the command line"),
     (HEAD + '[engine]\nname = "spark"\n', "spark is for the command line"),
     (HEAD + "levels = 0\n", "levels"), (HEAD + "[crwal]\n", "crwal"), ("[campaign", "is not TOML"),
     ("[a]\n" * 2, "is not TOML"), ("[campaign]\nskip = 3\n", "list of steps")],
)  # fmt: skip
def test_files_that_reach_out_of_their_folder_or_machine_are_refused(runner, toml, wrong):
    with pytest.raises(QuarkError, match=wrong):
        runner.add("news", toml, SEEDS)
    assert not runner.folder.exists()


def test_every_setting_that_names_a_file_is_looked_at():
    """A setting that comes later and names a file, a program or a server has to be thought of."""
    telling = ("file", "path of", "Redis", "folder", "list on the server")
    named = {one.name for one in fields(CrawlConfig)
             if any(word in one.metadata["help"] for word in telling)}  # fmt: skip
    looked_at = {*campaigns._FILES, *campaigns._ELSEWHERE, "content_method"}
    harmless = {"metrics_port", "attachments", "max_campaign_pages", "contact"}
    assert named - looked_at - harmless == set()


def test_a_link_out_of_the_folder_is_followed_before_it_is_judged(runner, tmp_path):
    runner.add("news", crawl_of(runner, ""), SEEDS)
    (runner.folder / "news" / "away").symlink_to(tmp_path)
    toml = HEAD.replace('out = "."', 'out = "away/x"')
    with pytest.raises(ConfigError, match="out has to lie in"):
        runner.checked("news", toml, SEEDS)
    (runner.folder / "linked").symlink_to(runner.folder / "news")
    assert runner.names() == ["news"]
    with pytest.raises(ApiError, match="no linked"):
        runner.files("linked")


@pytest.mark.parametrize(
    "name", ["", "..", ".", "a/b", "new", "-a", "x" * 65, "天网", "a\n", "a b"]
)
def test_names_that_are_none(runner, name):
    with pytest.raises(InputError, match="no name"):
        runner.add(name, crawl_of(runner, ""), SEEDS)


def test_what_is_there_is_never_overwritten(runner):
    toml = crawl_of(runner, "")
    runner.add("news", toml, SEEDS)
    with pytest.raises(ApiError, match="there already") as caught:
        runner.add("news", toml, "b.cn\n")
    assert caught.value.status == 409
    (runner.folder / "other").mkdir()  # no campaign, but somebody's
    with pytest.raises(ApiError, match="there already"):
        runner.add("other", toml, SEEDS)
    first = runner.files("news")
    assert first["seeds"] == SEEDS
    second = runner.save("news", toml, "b.cn\n", first["version"])
    assert second == runner.files("news")["version"] != first["version"]
    with pytest.raises(ApiError, match="changed meanwhile") as caught:
        runner.save("news", toml, "c.cn\n", first["version"])
    assert caught.value.status == 409
    assert runner.files("news")["seeds"] == "b.cn\n"
    (runner.folder / "news" / "seeds.txt").write_text("by.hand.cn\n")
    with pytest.raises(ApiError, match="changed meanwhile"):
        runner.save("news", toml, "c.cn\n", second)
    with pytest.raises(InputError, match="neither"):
        runner.save("news", toml, "no host at all\n", runner.files("news")["version"])
    assert runner.files("news")["seeds"] == "by.hand.cn\n"


def test_other_seeds_are_crawled_though_the_command_is_the_same(runner):
    toml = crawl_of(runner, "")
    runner.add("news", toml, SEEDS)
    note = runner.folder / "news" / "steps" / "crawl.json"
    note.parent.mkdir()
    (step,) = [one for one in runner.load("news").steps() if one.name == "crawl"]
    note.write_text(json.dumps({"words": step.words, "elapsed_s": 1.5, "report": {"pages": 3}}))
    (shown,) = runner.steps("news")
    assert (shown["state"], shown["elapsed_s"], shown["report"]) == ("done", 1.5, {"pages": 3})
    runner.save("news", toml + "\n", SEEDS, runner.files("news")["version"])
    assert note.exists()
    runner.save("news", toml, "b.cn\n", runner.files("news")["version"])
    assert [one["state"] for one in runner.steps("news")] == ["waiting"]


def test_a_crawl_whose_frontier_is_just_being_made_has_nothing_to_say(runner):
    """Its file is there some moments before its tables: empty first, then SQLite's own first page."""
    runner.add("news", crawl_of(runner, ""), SEEDS)
    assert runner.crawl("news", 0, 0) is None
    path = runner.load("news").corpus / "frontier.sqlite"
    path.parent.mkdir()
    path.touch()
    assert runner.crawl("news", 0, 0) is None
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode=WAL")
    assert path.stat().st_size
    assert runner.crawl("news", 0, 0) is None
    path.unlink()
    SqliteFrontier(path, FrontierOptions()).close()
    assert runner.crawl("news", 0, 0)["stored"] == 0


def test_the_log_is_a_tail_of_plain_lines(runner):
    runner.add("news", crawl_of(runner, ""), SEEDS)
    assert runner.log("news") == []
    path = runner.folder / "news" / "log.txt"
    lines = [f"{number} " + "天" * 50 for number in range(3000)]
    hostile = "\x1b[31mred\x1b[0m <b>bold</b> \x1b]0;title\x07 \u202eright"
    path.write_text("\n".join([*lines, hostile, "x" * 5000, ""]))
    found = runner.log("news")
    assert len(found) == 200
    assert found[-2] == "red <b>bold</b>  ]0;title   right"
    assert found[-1] == "x" * 399 + "…"
    assert found[0].endswith("天" * 50)
    path.write_bytes(b"\xff\xfe broken\nquarkcrawl: a.cn: no\n")
    assert runner.told("news", 0, 0)["error"] == "quarkcrawl: a.cn: no"


def test_what_cannot_be_done_is_said(runner, tmp_path):
    runner.add("news", crawl_of(runner, ""), SEEDS)
    for state in ("paused", "running", "draining", "stopped"):
        with pytest.raises(ApiError) as caught:
            runner.order("news", state)
        assert caught.value.status == 409
    with pytest.raises(ApiError, match="there is no other"):
        runner.order("other", "started")
    with CorpusLock(runner.folder / "news"):
        assert runner.is_running("news")
        with pytest.raises(ApiError, match="runs already"):
            runner.order("news", "started")
    assert not runner.is_running("news")
    corpus = runner.folder / "news" / "corpus"
    Corpus.create(corpus)
    frontier = SqliteFrontier(corpus / "frontier.sqlite", FrontierOptions())
    frontier.push([Candidate("http://a.cn/", "a.cn", 1)])
    frontier.close()
    runner.order("news", "paused")
    assert runner.crawl("news", 0, 0)["order"] == "paused"
    with CorpusLock(corpus), pytest.raises(ApiError, match="holds the corpus"):
        runner.order("news", "started")
    (runner.folder / "news" / "campaign.toml").write_text("[campaign")
    (line,) = runner.listed()
    assert "is not TOML" in line["failure"]


def test_a_process_number_of_before_is_not_sent_signals(runner):
    """Nobody holds the lock: whatever has that number now is not ours."""
    runner.add("news", crawl_of(runner, ""), SEEDS)
    (runner.folder / "news" / "process.json").write_text(f'{{"pid": {os.getpid()}}}')
    with pytest.raises(ApiError, match="does not run"):
        runner.order("news", "stopped")
