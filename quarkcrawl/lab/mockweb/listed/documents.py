"""Sitemaps and feeds as text: of the kinds that sites have, sound and broken."""

from __future__ import annotations

import gzip
import json
import zlib
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DAY: Final = "2026-11-{:02}"


def urlset(urls: Iterable[str], more: str = "") -> str:
    """A sitemap with dates; ``more`` goes into each entry."""
    entries = (
        f"<url><loc>{url}</loc><lastmod>{_DAY.format(1 + at % 28)}</lastmod>{more}</url>\n"
        for at, url in enumerate(urls)
    )
    return f'{_XML}<urlset xmlns="{_SCHEMA}">\n{"".join(entries)}</urlset>\n'


def index(urls: Iterable[str]) -> str:
    """An index of sitemaps."""
    entries = (f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
    return f'{_XML}<sitemapindex xmlns="{_SCHEMA}">\n{"".join(entries)}</sitemapindex>\n'


def news(urls: Iterable[str]) -> str:
    """A news sitemap."""
    entries = (
        f"<url><loc>{url}</loc><news:news><news:publication><news:name>天网</news:name>"
        "<news:language>zh-cn</news:language></news:publication>"
        f"<news:publication_date>{_DAY.format(1 + at % 28)}T08:00:00+08:00</news:publication_date>"
        f"<news:title>第 {at} 条新闻</news:title></news:news></url>\n"
        for at, url in enumerate(urls)
    )
    schema = "http://www.google.com/schemas/sitemap-news/0.9"
    begin = f'<urlset xmlns="{_SCHEMA}" xmlns:news="{schema}">'
    return f"{_XML}{begin}\n{''.join(entries)}</urlset>\n"


def languages(pairs: Iterable[tuple[str, str]]) -> str:
    """A sitemap in which each page names another that is the same in English."""
    entries = (
        f"<url><loc>{url}</loc>"
        f'<xhtml:link rel="alternate" hreflang="zh" href="{url}"/>'
        f'<xhtml:link rel="alternate" hreflang="en" href="{other}"/></url>\n'
        for url, other in pairs
    )
    begin = f'<urlset xmlns="{_SCHEMA}" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
    return f"{_XML}{begin}\n{''.join(entries)}</urlset>\n"


def rss(urls: Iterable[str]) -> str:
    """A feed in RSS 2.0, with a loose sign and a reference of HTML as many have."""
    items = (
        f"<item><title>文章 {at}&nbsp;& mehr</title><link>{url}</link>"
        f'<guid isPermaLink="false">{at}</guid>'
        f"<pubDate>Thu, {1 + at % 28:02} Nov 2026 08:00:00 +0800</pubDate></item>\n"
        for at, url in enumerate(urls)
    )
    return f'{_XML}<rss version="2.0"><channel><title>RSS</title>{"".join(items)}</channel></rss>\n'


def rdf(urls: Iterable[str]) -> str:
    """A feed in RSS 1.0."""
    items = (
        f'<item rdf:about="{url}"><title>文章</title><link>{url}</link>'
        f"<dc:date>{_DAY.format(1 + at % 28)}</dc:date></item>\n"
        for at, url in enumerate(urls)
    )
    begin = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    )
    return f"{_XML}{begin}\n{''.join(items)}</rdf:RDF>\n"


def atom(base: str, paths: Iterable[str]) -> str:
    """A feed in Atom, its addresses relative to ``base``."""
    entries = (
        f'<entry><title>文章</title><link rel="edit" href="/edit/{at}"/><link href="{path}"/>'
        f"<published>{_DAY.format(1 + at % 28)}T00:00:00Z</published>"
        f"<updated>{_DAY.format(1 + at % 28)}T12:00:00Z</updated></entry>\n"
        for at, path in enumerate(paths)
    )
    begin = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{base}">'
    return f"{_XML}{begin}<title>Atom</title>{''.join(entries)}</feed>\n"


def json_feed(urls: Iterable[str]) -> str:
    """A JSON Feed."""
    items = [
        {"id": str(at), "url": url, "date_published": _DAY.format(1 + at % 28) + "T00:00:00Z"}
        for at, url in enumerate(urls)
    ]
    version = "https://jsonfeed.org/version/1.1"
    return json.dumps({"version": version, "title": "JSON", "items": items})


def truncated(urls: Iterable[str], lost: str) -> str:
    """A sitemap that breaks off within its last entry."""
    whole = urlset([*urls, lost])
    return whole[: whole.rindex(lost) + len(lost) // 2]


def wrongly_declared(urls: Iterable[str]) -> bytes:
    """A sitemap in GBK that says it is UTF-8, with a byte-order mark's worth of blank before it."""
    text = urlset(urls, "<title>天网搜索引擎的网页&nbsp;和目录</title>")
    return b"\n \n" + text.encode("gb18030")


def entity_bomb(url: str) -> str:
    """A sitemap whose entities would make a billion copies of a URL."""
    names = [f"e{at}" for at in range(10)]
    doubled = (f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))
    subset = f'<!ENTITY e0 "{url}">{"".join(doubled)}'
    entry = f"<url><loc>{url}</loc></url><url><loc>&e9;</loc></url>"
    return f'<?xml version="1.0"?><!DOCTYPE urlset [{subset}]><urlset>{entry}</urlset>'


@cache
def gzip_bomb(urls: tuple[str, ...], n_bytes: int) -> bytes:
    """A sitemap that unpacks to ``n_bytes``: its entries, and then blanks up to its end."""
    packer = zlib.compressobj(1, wbits=31)
    head, _, tail = urlset(urls).partition("</urlset>")
    parts = [packer.compress(head.encode())]
    parts += [packer.compress(b" " * (1 << 20)) for _ in range(n_bytes >> 20)]
    return b"".join([*parts, packer.compress(f"</urlset>{tail}".encode()), packer.flush()])


def packed(text: str) -> bytes:
    """The same as a file ``.gz``."""
    return gzip.compress(text.encode(), mtime=0)
