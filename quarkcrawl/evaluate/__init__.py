"""Measure extraction and topic decisions against marked pages."""

__all__: list[str] = []
