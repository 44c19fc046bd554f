"""The packages that the project was asked to be built on: core dependencies, and at work."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from tests.papers.conftest import ROOT

AT_WORK = {
    "scrapy": "import pipelines.content",
    "parsel": "import quarkcrawl as qc; assert qc.Page.from_html('<p>天').css('p::text').get() == '天'",
    "jieba": "from quarkcrawl.content.quark import jieba_tokens; assert jieba_tokens()('天网')",
    "simhash": "from quarkcrawl.dedup import as_simhash, simhash; as_simhash(simhash('天网'))",
    "redis": "from quarkcrawl.frontier.redis.server import RedisAddress, connect; "
    "connect(RedisAddress.parse('redis://127.0.0.1:1/0#a'))",
}
"""What brings each of them in; none is loaded by ``import quarkcrawl`` alone."""


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
    decisions = (ROOT / "docs" / "decisions.md").read_text("utf-8")
    rows = [line for line in decisions.splitlines() if line.startswith("|")]
    assert any(re.search(rf"\b{package}\b", row, re.IGNORECASE) for row in rows)
