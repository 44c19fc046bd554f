"""Blocks and content of a page as values of the analysis columns.

The types are in `quarkcrawl.store.tables.analysis_columns`. What a page does not say is left out,
which reads back as NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from quarkcrawl.content.items import item_columns
from quarkcrawl.content.related import link_blocks
from quarkcrawl.content.threads import post_fields
from quarkcrawl.segment import TagClass, block_boxes

if TYPE_CHECKING:
    from quarkcrawl.content.content import Content
    from quarkcrawl.segment import Segmentation


_METADATA: Final = ("published", "source", "author", "language", "site_name")
_LETTERS: Final = {tag_class: tag_class.value for tag_class in TagClass}


class ColumnTable(Sequence[dict[str, Any]]):
    """A table of a page: one mapping a row, made when first asked for.

    Args:
        lists: one list a field.
    """

    def __init__(self, lists: Mapping[str, Sequence[Any]]) -> None:
        self._lists = lists

    def field_lists(self) -> Mapping[str, Sequence[Any]]:
        """The table as one list a field, as the journal holds it."""
        return self._lists

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        columns = self.field_lists()
        names = tuple(columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def tolist(self) -> list[dict[str, Any]]:
        """The table as a list."""
        return self._rows

    def __len__(self) -> int:
        return len(next(iter(self._lists.values()), ()))

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self._rows[index]


class BlockTable(ColumnTable):
    """The block table of a page.

    It carries the segmentation from the stage that cuts the page to the stage that finds the
    content; that one puts a labeled table in its place before any was written out. From a worker
    comes a `ColumnTable`, without the page.

    Attributes:
        segmentation: the blocks.
        spans: whether each block says where its text stands in the page's bytes.
    """

    def __init__(self, segmentation: Segmentation, *, spans: bool = False) -> None:
        self.segmentation = segmentation
        self.spans = spans

    def field_lists(self) -> dict[str, Sequence[Any]]:
        """The table as one list a field, as the journal holds it."""
        return self._fields

    @cached_property
    def _fields(self) -> dict[str, Sequence[Any]]:
        cut = self.segmentation
        columns: dict[str, Sequence[Any]] = {
            "root": cut.root.tolist(),
            "tag": cut.tags,
            "tag_class": list(map(_LETTERS.__getitem__, cut.tag_classes)),
            "kind": cut.kinds,
            "n_chars": cut.n_chars.tolist(),
            "n_anchor_chars": cut.n_anchor_chars.tolist(),
            "n_links": cut.n_links.tolist(),
        }
        if self.spans:
            columns["spans"] = [_byte_spans(block.spans) for block in cut]
        return columns

    def __reduce__(self) -> tuple[type[ColumnTable], tuple[Mapping[str, Sequence[Any]]]]:
        return ColumnTable, (self.field_lists(),)

    def __len__(self) -> int:
        return len(self.segmentation)


def block_columns(segmentation: Segmentation, *, spans: bool = False) -> dict[str, Any]:
    """Values of `quarkcrawl.store.tables.BLOCK_COLUMNS`.

    Args:
        segmentation: the blocks of a page.
        spans: also where each block stands in the page's bytes (costs a second parse).
    """
    return {
        "blocks": BlockTable(segmentation, spans=spans),
        "link_blocks": link_blocks(segmentation).tolist(),
    }


def box_columns(segmentation: Segmentation) -> dict[str, Any]:
    """The column ``block_boxes`` of the table of pages.

    Args:
        segmentation: the blocks of a page; of one that was not rendered nothing comes. A block
            that the browser does not show has an empty box.
    """
    boxes = block_boxes(segmentation)
    if boxes is None:
        return {}
    sides = ("x", "y", "width", "height")
    rows = np.nan_to_num(boxes).tolist()
    return {"block_boxes": [dict(zip(sides, row, strict=True)) for row in rows]}


def content_columns(
    content: Content, *, spans: bool = False, items: bool = False, metadata: bool = True
) -> dict[str, Any]:
    """Values of `quarkcrawl.store.tables.CONTENT_COLUMNS`.

    Args:
        content: what was found on a page.
        spans: also where the content stands in the page's bytes (costs a second parse).
        items: also paragraphs, data tables and pictures in reading order.
        metadata: also headline, date, source, author, language, name of the site and kind.
    """
    columns: dict[str, Any] = {
        "content_method": content.method,
        "content_text": content.text,
        "topic_probability": round(content.topic_probability, 4),
        "is_topic": content.is_topic,
    }
    if metadata:
        said = content.metadata
        columns["content_title"] = said.title or None
        columns |= {name: getattr(said, name) or None for name in _METADATA}
        columns["page_type"] = content.page_type
        columns["page_type_probability"] = round(content.page_type_probability, 4)
    if content.extraction.posts is not None:
        columns["posts"] = [post_fields(post) for post in content.posts + content.comments]
    if spans:
        columns["content_spans"] = _byte_spans(content.spans)
    if items:
        columns["items"] = [item_columns(item) for item in content.items]
    return {name: value for name, value in columns.items() if value is not None}


def _byte_spans(spans: Sequence[Any]) -> list[dict[str, int]] | None:
    """Spans in bytes; None for a page whose bytes and characters do not match exactly."""
    if any(span.byte_start < 0 for span in spans):
        return None
    return [{"start": span.byte_start, "end": span.byte_end} for span in spans]
