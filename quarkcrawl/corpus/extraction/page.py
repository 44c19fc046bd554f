"""What a worker does with one stored page: read it, extract, give back a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quarkcrawl.content import Content, block_columns, content_columns, extract, plain_content
from quarkcrawl.corpus.unread import unread_reason
from quarkcrawl.errors import StoreError
from quarkcrawl.template import PagePlace, read_stored


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """What is extracted; all rows of one result have the same.

    Args:
        method: extraction method, see `quarkcrawl.content.METHODS`.
        blocks: also store the labelled block table and the block of each link.
        spans: also note where content (and blocks) stand in the stored body, which costs a
            second parse of each page.
        items: also store paragraphs, data tables and pictures in reading order.
    """

    method: str = "default"
    blocks: bool = False
    spans: bool = False
    items: bool = False


def extract_stored(page: PagePlace, root: str, options: ExtractionOptions) -> dict[str, Any]:
    """Extract the content of one stored page.

    Args:
        page: its place.
        root: the corpus.
        options: what to extract.

    Returns:
        A row; what keeps the page from being read or the method from working is in ``failure``
        and ``detail``.
    """
    try:
        source = read_stored(page, root)
    except StoreError as error:
        return {"failure": unread_reason(error), "detail": str(error)}
    is_plain = page.mime == "text/plain"
    content = plain_content(source) if is_plain else extract(source, method=options.method)
    return {name: _storable(value) for name, value in _row(content, options).items()}


def _row(content: Content, options: ExtractionOptions) -> dict[str, Any]:
    if content.failure is not None:
        return {"failure": "error", "detail": content.failure}
    columns = content_columns(content, spans=options.spans, items=options.items)
    if options.blocks:
        columns |= block_columns(content.segmentation, spans=options.spans)
        columns["blocks"] = columns["blocks"].tolist()
    return columns


def _storable(value: Any) -> Any:
    """A text without lone surrogates, which no file can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
