"""Decontamination: passages of benchmarks in texts, found by word and character n-grams."""

from quarkcrawl.refine.contamination.benchmarks import BenchmarkItem, read_benchmark
from quarkcrawl.refine.contamination.search import (
    REASONS,
    BenchmarkSpan,
    Contamination,
    ContaminationLabels,
    ContaminationOptions,
)

__all__ = [
    "REASONS",
    "BenchmarkItem",
    "BenchmarkSpan",
    "Contamination",
    "ContaminationLabels",
    "ContaminationOptions",
    "read_benchmark",
]
