"""The sample of a report: whom it draws, how large it gets, what becomes of pages that cannot be read."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter

import pytest

from quarkcrawl.page.tree import PageTree
from quarkcrawl.store import Corpus, CorpusWriter, page_dat_path
from quarkcrawl.workbench.report import ReportSample, corpus_page
from tests.store.samples import make_item

TEXT = "北京大学网络实验室研究搜索引擎与网络信息挖掘，老师和学生一起工作。"
SIZES = {"large.cn": 120, **{f"h{n}.cn": 2 for n in range(12)}}


def written(root, pages, **more):
    with CorpusWriter(root) as writer:
        for number, (url, body) in enumerate(pages.items(), 1):
            host = url.split("/")[2]
            writer.append_page(make_item(number, host=host, url=url, body=body, **more))
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    pages = {
        f"http://{host}/{n}": f"<title>{host} {n}</title><h1>第{n}页</h1><p>{TEXT * 9}</p>".encode()
        for host, size in SIZES.items()
        for n in range(size)
    }
    return written(tmp_path_factory.mktemp("drawn") / "corpus", pages)


def sample_of(html: str) -> dict:
    found = re.search(
        r'<script type="application/json" id="sample">(.*?)</script>', html, re.DOTALL
    )
    return json.loads(found[1])


def made(root, lang="en", **options) -> dict:
    return sample_of(corpus_page(root, lang, ReportSample(workers=1, **options)))


def unpacked(page: dict, sheet: str = "") -> str:
    first, last = (gzip.decompress(base64.b64decode(part)).decode() for part in page["copy"])
    return first + sheet + last


@pytest.mark.full
def test_small_hosts_are_drawn_as_large_ones(root):
    pages = made(root, pages=26)["pages"]
    assert len(pages) == 26
    assert len({page["url"] for page in pages}) == 26
    by_host = Counter(page["host"] for page in pages)
    assert len(by_host) >= 11  # of 13; by pages alone 120 of 144 would be of the large one
    assert by_host["large.cn"] <= 13
    assert pages == made(root, pages=26)["pages"]
    assert [page["url"] for page in pages] == sorted(page["url"] for page in pages)
    assert len(made(root, pages=10_000)["pages"]) == sum(SIZES.values())


@pytest.mark.full
def test_a_copy_says_what_the_page_says_and_carries_kinds_and_blocks(root):
    found = made(root, pages=3)
    for page in found["pages"]:
        assert TEXT in page["text"]
        assert page["chars"] >= len(page["text"]) > 100
        for sheet in found["sheets"].values():
            tree = PageTree.parse(unpacked(page, sheet))
            assert TEXT * 9 in tree.text()
        html = unpacked(page)
        assert 'data-qk-fill="content"' in html
        assert re.search(r'data-qk-map="\d+"', html)
        assert "Content-Security-Policy" in html
        assert "<script" not in html


@pytest.mark.full
def test_the_sample_is_as_large_as_it_may_be_and_says_what_has_no_copy(root):
    whole = made(root, pages=40)["pages"]
    size = sum(sum(map(len, page["copy"])) + 3 * len(page["text"]) for page in whole)
    for most_bytes in (size, size // 2, 20_000, 0):
        pages = made(root, pages=40, most_bytes=most_bytes)["pages"] if most_bytes else []
        taken = [sum(map(len, page["copy"] or ())) + 3 * len(page["text"]) for page in pages]
        assert sum(taken) <= most_bytes
        assert {page["why"] for page in pages} <= {"", "size"}
        assert all((page["copy"] is None) == (page["why"] == "size") for page in pages)
        if most_bytes == size:
            assert pages == whole
        elif pages:
            assert any(page["copy"] is None for page in pages) or len(pages) < 40
    assert "<script" not in corpus_page(root, "en", ReportSample(pages=0))
    assert "<script" not in corpus_page(root)


@pytest.mark.full
def test_pages_that_cannot_be_read_are_told(tmp_path):
    pages = {f"http://a{n}.cn/": f"<p>{TEXT * 9}</p>".encode() for n in range(3)}
    root = written(tmp_path / "corpus", pages)
    page_dat_path(root, "a0.cn").unlink()
    file = page_dat_path(root, "a1.cn")
    file.write_bytes(file.read_bytes()[:-40])
    found = {page["host"]: page for page in made(root)["pages"]}
    assert [found[host]["why"] for host in ("a0.cn", "a1.cn", "a2.cn")][2] == ""
    for host in ("a0.cn", "a1.cn"):
        assert found[host]["copy"] is None
        words = sample_of(corpus_page(root, "zh", ReportSample(workers=1)))["words"]
        assert f"why.{found[host]['why']}" in words


@pytest.mark.full
def test_what_pages_say_cannot_end_the_data(tmp_path):
    evil = '</script><script>alert(1)</script><!--<script>\u2028"\\'
    pages = {"http://a.cn/": f"<title>{evil}</title><p>{TEXT * 9}{evil}</p>".encode()}
    html = corpus_page(written(tmp_path / "corpus", pages), "en", ReportSample(workers=1))
    assert html.count("<script") == html.count("</script>") == 2
    assert "alert(1)</script>" not in html
    (page,) = sample_of(html)["pages"]
    assert "alert(1)" in page["title"] + page["text"]


def test_funnel_of_a_crawl_ends_with_its_stored_pages(root):
    html = corpus_page(root, "en")
    info = Corpus.open(root).info()
    row = re.search(r"<td>without duplicates: stored</td><td class=\"n\">([\d,]+)</td>", html)
    assert int(row[1].replace(",", "")) == info.pages
