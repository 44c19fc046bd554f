"""How each vertex shares its rank among links, by method; see `quarkcrawl.rank.iterate.flow`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.rank.cluster.links import counted_once

if TYPE_CHECKING:
    from quarkcrawl.engines import SparkStages
    from quarkcrawl.rank.graph import Conventions


_BY_WEIGHT: Final = """
SELECT page, target, content, weight * {n} AS got FROM rank_placed
WHERE reason = '' AND weight > 0
"""
# What a block gets: size by distance, the rest one of its links each; if no block of the page has
# a size (negative weights), all alike, or the rest all of it where it has links.
_BY_BLOCK: Final = """
SELECT page, target, content, pull / n_targets AS got FROM (
  SELECT page, target, content, n_targets,
         CASE WHEN block < 0 THEN weight * n_links WHEN weight >= 0 THEN weight
              WHEN has_rest THEN 0 ELSE 1 END AS pull
  FROM (
    SELECT page, target, content, block, weight,
           count(*) OVER (PARTITION BY page, block) AS n_targets,
           sum(n) OVER (PARTITION BY page, block) AS n_links,
           max(block < 0) OVER (PARTITION BY page) AS has_rest
    FROM rank_placed WHERE reason = '')
) WHERE pull > 0
"""
_ONCE: Final = """
SELECT page AS source, target, 1.0D / count(*) OVER (PARTITION BY page) AS share
FROM (SELECT DISTINCT page, target FROM rank_placed WHERE reason = '')
"""
_SHARED: Final = """
SELECT source, target, got / sum(got) OVER (PARTITION BY source) AS share
FROM (SELECT page AS source, target, sum(got) AS got FROM rank_sent GROUP BY page, target)
"""
_CONTENT: Final = """
SELECT page, sum(CASE WHEN content THEN got ELSE 0 END) / sum(got) AS part
FROM rank_sent GROUP BY page
"""


def share_links(stages: SparkStages, method: str, rules: Conventions) -> None:
    """Make the table ``rank_edges`` of ``source``, ``target`` and ``share``.

    Besides, the view ``rank_content``: the ``part`` of what a ``page`` sends that goes through
    links in content.
    """
    _view_sent(stages, method, rules)
    stages.keep("rank_edges", _ONCE if method == "pagerank" else _SHARED)


def reopen_shares(stages: SparkStages, method: str, rules: Conventions) -> None:
    """Have again what `share_links` has made."""
    _view_sent(stages, method, rules)
    stages.reopen("rank_edges")


def _view_sent(stages: SparkStages, method: str, rules: Conventions) -> None:
    sent = _BY_BLOCK if method == "blpr" else _BY_WEIGHT.format(n=counted_once(rules))
    stages.view("rank_sent", sent)
    stages.view("rank_content", _CONTENT)
