"""The API of two rankings beside each other."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import InputError
from quarkcrawl.rank import compare_ranks, rank_names, ranks_folder, read_ranks, shared_ranks
from quarkcrawl.workbench.report import rank_pair_plot
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.rank import RankingComparison


RANK_COMPARE_OPERATIONS: Final = Operations()
MOST_MOVERS: Final = 200
DEFAULT_MOVERS: Final = 10
_RankName = Annotated[str, string(60, "name of a rank table", r"^[\w.-]+$(?!\n)")]


class ComparedRanks(NamedTuple):
    """What two rankings have in common, and the figure of it."""

    comparison: RankingComparison
    plot: dict[str, Any]


@RANK_COMPARE_OPERATIONS.add(
    "GET /api/ranks/compare",
    "Two rankings: tau, overlap of top lists, biggest movers",
    errors=(409,),
)
def rank_compare(
    bench: Bench,
    first: _RankName,
    second: _RankName,
    movers: Annotated[int, integer(0, MOST_MOVERS, "how many winners and losers")] = DEFAULT_MOVERS,
) -> Any:
    """Two rankings, as `quarkcrawl rank compare` prints them."""
    names = rank_names(bench.tables.root)
    if unknown := [name for name in (first, second) if name not in names]:
        raise ApiError(404, f"no ranking {unknown[0]!r}; there are: {', '.join(names) or 'none'}")
    try:
        comparison = dataclasses.asdict(compared_ranks(bench, first, second, movers).comparison)
    except InputError as error:
        raise ApiError(409, str(error)) from error
    if math.isnan(comparison["kendall_tau"]):
        comparison["kendall_tau"] = None  # JSON knows no NaN
    comparison["overlap"] = {str(k): share for k, share in comparison["overlap"].items()}
    return comparison


def compared_ranks(bench: Bench, first: str, second: str, movers: int) -> ComparedRanks:
    """Two rankings of the corpus.

    Args:
        bench: the workbench.
        first: name of a table.
        second: name of another.
        movers: how many winners and losers.

    Raises:
        InputError: there is no such table, or they have no page in common.
        StoreError: a table cannot be read.
    """
    root = bench.tables.root
    versions = tuple(_version(ranks_folder(root) / f"{name}.parquet") for name in (first, second))
    return _compared(root, (first, second), versions, movers)


def _version(path: Path) -> tuple[int, ...]:
    """What changes when a table does; on a cluster a table is a folder."""
    try:
        files: Iterable[Path] = parquet_files(path) if path.is_dir() else [path]
        return tuple(file.stat().st_mtime_ns for file in files)
    except OSError:
        return ()


@lru_cache(maxsize=8)
def _compared(
    root: Path, names: tuple[str, str], versions: tuple[tuple[int, ...], ...], movers: int
) -> ComparedRanks:
    del versions
    tables = [read_ranks(root, name)[0] for name in names]
    comparison = compare_ranks(tables[0], tables[1], movers=movers)
    first, second = shared_ranks(tables)
    return ComparedRanks(
        comparison, rank_pair_plot(first, second, comparison.gained, comparison.lost)
    )
