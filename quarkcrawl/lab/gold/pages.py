"""Gold pages on disk: folders of hand-marked HTML and JSON lines.

A folder holds one marked page a file, ``NUMBER.html`` or ``NUMBER.htm``, ``.gz`` behind it if
compressed; the file name without its ending is the document number. A JSON-lines file (``.jsonl``,
``.jsonl.gz``) has one page a line:

    id             document number
    html, html_file, body_b64
                   the page as text, as a file beside the JSON lines, or as bytes in base64
    encoding       of the bytes, if known ("gb18030"; "/replace" behind it: with broken bytes)
    url            address, if known
    lang           language of the page
    gold_text      its content as plain text
    gold_includes  parts besides the body that the gold includes: ["title"]
    is_topic       whether it is a topic page
    origin         what its marks began from: "blank", or the method whose proposal was corrected
    passages       what is marked inside of elements, see `quarkcrawl.lab.gold.passages`
    must, must_not pieces of its content, and of what is none: all that is known of a page whose
                   gold_text is empty

The workbench keeps origins, addresses and passages of a folder's pages beside them, in
``marks.json``.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_bytes, read_records
from quarkcrawl.lab.gold.passages import Passage, read_passages
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_PAGE_ENDINGS: Final = (".html", ".htm")
_LINES_ENDINGS: Final = (".jsonl", ".json", ".ndjson")

MARKS_FILE: Final = "marks.json"
"""Beside the pages that somebody marked in the workbench: what else is known of each, by number."""

BLANK: Final = "blank"
"""Origin of marks that began from no method's proposal."""

UNKNOWN_ORIGIN: Final = "unknown"
"""Origin of marks from workbenches that kept none."""


