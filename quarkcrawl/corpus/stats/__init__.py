"""Figures of a corpus: sizes, domains, places of servers."""

from quarkcrawl.corpus.stats.statistics import CorpusStatistics, StatisticsTable, corpus_statistics

__all__ = ["CorpusStatistics", "StatisticsTable", "corpus_statistics"]
