"""quarkcrawl builds Chinese web corpora: crawl, clean, cut, match, rank and store.

    >>> import quarkcrawl as qc
    >>> page = qc.Page.from_bytes("<title>天网</title><p>北京大学".encode("gb18030"))
    >>> page.encoding, page.tree.title
    ('gb18030', '天网')

The sub-packages, from the bottom up: ``page`` (one page), ``frontier`` (which URL next), ``store``
(page.dat, analysis tables), ``engines`` (DuckDB, Spark), ``segment`` (blocks of a page),
``content`` (what is the content among them), ``dedup`` (texts that are the same article),
``template`` (pages made by one program), ``select`` (sites to crawl), ``rank`` (link analysis),
``classify`` (pages by their words), ``corpus`` (jobs over what is stored), ``render`` (pages in
a browser), ``crawl`` (the Scrapy adapter), ``lab`` (a simulated web, evaluations, training),
``workbench`` (a server and reports), ``cli``. Dependencies point downwards only.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.content import Content, extract, topic_items
from quarkcrawl.page import Page
from quarkcrawl.segment import Block, segment

if TYPE_CHECKING:
    from quarkcrawl.dedup import Fingerprint, fingerprint

__all__ = [
    "Block",
    "Content",
    "Fingerprint",
    "Page",
    "__version__",
    "extract",
    "fingerprint",
    "segment",
    "topic_items",
]

__version__ = "0.1.0"

_LAZY = {"Fingerprint": "quarkcrawl.dedup", "fingerprint": "quarkcrawl.dedup"}
"""Names whose packages load numba (0.1 s and more), which not every process needs."""


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
