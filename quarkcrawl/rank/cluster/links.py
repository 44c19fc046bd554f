"""Vertices and links by joins: what `quarkcrawl.rank.graph` builds in memory.

Stored pages have numbers from 0, URLs known only as targets negative ones. A URL of a link is
looked up once, however many links lead there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.rank.cluster.aliases import find_aliases
from quarkcrawl.rank.cluster.pageblocks import PAGE_COLUMNS

if TYPE_CHECKING:
    from quarkcrawl.engines import SparkStages
    from quarkcrawl.rank.cluster.pageblocks import PageLinks
    from quarkcrawl.rank.graph import Conventions


_STALE: Final = """
SELECT url, "offset", coalesce(array_size(links), 0) AS n_links FROM (
  SELECT p.url, p."offset", p.links, row_number() OVER (
    PARTITION BY p.url ORDER BY coalesce(fetched_at, 0) DESC, p."offset" DESC) AS n
  FROM pages AS p
  SEMI JOIN (SELECT url FROM pages GROUP BY url HAVING count(*) > 1) AS s ON p.url = s.url
) WHERE n > 1
"""
_LATEST: Final = """
SELECT p.* FROM pages AS p
ANTI JOIN rank_stale AS s ON p.url = s.url AND p."offset" = s."offset"
"""
_OWN_LABELS: Final = """
SELECT p.url, p.links, p.blocks, p.link_blocks, p.block_boxes FROM rank_latest AS p
"""
_OTHER_LABELS: Final = """
SELECT p.url, p.links, o.one.blocks, o.one.link_blocks, o.one.block_boxes FROM rank_latest AS p
LEFT JOIN (
  SELECT url, "offset", max(struct(blocks, link_blocks, block_boxes)) AS one FROM labels
  GROUP BY url, "offset"
) AS o ON p.url = o.url AND p."offset" = o."offset"
"""
_NUMBERED: Final = """
SELECT monotonically_increasing_id() AS id, p.url,
       transform(coalesce(p.links, array()),
                 x -> named_struct('url', x.url, 'nofollow', x.nofollow)) AS links,
       p.blocks, p.link_blocks, p.block_boxes
FROM ({labeled}) AS p ANTI JOIN rank_aliases AS a ON p.url = a.url
"""
_COPIES: Final = """
SELECT k.id, k.rest_weight, d.links,
       CASE WHEN array_size(d.links) = array_size(k.links) THEN k.links END AS kept
FROM duplicates AS d JOIN rank_pages AS k ON d.duplicate_of = k.url
ANTI JOIN rank_latest AS p ON d.url = p.url
WHERE array_size(d.links) > 0
"""
_READ: Final = """
SELECT page, link.url AS target, coalesce(link.nofollow, FALSE) AS nofollow, link.block,
       link.content, link.weight, link.is_same,
       CASE WHEN NOT link.is_same THEN link.other END AS other
FROM (
  SELECT id AS page, explode(transform(links, x -> named_struct(
    'url', x.url, 'nofollow', x.nofollow, 'block', x.block, 'content', x.content,
    'weight', x.weight, 'other', CAST(NULL AS string), 'is_same', FALSE))) AS link
  FROM rank_pages
  UNION ALL
  SELECT id, explode(zip_with(links, coalesce(kept, array()), (x, k) -> named_struct(
    'url', x.url, 'nofollow', x.nofollow, 'block', coalesce(k.block, -1),
    'content', coalesce(k.content, FALSE), 'weight', coalesce(k.weight, rest_weight),
    'other', k.url, 'is_same', coalesce(x.url = k.url, FALSE)))) AS link
  FROM rank_copies
)
"""
_TARGETS: Final = """
SELECT t.target, t.is_linked, coalesce(a.counts_for, t.target) AS counts_for
FROM (
  SELECT target, max(is_linked) AS is_linked FROM (
    SELECT target, TRUE AS is_linked FROM rank_read WHERE target IS NOT NULL AND {followed}
    UNION ALL SELECT other, FALSE FROM rank_read WHERE other IS NOT NULL
  ) GROUP BY target
) AS t LEFT JOIN rank_aliases AS a ON t.target = a.url
"""
_UNKNOWN: Final = """
SELECT -1 - monotonically_increasing_id() AS id, url
FROM (SELECT DISTINCT counts_for AS url FROM rank_targets WHERE is_linked AND {wanted}) AS t
ANTI JOIN rank_pages AS p ON t.url = p.url
"""
_NODES: Final = "SELECT id, url FROM rank_pages UNION ALL SELECT id, url FROM rank_unknown"
_NUMBERS: Final = """
SELECT t.target, n.id FROM rank_targets AS t JOIN rank_nodes AS n ON t.counts_for = n.url
"""
_PLACED: Final = """
SELECT page, block, target, content, weight, reason, count(*) AS n FROM (
  SELECT r.page, r.block, t.id AS target, r.content, r.weight,
         CASE WHEN NOT ({followed}) THEN 'nofollow'
              WHEN t.id IS NULL THEN 'unknown'
              WHEN t.id = r.page AND NOT {self_links} THEN 'self'
              WHEN r.is_same THEN 'duplicate' ELSE '' END AS reason
  FROM rank_read AS r LEFT JOIN rank_numbers AS t ON r.target = t.target WHERE r.other IS NULL
  UNION ALL
  SELECT r.page, r.block, t.id, r.content, r.weight,
         CASE WHEN NOT ({followed}) THEN 'nofollow'
              WHEN t.id IS NULL THEN 'unknown'
              WHEN t.id = r.page AND NOT {self_links} THEN 'self'
              WHEN t.id = o.id THEN 'duplicate' ELSE '' END
  FROM rank_read AS r LEFT JOIN rank_numbers AS t ON r.target = t.target
  LEFT JOIN rank_numbers AS o ON r.other = o.target WHERE r.other IS NOT NULL
) GROUP BY page, block, target, content, weight, reason
"""
_COUNTED: Final = """
SELECT (SELECT sum(array_size(links)) FROM pages) AS of_pages,
       (SELECT sum(array_size(links)) FROM rank_latest) AS of_latest,
       (SELECT sum(array_size(links)) FROM rank_pages) AS of_nodes,
       (SELECT sum(array_size(links)) FROM duplicates) AS of_duplicates,
       (SELECT sum(array_size(links)) FROM rank_copies) AS of_copies,
       (SELECT count(*) FROM rank_pages) AS pages,
       (SELECT count(*) FROM rank_unknown) AS unknown,
       (SELECT sum(n_blocks) FROM rank_pages) AS blocks,
       (SELECT count(*) FROM rank_pages WHERE n_blocks = 0) AS without_blocks,
       (SELECT sum({n}) FROM rank_placed WHERE reason = '') AS links
