"""Which columns of which tables the index of a corpus takes in, and the tables it makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quarkcrawl.store.tables import RowKind


_PAGE: Final = """
    url host level bucket offset length fetched_at status mime charset charset_source md5 body_bytes
    title origin hops ip marks content_method content_text content_title published source author
    language page_type is_topic topic_probability template template_similarity page_class near_of
    near_reason render_reason
"""
COLUMNS: Final[dict[RowKind, tuple[str, ...]]] = {
    "page": tuple(_PAGE.split()),
    "duplicate": ("url", "duplicate_of", "fetched_at"),
    "redirect": ("url", "target", "status", "fetched_at"),
    "drop": ("url", "host", "reason", "detail", "level", "at"),
}
"""Columns of the tables of a crawl."""

EXTRACTION_FILES: Final = "analysis/[ce]*[ds]/*/bucket=*/part-*.parquet"
"""Below ``extractions`` and, of hosts that repeat something, ``cleaned``."""

OPTIONAL: Final[dict[str, tuple[str, str]]] = {
    "found_extraction": (
        EXTRACTION_FILES,
        """url VARCHAR, "offset" BIGINT, failure VARCHAR, content_method VARCHAR,
           content_title VARCHAR, published VARCHAR, source VARCHAR,
           author VARCHAR, language VARCHAR, page_type VARCHAR, is_topic BOOLEAN,
           topic_probability FLOAT""",
    ),
    "found_dedup": (
        "analysis/dedup/duplicates/*.parquet",
        "url VARCHAR, duplicate_of VARCHAR",
    ),
    "found_near": (
        "analysis/near/*/groups.parquet",
        "url VARCHAR, kept_url VARCHAR, is_kept BOOLEAN, reason VARCHAR",
    ),
    "found_rank": (
        "analysis/ranks/*.parquet",  # under whatever name, see `NO_JOBS`
        "url VARCHAR, host VARCHAR, rank DOUBLE, position BIGINT",
    ),
    "found_fields": (
        "analysis/fields/*.parquet",
        'url VARCHAR, "offset" BIGINT, template VARCHAR',
    ),
    "found_classes": (
        "analysis/classes/*.parquet",
        'url VARCHAR, "offset" BIGINT, class VARCHAR',
    ),
    "found_labels": (
        "analysis/labels/texts/*.parquet",
        """url VARCHAR, "offset" BIGINT, n_chars INTEGER, language VARCHAR, script VARCHAR,
           is_cantonese BOOLEAN, heuristics VARCHAR[], quality_class VARCHAR, spam VARCHAR[],
           contaminated VARCHAR[], license VARCHAR, noindex BOOLEAN, opted_out VARCHAR[]""",
    ),
}
"""Tables of jobs over a corpus, if they were run: where they are, and their columns."""

NO_JOBS: Final = ("-blocks.parquet", "-hosts.parquet", "aliases.parquet")
"""Endings of what lies beside the ranks of pages and has no row for a page."""

_DOMAIN: Final = r"""
    CASE WHEN regexp_matches(bare, '\.(com|edu|gov|org|net|ac)\.cn$')
         THEN '.' || regexp_extract(bare, '([a-z]+\.cn)$', 1)
         WHEN regexp_matches(bare, '^[0-9.]+$') THEN 'IP'
         ELSE '.' || regexp_extract(bare, '([^.]+)$', 1) END
