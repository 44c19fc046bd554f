"""Extraction over a corpus: a job of many processes that no page can hurt."""

from quarkcrawl.corpus.extraction.handle import Task, WorkerHandle, WorkerSettings
from quarkcrawl.corpus.extraction.job import (
    ExtractionReport,
    PoolOptions,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extraction.page import ExtractionOptions
from quarkcrawl.corpus.extraction.pool import Outcome, map_pages
from quarkcrawl.corpus.extraction.results import ResultFolder
from quarkcrawl.corpus.extraction.spark import run_on_spark

__all__ = [
    "ExtractionOptions",
    "ExtractionReport",
    "Outcome",
    "PoolOptions",
    "ResultFolder",
    "Task",
    "WorkerHandle",
    "WorkerSettings",
    "extract_corpus",
    "extraction_failures",
    "extractions",
    "map_pages",
    "run_on_spark",
]
