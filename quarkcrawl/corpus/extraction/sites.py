"""What each host of a corpus repeats, learned before its pages are done.

    analysis/extractions/default/_sites/bucket=214.json
    analysis/extractions/default/_sites/bucket=214/part-000001.parquet     what tasks have learned

A sample of the host's pages is read first: distinct bodies, those with the smallest digests, so
that it depends on nothing but the stored pages. What they repeat is kept beside the rows with a
digest of the sample: a run that goes on, or one that finds no new pages, reads nothing again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.corpus.parts import read_part
from quarkcrawl.errors import StoreError
from quarkcrawl.page.pdf import TYPES_WITHOUT_MARKUP
from quarkcrawl.store import bucket, storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables import folder_parts
from quarkcrawl.template.site import SiteLines, repeated_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.corpus.extraction.page import SitePage


LEAST_SITE_PAGES: Final = 16
"""Hosts with fewer distinct pages are left as they are: lines count from eight articles on."""


SITE_SCHEMA: Final = pa.schema(
    [
        pa.field("host", pa.string()),
        pa.field("sample", pa.string()),
        pa.field("repeated", pa.string()),
    ]
)
"""Columns of what tasks have learned."""


@dataclass(frozen=True, slots=True)
class PageOnDisk:
    """A page in the table of a corpus.

    Args:
        place: where it is.
        md5: equal for pages with the same body.
        is_flagged: whether its analysis failed in the crawl.
        is_rendered: whether its columns are of the page as a browser showed it.
    """

    place: SitePage
    md5: bytes
    is_flagged: bool = False
    is_rendered: bool = False


class SiteEvidence:
    """What hosts repeat, in files of their own.

    Args:
        path: the folder.
        most_pages: most pages of a host that are read for it.
    """

    def __init__(self, path: Path, most_pages: int) -> None:
        self._path = path
        self._most_pages = most_pages
        self._bucket = -1
        self._learned: dict[str, dict[str, str]] = {}  # of this bucket
        self._pages: list[SitePage] = []  # of the host that is being learned
        self._lines: list[SiteLines] = []
        self.n_read = 0

    def to_read(self, number: int, stored: Iterable[PageOnDisk]) -> Iterator[list[SitePage]]:
        """Samples of hosts of a bucket that have to be read."""
        rows = self._read(number)
        for host, sample in sorted(self._samples(stored).items()):
            if rows.get(host, {}).get("sample") != sample_digest(sample):
                yield sample

    def of(self, number: int, stored: Iterable[PageOnDisk]) -> dict[str, str]:
        """What the hosts of a bucket repeat; only those that repeat anything are there."""
        rows = self._read(number)
        return {
            host: rows[host]["repeated"]
            for host, sample in self._samples(stored).items()
            if host in rows
            and rows[host]["sample"] == sample_digest(sample)
            and rows[host]["repeated"]
        }

    def _samples(self, stored: Iterable[PageOnDisk]) -> dict[str, list[SitePage]]:
        """The sample of each host that has enough pages."""
        by_host: dict[str, dict[bytes, SitePage]] = {}
        n_kept = max(self._most_pages, LEAST_SITE_PAGES)
        for page in stored:
            if page.place.mime not in TYPES_WITHOUT_MARKUP and not page.is_flagged:
                bodies = by_host.setdefault(page.place.host, {})
                bodies[page.md5] = min(bodies.get(page.md5, page.place), page.place)
                if len(bodies) > 2 * n_kept:  # of a host with millions of pages
                    for md5 in sorted(bodies)[n_kept:]:
                        del bodies[md5]
        return {
            host: [bodies[md5] for md5 in sorted(bodies)[: self._most_pages]]
            for host, bodies in by_host.items()
            if len(bodies) >= LEAST_SITE_PAGES
        }

    def take(self, outcome: Outcome[SitePage, dict[str, Any]]) -> None:
        """Take in what was read; pages come in the order in which they were asked for."""
        page = outcome.input
        if self._pages and self._pages[-1].host != page.host:
            self._learn()
        if (number := bucket(page.host)) != self._bucket:
            self._write()
            self._bucket = number
        self._pages.append(page)
        self.n_read += 1
        if outcome.value is not None and "failure" not in outcome.value:
            self._lines.append(SiteLines(**outcome.value))

    def finish(self) -> None:
        """All that were asked for were taken in."""
        if self._pages:
            self._learn()
        self._write()

    def _learn(self) -> None:
        row = site_row(self._pages, self._lines)
        self._learned[row.pop("host")] = row
        self._pages, self._lines = [], []

    # Files

    def _file(self, number: int) -> Path:
        return self._path / f"bucket={number}.json"

    def _parts(self, number: int) -> list[Path]:
        return [part.path for part in folder_parts(self._path / f"bucket={number}")]

    def _read(self, number: int) -> Mapping[str, Mapping[str, str]]:
        path = self._file(number)
        rows: dict[str, dict[str, str]] = {}
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            message = f"cannot read ({error}); delete it, and its hosts are learned again"
            raise StoreError(message, where=path) from error
        for part in self._parts(number):
            rows |= {row.pop("host"): row for row in read_part(part).to_pylist()}
        return rows

    def _write(self) -> None:
        if not self._learned:
            return
        rows = {**self._read(self._bucket), **self._learned}
        path = self._file(self._bucket)
        with storage_errors(path):
            self._path.mkdir(exist_ok=True)
            with write_whole(path) as file:
                file.write(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode() + b"\n")
            for part in self._parts(self._bucket):
                part.unlink()
            sync_folder(self._path)
        self._learned = {}


def sample_digest(sample: Iterable[SitePage]) -> str:
    """What tells samples apart."""
    places = json.dumps([(page.url, page.offset, page.length) for page in sample]).encode()
    return hashlib.blake2b(places, digest_size=16).hexdigest()


def site_row(sample: Sequence[SitePage], lines: Sequence[SiteLines]) -> dict[str, str]:
    """What is known of a host, from the lines of those of its sample that could be read."""
    facts = {"sample": sample_digest(sample), "repeated": repeated_lines(lines)}
    return {"host": sample[0].host, **facts}
