"""Sites of the mock web: layouts, texts, link farms, faults, the truth about them."""

from quarkcrawl.lab.mockweb.site.generate import MiniWeb
from quarkcrawl.lab.mockweb.site.spam import SPAM_KINDS
from quarkcrawl.lab.mockweb.site.text import paragraph
from quarkcrawl.lab.mockweb.site.truth import HostTruth, PageTruth, Truth, page_truth, truth
from quarkcrawl.lab.mockweb.site.words import COLUMNS

__all__ = [
    "COLUMNS",
    "SPAM_KINDS",
    "HostTruth",
    "MiniWeb",
    "PageTruth",
    "Truth",
    "page_truth",
    "paragraph",
    "truth",
]
