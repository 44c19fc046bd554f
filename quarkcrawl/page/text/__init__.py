"""Bytes to text: the charset of a page, classes of characters, where a byte of the source lies."""
