"""Extraction over a corpus: a job of many processes that no page can hurt."""

from quarkcrawl.corpus.extraction.astasks import PagesJob, extract_task, finish_extraction
from quarkcrawl.corpus.extraction.cleaning import clean_corpus, clean_crawl, cleaned_contents
from quarkcrawl.corpus.extraction.job import (
    ExtractionReport,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extraction.page import ExtractionOptions, extraction_row
from quarkcrawl.corpus.extraction.results import RESULT_SCHEMA, ResultFolder, text_state
from quarkcrawl.corpus.extraction.todo import corpus_rules

__all__ = [
    "RESULT_SCHEMA",
    "ExtractionOptions",
    "ExtractionReport",
    "PagesJob",
    "ResultFolder",
    "clean_corpus",
    "clean_crawl",
    "cleaned_contents",
    "corpus_rules",
    "extract_corpus",
    "extract_task",
    "extraction_failures",
    "extraction_row",
    "extractions",
    "finish_extraction",
    "text_state",
]
