"""Reading stored pages, whatever they are stored in, one by one.

Read are JSON lines (plain, gzip, zstd), WARC files, folders of these, and quarkcrawl corpora.
A bad line or record raises an error that names file and line or offset: a replay that left out
pages without a word would make every test against it worthless.
"""

from __future__ import annotations

import base64
import json
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb.web import Coding, Fault, MockReply
from quarkcrawl.select import opened, read_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_JSON_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".json", ".ndjson")
_WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/xhtml")
_CORPUS_BUCKET = "data_*"


class Recorded(NamedTuple):
    """A stored page.

    Args:
        url: as recorded.
        reply: what to answer.
        from_visit: answer so from this visit of the URL on.
        where: file and line or offset, for messages.
    """

    url: str
    reply: MockReply
    from_visit: int
    where: str


def read_paths(paths: list[Path]) -> Iterator[Recorded]:
    """Read all pages of files and folders.

    Args:
        paths: JSON-lines or WARC files, folders of them, quarkcrawl corpora.

    Yields:
        The pages in the order of the files; files of a folder in order of their names.

    Raises:
        InputError: a path does not exist, is of no known kind, or holds a bad line or record.
    """
    for path in paths:
        if path.is_dir():
            yield from _read_folder(path)
        elif path.exists():
            yield from _read_file(path)
        else:
            raise InputError("no such file or folder", where=path)


def _read_folder(folder: Path) -> Iterator[Recorded]:
    if next(folder.glob(f"{_CORPUS_BUCKET}/*/page.dat"), None):
        yield from _read_corpus(folder)
        return
    files = [path for path in sorted(folder.iterdir()) if _kind(path)]
    if not files:
        raise InputError("holds no .jsonl, .warc or page.dat files to replay", where=folder)
    for path in files:
        yield from _read_file(path)


def _kind(path: Path) -> str:
    name = path.name.lower()
    if name.endswith(_JSON_SUFFIXES):
        return "json"
    return "warc" if name.endswith(_WARC_SUFFIXES) else ""


def _read_file(path: Path) -> Iterator[Recorded]:
    if _kind(path) == "json":
        with opened(path) as stream:
            yield from read_json_lines(stream, str(path))
    elif _kind(path) == "warc":
        yield from import_module("quarkcrawl.lab.mockweb.server.warc").read_warc(path)
    else:
        raise InputError("is neither JSON lines (.jsonl) nor WARC (.warc)", where=path)


def read_json_lines(stream: IO[bytes], name: str) -> Iterator[Recorded]:
    """Read JSON lines; empty lines are skipped.

    Args:
        stream: the decompressed bytes.
        name: file name for messages.

    Yields:
        One page a line.

    Raises:
        InputError: naming ``file:line``.
    """
    number = 0
    try:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield _from_line(line, f"{name}:{number}")
    except read_errors() as error:
        raise InputError(
            f"cannot be read further ({error})", where=f"{name}:{number + 1}"
        ) from None


def _from_line(line: bytes, where: str) -> Recorded:
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise InputError("is not a JSON object", where=where)
        url = row["url"]
        if not isinstance(url, str) or not url.lower().startswith(("http://", "https://")):
            raise InputError(f"url is not an http URL: {url!r}"[:200], where=where)
        return Recorded(url, reply_from_row(row), int(row.get("from_visit", 1)), where)
    except KeyError as error:
        raise InputError(f"has no key {error}", where=where) from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InputError(f"is not a page: {error}", where=where) from None


def reply_from_row(row: dict[str, Any]) -> MockReply:
    """The reply that a row of JSON describes.

    Keys: ``html`` (text) or ``body_b64``; ``encoding`` (charset in which ``html`` is served,
    UTF-8 by default); ``status``, ``headers`` (object or list of pairs), ``content_type``;
    ``delay_s``, ``drip_s``, ``fault``, ``chunked``, ``coding`` as in `Reply`.

    Raises:
        KeyError: neither html nor body_b64, in a row without status.
        ValueError: a value that cannot be used.
    """
    body, content_type = _body(row)
    pairs = row.get("headers") or ()
    headers = tuple(
        (str(k), str(v)) for k, v in (pairs.items() if isinstance(pairs, dict) else pairs)
    )
    content_type = row.get("content_type") or content_type
    if content_type and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (("Content-Type", content_type), *headers)
    default = Coding.GZIP if content_type.startswith(_TEXT_TYPES) else None
    coding = row.get("coding", default)
    return MockReply(
        int(row.get("status") or 200),
        headers,
        body,
        delay_s=float(row.get("delay_s", 0)),
        drip_s=float(row.get("drip_s", 0)),
        fault=Fault(row["fault"]) if row.get("fault") else None,
        chunked=bool(row.get("chunked")),
        coding=Coding(coding) if coding else None,
    )


def _body(row: dict[str, Any]) -> tuple[bytes, str]:
    if "html" in row:
        charset = row.get("encoding") or "utf-8"
        if not isinstance(row["html"], str):
            raise ValueError("html is not a text")
        # Lone surrogates come out of damaged recordings; they must not stop the replay.
        return row["html"].encode(charset, "replace"), f"text/html; charset={charset}"
    if "body_b64" in row:
        # The true charset of recorded bytes is for the crawler to find out: none is declared.
        return base64.b64decode(row["body_b64"], validate=True), "text/html"
    if "status" in row or "fault" in row:
        return b"", ""
    raise KeyError("html")


def _read_corpus(folder: Path) -> Iterator[Recorded]:
    reader = import_module("quarkcrawl.lab.mockweb.server.corpus")
    yield from reader.read_corpus(folder)
