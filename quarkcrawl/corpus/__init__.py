"""Jobs over a stored corpus.

`map_pages` runs a function on many pages in processes that a page may kill (``pool``,
``workerhandle``, ``worker``). `extract_corpus` runs an extraction method on every page of a corpus
(``extraction``): workers read page.dat and extract (``extractpage``), rows become Parquet parts
beside the corpus (``results``), and a run that was killed goes on where it was. `extractions`
reads the rows back; `run_on_spark` lets a cluster run the pages (``sparkpages``).

`dedup_corpus` finds exact duplicates over the analysis tables (``dedupjob``, the thesis' method in
``partitiondedup``), `sample_corpus` draws a collection from what is left (``draw``, ``sampling``)
and writes it with document numbers (``collection``, ``recordcopy``, ``collectionfiles``),
`corpus_statistics` counts (``statistics``, ``domainclass``, ``iplocation``); these run on any
engine (``inputs``). `link_batches` lists all links (``linktable``).

`export_warc` writes a corpus as WARC files (``warcexport``, ``warcentries``), `import_warc` makes a
corpus of them or of other crawlers' (``warcimport``, ``warccaptures``, ``warcreplies``).
"""

from quarkcrawl.corpus.collection.draw import draw_sizes
from quarkcrawl.corpus.collection.sampling import SampleOptions, SampleReport, sample_corpus
from quarkcrawl.corpus.dedupjob import DedupReport, dedup_corpus
from quarkcrawl.corpus.extraction.job import (
    ExtractionReport,
    PoolOptions,
    extract_corpus,
    extraction_failures,
    extractions,
)
from quarkcrawl.corpus.extraction.page import ExtractionOptions
from quarkcrawl.corpus.extraction.pool import Outcome, map_pages
from quarkcrawl.corpus.extraction.spark import run_on_spark
from quarkcrawl.corpus.linktable import link_batches
from quarkcrawl.corpus.stats.statistics import CorpusStatistics, corpus_statistics
from quarkcrawl.corpus.warc.exporter import WarcExport, export_warc
from quarkcrawl.corpus.warc.importer import WarcImport, WarcImportOptions, import_warc

__all__ = [
    "CorpusStatistics",
    "DedupReport",
    "ExtractionOptions",
    "ExtractionReport",
    "Outcome",
    "PoolOptions",
    "SampleOptions",
    "SampleReport",
    "WarcExport",
    "WarcImport",
    "WarcImportOptions",
    "corpus_statistics",
    "dedup_corpus",
    "draw_sizes",
    "export_warc",
    "extract_corpus",
    "extraction_failures",
    "extractions",
    "import_warc",
    "link_batches",
    "map_pages",
    "run_on_spark",
    "sample_corpus",
]
