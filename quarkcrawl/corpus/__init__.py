"""Jobs over a stored corpus.

`extract_corpus` runs an extraction method on every page of a corpus (``extraction``): workers read
page.dat and extract, rows become Parquet parts beside the corpus, and a run that was killed goes
on where it was.
`extractions` reads the rows back. `extract_task` does a slice of the pages on whatever machine, and
a cluster all of them (``tasks``); `classify_task` and `template_task` do the same for classes of
pages and for fields by templates (``pagetable``). `clean_corpus` does the pages whose
hosts repeat something, after a crawl; `cleaned_contents` reads these rows.

`dedup_corpus` finds exact duplicates over the analysis tables (``dedupjob``; the
thesis' method is in `quarkcrawl.lab.baselines`), `sample_corpus` draws a collection from what is
left and writes it with document numbers (``collection``), `corpus_statistics` counts (``stats``);
these run on any engine (``inputs``). `rank_pages` ranks a corpus or shards, in memory or on Spark
(``ranking``). `compare_runs` says what came, went and changed from one crawl to another
(``compare``). `link_batches` lists all links (``linktable``).

What makes a folder a data set that others load is in ``card``; `OptionsNote` says with what the
rows of a folder were made; `register_table` lets an engine know a table of a corpus.

`export_warc` writes a corpus as WARC files, `import_warc` makes a corpus of them or of other
crawlers' (``warc``).
"""

from quarkcrawl.corpus.card import CardConfig, croissant, front_matter, write_checksums
from quarkcrawl.corpus.classification import (
    classify_corpus,
    classify_task,
    finish_classes,
    page_classes,
)
from quarkcrawl.corpus.collection import SampleOptions, SampleReport, draw_sizes, sample_corpus
from quarkcrawl.corpus.compare import CHANGES, RunComparison, compare_runs
from quarkcrawl.corpus.dedupjob import (
    DUPLICATE_COLUMNS,
    DedupReport,
    dedup_corpus,
    dedup_folder,
    dedup_method,
)
from quarkcrawl.corpus.extraction import (
    ExtractionOptions,
    ExtractionReport,
    clean_corpus,
    clean_crawl,
    cleaned_contents,
    extract_corpus,
    extract_task,
    extraction_failures,
    extractions,
    finish_extraction,
)
from quarkcrawl.corpus.inputs import register_pages, register_table, union_of_shards
from quarkcrawl.corpus.linktable import LINK_TABLE, link_batches
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.corpus.optionsnote import OptionsNote
from quarkcrawl.corpus.parts import read_part, replace_part
from quarkcrawl.corpus.ranking import rank_pages
from quarkcrawl.corpus.stats import CorpusStatistics, corpus_statistics
from quarkcrawl.corpus.tasks import TaskReport
from quarkcrawl.corpus.templatefields import (
    finish_template_fields,
    template_fields,
    template_task,
)
from quarkcrawl.corpus.warc import (
    WarcExport,
    WarcImport,
    WarcImportOptions,
    export_warc,
    import_warc,
)

__all__ = [
    "CHANGES",
    "DUPLICATE_COLUMNS",
    "LINK_TABLE",
    "CardConfig",
    "CorpusStatistics",
    "DedupReport",
    "ExtractionOptions",
    "ExtractionReport",
    "OptionsNote",
    "RunComparison",
    "SampleOptions",
    "SampleReport",
    "TaskReport",
    "WarcExport",
    "WarcImport",
    "WarcImportOptions",
    "classify_corpus",
    "classify_task",
    "clean_corpus",
    "clean_crawl",
    "cleaned_contents",
    "compare_runs",
    "corpus_statistics",
    "croissant",
    "dedup_corpus",
    "dedup_folder",
    "dedup_method",
    "draw_sizes",
    "export_warc",
    "extract_corpus",
    "extract_task",
    "extraction_failures",
    "extractions",
    "finish_classes",
    "finish_extraction",
    "finish_template_fields",
    "front_matter",
    "import_warc",
    "link_batches",
    "merge_corpora",
    "page_classes",
    "rank_pages",
    "read_part",
    "register_pages",
    "register_table",
    "replace_part",
    "sample_corpus",
    "template_fields",
    "template_task",
    "union_of_shards",
    "write_checksums",
]
