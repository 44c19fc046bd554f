"""Links of a graph on disk, by the node that they lead to: what ranks need, however many there are.

Links are written as pairs of numbers, dealt to files by the range of their target so that each file
fits into memory, sorted one by one, and lie then one behind the other in one file that is mapped.
Per node about 50 bytes stand in memory while ranks are computed, per link none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.rank.iterate import Flow
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_KEY_BITS: Final = 32
_SOURCE: Final = (1 << _KEY_BITS) - 1
_N_STRETCHES: Final = 1 << 16
"""Nodes are counted in so many stretches; a file holds whole ones."""

_BYTES_PER_LINK: Final = 24
"""What sorting takes of memory for a link: the key, what is kept of it, both halves."""


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """The links of a graph, by target.

    Args:
        in_ptr: first incoming link of each node, and the end.
        incoming: node that each link comes from, mapped from a file, ascending for each target,
            each once.
        n_out: links of each node.
        n_repeated: links that were left out because they were there already.
        n_self_links: links that were left out because they lead to where they stand.
    """

    in_ptr: LongArray
    incoming: IntArray
    n_out: LongArray
    n_repeated: int
    n_self_links: int

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.n_out)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return int(self.in_ptr[-1])

    def pagerank_flow(self) -> Flow:
        """PageRank: the links of a node share its rank alike."""
        n = self.n_nodes
        has_links = self.n_out > 0
        share = np.divide(1.0, self.n_out, out=np.zeros(n), where=has_links)
        nodes = np.arange(n, dtype=np.int32)
        return Flow(self.in_ptr, self.incoming, nodes, share, np.zeros(n, np.bool_), self.n_out)


def store_links(
    batches: Iterable[tuple[LongArray, LongArray, object]],
    n_nodes: int,
    folder: Path,
    *,
    memory_bytes: int = 1 << 30,
    on_progress: Progress = no_progress,
) -> StoredLinks:
    """Put links in order on disk.

    Args:
        batches: sources, targets and the file that they are from, by and by.
        n_nodes: how many nodes there are.
        folder: an empty one for the files; what is returned needs the last of them.
        memory_bytes: bound on what sorting takes at a time; a node with more links than fit is
            sorted all the same.
        on_progress: is told of each file that is sorted.

    Raises:
        InputError: a number is no node.
        StoreError: the files cannot be written.
    """
    shift = max(n_nodes.bit_length() - _N_STRETCHES.bit_length() + 1, 0)
    n_of = np.zeros((n_nodes >> shift) + 1, np.int64)
    n_self_links = 0
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        raw = folder / "links.raw"
        with raw.open("wb") as file:
            for sources, targets, where in batches:
                _check(sources, n_nodes, "source", where)
                _check(targets, n_nodes, "target", where)
                leads_on = sources != targets
                n_self_links += len(sources) - int(np.count_nonzero(leads_on))
                live_targets = targets[leads_on]
                n_of += np.bincount(live_targets >> shift, minlength=len(n_of))
                file.write((live_targets << _KEY_BITS | sources[leads_on]).tobytes())
        ends = _file_ends(n_of, max(memory_bytes // _BYTES_PER_LINK, 1))
        on_progress("dealing links", 0, None)
        parts = [raw] if len(ends) == 1 else _dealt(raw, ends, shift, memory_bytes)
        under_way = reported(parts, "files of links", on_progress, total=len(parts))
        return _sorted(under_way, n_nodes, folder / "incoming", n_self_links)


def _check(numbers: LongArray, n_nodes: int, what: str, where: object) -> None:
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < n_nodes):
        bad = int(numbers[(numbers < 0) | (numbers >= n_nodes)][0])
        raise InputError(f"{what} {bad} is not between 0 and {n_nodes - 1}", where=where)


def _file_ends(n_of: LongArray, most: int) -> LongArray:
    """Up to which stretch each file goes, so that none has more links than may be."""
    ends, n_links = [], 0
    for stretch, n in enumerate(n_of.tolist()):
        if n_links and n_links + n > most:
            ends.append(stretch)
            n_links = 0
        n_links += n
    return np.array([*ends, len(n_of)], np.int64)


def _dealt(raw: Path, ends: LongArray, shift: int, memory_bytes: int) -> list[Path]:
    """Deal links to files by target; the file of all goes."""
    paths = [raw.with_name(f"links-{number}.raw") for number in range(len(ends))]
    files = [path.open("wb") for path in paths]
    try:
        for keys in _chunks(raw, memory_bytes // _BYTES_PER_LINK):
            part = ends.searchsorted(keys >> (_KEY_BITS + shift), side="right")
            order = part.argsort(kind="stable")
            cuts = part[order].searchsorted(np.arange(len(ends) + 1)).tolist()
            dealt = keys[order]
            for file, first, last in zip(files, cuts[:-1], cuts[1:], strict=True):
                file.write(dealt[first:last].tobytes())
    finally:
        for file in files:
            file.close()
    raw.unlink()
    return paths


def _chunks(path: Path, n: int) -> Iterator[LongArray]:
    with path.open("rb") as file:
        while len(keys := np.fromfile(file, np.int64, max(n, 1 << 16))):
            yield keys


def _sorted(parts: Iterable[Path], n_nodes: int, path: Path, n_self_links: int) -> StoredLinks:
    """Sort file by file; the sources of all links are written one behind the other."""
    n_in, n_out = np.zeros(n_nodes + 1, np.int64), np.zeros(n_nodes, np.int64)
    n_repeated = 0
    with path.open("wb") as file:
        for part in parts:
            keys = np.fromfile(part, np.int64)
            keys.sort()
            if len(keys):
                is_new = np.append(True, keys[1:] != keys[:-1])
                n_repeated += len(keys) - int(np.count_nonzero(is_new))
                keys = keys[is_new]
                sources = (keys & _SOURCE).astype(np.int32)
                file.write(sources.tobytes())
                n_out += np.bincount(sources, minlength=n_nodes)
                targets = keys >> _KEY_BITS
                first = int(targets[0])
                counts = np.bincount(targets - first)
                n_in[first + 1 : first + 1 + len(counts)] += counts
            part.unlink()
    in_ptr = np.cumsum(n_in)
    incoming: Any = np.zeros(0, np.int32)
    if in_ptr[-1]:  # copy on write: the loops take no array that cannot be written
        incoming = np.memmap(path, np.int32, mode="c")
    return StoredLinks(in_ptr, incoming, n_out, n_repeated, n_self_links)
