"""Extraction over a corpus: a job of many processes that no page can hurt."""

from quarkcrawl.corpus.extraction.cleaning import clean_corpus, clean_crawl, cleaned_contents
from quarkcrawl.corpus.extraction.job import (
    ExtractionReport,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extraction.page import ExtractionOptions, extraction_row
from quarkcrawl.corpus.extraction.results import RESULT_SCHEMA, ResultFolder
from quarkcrawl.corpus.extraction.spark import run_on_spark

__all__ = [
    "RESULT_SCHEMA",
    "ExtractionOptions",
    "ExtractionReport",
    "ResultFolder",
    "clean_corpus",
    "clean_crawl",
    "cleaned_contents",
    "extract_corpus",
    "extraction_failures",
    "extraction_row",
    "extractions",
    "run_on_spark",
]
