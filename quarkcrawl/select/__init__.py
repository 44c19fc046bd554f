"""Choosing sites: which hosts belong into a corpus.

So far this is the spam-domain list that the crawl's spam stage applies (spec cwt200g, "Seed
sites", step 6a). Host counts, validity, aliases and Zipf outliers join it with seed selection.
"""

from quarkcrawl.select.spam import SpamList

__all__ = ["SpamList"]
