"""Sites whose pages stand in sitemaps and feeds only, with a known truth."""

from quarkcrawl.lab.mockweb.listed.web import ListedWeb

__all__ = ["ListedWeb"]
