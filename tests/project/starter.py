"""A starter project with code of its own, and the script ``scrapy`` run in it as its user does."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from quarkcrawl.cli import main
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import FAST, host_map

HOST = "www.starter.example"
HOME, ARTICLE = f"http://{HOST}/", f"http://{HOST}/a"
SPIDER = """
import scrapy

from quarkcrawl.crawl import Campaign, page_item, parse_hosts, seed_candidates


class ArticleSpider(scrapy.Spider):
    name = "articles"

    async def start(self):
        Campaign.of(self.crawler).seed(seed_candidates(parse_hosts([self.hosts])))
        return
        yield

    def parse(self, response):
        yield page_item(response, Campaign.of(self.crawler))
"""
UNEDITED = "        pattern = "
EDITED = f'        if item.level == 1:\n            raise DropPage("edited")\n{UNEDITED}'


@dataclass(frozen=True)
class Starter:
    """What ``quarkcrawl config new`` made, with a spider more and an edited stage.

    Args:
        folder: of the project.
        env: environment of the script.
        python: interpreter of the script, where it is not that of the tests.
    """

    folder: Path
    env: dict[str, str]
    python: Path | str = sys.executable

    def __post_init__(self) -> None:
        assert main(["config", "new", str(self.folder)]) == 0
        (self.folder / "spiders" / "articles.py").write_text(SPIDER, encoding="utf-8")
        stage = self.folder / "pipelines" / "spam.py"
        code = stage.read_text("utf-8")
        assert code.count(UNEDITED) == 1
        stage.write_text(code.replace(UNEDITED, EDITED), encoding="utf-8")

    def scrapy(self, *words: str, below: str = "") -> str:
        """What the installed script says; unlike ``python -m``, it does not look around first."""
        script = Path(sys.executable).with_name("scrapy")
        own = [script] if self.python == sys.executable else [self.python, script]
        done = subprocess.run([*own, *words], cwd=self.folder / below, env=self.env, text=True,
                              capture_output=True, check=False, timeout=300)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def assert_lists_its_spiders(self, below: str = "") -> None:
        assert self.scrapy("list", below=below).split() == ["articles", "cwt", "seeds"]

    def assert_crawls_with_its_code(self) -> None:
        """Its spider stores the article; its stage drops the home page, for a reason of its own."""
        with ServerProcess.for_pages({HOME: "<a href=/a>甲</a>", ARTICLE: "<p>乙"}) as server:
            settings = {**FAST, "host_map": host_map(server), "out": "corpus", "progress": "false",
                        "segmentation": "no"}  # fmt: skip
            words = [f"-sQUARKCRAWL_{name.upper()}={value}" for name, value in settings.items()]
            self.scrapy("crawl", "articles", "-a", f"hosts={HOST}", *words)
        corpus = Corpus.open(self.folder / "corpus")
        assert [row.url for row in corpus.pages()] == [ARTICLE]
        assert [(row.url, row.reason) for row in corpus.drops()] == [(HOME, "edited")]
