"""Files of a web graph as Common Crawl publishes them: text, gzipped, columns parted by tabs.

    vertices    number, reversed host (com.example.www), in ascending order of both
    edges       number of the source, number of the target, in ascending order
    ranks       position and value of harmonic centrality, of PageRank, reversed host

Large graphs come as many files and a list of their paths (``….paths.gz``).
"""

from __future__ import annotations

import gzip
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv

from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_bytes
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress

    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]


RANKS_HEADER: Final = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n"
_BATCH_ROWS: Final = 100_000
_READ_BYTES: Final = 8 << 20


def files_of(path: Path, what: str, base: Path | None = None) -> list[Path]:
    """The files that a path stands for.

    Args:
        path: a file of rows; a folder of such (``*.txt``, ``*.txt.gz``, in order of their names);
            or a list of paths (``*.paths``, ``*.paths.gz``).
        what: ``"vertices"`` or ``"edges"``; of a folder's files those with this in their names, if
            there are any.
        base: what the paths of a list are relative to; None: the folder of the list.

    Raises:
        InputError: there is nothing.
    """
    if path.is_dir():
        rows = sorted(one for one in path.iterdir() if one.name.endswith((".txt", ".txt.gz")))
        listed = [one for one in rows if what in one.name] or rows
    elif path.name.endswith((".paths", ".paths.gz")):
        folder = base or path.parent
        listed = [folder / line.strip() for line in read_bytes(path).decode().splitlines()]
    else:
        listed = [path]
    if not listed:
        raise InputError("no files named *.txt or *.txt.gz", where=path)
    return listed


def reversed_host(host: str) -> str:
    """A host with its labels in reverse, and back.

    >>> reversed_host("www.example.com")
    'com.example.www'
    """
    return ".".join(reversed(host.split(".")))


class VertexNames:
    """Names of the nodes of a graph, on disk.

    Args:
        paths: files of vertices, in order.
        folder: where the names are put.
        on_progress: is told of the bytes that are read.

    Raises:
        InputError: a file cannot be read, or the numbers do not count from 0.
        StoreError: the names cannot be written.
    """

    def __init__(
        self, paths: Sequence[Path], folder: Path, on_progress: Progress = no_progress
    ) -> None:
        ends, n = [np.zeros(1, np.int64)], 0
        with storage_errors(folder), (folder / "names").open("wb") as file:
            types = (pa.int64(), pa.large_string())
            for path, numbers, names in _all_rows(paths, types, "bytes of vertices", on_progress):
                _check_order(numbers.to_numpy(), n, path)
                lengths = pa.compute.binary_length(names).to_numpy()
                ends.append(ends[-1][-1] + np.cumsum(lengths))
                file.write(b"".join(names.cast(pa.large_binary()).to_pylist()))
                n += len(names)
        self._ends = np.concatenate(ends)
        self._n_bytes = int(self._ends[-1])
        self._path = folder / "names"

    def __len__(self) -> int:
        return len(self._ends) - 1

    def take(self, numbers: LongArray) -> list[str]:
        """Names of some nodes.

        Args:
            numbers: the nodes.
        """
        data = np.memmap(self._path, np.uint8, mode="r") if self._n_bytes else np.zeros(0, np.uint8)
        buffers = pa.py_buffer(self._ends), pa.py_buffer(data)
        names = pa.LargeStringArray.from_buffers(len(self), *buffers)
        taken: list[str] = names.take(pa.array(numbers)).to_pylist()
        return taken


def _check_order(numbers: LongArray, first: int, path: Path) -> None:
    wrong = np.flatnonzero(numbers != np.arange(first, first + len(numbers)))
    if len(wrong):
        place = int(wrong[0])
        message = f"vertex {numbers[place]} where {first + place} should be"
        raise InputError(message, where=path)


def edge_batches(
    paths: Sequence[Path], on_progress: Progress = no_progress
) -> Iterator[tuple[LongArray, LongArray, Path]]:
    """Sources and targets of all edges and the file that they are from, by and by.

    Args:
        paths: files of edges.
        on_progress: is told of the bytes that are read.

    Raises:
        InputError: a file cannot be read, or a line has no two numbers.
    """
    types = (pa.int64(), pa.int64())
    for path, sources, targets in _all_rows(paths, types, "bytes of edges", on_progress):
        yield sources.to_numpy(), targets.to_numpy(), path


