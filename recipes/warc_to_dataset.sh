#!/bin/sh
# From WARC files to a data set that others can load.
#
#   recipes/warc_to_dataset.sh OUT FILE.warc.gz …
#
# What is done already is not done again: give the same command after a stop.
set -eu
out=$1
shift
if [ ! -d "$out/corpus" ]; then
  quarkcrawl corpus import-warc "$@" --out "$out/corpus"
fi
quarkcrawl extract "$out/corpus"    # the text of every page
quarkcrawl refine "$out/corpus"     # labels; nothing is deleted
quarkcrawl export "$out/corpus" --out "$out/dataset" --replace \
  --where "language = 'zh'" --validation 0.01
# Published with the client of Hugging Face:
#   hf upload YOUR/NAME "$out/dataset" --repo-type dataset
