"""Topic items: the paragraphs, tables and pictures of the content, in order."""
