"""Analysis rows: what a corpus knows of a URL besides its bytes.

A stored page has a `PageRow`. A page dropped as an exact duplicate leaves a `DuplicateRow` with
its links (the link graph needs them), a redirect a `RedirectRow`, any other end a `DropRow` with
its reason code. Analysis stages add columns through `PageRow.analysis`; see ``columns``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from quarkcrawl.page import Links
from quarkcrawl.store.layout import bucket

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quarkcrawl.page import PageItem


RowKind = Literal["page", "duplicate", "redirect", "drop"]


@dataclass(frozen=True, slots=True)
class PageRow:
    """A stored page.

    Args:
        offset: first byte of its record in the host's page.dat.
        length: bytes of the record, the line feed at its end included.
        fetched_at: seconds since the epoch.
        mime: media type of the reply without parameters, lower case; "" if none was sent.
        charset: encoding the body was read in; ``charset_source`` says what decided it.
        md5: hexadecimal MD5 of the stored body.
        body_bytes: size of the stored body.
        origin: URL whose redirect led here; ``hops`` counts the redirects.
        marks: reason codes noted without dropping the page.
        links: all links of the page.
        analysis: values of further columns by name.
    """

    kind: ClassVar[Literal["page"]] = "page"
    url: str
    host: str
    level: int
    bucket: int
    offset: int
    length: int
    fetched_at: float
    status: int
    mime: str
    charset: str
    charset_source: str
    md5: str
    body_bytes: int
    title: str
    origin: str | None
    hops: int
    ip: str
    marks: tuple[str, ...] = ()
    links: Links = field(default_factory=Links)
    analysis: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DuplicateRow:
    """A page dropped because ``duplicate_of`` is stored with the same MD5."""

    kind: ClassVar[Literal["duplicate"]] = "duplicate"
    url: str
    duplicate_of: str
    md5: str
    level: int
    fetched_at: float
    links: Links = field(default_factory=Links)


@dataclass(frozen=True, slots=True)
class RedirectRow:
    """A URL that answered with a redirect; ``in_scope`` says whether it was followed."""

    kind: ClassVar[Literal["redirect"]] = "redirect"
    url: str
    target: str
    status: int
    level: int
    fetched_at: float
    in_scope: bool


@dataclass(frozen=True, slots=True)
class DropRow:
    """A URL that ended without being stored, and why."""

    kind: ClassVar[Literal["drop"]] = "drop"
    url: str
    host: str
    reason: str
    detail: str
    level: int
    at: float


Row = PageRow | DuplicateRow | RedirectRow | DropRow


def page_row(item: PageItem, *, offset: int, length: int) -> PageRow:
    """The row of a page whose record lies at ``offset``."""
    charset = item.page.charset
    canonical = item.page.canonical
    return PageRow(
        url=item.url,
        host=item.host,
        level=item.level,
        bucket=bucket(item.host),
        offset=offset,
        length=length,
        fetched_at=item.fetched_at,
        status=item.status,
        mime=_mime(item.header_lines),
        charset=charset.encoding,
        charset_source=charset.source,
        md5=item.md5,
        body_bytes=len(item.body),
        title=item.page.title,
        origin=item.origin,
        hops=item.hops,
        ip=item.ip,
        marks=tuple(item.marks),
        links=item.links,
        analysis=item.analysis if canonical is None else {"canonical": canonical, **item.analysis},
    )


def _mime(header_lines: Iterable[tuple[bytes, bytes]]) -> str:
    for name, value in header_lines:
        if name.lower() == b"content-type":
            return value.partition(b";")[0].strip().lower().decode("latin-1")
    return ""
