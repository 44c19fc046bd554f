"""Which pages of a corpus have to be done, bucket by bucket, and what is known of their hosts.

The pages of a bucket are compared with the rows that are there; of several records of a URL the
last counts. Pages without a good row are to be done; rows whose page has moved or is gone, and
rows of hosts that are known to repeat something else than when they were made, or about which
people have taught something else since, leave first.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.extraction.page import SitePage, site_digest
from quarkcrawl.corpus.extraction.sites import LEAST_SITE_PAGES, PageOnDisk, SiteEvidence
from quarkcrawl.corpus.pagerows import PageRows, rows_of
from quarkcrawl.store import N_BUCKETS, StoragePath, bucket
from quarkcrawl.store.tables import count_table
from quarkcrawl.template.site import RULES_FILE, SiteRules, parse_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import pyarrow.dataset as ds

    from quarkcrawl.corpus.extraction.results import DoneRow, ResultFolder
    from quarkcrawl.store import Corpus


_COLUMNS: Final = ("url", "host", "offset", "length", "mime", "md5", "marks", "render_reason")


class ChosenPages(NamedTuple):
    """Which pages are done, see `extract_corpus`."""

    retry_failed: bool = False
    only_flagged: bool = False
    only_sites: bool = False


class TodoPages:
    """The pages that have to be done.

    Args:
        corpus: may be written to meanwhile.
        results: rows that are there; those that are stale are taken out.
        chosen: which pages are of interest.
        site_pages: most pages of a host that are read to find what it repeats.
        rules: what people taught.
    """

    def __init__(
        self,
        corpus: Corpus,
        results: ResultFolder,
        scope: ChosenPages,
        site_pages: int,
        rules: SiteRules | None = None,
    ) -> None:
        self._rows = PageRows(corpus)
        self._taught = {host: rules.of(host) for host in rules.hosts} if rules else {}
        self._taught_buckets = set(map(bucket, self._taught))
        self._results = results
        self._chosen = scope
        self.sites = SiteEvidence(results.sites, site_pages)
        self.n_pages = self.n_done_before = self.n_removed = 0
        if not (scope.only_flagged or scope.only_sites):
            self.n_pages = self._rows.read(count_table)
        self._large: Collection[int] = self._large_buckets() if site_pages else ()

    # What hosts repeat

    def _large_buckets(self) -> set[int]:
        """Buckets with hosts that may have enough pages; most have none, and are not looked at."""
        n_of: Counter[str] = Counter()

        def count(pages: ds.Dataset) -> None:
            n_of.clear()
            for batch in pages.to_batches(columns=["host"], cache_metadata=False):
                for entry in batch.column("host").value_counts().to_pylist():
                    n_of[entry["values"]] += entry["counts"]

        self._rows.read(count)
        return {bucket(host) for host, n in n_of.items() if n >= LEAST_SITE_PAGES}

    def to_learn(self) -> Iterator[list[SitePage]]:
        """The samples of hosts of which it is not known what they repeat."""
        for number in sorted(self._large):
            yield from self.sites.to_read(number, self._sampled(self._stored(number)))

    def _sampled(self, stored: pa.Table) -> Iterator[PageOnDisk]:
        """Pages of the hosts that are of interest."""
        if not self._chosen.only_flagged:
            return _pages_of(stored)
        hosts = {page.place.host for page in _pages_of(stored) if page.is_flagged}
        return (page for page in _pages_of(stored) if page.place.host in hosts)

    # Pages

    def pages(self) -> Iterator[SitePage]:
        """Pages without a good row, bucket by bucket; stale rows leave before."""
        for number in range(N_BUCKETS):
            is_large = number in self._large
            is_known = is_large or number in self._taught_buckets
            if self._chosen.only_sites and not is_known and not self._results.parts(number):
                continue
            stored = self._stored(number)
            repeated = self.sites.of(number, _pages_of(stored)) if is_large else {}
            todo = self._todo(number, stored, repeated)
            for page in _pages_of(stored.filter(todo)):
                host = page.place.host
                yield page.place._replace(
                    repeated=repeated.get(host, ""), taught=self._taught.get(host, "")
                )

    def _todo(self, number: int, stored: pa.Table, repeated: Mapping[str, str]) -> pa.Array:
        """Which pages of a bucket are to be done; stale rows leave."""
        done = self._results.done(number)
        todo = np.zeros(stored.num_rows, dtype=bool)
        stale = set(done)
        n_chosen = 0
        for index, page in enumerate(_pages_of(stored)):
            url = page.place.url
            if not self._is_chosen(page, repeated):
                if not self._chosen.only_sites:
                    stale.discard(url)
                continue
            n_chosen += 1
            if self._is_done(page.place, done, repeated.get(page.place.host, "")):
                stale.discard(url)
            else:
                todo[index] = True
        if self._chosen.only_flagged or self._chosen.only_sites:
            self.n_pages += n_chosen
        self.n_removed += self._results.drop(number, stale)
        self.n_done_before += n_chosen - int(todo.sum())
        return pa.array(todo)

    def _is_chosen(self, page: PageOnDisk, repeated: Mapping[str, str]) -> bool:
        if self._chosen.only_flagged:
            return page.is_flagged
        if self._chosen.only_sites:
            is_known = page.place.host in repeated or page.place.host in self._taught
            return is_known and not (page.is_flagged or page.is_rendered)
        return True

    def _is_done(self, page: SitePage, done: Mapping[str, DoneRow], repeated: str) -> bool:
        row = done.get(page.url)
        if row is None or row.offset != page.offset:
            return False
        if row.site_digest != site_digest(repeated, self._taught.get(page.host, "")):
            return False
        return not (self._chosen.retry_failed and row.failure)

    def _stored(self, number: int) -> pa.Table:
        """Pages of one bucket."""
        return self._rows.of_bucket(number, _COLUMNS)


def corpus_rules(root: Path | str, rules: Path | str | None = None) -> SiteRules:
    """What people taught about the hosts of a corpus.

    Args:
        root: the corpus, also in an object store.
        rules: the file; None: that of the corpus, if it has one.

    Raises:
        ConfigError: something in the file is wrong.
        StoreError: it cannot be read.
    """
    place = StoragePath(str(root)) / RULES_FILE if rules is None else StoragePath(str(rules))
    if rules is None and not place.exists():
        return SiteRules()
    return parse_rules(place.read_bytes(), place)


def _pages_of(stored: pa.Table) -> Iterator[PageOnDisk]:
    for *place, md5, flags, rendered in rows_of(stored):
        yield PageOnDisk(SitePage(*place), md5, _has_failed(flags), rendered is not None)


def _has_failed(flags: list[str] | None) -> bool:
    return any(flag.startswith("failed:") for flag in flags or ())
