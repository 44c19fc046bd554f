"""A page's analysis, in processes that a page may kill.

An `AnalysisPlan` says what is done with each page; `analyze` does it here, an `AnalysisEngine` in
worker processes for an event loop that must not wait. `map_pages` runs any function on many pages,
in order. `read_apart` reads one file of another kind than HTML in a process of its own.
"""

from quarkcrawl.analysis.apart import read_apart
from quarkcrawl.analysis.engine import AnalysisEngine, EngineOptions
from quarkcrawl.analysis.handle import Task, WorkerHandle, WorkerSettings
from quarkcrawl.analysis.page import (
    COLUMNS_CUT,
    AnalyzedPage,
    PageAnalysis,
    PageInput,
    analyze,
    analyze_page,
)
from quarkcrawl.analysis.plan import AnalysisPlan, StagePlan
from quarkcrawl.analysis.pool import Outcome, PoolOptions, map_pages

__all__ = [
    "COLUMNS_CUT",
    "AnalysisEngine",
    "AnalysisPlan",
    "AnalyzedPage",
    "EngineOptions",
    "Outcome",
    "PageAnalysis",
    "PageInput",
    "PoolOptions",
    "StagePlan",
    "Task",
    "WorkerHandle",
    "WorkerSettings",
    "analyze",
    "analyze_page",
    "map_pages",
    "read_apart",
]
