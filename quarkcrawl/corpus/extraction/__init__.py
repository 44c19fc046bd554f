"""Extraction over a corpus: a job of many processes that no page can hurt."""

from quarkcrawl.corpus.extraction.job import (
    ExtractionReport,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extraction.page import ExtractionOptions
from quarkcrawl.corpus.extraction.results import ResultFolder
from quarkcrawl.corpus.extraction.spark import run_on_spark

__all__ = [
    "ExtractionOptions",
    "ExtractionReport",
    "ResultFolder",
    "extract_corpus",
    "extraction_failures",
    "extractions",
    "run_on_spark",
]
