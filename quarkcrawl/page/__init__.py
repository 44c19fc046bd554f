"""One web page, from its bytes to everything that later stages read.

A `Page` is made from the bytes of a response. `charset` decides how they become text, trusting
the bytes more than what the server or the page say about them. `parse` reads the text once, as
browsers do, and `PageTree` lays the document out as NumPy arrays in preorder, so that a subtree is
a slice and a sum over it the difference of two prefix sums. `links` lists the hyperlinks, each
target in the one spelling that `urls` gives to equal addresses. `PageItem` is the record in which
a fetched page travels through the pipelines. `Layout` says where a browser put the nodes and runs
of a page that was rendered. Nothing here raises, whatever the input.
"""

from quarkcrawl.page.item import Fetched, FetchFacts, HeaderLine, PackedReply, PageItem
from quarkcrawl.page.links import Link, LinkBounds, Links, base_url, extract_links
from quarkcrawl.page.page import Page, PdfPage, UnparsedPage
from quarkcrawl.page.text import Charset
from quarkcrawl.page.tree import Layout, PageTree
from quarkcrawl.page.urls import canonicalize, host_key

__all__ = [
    "Charset",
    "FetchFacts",
    "Fetched",
    "HeaderLine",
    "Layout",
    "Link",
    "LinkBounds",
    "Links",
    "PackedReply",
    "Page",
    "PageItem",
    "PageTree",
    "PdfPage",
    "UnparsedPage",
    "base_url",
    "canonicalize",
    "extract_links",
    "host_key",
]
