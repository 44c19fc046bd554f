"""Ranks as tables beside the corpus.

    analysis/ranks/quarkrank.parquet          url, host, is_page, rank, position
    analysis/ranks/quarkrank-hosts.parquet    host, pages, rank, host_rank, best_url
    analysis/ranks/blpr-blocks.parquet        url, block, rank
    analysis/ranks/aliases.parquet            url, counts_for

Rows come in the order of their rank, so that the first are the top list; the metadata of a file
say how its ranks were made. On a cluster each is a folder of files instead, which sort by name, and
``_made_by.json`` beside them. Any engine joins them to the pages:

    SELECT title, rank FROM 'corpus/analysis/ranks/quarkrank.parquet' JOIN
        read_parquet('corpus/analysis/pages/*/*.parquet', union_by_name=true) USING (url)
        ORDER BY rank DESC LIMIT 10
"""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.rank.graph import hosts_of
from quarkcrawl.store import storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables import open_part, write_part

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.rank.graph import LinkGraph


_METADATA: Final = b"quarkcrawl_ranks"
_REST: Final = -1
_NOTE: Final = "_made_by.json"
_BESIDE: Final = ("-hosts", "-blocks")
"""Endings of tables that stand beside one of pages."""


def ranks_folder(root: Path, out: Path | None = None) -> Path:
    """Where the ranks of a corpus are.

    Args:
        root: the corpus.
        out: a folder of one's own instead.
    """
    return root / "analysis" / "ranks" if out is None else out


def rank_names(root: Path) -> list[str]:
    """Names of the rankings of pages that a corpus has, by name.

    Args:
        root: the corpus.
    """
    names = sorted(path.stem for path in ranks_folder(root).glob("*.parquet"))
    return [name for name in names if name != "aliases" and not name.endswith(_BESIDE)]


def rank_table(graph: LinkGraph, values: NDArray[np.floating]) -> pa.Table:
    """Nodes with their ranks, highest first.

    Raises:
        InputError: the graph has no URLs.
    """
    if graph.urls is None:
        raise InputError("the graph has no URLs", where="rank_table")
    order = np.argsort(-values, kind="stable")
    urls = graph.urls.take(pa.array(order))
    return pa.table(
        {
            "url": urls,
            "host": hosts_of(urls),
            "is_page": pa.array(order < graph.n_pages),
            "rank": pa.array(values[order]),
            "position": pa.array(np.arange(1, len(order) + 1)),
        }
    )


def block_table_of(graph: LinkGraph, values: NDArray[np.floating]) -> pa.Table:
    """Blocks with their ranks, highest first; ``block`` is the place in the page's block table.

    The rest of a page, its links outside all blocks, is block −1.

    Raises:
        InputError: the graph has no URLs.
    """
    if graph.urls is None:
        raise InputError("the graph has no URLs", where="block_table_of")
    page = graph.blocks.pages()
    inner = np.arange(len(page)) - graph.blocks.ptr[page]
    inner[graph.blocks.ptr[1:] - 1] = _REST
    order = np.argsort(-values, kind="stable")
    return pa.table(
        {
            "url": graph.urls.take(pa.array(page[order])),
            "block": pa.array(inner[order].astype(np.int32)),
            "rank": pa.array(values[order]),
        }
    )


def write_table(table: pa.Table, path: Path, made_by: Mapping[str, Any]) -> None:
    """Write a table whole or not at all.

    Args:
        table: the rows.
        path: the file.
        made_by: how they were made, kept in the metadata.

    Raises:
        StorageFullError: no room; an older file or folder is still there.
        StoreError: any other failure, likewise.
    """
    noted = _note(made_by)
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = table.replace_schema_metadata({_METADATA: noted})
        if path.is_dir():  # from a cluster: it goes once the file is whole
            beside = path.with_name(f".{path.name}.new")
            write_part(rows, beside)
            shutil.rmtree(path)
            beside.rename(path)
        else:
            write_part(rows, path)
        sync_folder(path.parent)


def _note(made_by: Mapping[str, Any]) -> bytes:
    noted = {"version": version("quarkcrawl"), **made_by}
    return json.dumps(noted, ensure_ascii=False).encode()


def note_parts(folder: Path, made_by: Mapping[str, Any]) -> None:
    """Note how a table of parts was made.

    Args:
        folder: where the parts are.
        made_by: how they were made.

    Raises:
        StoreError: it cannot be written.
    """
    with storage_errors(folder), write_whole(folder / _NOTE) as file:
        file.write(_note(made_by))


def read_ranks(root: Path, name: str, out: Path | None = None) -> tuple[pa.Table, dict[str, Any]]:
    """A table of ranks, and how it was made.

    Args:
        root: the corpus.
        name: ``pagerank``, ``quarkrank``, ``blpr``, or a name of one's own.
        out: where the tables are, if not in the corpus.

    Raises:
        InputError: there are no such ranks.
        StoreError: the file cannot be read.
    """
    path = ranks_folder(root, out) / f"{name}.parquet"
    try:
        table, noted = _read_parts(path) if path.is_dir() else _read_file(path)
        made_by: dict[str, Any] = json.loads(noted)
    except FileNotFoundError as error:
        names = ", ".join(sorted(p.stem for p in path.parent.glob("*.parquet"))) or "none"
        raise InputError(f"no such ranks; there are: {names}", where=path) from error
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise StoreError(f"no table of ranks ({error})", where=path) from error
    return table, made_by


def _read_file(path: Path) -> tuple[pa.Table, bytes]:
    """A table that is one file, and what is noted of it."""
    with open_part(path) as file:
        table = pq.read_table(file)
    return table, (table.schema.metadata or {})[_METADATA]


def _read_parts(folder: Path) -> tuple[pa.Table, bytes]:
    """A table of parts, and what is noted of it."""
    tables = [pq.read_table(path) for path in parquet_files(folder)]
    return pa.concat_tables(tables), (folder / _NOTE).read_bytes()
