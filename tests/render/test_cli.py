"""``quarkcrawl render`` as a user calls it."""

import json
import subprocess
import sys

import pytest

from tests.crawl.harness import environment
from tests.render.patterns import PATTERNS, story


def run(*words, text=None):
    return subprocess.run(
        [sys.executable, "-m", "quarkcrawl", "render", *words],
        env=environment(), capture_output=True, text=True, timeout=300, check=False, input=text,
    )  # fmt: skip


@pytest.mark.slow
def test_a_url_under_a_host_map(screen):
    url = "http://www.example.com/fetch-json"
    done = run(url, "--set", f"host_map={screen.server.host_map}")
    assert done.returncode == 0, done.stderr
    assert all(part in done.stdout for part in PATTERNS["fetch-json"].paragraphs)


@pytest.mark.full
def test_facts_of_a_page_from_stdin(browser_path):
    html = f"<h1>题</h1><script>document.write('<p>{story(0)[0]}')</script>"
    done = run("-", "--format", "json", "--offline", text=html)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["reason"], facts["requests"], facts["width_px"]) == ("rendered", 0, 1280)
    assert story(0)[0] in facts["html"]


@pytest.mark.slow
def test_blocks_of_a_page(browser_path):
    html = f"<h1>题</h1><script>document.write('<p>{story(0)[0]}')</script>"
    done = run("-", "--format", "blocks", "--pdoc", "10", text=html)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["text"] for line in lines] == ["题", story(0)[0]]
    assert lines[0]["box"]["y"] < lines[1]["box"]["y"]


@pytest.mark.slow
def test_what_cannot_be_rendered(screen):
    mapped = ("--set", f"host_map={screen.server.host_map}")
    done = run("http://www.example.com/not-there", *mapped)
    assert done.returncode == 1
    assert "render_unreachable http_404" in done.stderr
    done = run("-", "--set", "render_browser=/nowhere", text="<p>x")
    assert done.returncode == 2
    assert "render_browser" in done.stderr
