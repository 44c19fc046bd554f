"""Near-duplicates of a corpus: fingerprints, groups, by several methods."""
