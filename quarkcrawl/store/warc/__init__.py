"""WARC records: written, and read even where a file is damaged."""
