"""From the bytes of a sitemap or a feed to its entries."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Any, Final

import orjson

from quarkcrawl.page.lists.dates import epoch_s
from quarkcrawl.page.lists.markup import read_markup
from quarkcrawl.page.lists.model import ListBounds, ListBuilder, ListEntry, PublishedList
from quarkcrawl.page.text import decide

if TYPE_CHECKING:
    from collections.abc import Iterator


_BOUNDS: Final = ListBounds()
_GZIP: Final = b"\x1f\x8b\x08"
_MOST_LAYERS: Final = 2
"""Of gzip: a file ``.gz`` that its server compresses once more, without saying so."""

_PIECE_BYTES: Final = 1 << 16


def parse_list(
    body: bytes, url: str, content_type: str | None = None, bounds: ListBounds = _BOUNDS
) -> PublishedList:
    """Read a sitemap or a feed of any kind; what is none has the kind "" and no entries.

    Entries behind damage are lost, those before it are kept.

    Args:
        body: the bytes, gzip or not.
        url: address of the list, to which relative URLs are resolved.
        content_type: value of the header, of which only the charset counts.
        bounds: how much is read.

    >>> found = parse_list(b"<urlset><url><loc>http://a.cn/1</loc></url><url><loc>http", "http://a.cn/")
    >>> found.kind, found.url, found.is_whole
    ('urlset', ['http://a.cn/1'], False)
    """
    body, is_whole = _unpacked(body, bounds.max_bytes)
    is_cut = len(body) > bounds.max_bytes
    charset = decide(body[: bounds.max_bytes], content_type)
    builder = ListBuilder(url, charset.encoding, bounds)
    text = charset.text.lstrip("\ufeff\0 \t\r\n")
    if text.startswith("{"):
        _read_json(text, builder)
    elif "<" in text[:1000]:
        read_markup(text, builder)
    else:
        _read_lines(text, builder)
    url_list = builder.list
    url_list.is_cut |= is_cut
    url_list.is_whole &= is_whole and not is_cut
    if not url_list.kind:
        return PublishedList(is_whole=is_whole)
    return url_list


def _unpacked(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """The bytes without gzip, a little beyond the bound at most; False if a stream is damaged."""
    is_whole = True
    for _ in range(_MOST_LAYERS):
        if not body.startswith(_GZIP):
            break
        parts: list[bytes] = []
        n_bytes = 0
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            try:
                while n_bytes <= max_bytes and (part := file.read1(_PIECE_BYTES)):
                    parts.append(part)
                    n_bytes += len(part)
            except (EOFError, OSError, zlib.error):
                is_whole = False
        body = b"".join(parts)
    return body, is_whole


def _read_lines(text: str, builder: ListBuilder) -> None:
    """A text sitemap: one absolute URL a line; it is one if its first line is."""
    for line in _lines(text):
        is_url = line[:7].lower() == "http://" or line[:8].lower() == "https://"
        if not builder.list.kind:
            if not is_url:
                return
            builder.list.kind = "text"
        builder.add(ListEntry(line if is_url else ""))
        if builder.is_full:
            return


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if line := text[start:end].strip():
            yield line
        start = end + 1


def _read_json(text: str, builder: ListBuilder) -> None:
    """A JSON Feed: an object with a list of items; broken JSON is no list."""
    try:
        feed = orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list) or not ("version" in feed or "title" in feed):
        return
    builder.list.kind = "json"
    for entry in items:
        if isinstance(entry, dict):
            builder.add(_json_item(entry))
        if builder.is_full:
            return


def _json_item(entry: dict[str, Any]) -> ListEntry:
    values = {
        name: value if isinstance(value := entry.get(name), str) else ""
        for name in ("url", "external_url", "id", "title", "date_modified", "date_published")
    }
    named = values["id"] if values["id"][:4].lower() == "http" else ""
    return ListEntry(
        url=values["url"] or values["external_url"] or named,
        lastmod=epoch_s(values["date_modified"]),
        published=epoch_s(values["date_published"]),
        title=values["title"],
    )
