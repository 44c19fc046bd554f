"""Corpora to and from WARC."""

from quarkcrawl.corpus.warc.captures import Capture, PageCapture, read_capture
from quarkcrawl.corpus.warc.exporter import WarcExport, export_warc
from quarkcrawl.corpus.warc.importer import WarcImport, WarcImportOptions, import_warc

__all__ = [
    "Capture",
    "PageCapture",
    "WarcExport",
    "WarcImport",
    "WarcImportOptions",
    "export_warc",
    "import_warc",
    "read_capture",
]
