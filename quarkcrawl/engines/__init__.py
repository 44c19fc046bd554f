"""Engines of corpus jobs: DuckDB on one machine, Apache Spark on many.

A job is one SQL text for both (``protocol``): `DuckEngine` runs it in this process (``duck``),
`SparkEngine` on a cluster (``spark``), where `spark_session` opens a session or says in one line
why it cannot (``session``). `open_engine` chooses by name (``choose``). Spark and Ray (``ray``) are
a `Cluster` besides, which does numbered tasks. Results are Parquet folders that appear whole or not
at all (``folders``), those of jobs on a cluster that go in steps too (``stages``); paths within SQL
are quoted in ``sqlpaths``.
"""

from quarkcrawl.engines.choose import ENGINES, open_engine
from quarkcrawl.engines.duck import DuckEngine, duck_settings
from quarkcrawl.engines.folders import parquet_files, replaced_folder, sql_columns
from quarkcrawl.engines.protocol import Cluster, Engine
from quarkcrawl.engines.ray import RayCluster
from quarkcrawl.engines.session import check_spark, spark_session
from quarkcrawl.engines.spark import SparkEngine
from quarkcrawl.engines.sqlpaths import source_path, target_path
from quarkcrawl.engines.stages import SparkStages

__all__ = [
    "ENGINES",
    "Cluster",
    "DuckEngine",
    "Engine",
    "RayCluster",
    "SparkEngine",
    "SparkStages",
    "check_spark",
    "duck_settings",
    "open_engine",
    "parquet_files",
    "replaced_folder",
    "source_path",
    "spark_session",
    "sql_columns",
    "target_path",
]
