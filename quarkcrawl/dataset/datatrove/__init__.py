"""Steps of a datatrove pipeline: our corpora as its input, our extractor as its extractor.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter
    from quarkcrawl.dataset.datatrove import CorpusReader

    LocalPipelineExecutor([CorpusReader("corpus"), JsonlWriter("texts")], tasks=4).run()

This package needs datatrove (``pip install datatrove``).
"""

from quarkcrawl.dataset.datatrove.extractor import ContentExtractor
from quarkcrawl.dataset.datatrove.reader import CorpusReader

__all__ = ["ContentExtractor", "CorpusReader"]
