"""One plan, one result: what a crawl, `extract CORPUS`, Spark and the workbench make of a page."""

import base64
import json
import random
import subprocess
import sys

import numpy as np
import pytest

from quarkcrawl.analysis import PageInput, PoolOptions, analyze
from quarkcrawl.content import block_columns, content_columns
from quarkcrawl.corpus import ExtractionOptions, cleaned_contents, extract_corpus, extractions
from quarkcrawl.engines import SparkEngine
from quarkcrawl.page import host_key
from quarkcrawl.store import Corpus, page_dat_path
from quarkcrawl.template import PagePlace, read_stored
from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.worker.analyzed import analyzed
from tests.crawl.harness import environment
from tests.fuzz.engine import SHARED, bent, seeds

pytestmark = [
    pytest.mark.full,
    pytest.mark.shared,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data"),
]

N_REAL, N_BENT, N_HOSTS = 2000, 2000, 8
MOST_BYTES = 512 << 10
"""Larger pages would only take longer."""

TYPES = ("text/html", "text/html; charset=gb2312", "text/html; charset=x", "text/plain")
COLUMNS = (
    "content_method", "content_text", "topic_probability", "is_topic", "content_title", "published",
    "source", "author", "language", "site_name", "page_type", "page_type_probability", "blocks", "link_blocks",
)  # fmt: skip
OPTIONS = ExtractionOptions(blocks=True, site_pages=0)
SITES = ExtractionOptions(blocks=True)
SPARK = {"spark.executor.memory": "512m"}


def bodies():
    """Real pages, each once, then pages that nobody wrote."""
    real = sorted({page for page in seeds(1 << 20) if len(page) <= MOST_BYTES})
    dice = random.Random(2008)
    dice.shuffle(real)
    made = dict.fromkeys(real[:N_REAL])
    n_real = len(made)
    while len(made) < n_real + N_BENT:
        if 0 < len(page := bent(dice, real)) <= MOST_BYTES:
            made[page] = None
    return list(made), n_real


