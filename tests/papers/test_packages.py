"""The packages that the project was asked to be built on: core dependencies, and at work."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from tests.papers.conftest import ROOT
from tests.papers.test_tables import sections, tables

AT_WORK = {
    "scrapy": "import pipelines.content",
    "parsel": "import quarkcrawl as qc; assert qc.Page.from_html('<p>天').css('p::text').get() == '天'",
    "jieba": "from quarkcrawl.content.quark import jieba_tokens; assert jieba_tokens()('天网')",
    "simhash": "from quarkcrawl.dedup import as_simhash, simhash; as_simhash(simhash('天网'))",
    "redis": "from quarkcrawl.frontier.redis.server import RedisAddress, connect; "
    "connect(RedisAddress.parse('redis://127.0.0.1:1/0#a'))",
}
"""What brings each of them in; none is loaded by ``import quarkcrawl`` alone."""

CHOSEN_FOR = {
    "scrapy": "crawling",
    "parsel": "CSS and XPath for users",
    "jieba": "Chinese words",
    "simhash": "fingerprints",
    "redis": "shared crawls",
}
"""Rows of the table of libraries in docs/decisions.md."""


@pytest.mark.full
@pytest.mark.parametrize("package", AT_WORK)
def test_a_package_is_a_core_dependency_and_does_its_work(package: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert package in {re.split(r"[\[<>=]", line)[0] for line in project["dependencies"]}
    told = f"import sys, quarkcrawl; assert {package!r} not in sys.modules; {AT_WORK[package]}; "
    program = f"{told}assert {package!r} in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("package", "use"), CHOSEN_FOR.items())
def test_the_decisions_say_what_a_package_is_chosen_for(package: str, use: str) -> None:
    """In the cell of what is chosen; a name like scrapy-poet is another package."""
    (table,) = tables(sections((ROOT / "docs" / "decisions.md").read_text("utf-8"))["Libraries"])
    chosen = {row[0]: row[1] for row in table[1:]}[use]
    assert re.search(rf"(?<![\w-]){package}(?![\w'-])", chosen, re.IGNORECASE)
