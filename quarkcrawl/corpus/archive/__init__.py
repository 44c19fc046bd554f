"""Page jobs over archives where they lie: WARC files, lists of them, Common Crawl's index."""

from quarkcrawl.corpus.archive.astasks import archive_task, finish_archive
from quarkcrawl.corpus.archive.index import RecordFilter
from quarkcrawl.corpus.archive.job import (
    ArchiveReport,
    archive_extractions,
    archive_failures,
    extract_archive,
)
from quarkcrawl.corpus.archive.results import ARCHIVE_SCHEMA, RecordCounts
from quarkcrawl.corpus.archive.sources import is_archive

__all__ = [
    "ARCHIVE_SCHEMA",
    "ArchiveReport",
    "RecordCounts",
    "RecordFilter",
    "archive_extractions",
    "archive_failures",
    "archive_task",
    "extract_archive",
    "finish_archive",
    "is_archive",
]
