"""For which URL each URL counts, by joins; the rules are those of `quarkcrawl.rank.graph.aliases`.

Of several rows that say something else of one URL the one fetched last is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.rank.cluster.chains import chain_ends

if TYPE_CHECKING:
    from quarkcrawl.engines import SparkStages


HOST_FUNCTION: Final = """
CREATE OR REPLACE TEMPORARY FUNCTION url_host(url STRING) RETURNS STRING
RETURN regexp_extract(url, '^[a-z]+://([^/?#]*)', 1)
"""
"""Host of a URL, with its port if it has one; "" for what is no URL."""

_MOVED: Final = """
SELECT url, next, is_copy FROM (
  SELECT r.*, row_number() OVER (
    PARTITION BY url ORDER BY is_copy DESC, fetched_at DESC, next) AS n
  FROM (SELECT url, target AS next, FALSE AS is_copy, coalesce(fetched_at, 0) AS fetched_at
        FROM redirects UNION ALL
        SELECT url, nullif(duplicate_of, ''), TRUE, coalesce(fetched_at, 0) FROM duplicates) AS r
  ANTI JOIN rank_latest AS p ON r.url = p.url WHERE next IS NOT NULL
) WHERE n = 1 AND next <> url
"""

_CANONICAL: Final = """
SELECT c.url, c.fetched_at, c."offset", coalesce(m.next, c.canonical) AS next,
       s.url IS NOT NULL AS is_stored
FROM pages AS c LEFT JOIN {moved} AS m ON c.canonical = m.url
LEFT JOIN (SELECT url FROM rank_latest) AS s ON coalesce(m.next, c.canonical) = s.url
WHERE c.canonical IS NOT NULL
"""
_BELIEVED: Final = """
SELECT url, next FROM (
  SELECT *, row_number() OVER (
    PARTITION BY url ORDER BY coalesce(fetched_at, 0) DESC, "offset" DESC) AS n
  FROM rank_canonical WHERE is_stored
) WHERE n = 1 AND next <> url
"""
_OWN_NAMES: Final = """
SELECT next AS url, max(url) AS next
FROM (SELECT DISTINCT url, next FROM rank_canonical WHERE NOT is_stored)
GROUP BY next HAVING count(*) = 1
AND url_host(max(url)) = url_host(next)
"""
_ALIASES: Final = """
SELECT url, counts_for FROM (
  SELECT m.url, coalesce(d.next, m.next) AS counts_for
  FROM {moved} AS m LEFT JOIN {declared} AS d ON m.next = d.url
  UNION ALL
  SELECT d.url, d.next FROM {declared} AS d ANTI JOIN {moved} AS m ON d.url = m.url
) WHERE url <> counts_for
"""
_REASONS: Final = """
SELECT coalesce(sum(CASE WHEN is_copy THEN 0 ELSE 1 END), 0) AS redirect,
       coalesce(sum(CASE WHEN is_copy THEN 1 ELSE 0 END), 0) AS duplicate FROM rank_moved
"""


def find_aliases(stages: SparkStages, *, canonical: bool) -> dict[str, int]:
    """Make the table ``rank_aliases`` of ``url`` and ``counts_for``, another URL.

    Returns:
        How many URLs count for another, by reason.
    """
    stages.keep("rank_moved", _MOVED)
    reasons = {name: int(n) for name, n in stages.row(_REASONS).items()}
    moved = chain_ends(stages, "rank_moved")
    if canonical:
        stages.keep("rank_canonical", _CANONICAL.format(moved=moved))
        sql = f"{_BELIEVED} UNION ALL {_OWN_NAMES}"
    else:
        sql = "SELECT url, next FROM rank_moved WHERE 1 = 0"
    reasons["canonical"] = stages.keep("rank_declared", sql)
    declared = chain_ends(stages, "rank_declared")
    stages.keep("rank_aliases", _ALIASES.format(moved=moved, declared=declared))
    return reasons
