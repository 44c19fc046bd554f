"""An independent breadth-first walk over recorded sites: the oracle of the crawl.

Shares nothing with quarkcrawl: lxml finds the links, urllib resolves them, and a page is known
by its host and percent-decoded path. Scope as in spec/cwt200g.md: three levels with the home
page as level 1, links within the host; a directory without slash is a redirect within a level.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import lxml.html


@dataclass
class Site:
    """Recorded pages of one host: percent-decoded path (and query) to HTML."""

    host: str
    scheme: str
    pages: dict[str, str] = field(default_factory=dict)


@dataclass
class Walk:
    """What a crawl must store: MD5 of each body, and the decoded paths that lead to them."""

    bodies: set[bytes] = field(default_factory=set)
    paths: dict[str, bytes] = field(default_factory=dict)


def load_site(path: Path) -> Site:
    site: Site | None = None
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            # A fragment never reaches a server; of two records of one URL the later counts.
            scheme, _, rest = row["url"].partition("#")[0].partition("://")
            host, _, target = rest.partition("/")
            site = site or Site(host.lower(), scheme)
            site.pages[unquote("/" + target, errors="surrogateescape")] = row["html"]
    assert site is not None
    return site


def encode(html: str) -> bytes:
    return html.encode("utf-8", "replace") if _has_surrogates(html) else html.encode("utf-8")


def _has_surrogates(text: str) -> bool:
    return re.search("[\ud800-\udfff]", text) is not None


def walk(site: Site, levels: int = 3) -> Walk:
    result = Walk()
    base = f"{site.scheme}://{site.host}"
    seen = {"/"}
    level = [("/", "/")]
    for depth in range(1, levels + 1):
        following: list[tuple[str, str]] = []
        while level:
            path, raw = level.pop(0)
            served = _served(site, path)
            if served is None:
                continue
            if served == "redirect":
                if path + "/" not in seen:
                    seen.add(path + "/")
                    level.append((path + "/", raw + "/"))
                continue
            html = site.pages[served]
            digest = hashlib.md5(encode(html)).digest()
            result.bodies.add(digest)
            result.paths[path] = digest
            if depth < levels:
                for target, written in _links(html, base + raw, site.host):
                    if target not in seen:
                        seen.add(target)
                        following.append((target, written))
        level = following
    return result


def _served(site: Site, path: str) -> str | None:
    if path in site.pages:
        return path
    if path.endswith("/"):
        return path + "index.html" if path + "index.html" in site.pages else None
    bare, mark, _ = path.partition("?")
    if mark:
        return None
    return "redirect" if bare + "/index.html" in site.pages or bare + "/" in site.pages else None


def _links(html: str, url: str, host: str):
    try:
        root = lxml.html.document_fromstring(encode(html), parser=_PARSER)
    except (ValueError, lxml.etree.ParserError):
        return
    base = root.find(".//base[@href]")
    if base is not None:
        url = urljoin(url, base.get("href"))
    for element in root.iter("a", "area", "iframe", "frame", "meta"):
        href = _target(element)
        if href is None:
            continue
        try:
            absolute = urldefrag(urljoin(url, href.strip(" \t\r\n\f").replace("\n", "")))[0]
            parts = urlsplit(absolute)
            port = parts.port
        except ValueError:
            continue
        default = {"http": 80, "https": 443}.get(parts.scheme)
        if default is None or (parts.hostname or "").lower() != host or port not in (None, default):
            continue
        path = parts.path or "/"
        query = f"?{parts.query}" if parts.query else ""
        yield unquote(path, errors="surrogateescape") + unquote(query), path + query


_PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def _target(element) -> str | None:
    if element.tag in ("a", "area"):
        return element.get("href")
    if element.tag in ("iframe", "frame"):
        return element.get("src")
    if (element.get("http-equiv") or "").lower() == "refresh":
        match = re.search(r"url\s*=\s*['\"]?([^'\"]+)", element.get("content") or "", re.IGNORECASE)
        return match[1] if match else None
    return None
