"""The default extractor: every line of a page judged by boosted trees."""
