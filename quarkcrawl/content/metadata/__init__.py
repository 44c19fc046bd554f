"""Headline, date, source and author of a page."""
