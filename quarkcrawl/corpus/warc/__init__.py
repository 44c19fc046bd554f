"""Corpora to and from WARC."""
