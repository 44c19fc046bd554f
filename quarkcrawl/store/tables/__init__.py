"""Analysis tables: rows, a journal that survives kills, Parquet parts, merges, streams."""
