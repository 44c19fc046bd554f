"""Reading a stored corpus for replay: page.dat files, and the rows where there are any.

Of a collection without analysis tables (CWT200g itself, say) the records are served. Where the
tables are there, redirects answer again as redirects and duplicates with the body of the page
that they duplicate, so that a replay is the web that was crawled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.lab.mockweb.server.records import Recorded
from quarkcrawl.lab.mockweb.server.warc import TRANSFER_FIELDS
from quarkcrawl.lab.mockweb.web import Coding, MockReply
from quarkcrawl.store import Corpus, Damage, TianwangRecord, read_records, split_reply, stored_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.store import DuplicateRow


def read_corpus(root: Path) -> Iterator[Recorded]:
    """Read everything that a corpus can answer.

    Args:
        root: folder with ``data_N/host/page.dat``.

    Yields:
        Records in the order of the files, then duplicates, then redirects.

    Raises:
        InputError: a page.dat is damaged; names file and offset.
    """
    for _, _, path in stored_files(root):
        for entry in read_records(path):
            if not isinstance(entry, Damage):
                yield _recorded(entry.record, f"{path}@{entry.offset}")
            elif entry.length:
                raise InputError(
                    f"{entry.kind}: {entry.detail or 'not a record'} (see `corpus salvage`)",
                    where=f"{path}@{entry.offset}",
                )
    try:
        corpus = Corpus.open(root)
    except StoreError:
        return  # records without tables
    yield from _duplicates(corpus)
    yield from _redirects(corpus)


def _recorded(record: TianwangRecord, where: str, url: str = "") -> Recorded:
    stored = split_reply(record.data)
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in stored.header_lines
        if not name.lower().startswith(b"x-crawler-")
        and name.decode("latin-1").lower() not in TRANSFER_FIELDS
    )
    is_text = (stored.get("content-type") or "").startswith("text/")
    coding = Coding.GZIP if is_text else None
    reply = MockReply(stored.status or 200, headers, stored.body, coding=coding)
    return Recorded(url or record.url, reply, 1, where)


def _duplicates(corpus: Corpus) -> Iterator[Recorded]:
    copies: dict[str, list[DuplicateRow]] = {}
    for row in corpus.duplicates():
        copies.setdefault(row.duplicate_of, []).append(row)
    if not copies:
        return
    for page in corpus.pages():
        for row in copies.get(page.url, ()):
            yield _recorded(corpus.read(page), f"{corpus.root}: {row.url}", row.url)


def _redirects(corpus: Corpus) -> Iterator[Recorded]:
    for row in corpus.redirects():
        reply = MockReply(row.status, (("Location", row.target), ("Content-Type", "text/html")))
        yield Recorded(row.url, reply, 1, f"{corpus.root}: {row.url}")
