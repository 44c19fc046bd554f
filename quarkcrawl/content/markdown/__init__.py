"""Content as Markdown."""
