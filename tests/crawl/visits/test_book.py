"""The book of visits says what the tables say, however it came to be."""

from __future__ import annotations

import dataclasses
import random

import pytest

from quarkcrawl.crawl.visits.book import BOOK, KnownOther, VisitBook
from quarkcrawl.crawl.visits.schedule import VisitSchedule
from quarkcrawl.store import CorpusWriter, DropRow, VisitRow
from quarkcrawl.store.tables import settle_versions
from tests.store.samples import make_item

SCHEDULE = VisitSchedule(100.0, 1000.0)
SQL = """SELECT url, level, offset, length, md5, version, first_at, seen_at, visits, changes,
    reason, due FROM page"""


def contents(book: VisitBook) -> list[tuple]:
    """All rows but for whether a page was given out."""
    return sorted(book._connection.execute(SQL))


def url_of(number: int) -> str:
    return make_item(number).url


def version_of(number: int, version: int, at: float):
    """A later version of a sample page."""
    item = make_item(number, body=b"<p>%d as of %d" % (number, version), fetched_at=at)
    return dataclasses.replace(item, analysis={"version": version})


@pytest.fixture
def root(tmp_path):
    with CorpusWriter(tmp_path / "corpus") as writer:
        for number in range(20):
            writer.append_page(make_item(number, fetched_at=1000.0 + number))
    return tmp_path / "corpus"


def random_visits(book: VisitBook, writer: CorpusWriter, seed: int) -> None:
    """Rows to the corpus, and the same to the book."""
    dice, versions = random.Random(seed), dict.fromkeys(range(20), 1)
    for step in range(120):
        number, at = dice.randrange(20), 2000.0 + 10 * step
        if dice.random() < 0.3:
            versions[number] += 1
            book.stored(writer.append_page(version_of(number, versions[number], at)), "changed")
        else:
            reason = dice.choice(("unchanged", "http_404", "redirect", "duplicate", "timeout"))
            writer.append_row(VisitRow(url_of(number), reason, 2, at))
            book.visited(url_of(number), reason, at)


@pytest.mark.parametrize("seed", range(3))
def test_a_book_written_anew_says_the_same(root, seed) -> None:
    """From the journal after a kill, from the tables after a clean end, and after settling."""
    with CorpusWriter(root) as writer:
        book = VisitBook(root, SCHEDULE)
        random_visits(book, writer, seed)
        writer.sync()
        told = contents(book)
        book.abandon()  # as if killed: the file on disk is not trusted
        book = VisitBook(root, SCHEDULE)
        from_journal = contents(book)
        book.abandon()
    book = VisitBook(root, SCHEDULE)
    from_tables = contents(book)
    book.abandon()
    assert settle_versions(root) > 0
    book = VisitBook(root, SCHEDULE)
    # A redirect after a redirect is no change; between two versions the tables do not say more.
    keep = [row[:9] for row in told]
    for other in (from_journal, from_tables, contents(book)):
        assert [row[:9] for row in other] == keep
        assert [row[10] for row in other] == [row[10] for row in told]
    book.abandon()


def test_a_book_closed_in_order_is_not_written_anew(root, monkeypatch) -> None:
    book = VisitBook(root, SCHEDULE)
    told = contents(book)
    book.close()
    monkeypatch.setattr(VisitBook, "_fill", lambda *_: pytest.fail("it was written anew"))
    book = VisitBook(root, SCHEDULE)
    assert contents(book) == told
    book.close()


def test_a_book_of_other_tables_or_torn_is_written_anew(root) -> None:
    VisitBook(root, SCHEDULE).close()
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(77, fetched_at=1500.0))
    book = VisitBook(root, SCHEDULE)
    assert book.get(url_of(77)) is not None
    book.close()
    (root / BOOK).write_bytes(b"no database" * 1000)
    book = VisitBook(root, SCHEDULE)
    assert len(contents(book)) == 21
    book.close()


def test_due_pages_are_given_once_longest_due_first(root) -> None:
    book = VisitBook(root, SCHEDULE)
    assert book.take_due(1099.0, 100) == []
    assert book.next_due() == 1100.0
    first = book.take_due(1105.0, 3)
    assert [page.url for page in first] == [url_of(n) for n in range(3)]
    assert [page.url for page in book.take_due(1105.0, 9)] == [url_of(n) for n in (3, 4, 5)]
    assert book.take_due(1105.0, 9) == []
    book.visited(url_of(0), "unchanged", 1105.0)
    assert book.take_due(1106.0, 9) == [book.get(url_of(6))]
    book.put_off(url_of(1), 1107.0)
    assert {page.url for page in book.take_due(1107.0, 9)} == {url_of(7), url_of(1)}
    book.close()
    book = VisitBook(root, SCHEDULE)  # what was given out and never visited is due again
    assert url_of(2) in {page.url for page in book.take_due(1107.0, 99)}
    book.close()


def test_a_page_that_is_said_to_have_changed_is_due(root) -> None:
    """But not before the least time has passed."""
    book = VisitBook(root, SCHEDULE)
    for number in range(20):
        book.visited(url_of(number), "unchanged", 1500.0)
    book.hasten([(url_of(3), 1550.0), (url_of(4), 1400.0), ("http://unknown.cn/", 1550.0)])
    assert book.take_due(1599.0, 9) == []
    assert [page.url for page in book.take_due(1600.0, 9)] == [url_of(3)]
    book.close()


def test_lists_come_back_with_what_their_last_reply_said(root) -> None:
    feed = KnownOther("http://a.cn/feed", 1, "#feed:0:a.cn", "feed", '"v1"', "")
    with CorpusWriter(root) as writer:
        detail = "#feed:0:a.cn rss: 3 URLs, 3 new"
        writer.append_row(DropRow(feed.url, "a.cn", "feed", detail, 1, 1200.0))
        other = "#guess:0:a.cn http_404"
        writer.append_row(DropRow("http://a.cn/sitemap.xml", "a.cn", "no_sitemap", other, 1, 1.0))
    book = VisitBook(root, SCHEDULE)
    assert book.take_others(1299.0, 9) == []
    assert book.take_others(1300.0, 9) == [feed._replace(etag="")]
    assert book.take_others(1300.0, 9) == []
    book.put_other(feed, 1300.0)
    assert book.get_other(feed.url) == feed
    book.visited(feed.url, "unchanged", 1400.0)
    assert book.take_others(1499.0, 9) == []
    assert book.take_others(1500.0, 9) == [feed._replace(reason="unchanged")]
    book.put_off(feed.url, 1600.0)
    assert book.take_others(1599.0, 9) == []
    assert book.take_others(1600.0, 9) != []
    book.close()


def test_bounds_may_change_between_runs(root) -> None:
    VisitBook(root, SCHEDULE).close()
    book = VisitBook(root, VisitSchedule(5.0, 10.0))
    assert book.next_due() == 1005.0
    book.close()
