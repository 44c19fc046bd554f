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

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quarkcrawl.content import Content, extract, topic_items
    from quarkcrawl.dedup import Fingerprint, fingerprint
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Block, segment

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

__version__ = "0.2.0"

_HOMES = {
    "Block": "segment",
    "Content": "content",
    "Fingerprint": "dedup",
    "Page": "page",
    "extract": "content",
    "fingerprint": "dedup",
    "segment": "segment",
    "topic_items": "content",
}
"""Package of each name; it is imported when the name is asked for (PEP 562)."""


class _Package(ModuleType):
    """This package, in which ``segment`` is the function also when the package of it is loaded."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


sys.modules[__name__].__class__ = _Package
