#!/bin/sh
# One university: crawl its hosts, and tell which of them, and which pages, count most.
#
#   recipes/university.sh HOSTS OUT [OPTIONS of quarkcrawl crawl]
#
# HOSTS lists the sites of the university: www.pku.edu.cn, bbs.pku.edu.cn, …
set -eu
hosts=$1
out=$2
shift 2
quarkcrawl crawl "$hosts" --out "$out" "$@"
quarkcrawl corpus stats "$out"
quarkcrawl rank pagerank "$out"
quarkcrawl rank quarkrank "$out" --top 20
quarkcrawl report "$out"
