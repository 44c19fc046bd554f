"""The near-duplicate stage in real crawls: pages are marked, none is dropped."""

import pytest

from quarkcrawl.dedup import fingerprint
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.site.text import paragraph
from quarkcrawl.lab.mockweb.site.words import COLUMNS

from .harness import crawl

HOST = "www.near.example"
HOME = f"http://{HOST}/"


def article(seed: int, credit: str = "") -> str:
    dice = Dice("near", seed)
    body = "".join(f"<p>{paragraph(dice, COLUMNS[seed][2])}</p>" for _ in range(12))
    return f"<title>新闻{seed}</title><body><h1>新闻{seed}</h1><div>{body}{credit}</div></body>"


SITE = {
    HOME: "<title>首页</title>" + "".join(f"<a href=/{name}>{name}</a>" for name in "abcd"),
    f"{HOME}a": article(1),
    f"{HOME}b": article(2),
    f"{HOME}c": article(1, "<p>责任编辑：王芳</p>"),
    f"{HOME}d": " ",
}


@pytest.mark.full
@pytest.mark.parametrize("method", ["simhash", "featurecode"])
def test_near_pages_are_marked(tmp_path, method):
    with ServerProcess.for_pages(SITE) as server:
        run = crawl(tmp_path, server, [HOST], content="yes", near_method=method, near_k=6)
    run.assert_settled()
    rows = run.pages()
    assert set(rows) == set(SITE)
    first, last = sorted((f"{HOME}a", f"{HOME}c"), key=lambda url: rows[url].fetched_at)
    marked = {
        url: row.analysis["near_of"] for url, row in rows.items() if row.analysis.get("near_of")
    }
    assert marked in ({last: first}, {first: last})  # pages may be stored in another order
    (url,) = marked
    assert rows[url].analysis["near_reason"].split(":")[0] in {"simhash", "codes"}
    found = fingerprint(rows[f"{HOME}b"].analysis["content_text"])
    assert rows[f"{HOME}b"].analysis["simhash"] == found.simhash
    assert tuple(rows[f"{HOME}b"].analysis["feature_codes"]) == found.feature_codes
    assert rows[f"{HOME}d"].analysis.get("simhash") is None


@pytest.mark.full
def test_without_a_method_there_is_no_stage(tmp_path):
    with ServerProcess.for_pages(SITE) as server:
        run = crawl(tmp_path, server, [HOST])
    assert not any(row.analysis.get("simhash") for row in run.pages().values())


@pytest.mark.full
def test_pages_of_an_earlier_run_are_remembered(tmp_path):
    other = "www.copy.example"
    pages = {**SITE, f"http://{other}/": article(2, "<p>来源：天网</p>")}
    with ServerProcess.for_pages(pages) as server:
        crawl(tmp_path, server, [HOST], content="yes", near_method="featurecode")
        run = crawl(tmp_path, server, [HOST, other], content="yes", near_method="featurecode")
    run.assert_settled()
    assert run.pages()[f"http://{other}/"].analysis["near_of"] == f"{HOME}b"
