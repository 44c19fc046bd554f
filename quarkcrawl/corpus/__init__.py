"""Jobs over a stored corpus.

`map_pages` runs a function on many pages in processes that a page may kill (``pool``,
``workerhandle``, ``worker``). `extract_corpus` runs an extraction method on every page of a corpus
(``extraction``): workers read page.dat and extract (``extractpage``), rows become Parquet parts
beside the corpus (``results``), and a run that was killed goes on where it was. `extractions`
reads the rows back.
"""

from quarkcrawl.corpus.extraction import (
    ExtractionReport,
    PoolOptions,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extractpage import ExtractionOptions
from quarkcrawl.corpus.pool import Outcome, map_pages

__all__ = [
    "ExtractionOptions",
    "ExtractionReport",
    "Outcome",
    "PoolOptions",
    "extract_corpus",
    "extraction_failures",
    "extractions",
    "map_pages",
]
