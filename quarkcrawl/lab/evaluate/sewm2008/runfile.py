"""Run files: what a system found, in the two line formats of SEWM2008.

Task 1, topic pages: a document number a line. Task 2, content: ``number start length``, any number
of lines a document, offsets from 0 in the stored page. Behind the fields a remark may follow that
starts with ``//``, as in the examples of the thesis.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class TopicRun:
    """Documents that a system takes for topic pages.

    Args:
        name: what the run is called; if it was read, the name of the file without its ending.
        documents: their numbers.
    """

    name: str
    documents: frozenset[str]


@dataclass(frozen=True, slots=True)
class ContentRun:
    """Spans that a system takes for content.

    Args:
        name: what the run is called; if it was read, the name of the file without its ending.
        spans: (start, length) pairs of each document.
    """

    name: str
    spans: Mapping[str, tuple[tuple[int, int], ...]]


def read_topic_run(
    path: Path, is_known: Callable[[str], bool], *, ignore_unknown: bool = False
) -> TopicRun:
    """Read a run of task 1.

    Args:
        path: the file; ``.gz`` is decompressed.
        is_known: whether there is gold for a document.
        ignore_unknown: pass over other documents (the gold is a sample of a larger collection).

    Raises:
        InputError: naming the line that is no document number or names an unknown document.
    """
    numbers: set[str] = set()
    for where, fields in _lines(path):
        if len(fields) != 1:
            raise InputError("one document number a line is expected", where=where)
        if is_known(fields[0]):
            numbers.add(fields[0])
        elif not ignore_unknown:
            raise InputError(f"unknown document {fields[0]!r}", where=where)
    return TopicRun(_run_name(path), frozenset(numbers))


def read_content_run(
    path: Path, size_of: Callable[[str], int | None], *, ignore_unknown: bool = False
) -> ContentRun:
    """Read a run of task 2.

    Args:
        path: the file; ``.gz`` is decompressed.
        size_of: length of a document in the unit of the offsets; None if there is no gold for it.
        ignore_unknown: pass over documents without gold.

    Raises:
        InputError: naming the line that is no span, names an unknown document, or leaves the page.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    for where, fields in _lines(path):
        number, start, length = _span(fields, where)
        size = size_of(number)
        if size is None:
            if ignore_unknown:
                continue
            raise InputError(f"unknown document {number!r}", where=where)
        if start < 0 or length < 1 or start + length > size:
            raise InputError(
                f"span {start} + {length} is not inside {number}, which has 0 to {size}",
                where=where,
            )
        spans.setdefault(number, []).append((start, length))
    return ContentRun(
        _run_name(path), {number: tuple(own_spans) for number, own_spans in spans.items()}
    )


def _span(fields: list[str], where: str) -> tuple[str, int, int]:
    try:
        number, start, length = fields
        return number, int(start), int(length)
    except ValueError as error:
        raise InputError("'number start length' is expected", where=where) from error


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Place and fields of each line that is not empty."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read as a run file: {error}", where=path) from error
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        remark = next((i for i, field in enumerate(fields) if field.startswith("//")), None)
        if fields[:remark]:
            yield f"{path}:{number}", fields[:remark]


def _run_name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt")


def write_topic_run(path: Path, document_numbers: Iterable[str]) -> None:
    """Write a run of task 1, in the order given.

    Args:
        path: the file.
        document_numbers: those said to be topic pages, best first where the order says so.

    Raises:
        InputError: a document number has white space in it.
    """
    _write(path, (_checked(number) for number in document_numbers))


def write_content_run(path: Path, run: Mapping[str, Iterable[tuple[int, int]]]) -> None:
    """Write a run of task 2: a line for each span of each document.

    Args:
        path: the file.
        run: spans of each document.

    Raises:
        InputError: a document number has white space in it.
    """
    lines = (
        f"{_checked(number)} {start} {length}"
        for number, spans in run.items()
        for start, length in spans
    )
    _write(path, lines)


def _checked(number: str) -> str:
    if len(number.split()) != 1:
        raise InputError("a document number in a run file cannot contain white space", where=number)
    return number


def _write(path: Path, lines: Iterable[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
