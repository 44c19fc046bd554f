"""Links from and to a page, read from the tables of the crawl when somebody asks.

The links of a page stand in its row, so those from it are found at once. For those to it all rows
are looked through, a row group at a time: an answer comes after a while with what was found by
then, and asking again goes on from there, as a search in the texts does.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from quarkcrawl.errors import EngineError
from quarkcrawl.page.urls import host_key
from quarkcrawl.store import Corpus, bucket
from quarkcrawl.store.tables import journal_tables, open_part, snapshot
from quarkcrawl.workbench.web.index.faults import first_line, read_errors
from quarkcrawl.workbench.web.index.search import CPU_S, WALL_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa


MOST_LINKS: Final = 20_000
"""Links to one page that are kept."""

_MOST_SCANS: Final = 8
_LEAVES: Final = ("text", "nofollow", "kind")


class StoredLink(NamedTuple):
    """A link of a stored page.

    Args:
        source: URL of the page.
        target: where it leads.
        text: its anchor.
        nofollow: whether it asks not to be followed.
        kind: element that it is.
    """

    source: str
    target: str
    text: str | None
    nofollow: bool | None
    kind: str | None


class LinkScan:
    """How far the search for links to some URLs has come.

    Args:
        shards: the corpora.
        targets: the URLs.

    Attributes:
        found: the links, in the order of the tables.
        n_rows: pages that were looked at.
        n_damaged: files or parts of files that could not be read.
        is_done: whether that is all.
    """

    def __init__(self, shards: Sequence[Path], targets: frozenset[str]) -> None:
        self._shards = shards
        self._targets = targets
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self.found: list[StoredLink] = []
        self.n_rows = self.n_damaged = 0
        self.is_done = False
        self._steps = self._scan()

    def go_on(self) -> None:
        """Look further, for as long as somebody may wait for it."""
        started = time.thread_time(), time.monotonic()
        with self._lock:
            while not self.is_done:
                self._step()
                took = time.thread_time() - started[0], time.monotonic() - started[1]
                if took[0] > CPU_S or took[1] > WALL_S:
                    break

    def _step(self) -> None:
        try:
            self.n_rows += next(self._steps)
        except StopIteration:
            self.is_done = True
        except FileNotFoundError:  # a crawl has merged files
            self._begin()
        self.is_done |= len(self.found) >= MOST_LINKS

    def _scan(self) -> Iterator[int]:
        """Rows that were looked at, time by time."""
        for shard in self._shards:
            seen = snapshot(shard, "page")
            for _, path in seen.journals:
                table = journal_tables(path).get("page")
                if table is not None and "links" in table.column_names:
                    yield self._take(table.select(["url", "links"]))
            for part in seen.parts:
                yield from self._scan_part(part.path)

    def _scan_part(self, path: Path) -> Iterator[int]:
        """A row group at a time; only of one with such a link more than the URLs is read."""
        import pyarrow.parquet as pq  # noqa: PLC0415 - slow, and not needed without a corpus

        unreadable: tuple[type[Exception], ...] = (*read_errors(), ValueError)
        try:
            with open_part(path) as file:
                leaf = _leaf(pq.ParquetFile(file).schema)
            if not leaf:
                return
            with open_part(path) as file:
                parquet = pq.ParquetFile(file, read_dictionary=[leaf])
                for number in range(parquet.num_row_groups):
                    group = parquet.read_row_group(number, [leaf], use_threads=False)
                    if self._rows_with(group).any():
                        self._take(parquet.read_row_group(number, ["url", "links"]))
                    yield len(group)
        except FileNotFoundError:
            raise
        except unreadable:
            self.n_damaged += 1

    def _rows_with(self, table: pa.Table) -> Any:
        """Which links of a table lead to one of the targets."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        urls = pc.struct_field(pc.list_flatten(table["links"]), "url")
        masks = []
        is_coded = pa.types.is_dictionary(urls.type)
        for chunk in (urls if is_coded else urls.dictionary_encode()).chunks:
            is_target = pc.is_in(chunk.dictionary, value_set=pa.array(self._targets, pa.string()))
            codes = np.flatnonzero(is_target.to_numpy(zero_copy_only=False))
            masks.append(np.isin(chunk.indices.to_numpy(zero_copy_only=False), codes))
        return np.concatenate(masks) if masks else np.zeros(0, np.bool_)

    def _take(self, table: pa.Table) -> int:
        """Keep the links of some rows that lead to one of the targets."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        places = pa.array(np.flatnonzero(self._rows_with(table)))
        links = pc.list_flatten(table["links"]).take(places)
        sources = table["url"].take(pc.list_parent_indices(table["links"]).take(places))
        for source, link in zip(sources.to_pylist(), links.to_pylist(), strict=True):
            values = (link.get(name) for name in _LEAVES)
            self.found.append(StoredLink(source, str(link["url"]), *values))
        return len(table)


def _leaf(schema: Any) -> str:
    """Name of the column of URLs in the links; "" if there is none."""
    paths = [schema.column(number).path for number in range(len(schema.names))]
    leaves = (one for one in paths if one.startswith("links.") and one.endswith(".url"))
    return next(leaves, "")


class CorpusLinks:
    """The links of a corpus, as of some copy of its tables.

    Args:
        shards: the corpora.
    """

    def __init__(self, shards: Sequence[Path]) -> None:
        self._shards = shards
        self._scans: OrderedDict[frozenset[str], LinkScan] = OrderedDict()
        self._lock = threading.Lock()

    def to(self, targets: frozenset[str]) -> LinkScan:
        """Go on looking for the links to some URLs, for as long as somebody may wait."""
        with self._lock:
            scan = self._scans.get(targets)
            if scan is None:
                scan = self._scans[targets] = LinkScan(self._shards, targets)
            self._scans.move_to_end(targets)
            if len(self._scans) > _MOST_SCANS:
                self._scans.popitem(last=False)
        scan.go_on()
        return scan


def links_of(row: dict[str, Any]) -> list[StoredLink]:
    """The links of a stored page, in their order.

    Args:
        row: url, offset and shard of the page.

    Raises:
        EngineError: the tables cannot be read.
    """
    import pyarrow.dataset as ds  # noqa: PLC0415 - slow, and not needed without a corpus

    url = row["url"]
    is_page = (ds.field("url") == url) & (ds.field("offset") == row["offset"])
    is_page &= ds.field("bucket") == bucket(host_key(url))
    try:
        table = Corpus.open(row["shard"]).table("page").scanner(
            columns=["links"], filter=is_page, use_threads=False, cache_metadata=False
        ).to_table()  # fmt: skip
    except read_errors() as error:
        raise EngineError(f"the table of pages: {first_line(error)}", where=row["shard"]) from error
    links = next(iter(table["links"].to_pylist()), None) or []
    return [StoredLink(url, link["url"], *(link.get(name) for name in _LEAVES)) for link in links]
