"""``scrapy crawl seeds`` and ``cwt``: a setting for every option of the commands they stand for."""

from __future__ import annotations

import json
import sys
from dataclasses import fields

import pytest
import typer.main
from scrapy.settings import default_settings

from quarkcrawl.cli.app import app
from quarkcrawl.config import SETTING_PREFIX, CrawlConfig
from quarkcrawl.store import Corpus
from spiders.cwt import REPLAY_SETTING
from spiders.seeds import OPTIONS
from tests import forked
from tests.crawl.harness import ROOT, environment

CRAWL = {f"{SETTING_PREFIX}{field.name.upper()}" for field in fields(CrawlConfig)}
SETTINGS = {"seeds": CRAWL | OPTIONS, "cwt": CRAWL | {REPLAY_SETTING}}
COMMANDS = {
    ("select", "count"): "seeds",
    ("select", "check"): "seeds",
    ("select", "filter"): "seeds",
    ("crawl",): "cwt",
}
OTHER_NAMES = {
    "--quiet": "LOG_LEVEL",  # Scrapy's own
    "--replay": REPLAY_SETTING,
}
NO_SETTING = {
    "--set": "names settings itself",
    "--json": "says how the command prints the summary, which the corpus keeps in any case",
}


def options(words):
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    found = {one.opts[0] for one in command.params if one.param_type_name == "option"}
    return sorted(found - {"--help"})


CASES = [(words, option) for words in COMMANDS for option in options(words)]


def setting_of(spider: str, option: str) -> str | None:
    """The setting of a spider that is named as an option is."""
    name = option.removeprefix("--").replace("-", "_").upper()
    wanted = [OTHER_NAMES.get(option), f"SELECT_{name}", f"{SETTING_PREFIX}{name}"]
    known = SETTINGS[spider] | set(vars(default_settings))
    return next((one for one in wanted if one in known), None)


def test_the_commands_have_options():
    assert len(CASES) >= 25
    assert {option for _, option in CASES} >= {"--spam-list", "--replay", "--work", "--levels"}


@pytest.mark.parametrize(("words", "option"), CASES)
def test_an_option_of_the_command_is_a_setting_of_the_spider(words, option):
    assert option in NO_SETTING or setting_of(COMMANDS[words], option) is not None


def scrapy(*words):
    command = [sys.executable, "-m", "scrapy", *words]
    return forked.run(command, cwd=ROOT, env=environment(), timeout=300)


@pytest.mark.full
def test_stored_pages_are_crawled_by_the_spider_as_by_the_command(tmp_path):
    rows = [{"url": "http://a.cn/", "html": "<title>家</title><a href=/b>乙</a><p>天网收集网页。"},
            {"url": "http://a.cn/b", "html": "<title>乙</title><p>一九九七年上线。"}]  # fmt: skip
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "hosts.txt").write_text("a.cn\n")
    corpus = tmp_path / "corpus"
    given = {"QUARKCRAWL_OUT": corpus, "CWT_REPLAY": tmp_path / "pages.jsonl",
             "QUARKCRAWL_IN_PROCESS": 1, "QUARKCRAWL_LEVELS": 2, "LOG_LEVEL": "WARNING"}  # fmt: skip
    words = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    done = scrapy("crawl", "cwt", "-a", f"hosts={tmp_path / 'hosts.txt'}", *words)
    assert done.returncode == 0, done.stderr
    assert {row.url for row in Corpus.open(corpus).pages()} == {row["url"] for row in rows}
    done = scrapy("crawl", "cwt", "-a", f"hosts={tmp_path / 'hosts.txt'}", *words,
                  "-s", f"CWT_REPLAY={tmp_path / 'none.jsonl'}")  # fmt: skip
    assert done.returncode == 1
    assert "none.jsonl" in done.stderr


@pytest.mark.full
def test_lists_of_spam_work_folder_and_lists_are_settings(tmp_path):
    urls = [f"http://{host}.cn/{n}" for host in ("a", "b", "c") for n in range(12)]
    (tmp_path / "urls.txt").write_text("\n".join(urls), encoding="utf-8")
    for host in ("a", "b"):
        (tmp_path / f"{host}.txt").write_text(f"{host}.cn\n")
    given = {"SELECT_LISTS": tmp_path / "urls.txt", "SELECT_WORK": tmp_path / "work",
             "SELECT_SPAM_LIST": f"{tmp_path / 'a.txt'},{tmp_path / 'b.txt'}",
             "SELECT_UNCHECKED": 1, "SELECT_SKIP": "check,aliases",
             "QUARKCRAWL_HOST_MAP": "127.0.0.1:9:9", "QUARKCRAWL_TIMEOUT_S": 1,
             "QUARKCRAWL_MAX_TRIES": 1}  # fmt: skip
    words = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    done = scrapy("crawl", "seeds", "-O", str(tmp_path / "seeds.jsonl"), *words)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "seeds.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line)["host"] for line in lines]
    assert found == ["c.cn"]
    assert (tmp_path / "work" / "seeds.txt").read_text().split() == ["http://c.cn/"]
