"""The record that travels from the spider through the pipelines into the corpus."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from quarkcrawl.page.links import Links
from quarkcrawl.page.text import content_type_of, essence_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page.page import Page


HeaderLine = tuple[bytes, bytes]

_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_RESULTS: Mapping[str, Mapping[str, object] | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What is known of a reply before anybody looks into its body.

    The item of a page holds it, and so does the page's row. Two are equal if a row could not tell
    them apart: what stands in page.dat only is not compared.

    Args:
        url: canonical URL under which the page is stored.
        host: host key of the URL, `quarkcrawl.page.urls.host_key`.
        level: 1 for a seed, parent's level + 1 for a link.
        status: HTTP status code.
        fetched_at: seconds since the epoch when the last byte had come.
        mime: media type of the reply without parameters, lower case; "" if none was sent.
        md5: MD5 of the body, 16 bytes; tables and feeds have it in hexadecimal.
        body_bytes: size of the body.
        origin: URL whose redirect led here, None when there was none.
        hops: number of redirects that led here.
        ip: address the page came from, "" when unknown.
        reason_phrase: text behind the status code, as received.
        http_version: such as ``"HTTP/1.1"`` or ``"1.1"``.
        header_lines: (name, value) as received, in order, repeated names kept.
        sent_at: when the request was written to the connection, by the clock that paces hosts.
    """

    url: str
    host: str = ""
    level: int = 0
    status: int = 0
    fetched_at: float = 0.0
    mime: str = ""
    md5: bytes = field(default=b"", metadata={"serializer": bytes.hex})  # for Scrapy's feeds
    body_bytes: int = 0
    origin: str | None = None
    hops: int = 0
    ip: str = ""
    reason_phrase: str = field(default="", compare=False)
    http_version: str = field(default="HTTP/1.1", compare=False)
    header_lines: tuple[HeaderLine, ...] = field(default=(), compare=False)
    sent_at: float = field(default=0.0, compare=False)

    @property
    def reply_head(self) -> tuple[int, str, str, tuple[HeaderLine, ...]]:
        """Status, reason phrase, version and header lines: what is stored before the body."""
        return self.status, self.reason_phrase, self.http_version, self.header_lines

    def with_body(self, body: bytes, **facts: Any) -> Self:
        """The same with what header lines and body tell, and with other facts.

        Args:
            body: entity bytes, transfer and content encodings removed.
            facts: values of other fields.
        """
        lines = self.header_lines
        kinds = [v.decode("latin-1") for name, v in lines if name.lower() == b"content-type"]
        return replace(
            self,
            mime=essence_of(content_type_of(kinds)),
            md5=hashlib.md5(body, usedforsecurity=False).digest(),
            body_bytes=len(body),
            **facts,
        )


class FetchFacts:
    """Facts of a fetch as attributes of what holds them; `Fetched` says what each is."""

    __slots__ = ()

    fetched: Fetched

    @property
    def url(self) -> str:
        """URL under which the page is stored."""
        return self.fetched.url

    @property
    def host(self) -> str:
        """Host key of the URL."""
        return self.fetched.host

    @property
    def level(self) -> int:
        """1 for a seed, parent's level + 1 for a link."""
        return self.fetched.level

    @property
    def status(self) -> int:
        """HTTP status code."""
        return self.fetched.status

    @property
    def fetched_at(self) -> float:
        """Seconds since the epoch."""
        return self.fetched.fetched_at

    @property
    def mime(self) -> str:
        """Media type of the reply."""
        return self.fetched.mime

    @property
    def md5(self) -> bytes:
        """MD5 of the body."""
        return self.fetched.md5

    @property
    def body_bytes(self) -> int:
        """Size of the body."""
        return self.fetched.body_bytes

    @property
    def origin(self) -> str | None:
        """URL whose redirect led here."""
        return self.fetched.origin

    @property
    def hops(self) -> int:
        """Number of redirects that led here."""
        return self.fetched.hops

    @property
    def ip(self) -> str:
        """Address the page came from."""
        return self.fetched.ip

    @property
    def header_lines(self) -> tuple[HeaderLine, ...]:
        """Header lines as received; a row that was read back has none."""
        return self.fetched.header_lines


class PackedReply(NamedTuple):
    """A reply as page.dat holds it, compressed beside the page's analysis.

    Args:
        data: the compressed reply.
        n_bytes: size of the reply.
        body: its body; of an item that was given another one the reply is packed anew.
    """

    data: bytes
    n_bytes: int
    body: bytes


@dataclass(frozen=True, slots=True)
class PageItem(FetchFacts):
    """One fetched page with all that a stage may want to know of it.

    Items are never changed: a stage that adds something passes on
    ``dataclasses.replace(item, …)``. The facts of the fetch are attributes, too: ``item.url``,
    ``item.host``, ``item.level`` and so on.

    Args:
        fetched: facts of the fetch.
        body: entity bytes, transfer and content encodings removed.
        token: fencing token of the frontier lease under which the page was fetched.
        page: the parsed page, shared by all stages.
        links: links of the page in document order, duplicates kept.
        flags: reason codes that were noted without dropping the page (``"truncated"``).
        analysis: columns added by analysis stages.
        results: columns that workers have found for stages that have not taken them yet, by the
            names of the stages; None where the stage failed.
        packed: the reply, if a worker has compressed it.
    """

    fetched: Fetched
    body: bytes
    token: int
    page: Page
    links: Links = field(default_factory=Links)
    flags: tuple[str, ...] = ()
    analysis: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    results: Mapping[str, Mapping[str, object] | None] = field(default_factory=lambda: _NO_RESULTS)
    packed: PackedReply | None = None
