"""Collections: pages drawn from a corpus and copied into one of their own."""

from quarkcrawl.corpus.collection.draw import draw_sizes
from quarkcrawl.corpus.collection.sampling import SampleOptions, SampleReport, sample_corpus

__all__ = ["SampleOptions", "SampleReport", "draw_sizes", "sample_corpus"]
