"""Figures of a corpus: sizes, domains, places of servers."""
