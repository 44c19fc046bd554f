"""The iterations: PageRank, QuarkRank and block-level PageRank, here or on Spark."""
