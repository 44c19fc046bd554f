"""One corpus of many: the shards of a shared crawl, or corpora of several machines.

Which page stays is found by sorting on disk (``plan``); records and rows are copied in batches as
they are (``job``). Neither holds anything that grows with the pages. `Shards` reads them as one
corpus where they lie (``shards``), for jobs that take both.
"""

from quarkcrawl.corpus.merge.job import MergeReport, merge_corpora
from quarkcrawl.corpus.merge.shards import SHARD, Shards

__all__ = ["SHARD", "MergeReport", "Shards", "merge_corpora"]