def write_web(path):
    """All pages as a replay: on each host a home page that leads to its share of them."""
    found, n_real = bodies()
    urls = [f"http://www.h{n % N_HOSTS}.cn/{n}.html" for n in range(len(found))]
    with path.open("w") as file:
        for number in range(N_HOSTS):
            links = "".join(f"<a href={url}>天网</a>" for url in urls[number::N_HOSTS])
            row = {"url": f"http://www.h{number}.cn/", "html": f"<title>{number}</title>{links}"}
            file.write(json.dumps(row) + "\n")
        for number, (url, body) in enumerate(zip(urls, found, strict=True)):
            kind = "text/html" if number < n_real else TYPES[number % len(TYPES)]
            row = {"url": url, "body_b64": base64.b64encode(body).decode(), "content_type": kind}
            file.write(json.dumps(row) + "\n")
    return urls, n_real


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("same")
    urls, n_real = write_web(folder / "web.jsonl")
    (folder / "hosts.txt").write_text("".join(f"www.h{n}.cn\n" for n in range(N_HOSTS)))
    command = [sys.executable, "-m", "quarkcrawl", "crawl", folder / "hosts.txt", "--levels", "2"]
    command += ["--out", folder / "corpus", "--replay", folder / "web.jsonl", "--quiet"]
    command += ["--workers", "2", "--set", "robots=no"]
    done = subprocess.run(command, env=environment(), cwd=folder, timeout=900, check=False,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = by_url(Corpus.open(folder / "corpus").table("page"), "marks", "offset", "length", "mime")
    assert rows.keys() >= set(urls), json.loads(done.stdout)["reasons"]
    print(f"\n{n_real} real pages, {len(urls) - n_real} others")
    return folder / "corpus", rows


def by_url(table, *more):
    return {row["url"]: row for row in table.to_table(["url", *COLUMNS, *more]).to_pylist()}


def differing(ours, theirs):
    """Each page and column in which two tables differ."""
    assert ours.keys() == theirs.keys()
    return [
        (url, name, row[name], theirs[url][name])
        for url, row in ours.items()
        for name in COLUMNS
        if row[name] != theirs[url][name]
    ]


def told_again(root, row, name):
    """What a value is here and now, so that a difference shows which side of it is odd."""
    page = read_stored(
        PagePlace(row["url"], host_key(row["url"]), row["offset"], row["length"], row["mime"]), root
    )
    is_markup = row["mime"] != "text/plain"
    source = PageInput(row["url"], page.body, page.content_type, is_markup=is_markup)
    return next(one[name] for one in analyze(source, OPTIONS.plan).columns.values() if name in one)


def failed(flags):
    return any(flag.startswith("failed:") or flag == "columns_cut" for flag in flags or ())


def test_extract_makes_what_the_crawl_made(crawled):
    root, rows = crawled
    extract_corpus(root, OPTIONS, pool=PoolOptions(workers=2))
    found = by_url(extractions(root), "failure")
    assert [url for url, row in rows.items() if failed(row["marks"])] == [
        url for url in rows if found[url]["failure"]
    ]
    sound = {url: row for url, row in rows.items() if not failed(row["marks"])}
    assert differing(sound, {url: found[url] for url in sound}) == []


def test_what_hosts_repeat_changes_the_pages_that_say_so_and_no_other(crawled, tmp_path):
    root, rows = crawled
    extract_corpus(root, SITES, out=tmp_path, pool=PoolOptions(workers=2))
    found = by_url(extractions(root, out=tmp_path), "repeated_chars", "failure", "site_digest")
    same = {url for url, row in found.items() if not (row["repeated_chars"] or row["failure"])}
    assert len(same) > len(rows) / 2
    alike = ({url: table[url] for url in sorted(same)} for table in (rows, found))
    assert [(*one, told_again(root, rows[one[0]], one[1])) for one in differing(*alike)] == []
    for url in found.keys() - same:
        if not found[url]["failure"]:
            assert 0 < len(found[url]["content_text"]) < len(rows[url]["content_text"])
    # What the crawl has cleaned at its end is what an extraction says of the same hosts.
    cleaned = cleaned_contents(root).to_table(["url", "content_text", "repeated_chars"]).to_pylist()
    assert all(
        row["content_text"] == found[row["url"]]["content_text"]
        and row["repeated_chars"] == found[row["url"]]["repeated_chars"]
        for row in cleaned
    )
    assert {row["url"] for row in cleaned} == {
        url for url, row in found.items() if row["site_digest"] and not failed(rows[url]["marks"])
    }


def test_spark_makes_what_extract_makes(crawled, cluster_process, tmp_path):
    root, _ = crawled
    extract_corpus(root, SITES, out=tmp_path / "here", pool=PoolOptions(workers=2))
    cluster_process.ready()
    with SparkEngine(cluster_process.url, settings=SPARK) as engine:
        extract_corpus(root, SITES, out=tmp_path / "out", cluster=engine)
    ours, theirs = (extractions(root, out=tmp_path / name) for name in ("here", "out"))
    order = [("bucket", "ascending"), ("host", "ascending"), ("offset", "ascending")]
    assert ours.to_table().sort_by(order).equals(theirs.to_table().sort_by(order))


def test_the_workbench_shows_what_the_crawl_made(crawled):
    """It has no rows: these are made here of what it holds. It knows no bounds of links."""
    root, rows = crawled
    shown = {}
    for url, row in rows.items():
        place = (str(page_dat_path(root, url.split("/")[2])), row["offset"], row["length"])
        document = DocumentSource(url, url, *place, is_markup=row["mime"] != "text/plain")
        content = analyzed(document).content("default")
        columns = dict.fromkeys(COLUMNS) | content_columns(content)
        columns |= block_columns(content.segmentation)
        for name in ("topic_probability", "page_type_probability"):
            columns[name] = None if columns[name] is None else float(np.float32(columns[name]))
        columns["blocks"] = [{**block, "spans": None} for block in columns["blocks"].tolist()]
        if {"long_links", "links_cut"} & set(row["marks"]):
            columns["link_blocks"] = row["link_blocks"]
        shown[url] = columns
    sound = {url: row for url, row in rows.items() if not failed(row["marks"])}
    assert differing(sound, {url: shown[url] for url in sound}) == []
