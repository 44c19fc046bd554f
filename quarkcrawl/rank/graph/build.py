"""From the tables of a corpus to its link graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from quarkcrawl.progress import no_progress
from quarkcrawl.rank.graph.aliases import resolve
from quarkcrawl.rank.graph.blocktable import block_counts, block_table
from quarkcrawl.rank.graph.conventions import Conventions
from quarkcrawl.rank.graph.graph import LinkGraph
from quarkcrawl.rank.graph.placing import REASONS, Segments, place_links
from quarkcrawl.rank.graph.rawtables import read_tables
from quarkcrawl.rank.loops import mark_targets, renumber

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.rank.graph.linkrows import DamagedPart
    from quarkcrawl.rank.graph.rawtables import RawTables, RowSource

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphReport:
    """How the graph came about.

    Args:
        pages: stored pages that are nodes.
        unknown: nodes known only as targets.
        blocks: blocks of the pages.
        links: links that count.
        links_read: links in the tables.
        left_out: links that do not count, by reason: ``nofollow``, ``self`` (to the page itself),
            ``unknown`` (to a page that is not stored, if these are dropped), ``repeated`` (in one
            block), ``canonical`` (of pages that count for another), ``duplicate`` (the kept page
            has the same link), ``stale`` (of an older copy of a page fetched again),
            ``no_page`` (of duplicates whose kept page is no node).
        aliases: URLs that count for another one, by reason.
        without_blocks: pages with no block table.
        damaged: what could not be read.
    """

    pages: int
    unknown: int
    blocks: int
    links: int
    links_read: int
    left_out: dict[str, int]
    aliases: dict[str, int]
    without_blocks: int
    damaged: tuple[DamagedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class CorpusGraph:
    """A graph read from a corpus.

    Args:
        graph: the graph, with URLs.
        report: how it came about.
        aliases: table of URLs that count for others: ``url``, ``counts_for``.
    """

    graph: LinkGraph
    report: GraphReport
    aliases: pa.Table = field(repr=False)


def corpus_graph(
    root: Path,
    conventions: Conventions | None = None,
    *,
    label_paths: Sequence[Path] | None = None,
    importance: bool = False,
    rows: RowSource | None = None,
    on_progress: Progress = no_progress,
) -> CorpusGraph:
    """Build the link graph of a corpus.

    Rows that cannot be read are left out and listed in the report.

    Args:
        root: the corpus; a crawl may be writing to it.
        conventions: which links count, and for whom.
        label_paths: Parquet files of an extraction whose content blocks are to count; None: those
            of the crawl.
        importance: also judge how important each block is, see `importance_flow`.
        rows: where the rows come from, for a folder that is no corpus itself; None: the corpus.
        on_progress: is told of each file, or batch of rows.

    Raises:
        StoreError: one of ``label_paths`` is not there, or the tables change faster than they can
            be read.
    """
    tables = read_tables(
        root, label_paths, importance=importance, rows=rows, on_progress=on_progress
    )
    on_progress("graph", 0, None)
    return _Builder(tables, conventions or Conventions()).build()


class _Builder:
    def __init__(self, tables: RawTables, conventions: Conventions) -> None:
        self._tables = tables
        self._conventions = conventions
        self._left_out: dict[str, int] = {}
        n_urls = len(tables.urls)
        self._is_page = np.zeros(n_urls, bool)
        self._is_page[tables.page] = True
        self._aliases = resolve(tables, self._is_page, canonical=conventions.canonical)

    def build(self) -> CorpusGraph:
        """Do it."""
        row_of = self._latest_rows()
        own = self._aliases.counts_for == np.arange(len(row_of))
        rows = np.sort(row_of[self._is_page & own])
        self._note_unused_rows(rows, row_of)
        node_of = np.full(len(row_of), -1, np.int32)
        node_of[self._tables.page[rows]] = np.arange(len(rows), dtype=np.int32)
        segments = self._segments(rows, node_of)
        graph = self._graph(rows, segments, node_of)
        return CorpusGraph(graph, self._report(graph), self._alias_table())

    def _latest_rows(self) -> LongArray:
        """Row of each URL, the one fetched last if there are several; -1 for no page."""
        tables = self._tables
        row_of = np.full(len(tables.urls), -1, np.int64)
        order = np.argsort(tables.fetched_at, kind="stable")
        row_of[tables.page[order]] = order
        return row_of

    def _note_unused_rows(self, rows: LongArray, row_of: LongArray) -> None:
        tables = self._tables
        n_links = np.diff(tables.links.ptr[: len(tables.page) + 1])
        is_latest = row_of[tables.page] == np.arange(len(tables.page))
        is_used = np.zeros(len(tables.page), bool)
        is_used[rows] = True
        self._left_out["stale"] = int(n_links[~is_latest].sum())
        self._left_out["canonical"] = int(n_links[is_latest & ~is_used].sum())

    def _segments(self, rows: LongArray, node_of: IntArray) -> Segments:
        """Each page's own links, then those of the duplicates that count for it."""
        ptr, labels = self._tables.links.ptr, self._tables.labels
        start, end = ptr[rows], ptr[rows + 1]
        label = self._tables.label_of[rows]
        first, last = (np.append(labels.link_ptr, 0)[label + shift] for shift in (0, 1))
        fits = (label >= 0) & (last - first == end - start)
        blocks = np.where(fits, first, -1)
        nothing = np.full(len(rows), -1)
        pages = np.arange(len(rows), dtype=np.int32)
        return self._with_duplicates(Segments(pages, start, end, blocks, nothing), node_of)

    def _with_duplicates(self, mine: Segments, node_of: IntArray) -> Segments:
        copies, owners = self._tables.duplicate
        ptr = self._tables.links.ptr[len(self._tables.page) :]
        page = node_of[owners]
        counts = (page >= 0) & ~self._is_page[copies]
        self._left_out["no_page"] = int(np.diff(ptr)[~counts].sum())
        page, start, end = page[counts], ptr[:-1][counts], ptr[1:][counts]
        same = end - start == mine.end[page] - mine.start[page]
        blocks = np.where(same, mine.blocks[page], -1)
        original = np.where(same, mine.start[page], -1)
        both = zip(mine, Segments(page, start, end, blocks, original), strict=True)
        return Segments(*(np.concatenate(pair) for pair in both))

    def _graph(self, rows: LongArray, segments: Segments, node_of: IntArray) -> LinkGraph:
        rules, tables = self._conventions, self._tables
        urls = self._number_unknown(segments, node_of, len(rows))
        label = tables.label_of[rows]
        link_ptr, targets = self._place(segments, node_of, block_counts(tables.labels, label))
        blocks = block_table(tables.labels, label, np.diff(link_ptr))
        n_links = len(targets)
        graph = LinkGraph.from_blocks(
            blocks, link_ptr, targets, n_nodes=len(urls), repeated=rules.repeated, urls=urls
        )
        self._left_out["repeated"] = n_links - graph.n_links
        return graph

    def _place(
        self, segments: Segments, node_of: IntArray, block_ptr: LongArray
    ) -> tuple[LongArray, IntArray]:
        """First link of each block, and the nodes; the links as read are given up."""
        rules, links, labels = self._conventions, self._tables.links, self._tables.labels
        renumber(links.target, node_of[self._aliases.counts_for])
        link_ptr, targets, reasons = place_links(
            segments,
            (links.target, links.nofollow),
            rules.nofollow == "skip",
            labels.link_block,
            block_ptr,
            rules.self_links,
        )
        self._left_out |= dict(zip(REASONS, reasons.tolist(), strict=True))
        links.release()
        labels.release_links()
        return link_ptr, targets

    def _number_unknown(
        self, segments: Segments, node_of: IntArray, n_pages: int
    ) -> pa.LargeStringArray:
        """Give numbers to targets that are not stored; returns the URLs of all nodes."""
        seen = np.zeros(len(node_of), bool)
        rules, links = self._conventions, self._tables.links
        if rules.unknown == "node":
            skips = rules.nofollow == "skip"
            given = (segments.start, segments.end, links.target, links.nofollow)
            mark_targets(*given, skips, self._aliases.counts_for, seen)
        unknown = np.flatnonzero(seen & (node_of < 0))
        node_of[unknown] = np.arange(n_pages, n_pages + len(unknown), dtype=np.int32)
        numbered = np.flatnonzero(node_of >= 0)
        order = np.empty(len(numbered), np.int64)
        order[node_of[numbered]] = numbered
        return self._tables.urls.take(pa.array(order))

    def _report(self, graph: LinkGraph) -> GraphReport:
        tables = self._tables
        return GraphReport(
            pages=graph.n_pages,
            unknown=graph.n_nodes - graph.n_pages,
            blocks=len(graph.blocks) - graph.n_pages,
            links=graph.n_links,
            links_read=int(tables.links.ptr[-1]),
            left_out={reason: n for reason, n in sorted(self._left_out.items()) if n},
            aliases=self._aliases.reasons,
            without_blocks=int((np.diff(graph.blocks.ptr) == 1).sum()),
            damaged=tables.damaged,
        )

    def _alias_table(self) -> pa.Table:
        counts_for = self._aliases.counts_for
        moved = np.flatnonzero(counts_for != np.arange(len(counts_for)))
        urls = self._tables.urls
        return pa.table(
            {
                "url": urls.take(pa.array(moved)),
                "counts_for": urls.take(pa.array(counts_for[moved])),
            }
        )
