#!/bin/sh
# One crawl on several machines: give the same command on each of them, say on four.
#
#   recipes/shared_crawl.sh redis://server:6379/0#NAME HOSTS OUT [OPTIONS of quarkcrawl crawl]
#
# OUT is a folder of this machine. A worker that was killed goes on when it is started again. When all
# have ended, the folders are brought together:
#
#   quarkcrawl corpus merge machine-1 machine-2 machine-3 machine-4 --out merged
set -eu
campaign=$1
hosts=$2
out=$3
shift 3
exec quarkcrawl crawl "$hosts" --out "$out" --redis "$campaign" "$@"