def _all_rows(
    paths: Sequence[Path],
    types: tuple[pa.DataType, pa.DataType],
    step: str,
    on_progress: Progress,
) -> Iterator[tuple[Path, pa.Array, pa.Array]]:
    """The first two columns of all files, and the file that they are from."""
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    total = sum(sizes)
    on_progress(step, 0, total)
    n_before = 0
    for path, n_bytes in zip(paths, sizes, strict=True):
        for n_read, (first, second) in _rows(path, types):
            yield path, first, second
            on_progress(step, n_before + min(n_read, n_bytes), total)
        n_before += n_bytes
        on_progress(step, n_before, total)


def _rows(
    path: Path, types: tuple[pa.DataType, pa.DataType]
) -> Iterator[tuple[int, tuple[pa.Array, pa.Array]]]:
    """The first two columns of a file, and how many of its bytes are read by then."""
    try:
        with pa.OSFile(str(path)) as file:
            packed = path.name.endswith(".gz")
            stream = pa.CompressedInputStream(file, "gzip") if packed else file
            first, n_columns = _first_line(path)
            if not first:
                return
            names = [str(number) for number in range(n_columns)]
            with closing(
                pa.csv.open_csv(
                    stream,
                    pa.csv.ReadOptions(
                        use_threads=False, block_size=_READ_BYTES, column_names=names
                    ),
                    pa.csv.ParseOptions(delimiter="\t", quote_char=False),
                    pa.csv.ConvertOptions(
                        column_types=dict(zip(names, types, strict=False)),
                        include_columns=names[:2],
                        null_values=[],
                    ),
                )
            ) as reader:
                for batch in reader:
                    yield file.tell(), (batch.column(0), batch.column(1))
    except (OSError, EOFError, pa.ArrowException) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


def _first_line(path: Path) -> tuple[str, int]:
    opened = gzip.open if path.name.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            line = file.readline().rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError("no text in UTF-8; numbers and names are expected", where=path) from error
    n_columns = line.count("\t") + 1
    if line and n_columns < 2:
        raise InputError(f"no two columns parted by a tab: {line[:80]!r}", where=f"{path}:1")
    return line, n_columns


@contextmanager
def gzip_lines(path: Path) -> Iterator[gzip.GzipFile]:
    """A gzipped file that takes its name when it is whole; the same lines give the same bytes.

    Args:
        path: the file.

    Raises:
        StoreError: it cannot be written.
    """
    half = path.with_name(f"{path.name}.tmp")
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with half.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
            yield file
        half.replace(path)


def write_ranks(
    path: Path,
    names: VertexNames,
    centrality: DoubleArray,
    pagerank: DoubleArray,
    on_progress: Progress = no_progress,
) -> None:
    """Write ranks, the nodes of the highest centrality first.

    Args:
        path: the file.
        names: what the nodes are called, for the last column.
        centrality: harmonic centrality of each.
        pagerank: PageRank of each.
        on_progress: is told of each batch.

    Raises:
        StoreError: it cannot be written.
    """
    n = len(centrality)
    order = np.lexsort((-pagerank, -centrality))
    position = np.empty(n, np.int64)
    position[np.argsort(-pagerank, kind="stable")] = np.arange(1, n + 1)
    with gzip_lines(path) as file:
        file.write(RANKS_HEADER.encode())
        starts = range(0, n, _BATCH_ROWS)
        for start in reported(starts, "batches of ranks", on_progress, total=len(starts)):
            nodes = order[start : start + _BATCH_ROWS]
            rows = zip(
                centrality[nodes].tolist(),
                position[nodes].tolist(),
                pagerank[nodes].tolist(),
                names.take(nodes),
                strict=True,
            )
            lines = [
                f"{place}\t{value!r}\t{other}\t{rank!r}\t{name}\n"
                for place, (value, other, rank, name) in enumerate(rows, start + 1)
            ]
            file.write("".join(lines).encode())
