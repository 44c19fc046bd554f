"""The texts of a corpus or of shards as a table of a cluster; not in ``cluster``, which is full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.corpus.extraction import RESULT_SCHEMA, ResultFolder
from quarkcrawl.corpus.inputs import register_pages, union_of_shards
from quarkcrawl.engines import sql_columns

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.corpus.merge import Shards
    from quarkcrawl.engines import SparkStages


_PAGE: Final = ("url", "host", "offset", "fetched_at", "md5")
_STALE: Final = """
SELECT url, "offset" FROM (
  SELECT url, "offset", row_number() OVER (PARTITION BY url ORDER BY "offset" DESC) AS n
  FROM near_pages) WHERE n > 1
"""
_LATEST: Final = """
SELECT p.* FROM near_pages AS p
ANTI JOIN near_stale AS s ON p.url = s.url AND p."offset" = s."offset"
"""
_OF_EXTRACTION: Final = """
SELECT p.*, f.content_text FROM near_stored AS p JOIN near_found AS f
ON p.url = f.url AND p."offset" = f."offset" AND coalesce(p.shard, 0) = f.shard
"""


def register_texts(stages: SparkStages, shards: Shards, extraction: str | None, work: Path) -> None:
    """Make the view ``near_latest``: of each URL the page stored last, with its ``content_text``.

    Args:
        stages: the cluster.
        shards: the corpus, or shards that are read as one.
        extraction: method of the extraction whose texts count; None: those of the crawl.
        work: folder for what is in no Parquet file yet.

    Raises:
        StoreError: a table cannot be read.
    """
    engine = stages.engine
    columns = _PAGE if extraction else (*_PAGE, "content_text")
    register_pages(engine, shards, "near_pages", work, columns)
    stages.keep("near_stale", _STALE)
    stages.view("near_stored" if extraction else "near_latest", _LATEST)
    if extraction is None:
        return
    types = sql_columns(RESULT_SCHEMA, ("url", "offset", "content_text"))
    for number, folder in enumerate(shards.folders):
        files = ResultFolder(folder / "analysis" / "extractions" / extraction).parts()
        engine.table(f"near_found_{number}", files, types, lenient=True)
    stages.view("near_found", union_of_shards(shards, "near_found"))
    stages.view("near_latest", _OF_EXTRACTION)
