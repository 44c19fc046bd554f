"""Jobs over a stored corpus.

`extract_corpus` runs an extraction method on every page of a corpus (``extraction``): workers read
page.dat and extract, rows become Parquet parts beside the corpus, and a run that was killed goes
on where it was.
`extractions` reads the rows back; `run_on_spark` lets a cluster run the pages.

`dedup_corpus` finds exact duplicates over the analysis tables (``dedupjob``; the
thesis' method is in `quarkcrawl.lab.baselines`), `sample_corpus` draws a collection from what is
left and writes it with document numbers (``collection``), `corpus_statistics` counts (``stats``);
these run on any engine (``inputs``). `link_batches` lists all links (``linktable``).

`export_warc` writes a corpus as WARC files, `import_warc` makes a corpus of them or of other
crawlers' (``warc``).
"""

from quarkcrawl.corpus.classification import classify_corpus, page_classes
from quarkcrawl.corpus.collection import SampleOptions, SampleReport, draw_sizes, sample_corpus
from quarkcrawl.corpus.dedupjob import DedupReport, dedup_corpus
from quarkcrawl.corpus.extraction import (
    ExtractionOptions,
    ExtractionReport,
    extract_corpus,
    extraction_failures,
    extractions,
    run_on_spark,
)
from quarkcrawl.corpus.linktable import LINK_TABLE, link_batches
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.corpus.stats import CorpusStatistics, corpus_statistics
from quarkcrawl.corpus.warc import (
    WarcExport,
    WarcImport,
    WarcImportOptions,
    export_warc,
    import_warc,
)

__all__ = [
    "LINK_TABLE",
    "CorpusStatistics",
    "DedupReport",
    "ExtractionOptions",
    "ExtractionReport",
    "SampleOptions",
    "SampleReport",
    "WarcExport",
    "WarcImport",
    "WarcImportOptions",
    "classify_corpus",
    "corpus_statistics",
    "dedup_corpus",
    "draw_sizes",
    "export_warc",
    "extract_corpus",
    "extraction_failures",
    "extractions",
    "import_warc",
    "link_batches",
    "merge_corpora",
    "page_classes",
    "run_on_spark",
    "sample_corpus",
]