"""

WORK: Final = "work"
"""The database in memory of what is needed on the way only; it is gone when the tables are made."""

_CODES: Final = " || ".join(
    f"list_transform(coalesce({name}, []), lambda one: '{name}:' || one)"
    for name in ("spam", "heuristics", "contaminated", "opted_out")
)

MADE: Final = (
    r"""
    CREATE TABLE work.classes AS
    SELECT url, "offset", list(DISTINCT name || ':' || class ORDER BY name || ':' || class) AS codes
    FROM (SELECT *, regexp_extract(filename, '.*/classes/([^/]+)\.parquet', 1) AS name
          FROM work.found_classes WHERE class IS NOT NULL) GROUP BY url, "offset"
    """,
    f"""
    CREATE TABLE work.labels AS
    SELECT url, "offset", n_chars, nullif(language, 'und') AS language, list_filter(
        ['script:' || script, CASE WHEN is_cantonese THEN 'cantonese' END,
         'quality:' || quality_class, 'license:' || license, CASE WHEN noindex THEN 'noindex' END],
        lambda one: one IS NOT NULL) || {_CODES} AS codes
    FROM work.found_labels
    QUALIFY row_number() OVER (PARTITION BY url, "offset" ORDER BY filename) = 1
    """,  # noqa: S608 - our own words
    """
    CREATE TABLE work.failures AS
    SELECT url, "offset", list(DISTINCT failure ORDER BY failure) AS codes
    FROM work.found_extraction WHERE failure IS NOT NULL GROUP BY url, "offset"
    """,
    """
    CREATE TABLE work.matched AS
    SELECT url, "offset", any_value(template) AS template
    FROM work.found_fields WHERE template IS NOT NULL GROUP BY url, "offset"
    """,
    f"""
    CREATE TABLE pages AS
    WITH joined AS (
        SELECT p.* EXCLUDE (content_method, content_title, published, source, author, language,
                            page_type, is_topic, topic_probability, template, page_class, text_row,
                            content_chars),
               coalesce(e.content_method, p.content_method) AS content_method,
               coalesce(e.content_title, p.content_title) AS content_title,
               coalesce(e.published, p.published) AS published,
               coalesce(e.source, p.source) AS source,
               coalesce(e.author, p.author) AS author,
               coalesce(l.language, e.language, p.language) AS language,
               coalesce(e.page_type, p.page_type) AS page_type,
               coalesce(e.is_topic, p.is_topic) AS is_topic,
               coalesce(e.topic_probability, p.topic_probability) AS topic_probability,
               coalesce(t.text_row, p.text_row) AS text_row,
               coalesce(t.content_chars, p.content_chars, 0) AS content_chars,
               coalesce(p.template, m.template) AS template,
               coalesce(p.marks, []) || coalesce(f.codes, [])
                   || CASE WHEN p.render_reason IS NULL THEN [] ELSE [p.render_reason] END
                   AS reasons,
               CASE WHEN p.page_class IS NULL THEN [] ELSE ['crawl:' || p.page_class] END
                   || coalesce(c.codes, []) || coalesce(l.codes, []) AS labels,
               regexp_replace(p.host, ':[0-9]+$', '') AS bare
        FROM work.raw_page p LEFT JOIN work.chosen e ON p.url = e.url AND p."offset" = e."offset"
             LEFT JOIN work.extracted_text t ON p.url = t.url AND p."offset" = t."offset"
             LEFT JOIN work.failures f ON p.url = f.url AND p."offset" = f."offset"
             LEFT JOIN work.matched m ON p.url = m.url AND p."offset" = m."offset"
             LEFT JOIN work.classes c ON p.url = c.url AND p."offset" = c."offset"
             LEFT JOIN work.labels l ON p.url = l.url AND p."offset" = l."offset"
                  AND l.n_chars = coalesce(t.content_chars, p.content_chars, 0))
    SELECT md5(url || '|' || shard || '|' || "offset")[1:16] AS id, * EXCLUDE (bare),
           {_DOMAIN} AS domain, row_number() OVER () AS number
    FROM (SELECT * FROM joined ORDER BY host, url, "offset")
    """,  # noqa: S608 - our own words
    r"""
    CREATE TABLE work.near_jobs AS
    SELECT *, regexp_extract(filename, '.*/near/([^/]+)/', 1) AS method FROM work.found_near
    """,
    """
    CREATE TABLE copies AS
    SELECT kind, first, url, min(reason) AS reason FROM (
        SELECT 'exact' AS kind, duplicate_of AS first, url, 'md5' AS reason FROM work.raw_duplicate
        UNION ALL SELECT 'exact', duplicate_of, url, 'md5' FROM work.found_dedup
        UNION ALL SELECT 'near', kept_url, url, reason FROM work.near_jobs
            WHERE NOT is_kept AND method = (
                SELECT method FROM work.near_jobs ORDER BY method <> 'default', method LIMIT 1)
        UNION ALL SELECT 'near', near_of, url, near_reason FROM pages
            WHERE near_of IS NOT NULL AND NOT EXISTS (FROM work.near_jobs))
    WHERE first <> '' AND first <> url GROUP BY kind, first, url
    """,
    """
    CREATE TABLE hosts AS
    SELECT host, any_value(domain) AS domain, count(*) AS pages, sum(body_bytes) AS bytes,
           sum(content_chars) AS content_chars, mode(charset) AS charset,
           count(DISTINCT charset) AS charsets, count(*) FILTER (is_topic) AS topics
    FROM pages GROUP BY host
    """,
    "CREATE TABLE drops AS SELECT * FROM work.raw_drop",
    "CREATE TABLE redirects AS SELECT * FROM work.raw_redirect",
    r"""
    CREATE TABLE ranks AS
    WITH files AS MATERIALIZED (  -- a pattern on each of so many rows would take seconds
        SELECT filename, regexp_extract(filename, '.*/ranks/([^/]+)\.parquet', 1) AS method
        FROM (SELECT DISTINCT filename FROM work.found_rank))
    SELECT *, row_number() OVER () AS number FROM (
        SELECT method, url, host, rank, position FROM work.found_rank JOIN files USING (filename)
        WHERE url IS NOT NULL AND position IS NOT NULL ORDER BY method, rank DESC, url)
    """,  # from Spark the file of a method is a folder
)
"""Statements that make the tables that views ask, of those in `WORK`.

Rows are stored and numbered in the order in which they are listed: a page of a list is then read
without the rows before it.

Labels of a text are taken where it still has as many characters as when they were made.
Groups of near copies are those of the job over the corpus (of its default method, if it was run
with several); without a job those that the crawl has found.
"""
