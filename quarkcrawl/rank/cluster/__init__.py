"""Link analysis on a Spark cluster: graph, flow, iteration and tables are made by the workers.

Vertices are numbered and URLs for which others count are found by joins (``chains``, ``aliases``),
each link gets its block and the vertex that it counts for (``pageblocks``, ``links``), and each
vertex shares its rank by the method (``shares``). The rounds are joins and sums (``iteration``),
ranks become tables that workers write (``tables``). What passes through the driver are counts and
differences (``job``).
"""

from quarkcrawl.rank.cluster.iteration import SparkRanks, spark_iterate
from quarkcrawl.rank.cluster.job import rank_on_cluster

__all__ = ["SparkRanks", "rank_on_cluster", "spark_iterate"]
