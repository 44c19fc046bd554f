#!/bin/sh
# One university: crawl its hosts, count what they hold, rank their pages, and write a report.
#
#   recipes/university.sh HOSTS OUT [OPTIONS of quarkcrawl crawl]
#
# HOSTS lists the sites of the university: www.pku.edu.cn, bbs.pku.edu.cn, …
# OUT is the corpus, OUT/report.html the report.
set -eu
hosts=$1
out=$2
shift 2
quarkcrawl crawl "$hosts" --out "$out" "$@"
quarkcrawl corpus stats "$out"
quarkcrawl rank pagerank "$out"
quarkcrawl rank quarkrank "$out" --top 20
quarkcrawl report "$out" --out "$out/report.html"