@dataclass(frozen=True, slots=True)
class GoldPage:
    """One page with what people say of it.

    Args:
        number: document number, unique in its set.
        body: the page as stored.
        where: file, or file and line, for messages.
        encoding: codec that decodes the body rightly, None if unknown.
        url: address, "" if unknown.
        lang: language, "" if unknown.
        gold_text: content as plain text, None if there is none.
        includes_title: whether the gold text includes the headline, None if it does not say.
        is_topic: whether it is a topic page, None if it does not say.
        origin: what its marks began from: `BLANK`, `UNKNOWN_ORIGIN`, or the method whose proposal
            was corrected; "" where nothing is kept of that.
        passages: what is marked inside of its elements.
        must: pieces of the text that are content.
        must_not: pieces that are not.
    """

    number: str
    body: bytes
    where: str
    encoding: str | None = None
    url: str = ""
    lang: str = ""
    gold_text: str | None = None
    includes_title: bool | None = None
    is_topic: bool | None = None
    origin: str = ""
    passages: tuple[Passage, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def has_pieces_only(self) -> bool:
        """Whether no more is known of its content than some pieces of text."""
        return not (self.gold_text or "").strip() and bool(self.must or self.must_not)

    @property
    def text(self) -> str:
        """The page, correctly decoded: by the known encoding, else as quarkcrawl decides."""
        if self.encoding is None:
            return self.page().html
        return self.body.decode(self.encoding, "replace")

    def page(self) -> Page:
        """The page as quarkcrawl reads it from the bytes; nothing but the URL helps it."""
        return Page.from_bytes(self.body, self.url)


def set_name(path: Path) -> str:
    """Name of the set in a file or folder: its name without endings."""
    name = path.name.removesuffix(".gz")
    for ending in _LINES_ENDINGS:
        name = name.removesuffix(ending)
    return name


def load_gold(path: Path) -> list[GoldPage]:
    """Read a set of gold pages.

    Args:
        path: a folder of pages, or a file of JSON lines.

    Raises:
        InputError: naming the file and line that cannot be used; if there is no page.
    """
    pages = list(_folder(path) if path.is_dir() else _json_lines(path))
    if not pages:
        raise InputError("no gold pages here", where=path)
    seen: set[str] = set()
    for page in pages:
        if page.number in seen:
            raise InputError(f"document number {page.number!r} twice", where=page.where)
        seen.add(page.number)
    return pages


def _folder(folder: Path) -> Iterator[GoldPage]:
    entries = _entries(folder / MARKS_FILE)
    for path in sorted(folder.iterdir()):
        name = path.name.removesuffix(".gz")
        number, dot, ending = name.rpartition(".")
        if path.is_file() and number and dot + ending.lower() in _PAGE_ENDINGS:
            entry = entries.get(number)
            yield marked_file(path, entry, number)


def marked_file(path: Path, entry: dict[str, Any] | None, number: str) -> GoldPage:
    """A marked page of a folder.

    Args:
        path: the page.
        entry: what the workbench keeps of it in `MARKS_FILE`; None if it keeps nothing.
        number: its document number.

    Raises:
        InputError: it cannot be read.
    """
    if entry is None:
        return GoldPage(number, read_bytes(path), str(path))
    return GoldPage(
        number,
        read_bytes(path),
        str(path),
        url=str(entry.get("url") or ""),
        origin=str(entry.get("origin") or UNKNOWN_ORIGIN),
        passages=read_passages(entry.get("passages"), path),
    )


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    """What the workbench keeps of each page of a folder."""
    if not path.exists():
        return {}
    try:
        return {name: dict(of) for name, of in json.loads(path.read_text("utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"no marks of the workbench: {error}", where=path) from error


def _json_lines(path: Path) -> Iterator[GoldPage]:
    for where, record in read_records(path):
        yield gold_page(record, path.parent, where)


def gold_page(record: dict[str, Any], folder: Path, where: str) -> GoldPage:
    """The page of a line of JSON.

    Args:
        record: its keys and values.
        folder: where the page lies, if it is a file of its own.
        where: file and line, for messages.

    Raises:
        InputError: it cannot be used.
    """
    if not record.get("id"):
        raise InputError("a JSON object with an id is expected", where=where)
    body, is_text = _body(record, folder, where)
    includes = record.get("gold_includes")
    if not isinstance(includes, list | None):
        raise InputError("gold_includes must be a list", where=where)
    return GoldPage(
        number=str(record["id"]),
        body=body,
        where=where,
        encoding="utf-8" if is_text else _codec(record.get("encoding"), where),
        url=str(record.get("url") or ""),
        lang=str(record.get("lang") or ""),
        gold_text=record.get("gold_text"),
        includes_title=None if includes is None else "title" in includes,
        is_topic=record.get("is_topic"),
        origin=str(record.get("origin") or ""),
        passages=read_passages(record.get("passages"), where),
        must=_pieces(record, "must", where),
        must_not=_pieces(record, "must_not", where),
    )


def _pieces(record: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Pieces of text that a record lists, without blank ones."""
    pieces = record.get(key) or []
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise InputError(f"{key} must be a list of texts", where=where)
    return tuple(filter(str.strip, pieces))


def _body(record: dict[str, Any], folder: Path, where: str) -> tuple[bytes, bool]:
    """Bytes of the page, and whether they come from text."""
    try:
        if "html" in record:
            return record["html"].encode("utf-8", "replace"), True
        if "html_file" in record:
            return read_bytes(folder / record["html_file"]), False
        return base64.b64decode(record["body_b64"], validate=True), False
    except KeyError as error:
        raise InputError("html, html_file or body_b64 is needed", where=where) from error
    except (AttributeError, TypeError, binascii.Error) as error:
        raise InputError(f"the page cannot be read: {error}", where=where) from error


def _codec(encoding: object, where: str) -> str | None:
    if not encoding:
        return None
    name = str(encoding).split("/")[0]
    try:
        " ".encode(name)  # refuses what is no encoding of text, such as "hex"
        return codecs.lookup(name).name
    except LookupError as error:
        raise InputError(f"unknown encoding {name!r}", where=where) from error
