#!/bin/sh
# Watch news sites: pages that changed, and what sitemaps and feeds say is new; run it by cron.
#
#   recipes/news_watch.sh HOSTS OUT [OPTIONS of quarkcrawl crawl]
#
# OUT/corpus has every version of every page, OUT/texts.parquet the newest text of each.
set -eu
hosts=$1
out=$2
shift 2
mkdir -p "$out"
again=
if [ -d "$out/corpus" ]; then
  again=--refresh
fi
quarkcrawl crawl "$hosts" --out "$out/corpus" $again --set sitemaps=seeds --set feeds=seeds "$@"
quarkcrawl extract "$out/corpus"
OUT=$out python3 - <<'END'
import os

import duckdb

out = os.environ["OUT"]
duckdb.sql(f"""
    COPY (
      SELECT url, content_title AS title, published, content_text AS text
      FROM '{out}/corpus/analysis/extractions/default/**/*.parquet'
      WHERE content_text <> '' ORDER BY published DESC NULLS LAST, url
    ) TO '{out}/texts.parquet'""")
print(duckdb.sql(f"SELECT published, title, url FROM '{out}/texts.parquet' LIMIT 10"))
END
