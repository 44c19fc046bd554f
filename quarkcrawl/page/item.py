"""The record that travels from the spider through the pipelines into the corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page.links import Links
    from quarkcrawl.page.page import Page


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PageItem:
    """One fetched page with all that a stage may want to know of it.

    Items are never changed: a stage that adds something passes on
    ``dataclasses.replace(item, …)``.

    Args:
        url: canonical URL under which the page is stored.
        host: host key of the URL, `quarkcrawl.page.urls.canonical.host_key`.
        level: 1 for a seed, parent's level + 1 for a link.
        status: HTTP status code.
        reason_phrase: text behind the status code, as received.
        http_version: such as ``"HTTP/1.1"``.
        header_lines: (name, value) as received, in order, repeated names kept.
        body: entity bytes, transfer and content encodings removed.
        ip: address the page came from, "" when unknown.
        fetched_at: seconds since the epoch.
        origin: URL whose redirect led here, None when there was none.
        hops: number of redirects that led here.
        token: fencing token of the frontier lease under which the page was fetched.
        page: the parsed page, shared by all stages.
        links: links of the page in document order, duplicates kept.
        md5: hexadecimal MD5 of ``body``.
        marks: reason codes that were noted without dropping the page (``"truncated"``).
        analysis: columns added by analysis stages.
    """

    url: str
    host: str
    level: int
    status: int
    reason_phrase: str
    http_version: str
    header_lines: tuple[tuple[bytes, bytes], ...]
    body: bytes
    ip: str
    fetched_at: float
    origin: str | None
    hops: int
    token: int
    page: Page
    links: Links
    md5: str
    marks: tuple[str, ...] = ()
    analysis: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
