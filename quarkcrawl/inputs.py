"""Files that users give: whatever is wrong with them is told with file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import InputError
from quarkcrawl.progress import CountedStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.progress import Progress


def read_bytes(path: Path) -> bytes:
    """A whole file.

    Args:
        path: the file; a name that ends in ``.gz`` is gunzipped.

    Raises:
        InputError: it cannot be read.
    """
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


def read_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """JSON objects of a file, each with its place (``path:line``); empty lines are passed over.

    Args:
        path: the file; a name that ends in ``.gz`` is gunzipped.

    Raises:
        InputError: the file cannot be read, or a line is no JSON object.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", _record(line, f"{path}:{number}")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON: {error}", where=where) from error
    if not isinstance(record, dict):
        raise InputError("no JSON object", where=where)
    return record


def read_all(
    paths: Sequence[Path], step: str, on_progress: Progress
) -> Iterator[tuple[str, dict[str, Any]]]:
    """JSON objects of several files, see `read_records`.

    Args:
        paths: the files.
        step: name of the step.
        on_progress: is told of each object.

    Raises:
        InputError: a file cannot be read, or a line is no JSON object.
    """
    under_way = CountedStep(step, on_progress, _count_lines(paths))
    for path in paths:
        for place, record in read_records(path):
            yield place, record
            under_way.add()


def _count_lines(paths: Iterable[Path]) -> int | None:
    """Lines that are not empty; None for what can be read only once, or not at all."""
    n_lines = 0
    for path in paths:
        if not path.is_file():
            return None
        opened = gzip.open if path.suffix == ".gz" else open
        try:
            with opened(path, "rb") as lines:
                n_lines += sum(not line.isspace() for line in lines)
        except (OSError, EOFError, zlib.error):  # the reading says so
            return None
    return n_lines
