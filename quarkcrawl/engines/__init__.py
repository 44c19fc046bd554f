"""Engines of corpus jobs: DuckDB on one machine, Apache Spark on many.

`spark_session` opens a Spark session or says in one line why it cannot (``session``).
"""

from quarkcrawl.engines.session import check_spark, spark_session

__all__ = ["check_spark", "spark_session"]
