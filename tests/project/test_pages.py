"""Every page of the documentation: its blocks run, in order, as a reader would run them.

What cannot run carries its reason, in a comment before the fence: ``<!-- not run: … -->``.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.lab.mockweb import MiniWeb, PageTruth, ServerProcess, page_truth
from quarkcrawl.store import Corpus
from quarkcrawl.template import read_templates, variables
from tests.browsers import browser_or_skip
from tests.crawl.harness import host_map
from tests.project.pageblocks import RUNNABLE, Session, blocks
from tests.redis.server import RedisServer

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
HERE = [
    "README.md", "docs/campaign.md", "docs/classification.md", "docs/corpus.md",
    "docs/dataset.md", "docs/refine/language.md", "docs/refine/personal.md",
    "docs/refine/repeats.md", "docs/refine/spam.md", "docs/dedup.md",
    "docs/extraction.md", "docs/items.md", "docs/lists.md", "docs/pictures.md", "docs/rank.md", "docs/redis.md",
    "docs/rendering.md", "docs/selection.md", "docs/templates.md", "docs/warc.md",
    "docs/workbench.md", "docs/guides/fields.md", "docs/guides/gold.md", "docs/guides/shell.md", "docs/guides/training.md",
    "docs/guides/methods.md", "docs/published.md",
    "docs/guides/attachments.md", "docs/guides/returning.md", "docs/guides/tasks.md", "docs/guides/workers.md",
]  # fmt: skip
ELSEWHERE = {
    "docs/tutorial.md": "tests/project/test_tutorial.py",
    "docs/tutorial-archives.md": "tests/project/test_tutorial.py",
    "docs/contributing.md": "tests/project/test_site.py",
    "docs/guides/spider.md": "tests/project/test_guides.py",
    "docs/guides/addon.md": "tests/project/test_guides.py",
    "docs/guides/durable.md": "tests/project/test_guides.py",
    "docs/guides/shared.md": "tests/project/test_guides.py",
    "docs/guides/cluster.md": "tests/engines/test_guide.py",
    "docs/guides/storage.md": "tests/s3/test_guide.py",
    "docs/spark.md": "tests/engines/test_guide.py",
}
SLOW = [
    "docs/campaign.md",
    "docs/dedup.md",
    "docs/selection.md",
    "docs/guides/fields.md",
    "docs/guides/training.md",
]
CRAWLS = {
    "README.md", "docs/redis.md", "docs/selection.md", "docs/guides/returning.md",
    "docs/guides/workers.md",
}  # fmt: skip
"""Pages that make their corpus themselves."""

COMMAND = re.compile(r"^(\.venv/bin/)?(quarkcrawl|scrapy|python3?|pip) ", re.MULTILINE)

pytestmark = pytest.mark.timeout(600)


def pages() -> list[str]:
    found = [ROOT / "README.md", *DOCS.glob("*.md")]
    found += [*(DOCS / "guides").glob("*.md"), *(DOCS / "refine").glob("*.md")]
    return sorted(str(p.relative_to(ROOT)) for p in found if any(
        block.kind in RUNNABLE for block in blocks(p)))  # fmt: skip


def test_every_page_is_run_somewhere():
    assert set(pages()) == {*HERE, *ELSEWHERE}
    for page, test in ELSEWHERE.items():
        assert Path(page).stem in (ROOT / test).read_text("utf-8")


@pytest.mark.parametrize("page", pages())
def test_commands_stand_in_blocks_that_say_their_language(page):
    for block in blocks(ROOT / page):
        is_command = COMMAND.search(block.text)
        assert block.kind or not is_command, f"{page}:{block.line}"
        assert len(block.not_run) != 1, f"{page}:{block.line}: no reason"


@pytest.fixture(scope="module")
def web():
    return MiniWeb(seed=14, n_hosts=2, n_pages=50)


@pytest.fixture(scope="module")
def server(web):
    with ServerProcess.for_web(web) as server:
        yield server


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def local(server, redis):
    """What is written in place of other machines."""
    settings = {"host_map": f'"{host_map(server)}"', "host_concurrency": 8, "delay_s": 0,
                "retry_delay_s": 0.2}  # fmt: skip
    options = "".join(f" --set {name}={value}" for name, value in settings.items())
    lines = "".join(f"\n{name} = {value}" for name, value in settings.items())
    program = Path(sys.executable).with_name("quarkcrawl")
    return [
        (r"^quarkcrawl (?:crawl|select check)\b.*", rf"\g<0>{options}"),
        (r"^\[(check|crawl)\].*", rf"\g<0>{lines}"),
        (r"redis://server(:6379)?/0", redis),
        (" --live", ""),
        (r"^quarkcrawl campaign cwt.toml$", r"\g<0> --dry-run"),  # the slow test runs it
        (r"^quarkcrawl (--\w+-completion)$", rf"HOME=. bash -c '{program} \g<1>; exit $?'"),
        (r"8d1f|title=0.18 body=0.16", _of_templates),
    ]


def _of_templates(match: re.Match[str]) -> str:
    """The id of the first template that was trained, or two of its positions, by name."""
    best = max(
        read_templates("templates.json").templates, key=lambda one: len(list(variables(one)))
    )
    first, second, *_ = variables(best)
    return best.id[:4] if match[0] == "8d1f" else f"title={first.position} body={second.position}"


def _lists(web: MiniWeb, folder: Path) -> None:
    """Lists of hosts and URLs, as a reader would bring them."""
    hosts = [plan.name for plan in web.plans]
    (folder / "hosts.txt").write_text("\n".join(hosts), "utf-8")
    (folder / "more-hosts.txt").write_text(hosts[0], "utf-8")
    urls = "".join(f"http://{host}/{n}.html\n" for host in hosts for n in range(20)).encode()
    for name in ("urls", "urls-1"):
        (folder / f"{name}.txt.gz").write_bytes(gzip.compress(urls))
    table = pa.table({"url": urls.decode().split()})
    pq.write_table(table, folder / "urls-2.parquet")


@pytest.fixture(scope="module")
def kept():
    return {}


@pytest.fixture(scope="module")
def crawled(web, local, kept, tmp_path_factory):
    """A folder with a corpus, and what else a reader has when he comes to a page."""
    folder = tmp_path_factory.mktemp("crawled")
    _lists(web, folder)
    Session(folder, local, kept).command("quarkcrawl crawl hosts.txt --out corpus")
    for other in ("old-corpus", "machine-1/corpus", "machine-2/corpus"):
        shutil.copytree(folder / "corpus", folder / other)
    corpus = Corpus.open(folder / "corpus")
    known = [(corpus.page(row), page_truth(web, row.url)) for row in corpus.pages()]
    known = [(page, truth) for page, truth in known if truth and truth.kind in ("topic", "list")]
    _gold(folder, known)
    return folder


def _marked_up(truth: PageTruth) -> str:
    """A page with the elements that the guides name."""
    paragraphs = "".join(f"<p>{line}</p>" for line in truth.main_text.splitlines())
    return (f'<title>{truth.title}</title><div class="article"><h1>{truth.title}</h1>{paragraphs}'
            f'</div><div id="ad"><a href=/x>{"广告" * 40}</a></div>')  # fmt: skip


def _gold(folder: Path, known: list) -> None:
    """Pages whose content is known: two files, marked pages, labeled ones."""
    topics = [truth for _, truth in known if truth.main_text]
    (folder / "gold").mkdir()
    for name, truth in zip(("page", "page2"), topics, strict=False):
        path, marked = folder / f"{name}.html", folder / "gold" / f"{name}.html"
        path.write_text(_marked_up(truth), "utf-8")
        words = ["mark", str(path), "--method", "default", "--out", str(marked)]
        assert main(words) == 0
    lines = [
        json.dumps(
            {
                "url": page.url,
                "id": page.url,
                "html": page.html,
                "is_topic": truth.kind == "topic",
                "gold_text": truth.main_text,
            }
        )
        for page, truth in known
    ]
    text = "\n".join(lines)
    (folder / "labelled.jsonl").write_text(text, "utf-8")
    for name in ("labelled", "pages"):
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    # Training leaves sites out: two are too few.
    many = [re.sub(r"//[^/]+", f"//www.site{n % 12}.example", line, count=1)
            for n, line in enumerate(lines)]  # fmt: skip
    shutil.copytree(folder / "gold", folder / "marked-by-me")
    (folder / "gold-sets").mkdir()
    (folder / "gold-sets" / "demo.jsonl.gz").write_bytes(gzip.compress("\n".join(many).encode()))


@pytest.fixture
def session(crawled, local, kept, tmp_path, monkeypatch, request):
    page = request.param
    if page == "docs/rendering.md":
        browser_or_skip()
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    (campaign,) = (b for b in blocks(DOCS / "campaign.md") if b.kind == "toml")
    Session(tmp_path, local).run(campaign)
    if page in CRAWLS:
        shutil.rmtree(tmp_path / "corpus")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo-out").symlink_to("corpus")
    return Session(tmp_path, local, kept)


@pytest.mark.full
@pytest.mark.parametrize(
    ("session", "page"), [(p, p) for p in HERE], indirect=["session"], ids=HERE
)
def test_blocks_run(session, page):
    for block in blocks(ROOT / page):
        if block.kind in RUNNABLE and not block.not_run:
            session.run(block)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("session", "page"), [(p, p) for p in SLOW], indirect=["session"], ids=SLOW
)
def test_slow_blocks_run(session, page):
    session.instead = [one for one in session.instead if "campaign" not in one[0]]
    session.instead.append((r"quarkcrawl train lines.*", r"OMP_NUM_THREADS=1 \g<0>"))
    runnable = [b for b in blocks(ROOT / page) if b.kind in RUNNABLE]
    assert any(block.not_run.startswith("slow") for block in runnable)
    for block in runnable:
        if not block.not_run or block.not_run.startswith("slow"):
            session.run(block)
