"""Extraction over a corpus: a job of many processes that no page can hurt."""
