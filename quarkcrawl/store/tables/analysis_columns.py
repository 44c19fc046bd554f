"""Columns of the pages table that the analysis stages of this project fill.

They are declared here, below the packages that fill them, so that every process that touches a
corpus knows their types: one that guessed them while it compacted the journal would take a date
for a time stamp, and two parts of one table would disagree.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from quarkcrawl.store.tables.columns import register_column

BYTE_SPANS: Final = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))
"""Pieces of the stored body: first byte, and one past the last."""

BLOCKS: Final = pa.list_(
    pa.struct(
        [
            ("root", pa.int32()),
            ("tag", pa.string()),
            ("tag_class", pa.string()),
            ("kind", pa.string()),
            ("n_chars", pa.int32()),
            ("n_anchor_chars", pa.int32()),
            ("n_links", pa.int32()),
            ("spans", BYTE_SPANS),
        ]
    )
)
"""The block table of a page, in document order; ``root`` is a node of the page's tree, ``kind``
content, post (of a thread; content, too), comment, rel_link, noise, or NULL."""

CELL: Final = pa.struct(
    [
        ("text", pa.string()),
        ("is_header", pa.bool_()),
        ("row_span", pa.int32()),
        ("col_span", pa.int32()),
    ]
)
"""A cell of a data table; spans of 1 are left out."""

ITEMS: Final = pa.list_(
    pa.struct(
        [
            ("kind", pa.string()),
            ("text", pa.string()),
            ("heading", pa.int8()),
            ("caption", pa.string()),
            ("rows", pa.list_(pa.list_(CELL))),
            ("src", pa.string()),
            ("alt", pa.string()),
            ("width_px", pa.float32()),
            ("height_px", pa.float32()),
            ("link", pa.string()),
        ]
    )
)
"""Paragraphs (text, heading), data tables (caption, rows) and pictures (the rest) in order."""

POSTS: Final = pa.list_(
    pa.struct(
        [
            ("kind", pa.string()),
            ("text", pa.string()),
            ("own_text", pa.string()),
            ("author", pa.string()),
            ("date", pa.string()),
        ]
    )
)
"""Posts of a thread, or comments, in order; ``own_text`` where a post quotes another."""

BLOCK_COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "blocks": (
        BLOCKS,
        "blocks of the page: root node, class, kind (content, post, …), counts, spans if asked for",
    ),
    "link_blocks": (pa.list_(pa.int32()), "block of each entry of links; -1: in no block's text"),
}

CONTENT_COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "content_method": (pa.string(), "extraction method that filled the following columns"),
    "content_text": (pa.string(), "the content, one paragraph a line"),
    "content_title": (pa.string(), "headline"),
    "published": (pa.string(), "date and time of publication, ISO 8601"),
    "source": (pa.string(), "agency or medium the page names as its origin"),
    "author": (pa.string(), "author or reporter"),
    "language": (pa.string(), "language of the page, such as zh, by its declaration and its text"),
    "site_name": (pa.string(), "name of the site that the page belongs to"),
    "page_type": (
        pa.string(),
        "article, forum, qa, product, listing, collection, documentation, service, document, other",
    ),
    "page_type_probability": (pa.float32(), "how likely the page is of that kind, 0 to 1"),
    "content_spans": (BYTE_SPANS, "where the content stands in the stored body, if asked for"),
    "items": (ITEMS, "paragraphs, data tables and pictures in reading order, if asked for"),
    "posts": (POSTS, "posts of a thread, or comments, which are not in content_text, in order"),
    "is_topic": (pa.bool_(), "whether the page describes something in text"),
    "topic_probability": (pa.float32(), "how likely that is, 0 to 1"),
}

_BOX: Final = pa.struct([(side, pa.float32()) for side in ("x", "y", "width", "height")])

_COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "canonical": (pa.string(), "other URL that the page declares as its own, if it does"),
    "version": (pa.int32(), "which version of the page it is, from 2; NULL: the first"),
    **BLOCK_COLUMNS,
    **CONTENT_COLUMNS,
    # templates
    "template": (pa.string(), "id of the template of the page; NULL: none is near enough"),
    "template_similarity": (
        pa.float32(),
        "how like the center of its template the page is, 0 to 1",
    ),
    "template_fields": (
        pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())])),
        "values of the labeled fields, in the order of the labels",
    ),
    # classes of pages
    "page_class": (pa.string(), "class of the page by the words of its content blocks"),
    "class_probability": (pa.float32(), "how likely it is of that class, 0 to 1"),
    # near-duplicates
    "simhash": (pa.uint64(), "64-bit simhash of the four-grams of the content"),
    "feature_codes": (pa.list_(pa.string()), "codes of the first three full stops of the content"),
    "near_of": (pa.string(), "first page of the run with nearly the same content, if asked for"),
    "near_reason": (pa.string(), "by what method and how near: simhash:2, codes:3"),
    # pages in a browser
    "render_reason": (pa.string(), "how the page ended in the browser; NULL: it was in none"),
    "render_detail": (pa.string(), "more about it, such as where a script wanted to lead"),
    "rendered_html": (pa.string(), "the page after its scripts; blocks and content are of it"),
    "block_boxes": (pa.list_(_BOX), "where each of blocks was drawn, in pixels, if it was"),
}

for _name, (_type, _doc) in _COLUMNS.items():
    register_column(_name, _type, _doc, by_field=_name == "blocks")
