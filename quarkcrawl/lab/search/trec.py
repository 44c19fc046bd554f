"""A collection with queries in TREC's form: documents, topics, qrels."""

from __future__ import annotations

import gzip
from html import escape
from typing import TYPE_CHECKING, Final

from quarkcrawl.engines import replaced_folder
from quarkcrawl.errors import InputError
from quarkcrawl.lab.search.items import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.lab.search.items import KnownItem, SearchPage


_ASKED: Final = {
    "title": "The page with this headline.",
    "anchor": "The page to which links of this text lead.",
}


def write_trec(folder: Path, pages: Sequence[SearchPage], items: Sequence[KnownItem]) -> None:
    """Write documents (whole pages and content apart), topics and qrels.

    Args:
        folder: a new folder; it appears whole or not at all.
        pages: the documents.
        items: the topics, each with one relevant document.

    Raises:
        InputError: the folder exists.
    """
    if folder.exists():
        raise InputError("exists already; name a new folder", where=folder)
    with replaced_folder(folder) as part:
        for text in TEXTS:
            (part / f"documents-{text}").mkdir(parents=True)
            # in a folder of its own: what reads collections unpacks files of folders only
            _write_packed(part / f"documents-{text}" / "documents.gz", _documents(pages, text))
        (part / "topics.trec").write_text("".join(_topics(items)), "utf-8", "replace")
        qrels = (f"{n} 0 {_number(item.page)} 1\n" for n, item in enumerate(items, 1))
        (part / "qrels.txt").write_text("".join(qrels), "utf-8")


def _number(page: int) -> str:
    return f"QC-{page + 1:07d}"


def _write_packed(path: Path, pieces: Iterable[str]) -> None:
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for piece in pieces:
            packed.write(piece.encode("utf-8", "replace"))


def _documents(pages: Sequence[SearchPage], text: str) -> Iterator[str]:
    for number, page in enumerate(pages):
        title, body = escape(page.title, quote=False), escape(getattr(page, text), quote=False)
        yield (
            f"<DOC>\n<DOCNO>{_number(number)}</DOCNO>\n<URL>{escape(page.url, quote=False)}</URL>\n"
            f"<HEADLINE>\n{title}\n</HEADLINE>\n<TEXT>\n{body}\n</TEXT>\n</DOC>\n"
        )


def _topics(items: Sequence[KnownItem]) -> Iterator[str]:
    for number, item in enumerate(items, 1):
        yield (
            f"<top>\n\n<num> Number: {number}\n<title> {escape(item.text, quote=False)}\n\n"
            f"<desc> Description:\n{_ASKED[item.kind]}\n\n"
            f"<narr> Narrative:\nMade of {item.kind}s of the collection.\n\n</top>\n\n"
        )
