"""Tables of ranks that workers write, see `quarkcrawl.rank.ranktable`: folders of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.rank.ranktable import note_parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quarkcrawl.engines import SparkStages


# The number of a row holds the part of the sorted rows that it is in, and its place there.
_SORTED: Final = """
SELECT *, monotonically_increasing_id() AS m FROM (
  SELECT id, rank FROM {ranks} ORDER BY rank DESC, id)
"""
_PARTS: Final = """
SELECT shiftright(m, 33) AS part, count(*) AS n FROM rank_sorted GROUP BY 1 ORDER BY 1
"""
_PAGES: Final = """
SELECT /*+ BROADCAST(p) */ n.url, url_host(n.url) AS host, n.id >= 0 AS is_page, s.rank,
       p.before + (s.m & 8589934591L) + 1 AS position
FROM rank_sorted AS s JOIN rank_nodes AS n ON s.id = n.id
JOIN rank_parts AS p ON shiftright(s.m, 33) = p.part
ORDER BY position
"""
_HOSTS: Final = """
SELECT h.host, h.pages, h.rank, r.rank AS host_rank, h.best_url FROM (
  SELECT host, count_if(id >= 0) AS pages, sum(rank) AS rank,
         max(struct(rank, url)).url AS best_url
  FROM (SELECT n.id, n.url, url_host(n.url) AS host, s.rank
        FROM rank_sorted AS s JOIN rank_nodes AS n ON s.id = n.id)
  GROUP BY host
) AS h JOIN rank_hosts AS k ON h.host = k.host JOIN {ranks} AS r ON k.id = r.id
ORDER BY h.rank DESC, h.host
"""

HOSTS: Final = """
SELECT monotonically_increasing_id() AS id, host
FROM (SELECT DISTINCT url_host(url) AS host FROM rank_nodes)
"""
"""The vertices of the graph of hosts."""

NODE_HOSTS: Final = """
SELECT n.id, h.id AS host FROM rank_nodes AS n
JOIN rank_hosts AS h ON url_host(n.url) = h.host
"""
"""The host of each vertex."""

HOST_EDGES: Final = """
SELECT source, target, 1.0D / count(*) OVER (PARTITION BY source) AS share FROM (
  SELECT DISTINCT a.host AS source, b.host AS target
  FROM (SELECT DISTINCT page, target FROM rank_placed WHERE reason = '') AS l
  JOIN rank_node_hosts AS a ON l.page = a.id JOIN rank_node_hosts AS b ON l.target = b.id
  WHERE a.host <> b.host)
"""
"""The links of that graph, one from a host to another."""


def write_pages(stages: SparkStages, ranks: str, path: Path, made_by: Mapping[str, Any]) -> None:
    """Write the table of vertices by rank; makes the table ``rank_sorted`` of the ranks."""
    stages.keep("rank_sorted", _SORTED.format(ranks=ranks))
    parts = stages.engine.fetch(_PARTS)
    n = parts.column("n").to_pylist()
    before = [sum(n[:k]) for k in range(len(n))]
    table = pa.table({"part": parts.column("part"), "before": pa.array(before, pa.int64())})
    stages.engine.session.createDataFrame(table).createOrReplaceTempView("rank_parts")
    write_parts(stages, _PAGES, path, made_by)


def write_hosts(stages: SparkStages, ranks: str, path: Path, made_by: Mapping[str, Any]) -> None:
    """Write the table of hosts; ``ranks`` are those among each other."""
    write_parts(stages, _HOSTS.format(ranks=ranks), path, made_by)


def write_parts(stages: SparkStages, sql: str, path: Path, made_by: Mapping[str, Any]) -> None:
    """Write the rows of a query in their order, and note beside them how they were made."""
    stages.engine.write(sql, path)
    note_parts(path, made_by)
