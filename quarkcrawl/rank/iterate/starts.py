"""Distributions to start from and to jump to: earlier ranks, and a list of favored places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import InputError
from quarkcrawl.rank.graph import hosts_of
from quarkcrawl.rank.toplist import urls_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.rank.graph import LinkGraph

    DoubleArray = NDArray[np.float64]


def warm_start(graph: LinkGraph, earlier: pa.Table) -> DoubleArray:
    """Earlier ranks as a start; nodes that are new begin with an even share.

    Args:
        graph: the graph, with URLs.
        earlier: a table with ``url`` and ``rank``.
    """
    ranks = earlier.column("rank").to_numpy()
    return _found(_urls(graph), urls_of(earlier), ranks, 1 / max(graph.n_nodes, 1))


def favored(graph: LinkGraph, favorites: dict[str, float]) -> DoubleArray:
    """Weights of the nodes for a personalised teleport.

    Args:
        graph: the graph, with URLs.
        favorites: weights by URL, or by host for all its stored pages alike.

    Raises:
        InputError: none of them is in the graph.
    """
    keys = pa.array(list(favorites), pa.large_string())
    weights = np.fromiter(favorites.values(), np.float64, len(favorites))
    urls = _urls(graph)
    total = _found(urls, keys, weights)
    hosts = hosts_of(urls).cast(pa.large_string())
    by_host = _found(hosts, keys, weights)
    by_host[graph.n_pages :] = 0
    total += by_host
    if not total.any():
        raise InputError("none of the favored URLs and hosts is in the graph", where="favorites")
    return total


def _found(
    values: pa.Array, keys: pa.Array, weights: DoubleArray, missing: float = 0.0
) -> DoubleArray:
    """Weight of the key that each value is; of those that are none, what they get instead."""
    place = pc.index_in(values, value_set=keys)
    rows = pc.fill_null(place, 0).to_numpy()
    is_named = pc.is_valid(place).to_numpy(zero_copy_only=False)
    return np.where(is_named, weights[rows] if len(weights) else missing, missing)


def _urls(graph: LinkGraph) -> pa.Array:
    if graph.urls is None:
        raise InputError("the graph has no URLs", where="graph")
    return graph.urls


def read_favorites(path: Path) -> dict[str, float]:
    """Read a list of favored places: a URL or host a line, then its weight, 1 if there is none.

    The file is UTF-8, with or without a byte order mark. Empty lines and those that begin with
    ``#`` are passed over.

    Raises:
        InputError: the file cannot be read, or a weight is no number above 0; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error
    return dict(_favorites(path, text))


def _favorites(path: Path, text: str) -> Iterator[tuple[str, float]]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        place, weight = words[0], words[1] if len(words) > 1 else "1"
        try:
            value = float(weight)
        except ValueError:
            value = float("nan")
        if len(words) > 2 or not 0 < value < float("inf"):
            message = f"not a URL or host and a weight above 0: {line.strip()!r}"
            raise InputError(message, where=f"{path}:{number}")
        yield place, value
