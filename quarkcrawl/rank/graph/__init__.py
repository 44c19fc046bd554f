"""The link graph: URLs as numbers, blocks, edges in memory-mapped arrays."""
