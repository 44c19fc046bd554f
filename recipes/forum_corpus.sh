#!/bin/sh
# A corpus of forum posts: crawl forums, and write each post with its thread, author and date.
#
#   recipes/forum_corpus.sh HOSTS OUT [OPTIONS of quarkcrawl crawl]
#
# OUT/posts.parquet has a row for each post, in the order of its thread. Pages of a forum whose posts
# were not recognized are counted at the end; their text is in the extraction, as a whole.
set -eu
hosts=$1
out=$2
shift 2
mkdir -p "$out"
quarkcrawl crawl "$hosts" --out "$out/corpus" "$@"
quarkcrawl extract "$out/corpus"
OUT=$out python3 - <<'END'
import os

import duckdb

out = os.environ["OUT"]
duckdb.sql(f"""
    COPY (
      SELECT url, content_title AS thread, place, post.author, post.date, post.text
      FROM (
        SELECT url, content_title, generate_subscripts(posts, 1) AS place, unnest(posts) AS post
        FROM '{out}/corpus/analysis/extractions/default/**/*.parquet'
      )
      WHERE post.kind = 'post' ORDER BY url, place
    ) TO '{out}/posts.parquet'""")
print(
    duckdb.sql(f"""
    SELECT count(*) AS posts, count(DISTINCT url) AS threads, count(DISTINCT author) AS authors
    FROM '{out}/posts.parquet'""")
)
print(
    duckdb.sql(f"""
    SELECT count(*) AS pages_without_posts
    FROM '{out}/corpus/analysis/extractions/default/**/*.parquet'
    WHERE page_type = 'forum' AND coalesce(len(posts), 0) = 0""")
)
END