"""
_LEFT_OUT: Final = """
SELECT reason, sum(n) AS n, sum(n - {n}) AS repeated FROM rank_placed GROUP BY reason
"""


_KEPT: Final = ("rank_stale", "rank_aliases", "rank_pages", "rank_unknown", "rank_placed")


def reopen_links(stages: SparkStages) -> None:
    """Have the tables again that `place_links` has made."""
    for name in _KEPT:
        stages.reopen(name)
    stages.view("rank_latest", _LATEST)
    stages.view("rank_copies", _COPIES)
    stages.view("rank_nodes", _NODES)


def place_links(
    stages: SparkStages, rules: Conventions, page_links: PageLinks, *, other_labels: bool
) -> dict[str, int]:
    """Make the tables of vertices and links.

    The engine knows ``pages``, ``duplicates``, ``redirects`` and, with ``other_labels``,
    ``labels``. Made are ``rank_pages``, ``rank_unknown`` and their union ``rank_nodes``,
    ``rank_aliases`` and ``rank_placed``: ``page``, ``block``, ``target`` by their numbers, the
    ``weight`` of a link and whether it is in ``content``, ``reason`` why it does not count or "",
    and ``n``, how often it stands there.

    Returns:
        How many URLs count for another, by reason.
    """
    followed = "NOT nofollow" if rules.nofollow == "skip" else "TRUE"
    stages.keep("rank_stale", _STALE)
    stages.view("rank_latest", _LATEST)
    aliases = find_aliases(stages, canonical=rules.canonical)
    labeled = _NUMBERED.format(labeled=_OTHER_LABELS if other_labels else _OWN_LABELS)
    stages.keep("rank_pages", labeled, page_links, PAGE_COLUMNS)
    stages.view("rank_copies", _COPIES)
    stages.keep("rank_read", _READ)
    stages.keep("rank_targets", _TARGETS.format(followed=followed))
    takes_unknown = "TRUE" if rules.unknown == "node" else "FALSE"
    stages.keep("rank_unknown", _UNKNOWN.format(wanted=takes_unknown))
    stages.view("rank_nodes", _NODES)
    stages.keep("rank_numbers", _NUMBERS)
    stages.keep("rank_placed", _PLACED.format(followed=followed, self_links=rules.self_links))
    return aliases


def graph_report(
    stages: SparkStages, rules: Conventions, aliases: dict[str, int]
) -> dict[str, Any]:
    """What `GraphReport` says of a graph in memory."""
    n = counted_once(rules)
    counts = stages.row(_COUNTED.format(n=n))
    counts = {name: int(value or 0) for name, value in counts.items()}
    rows = stages.engine.fetch(_LEFT_OUT.format(n=n)).to_pylist()
    left_out = {row["reason"]: int(row["n"]) for row in rows if row["reason"]}
    left_out["repeated"] = sum(int(row["repeated"]) for row in rows if not row["reason"])
    left_out["stale"] = counts["of_pages"] - counts["of_latest"]
    left_out["canonical"] = counts["of_latest"] - counts["of_nodes"]
    left_out["no_page"] = counts["of_duplicates"] - counts["of_copies"]
    return {
        "pages": counts["pages"],
        "unknown": counts["unknown"],
        "blocks": counts["blocks"],
        "links": counts["links"],
        "links_read": counts["of_pages"] + counts["of_duplicates"],
        "left_out": {reason: n for reason, n in sorted(left_out.items()) if n},
        "aliases": aliases,
        "without_blocks": counts["without_blocks"],
        "damaged": (),
    }


def counted_once(rules: Conventions) -> str:
    """How often a link that stands n times in a block counts."""
    return "1" if rules.repeated == "block" else "n"
