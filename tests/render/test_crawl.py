"""A crawl that renders: real processes, a real browser, the raw page beside what scripts built."""

import hashlib
import os
import subprocess
import sys

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Page
from quarkcrawl.render import is_shell, visible_chars
from quarkcrawl.store.corpus import Corpus
from tests.crawl.harness import FAST, command, environment, write_hosts
from tests.crawl.harness import crawl as run_crawl
from tests.render.patterns import PATTERNS, page, story
from tests.render.webserver import FILES, HTML, Server, serving

HOST = "scripts.example.com"
PLAIN = page("普通", "".join(f"<p>{t}</p>" for t in story(23) * 2) + '<a href="/fetch-json">乙</a>')
SHELL = page(
    "首页",
    "<div id=app></div><script>app.innerHTML=`<p>%s</p><a href=/plain>甲</a>`</script>".replace(
        "%s", "".join(story(22))
    ),
)
LOOP = page("死循环", "<p>原文</p><script>for(;;);</script>")


class _Local:
    """What the harness asks of a server."""

    def __init__(self, server: Server) -> None:
        self.info = self
        self.address, self.http_port, self.https_port = "127.0.0.1", server.server_port, 1


@pytest.fixture(scope="module")
def corpus(browser_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rendering")
    FILES.update({"/": (HTML, SHELL), "/plain": (HTML, PLAIN), "/loop": (HTML, LOOP)})
    with serving() as server:
        run = run_crawl(
            folder, _Local(server), [HOST, f"http://{HOST}/loop"], robots="false",
            render="auto", render_pattern="/loop$", render_timeout_s="3",
            analysis_spans="true", content="yes",
        )  # fmt: skip
        asked = list(server.asked)
    assert run.code == 0, run.stderr
    return run, asked


@pytest.mark.full
def test_what_scripts_build_is_stored_beside_the_raw_page(corpus):
    run, _ = corpus
    rows, bodies = run.pages(), run.bodies()
    row = rows[f"http://{HOST}/"]
    assert bodies[row.url].decode() == SHELL
    assert row.md5 == hashlib.md5(SHELL.encode()).digest()
    assert row.analysis["render_reason"] == "rendered"
    assert story(22)[0] in row.analysis["rendered_html"]
    assert "".join(story(22)) in row.analysis["content_text"]


@pytest.mark.full
def test_links_of_scripts_are_followed(corpus):
    rows = corpus[0].pages()
    assert set(rows) == {f"http://{HOST}{path}" for path in ("/", "/plain", "/fetch-json", "/loop")}
    links = rows[f"http://{HOST}/"].links
    assert [link.url for link in links] == [f"http://{HOST}/plain"]
    text = PATTERNS["fetch-json"].paragraphs[0]
    assert text in rows[f"http://{HOST}/fetch-json"].analysis["content_text"]


@pytest.mark.full
def test_pages_with_their_text_are_left_alone(corpus):
    run, _ = corpus
    row = run.pages()[f"http://{HOST}/plain"]
    assert "render_reason" not in row.analysis
    assert "rendered_html" not in row.analysis
    assert row.analysis["content_spans"]


@pytest.mark.full
def test_boxes_of_blocks_are_stored_and_places_in_the_body_are_not(corpus):
    row = corpus[0].pages()[f"http://{HOST}/fetch-json"]
    assert len(row.analysis["block_boxes"]) == len(row.analysis["blocks"]) > 0
    assert all(box["width"] > 0 and box["height"] > 0 for box in row.analysis["block_boxes"])
    assert len(row.analysis["link_blocks"]) == len(row.links)
    assert row.analysis.get("content_spans") is None
    assert all(block.get("spans") is None for block in row.analysis["blocks"])


@pytest.mark.full
def test_a_page_that_never_ends_is_stored_with_its_reason(corpus):
    run, _ = corpus
    row = run.pages()[f"http://{HOST}/loop"]
    assert row.analysis["render_reason"] == "render_timeout"
    assert run.summary["rendered"] == {"rendered": 2, "render_timeout": 1}
    run.assert_settled()


@pytest.mark.full
def test_a_page_is_asked_for_once(corpus):
    """The browser gets the page that the crawl has fetched, and only asks for more files."""
    asked = [path for _, path in corpus[1]]
    assert asked.count("/") == 1
    assert asked.count("/loop") == 1
    assert asked.count("/fetch-json/d.json") == 1


@pytest.mark.full
def test_boxes_reach_the_block_level_rank(corpus):
    """BLPR with real geometry: the block's area and center come from the browser."""
    from quarkcrawl.rank.graph.build import corpus_graph

    found = corpus_graph(corpus[0].out)
    row = corpus[0].pages()[f"http://{HOST}/"]
    number = found.graph.urls.to_pylist().index(row.url)
    first = int(found.graph.blocks.ptr[number])
    boxes = row.analysis["block_boxes"]
    areas = [box["width"] * box["height"] for box in boxes]
    sizes = found.graph.blocks.size[first : first + len(boxes)].tolist()
    assert sizes == pytest.approx(areas)
    chars = [block["n_chars"] for block in row.analysis["blocks"]]
    assert sizes != chars


@pytest.mark.full
def test_without_the_extra_the_message_says_what_to_install(tmp_path):
    (tmp_path / "blocked" / "playwright").mkdir(parents=True)
    (tmp_path / "blocked" / "playwright" / "__init__.py").write_text("raise ImportError('no')")
    words = command(write_hosts(tmp_path, [HOST]), tmp_path / "corpus", {**FAST, "render": "auto"})
    env = environment()
    env["PYTHONPATH"] = os.pathsep.join([str(tmp_path / "blocked"), env["PYTHONPATH"]])
    done = subprocess.run(
        words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2
    assert "pip install 'quarkcrawl[render]'" in done.stderr
    assert "Traceback" not in done.stderr
    words = [sys.executable, "-m", "quarkcrawl", "render", "-"]
    done = subprocess.run(
        words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False,
        input="<p>x",
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'quarkcrawl[render]'" in done.stderr


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"render": "yes"}, "auto, all"),
        ({"render_pattern": "("}, "render_pattern"),
        ({"render": "all", "lease_s": 50, "render_timeout_s": 15}, "lease_s"),
    ],
)
def test_wrong_settings_are_errors(values, words):
    with pytest.raises(ConfigError, match=words):
        CrawlConfig.from_mapping(values)


def test_shells_are_told_from_pages():
    assert all(is_shell(Page.from_html(pattern.html)) for pattern in PATTERNS.values())
    assert not is_shell(Page.from_html(PLAIN))
    assert not is_shell(Page.from_html("<p>短"))  # no script: a browser would show no more
    assert not is_shell(Page.from_html("<p>短<script type=application/ld+json>{}</script>"))
    assert is_shell(
        Page.from_html("<body><noscript>" + "请打开脚本" * 100 + "</noscript><script></script>")
    )
    assert visible_chars(Page.from_html("<p>甲 乙<noscript>丙</noscript>")) == 2


@pytest.mark.full
def test_the_corpus_is_whole(corpus):
    assert not list(Corpus.open(corpus[0].out).drops())
