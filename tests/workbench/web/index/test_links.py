"""Links to and from a page against those in the rows of the tables."""

from __future__ import annotations

import shutil

import pyarrow.parquet as pq
import pytest

from quarkcrawl.store import Corpus
from quarkcrawl.store.tables import encode_row, frame, iter_rows, last_number, open_part
from quarkcrawl.store.tables.journal import journal_path
from quarkcrawl.workbench.web.index import links, queries
from quarkcrawl.workbench.web.index.index import CorpusIndex
from quarkcrawl.workbench.web.index.links import (
    CorpusLinks,
    LinkScan,
    links_of,
)
from tests.workbench.web.index.test_index import await_rows, stored_rows
from tests.workbench.web.sites import HOSTS


@pytest.fixture(scope="module")
def tables(made_corpus):
    index = CorpusIndex(made_corpus)
    index.warm()
    await_rows(index, "SELECT 1")
    yield index
    index.close()


def to_the_end(scan):
    while not scan.is_done:
        scan.go_on()
    return scan


def naive(corpus, targets):
    return sorted(
        (row["url"], link["url"], link["text"])
        for row in stored_rows(corpus)
        for link in row["links"] or ()
        if link["url"] in targets
    )


def plain(found):
    return sorted((link.source, link.target, link.text) for link in found)


@pytest.mark.full
def test_links_to_a_page_are_those_in_the_rows(tables, made_corpus):
    urls = [row["url"] for row in stored_rows(made_corpus)][::9]
    n_found = 0
    for targets in (*({url} for url in urls), {"http://nobody.example/"}, set(urls)):
        scan = to_the_end(tables.links.to(frozenset(targets)))
        assert plain(scan.found) == naive(made_corpus, targets)
        assert scan.n_rows == len(stored_rows(made_corpus))
        assert scan.n_damaged == 0
        n_found += len(scan.found)
    assert n_found > 50


def test_links_on_a_page_are_in_their_order_with_the_pages_that_they_lead_to(tables, made_corpus):
    rows = {row["url"]: row for row in stored_rows(made_corpus)}
    home = f"http://{HOSTS[1]}/"
    row = tables.row('SELECT url, shard, "offset" FROM pages WHERE url = ?', [home])
    found = links_of(row)
    assert [(one.target, one.text) for one in found] == [
        (link["url"], link["text"]) for link in rows[home]["links"]
    ]
    shown = queries.link_rows(tables, found, "target")
    assert [one["url"] for one in shown] == [one.target for one in found]
    stored = [one for one in shown if one["url"] in rows]
    assert stored
    for one in stored:
        assert tables.row("SELECT url FROM pages WHERE id = ?", [one["id"]])["url"] == one["url"]
    assert all(one["id"] == "" for one in shown if one["url"] not in rows and not one["leads_to"])


def test_a_redirect_is_followed_both_ways(tables, made_corpus):
    (redirect, *_) = [
        row
        for row in Corpus.open(made_corpus).redirects()
        if tables.row("SELECT 1 AS n FROM pages WHERE url = ?", [row.target])
    ]
    leading = queries.redirecting(tables, redirect.target)
    assert leading[redirect.target] == ""
    assert leading[redirect.url] == redirect.target
    (row,) = queries.link_rows(
        tables, [links.StoredLink("x", redirect.url, "a", False, "a")], "target"
    )
    assert row["leads_to"] == redirect.target
    assert tables.row("SELECT url FROM pages WHERE id = ?", [row["id"]])["url"] == redirect.target


def test_a_long_scan_goes_on_where_it_stopped(made_corpus, monkeypatch):
    monkeypatch.setattr(links, "WALL_S", -1.0)  # every row group takes too long
    page_links = CorpusLinks([made_corpus])
    target = frozenset({f"http://{HOSTS[1]}/"})
    seen = [0]
    while not (scan := page_links.to(target)).is_done:
        assert scan.n_rows >= seen[-1]
        seen.append(scan.n_rows)
    assert len(set(seen)) > 2
    assert plain(scan.found) == naive(made_corpus, target)
    for number in range(20):
        page_links.to(frozenset({str(number)}))
    assert len(page_links._scans) <= links._MOST_SCANS


def test_links_of_rows_that_are_still_in_the_journal_are_found(tmp_path, made_corpus):
    """A crawl that was killed leaves them there."""
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    rows = [row for row in iter_rows(root, "page") if row.host == HOSTS[1]]
    assert len(rows) > 10
    for path in (root / "analysis" / "pages").rglob("*.parquet"):
        if pq.read_table(path, columns=["host"])["host"].to_pylist()[0] == HOSTS[1]:
            path.unlink()
    number = last_number(root) + 1
    journal_path(root, number).parent.mkdir(exist_ok=True)
    journal_path(root, number).write_bytes(b"".join(frame(encode_row(row)) for row in rows))
    target = frozenset({f"http://{HOSTS[1]}/"})
    assert plain(to_the_end(LinkScan([root], target)).found) == naive(made_corpus, target) != []


def test_a_file_that_vanishes_begins_the_scan_anew(tmp_path, made_corpus, monkeypatch):
    target = frozenset({f"http://{HOSTS[1]}/"})
    n_opened = 0

    def opening(path):
        nonlocal n_opened
        n_opened += 1
        if n_opened == 5:
            raise FileNotFoundError(path)
        return open_part(path)

    monkeypatch.setattr(links, "open_part", opening)
    scan = to_the_end(LinkScan([made_corpus], target))
    assert n_opened > 5
    assert plain(scan.found) == naive(made_corpus, target)


def test_a_damaged_file_is_counted_and_the_others_are_read(tmp_path, made_corpus):
    root = shutil.copytree(made_corpus, tmp_path / "corpus")
    target = frozenset({f"http://{HOSTS[1]}/"})
    part = next(
        path
        for path in (root / "analysis" / "pages").rglob("*.parquet")
        if HOSTS[1] not in pq.read_table(path, columns=["host"])["host"].to_pylist()
    )
    lost = set(pq.read_table(part, columns=["url"])["url"].to_pylist())
    part.write_bytes(b"PAR1 no more")
    scan = to_the_end(LinkScan([root], target))
    assert scan.n_damaged == 1
    assert plain(scan.found) == [one for one in naive(made_corpus, target) if one[0] not in lost]
