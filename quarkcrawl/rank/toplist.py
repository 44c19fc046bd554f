"""Tables of ranks cut down to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def pages_of(table: pa.Table) -> pa.Table:
    """The stored pages of a table of ranks.

    Raises:
        InputError: the table has no ranks of pages.
    """
    if not {"url", "rank", "is_page"} <= set(table.column_names):
        columns = ", ".join(table.column_names)
        raise InputError(f"no table of page ranks (it has {columns})", where="ranks")
    return table.filter(table.column("is_page"))


def urls_of(table: pa.Table) -> pa.Array:
    """The URLs of a table of ranks, in one piece and of the type that graphs have."""
    return table.column("url").combine_chunks().cast(pa.large_string())


def top_pages(table: pa.Table, n: int) -> list[dict[str, Any]]:
    """The first stored pages of a ranking: place among the stored pages, rank, URL.

    Args:
        table: a ranking.
        n: how many at most.
    """
    pages = pages_of(table).slice(0, n)
    rows = zip(pages.column("rank").to_pylist(), pages.column("url").to_pylist(), strict=True)
    return [{"place": k, "rank": rank, "url": url} for k, (rank, url) in enumerate(rows, 1)]


def top_hosts(table: pa.Table, n: int) -> list[dict[str, Any]]:
    """The first hosts of a table of hosts.

    Args:
        table: hosts in order of rank.
        n: how many at most.
    """
    rows: list[dict[str, Any]] = table.slice(0, n).to_pylist()
    return rows


def shared_ranks(tables: Sequence[pa.Table]) -> list[NDArray[np.float64]]:
    """Ranks of the stored pages that all tables have, in one order.

    Args:
        tables: rankings of one corpus.

    Raises:
        InputError: a table has no ranks of pages.
    """
    pages = [pages_of(table) for table in tables]
    urls = [urls_of(table) for table in pages]
    shared_urls = urls[0]
    for others in urls[1:]:
        shared_urls = shared_urls.filter(pc.is_in(shared_urls, value_set=others))
    pairs = zip(pages, urls, strict=True)
    return [
        table.column("rank").take(pc.index_in(shared_urls, value_set=texts)).to_numpy().astype("f8")
        for table, texts in pairs
    ]
