"""The documents of a corpus as a view of an engine: pages with their best text.

A document is a stored page; of several records of a URL the last counts. Its text comes from the
first of these that has it: the extraction by the wanted method (``analysis/extractions``), the
contents that a crawl has cleaned (``analysis/cleaned``), the columns of the crawl. Of pages with
the same bytes all but one name it in ``duplicate_of``, of nearly equal texts all but one in
``near_of``; the same one, where both hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from quarkcrawl.corpus import DUPLICATE_COLUMNS, dedup_folder, register_pages, union_of_shards
from quarkcrawl.corpus.extraction import RESULT_SCHEMA, ResultFolder
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.engines import parquet_files, sql_columns
from quarkcrawl.errors import NotStoredError
from quarkcrawl.page.pdf import TYPES_WITHOUT_MARKUP

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import Engine


_OF_PAGE: Final = (
    "url", "host", "offset", "length", "level", "fetched_at", "status", "mime", "charset", "md5",
    "origin", "template",
)  # fmt: skip
_OF_CONTENT: Final = {
    "text": "content_text",
    "title": "content_title",
    "published": "published",
    "source": "source",
    "author": "author",
    "declared_language": "language",
    "site_name": "site_name",
    "page_type": "page_type",
    "page_type_probability": "page_type_probability",
    "is_topic": "is_topic",
    "topic_probability": "topic_probability",
}
"""Columns of a document that the extraction has found, and what they are called there."""

DOCUMENT_COLUMNS: Final = (*_OF_PAGE, *_OF_CONTENT, "text_md5", "duplicate_of", "near_of")
"""Columns of the view."""

WITHOUT_METHOD: Final = ("pdf", "plain")
"""What ``content_method`` is of contents that are the same by every method."""

_CONTENT_NAMES: Final = ("content_method", *_OF_CONTENT.values())
_NEAR_SCHEMA: Final = pa.schema(
    [("url", pa.string()), ("kept_url", pa.string()), ("is_kept", pa.bool_())]
)


def analyzed(method: str) -> tuple[str, ...]:
    """Folders below ``analysis`` that the documents and their labels come from."""
    return (f"extractions/{method}", f"cleaned/{method}", "labels", "dedup", "near")


def view_documents(engine: Engine, root: Path, method: str, work: Path) -> None:
    """Let an engine know the view ``documents``.

    Args:
        engine: DuckDB or Spark.
        root: the corpus, or shards of a shared crawl that are not merged; no crawl should be
            writing to it.
        method: extraction method whose texts are wanted.
        work: folder for rows that are in no Parquet file yet, and for lists of pages.

    Raises:
        StoreError: a table cannot be read, or there are no texts by this method.
    """
    pages = (*_OF_PAGE, *_CONTENT_NAMES, "title", "near_of")
    shards = Shards(root, work / "merge")
    register_pages(engine, shards, "all_pages", work, pages)
    sources = {"extracted": "extractions", "cleaned": "cleaned"}
    for name, folder in sources.items():
        for number, shard in enumerate(shards.folders):
            files = ResultFolder(shard / "analysis" / folder / method).parts()
            columns = ("url", "offset", "failure", *_CONTENT_NAMES)
            table = f"all_{name}_{number}"
            engine.table(table, files, sql_columns(RESULT_SCHEMA, columns), lenient=True)
        union = union_of_shards(shards, f"all_{name}")
        engine.view(name, f"SELECT * FROM ({union}) AS a WHERE failure IS NULL")  # noqa: S608 - our own words
    duplicates = parquet_files(dedup_folder(root) / "duplicates")
    engine.table("all_duplicates", duplicates, DUPLICATE_COLUMNS)
    groups = root / "analysis" / "near" / "default" / "groups.parquet"
    near = parquet_files(groups)
    engine.table("near_rows", near, sql_columns(_NEAR_SCHEMA))
    engine.view("near_copies", "SELECT url, min(kept_url) AS kept_url FROM near_rows "
                               "WHERE NOT is_kept GROUP BY url")  # fmt: skip
    engine.view("documents", _view(method, has_near=bool(near)))
    _check_method(engine, shards, method)


def _view(method: str, *, has_near: bool) -> str:
    methods = ", ".join("'" + name.replace("'", "''") + "'" for name in (method, *WITHOUT_METHOD))
    selected = ",\n       ".join(
        f"CASE WHEN e.url IS NOT NULL THEN e.{column} WHEN c.url IS NOT NULL THEN c.{column} "
        f"WHEN p.content_method IN ({methods}) THEN p.{column} END AS {name}"
        for name, column in _OF_CONTENT.items()
    )
    own = ", ".join(f'p."{name}"' for name in _OF_PAGE)
    near = "n.kept_url" if has_near else "p.near_of"
    near_url = near
    # The group's page may be a copy of another one, which then stands for the group.
    near = f"coalesce(k.duplicate_of, {near})"
    return f"""
SELECT d.*, md5(coalesce(d.text, '')) AS text_md5 FROM (
SELECT {own},
       coalesce(p.shard, 0) AS shard,
       {selected},
       u.duplicate_of AS duplicate_of,
       CASE WHEN {near} <> p.url THEN {near} END AS near_of
FROM all_pages AS p
ANTI JOIN (SELECT url, max("offset") AS last_offset FROM all_pages GROUP BY url
           HAVING count(*) > 1) AS r ON p.url = r.url AND p."offset" < r.last_offset
LEFT JOIN extracted AS e
       ON p.url = e.url AND p."offset" = e."offset" AND coalesce(p.shard, 0) = e.shard
LEFT JOIN cleaned AS c
       ON p.url = c.url AND p."offset" = c."offset" AND coalesce(p.shard, 0) = c.shard
LEFT JOIN (SELECT host, "offset", min(duplicate_of) AS duplicate_of FROM all_duplicates
           WHERE stored = 1 GROUP BY host, "offset") AS u
       ON p.host = u.host AND p."offset" = u."offset"
LEFT JOIN near_copies AS n ON p.url = n.url
LEFT JOIN (SELECT url, min(duplicate_of) AS duplicate_of FROM all_duplicates WHERE stored = 1
           GROUP BY url) AS k ON {near_url} = k.url) AS d
"""  # noqa: S608 - names of ours and a quoted value


def _check_method(engine: Engine, shards: Shards, method: str) -> None:
    """Refuse a method by which there is no text at all, though there are others."""
    types = ", ".join(f"'{mime}'" for mime in sorted(TYPES_WITHOUT_MARKUP))
    counted = engine.fetch(
        "SELECT count(*) AS n, count(text) AS n_texts FROM documents "  # noqa: S608 - our own words
        f"WHERE coalesce(mime, '') NOT IN ({types})"
    ).to_pylist()[0]
    if counted["n"] and not counted["n_texts"]:
        paths = [
            path
            for folder in shards.folders
            for path in (folder / "analysis" / "extractions").glob("*")
        ]
        others = sorted({path.name for path in paths if path.is_dir()})
        hint = f"; there are extractions by {', '.join(others)}" if others else ""
        message = f"has no texts by the method {method!r}: quarkcrawl extract{hint}"
        raise NotStoredError(message, where=shards.root)
