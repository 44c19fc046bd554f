"""Analysis rows: what a corpus knows of a URL besides its bytes.

A stored page has a `PageRow`. A page dropped as an exact duplicate leaves a `DuplicateRow` with
its links (the link graph needs them), a redirect a `RedirectRow`, any other end a `DropRow` with
its reason code. Analysis stages add columns through `PageRow.analysis`; see ``columns``.

A page that was asked for again and had not changed leaves a `VisitRow`. One that had changed has a
new `PageRow`, with the column ``version``; the row before it moves to the table of versions
(`quarkcrawl.store.tables.settle_versions`), whose rows are those of pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from quarkcrawl.page import Fetched, FetchFacts, Links, host_key
from quarkcrawl.store.layout import bucket
from quarkcrawl.store.tianwang import url_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page import Page
    from quarkcrawl.store.tianwang import StoredReply, TianwangRecord


RowKind = Literal["page", "duplicate", "redirect", "drop", "visit", "version"]


@dataclass(frozen=True, slots=True)
class PageRow(FetchFacts):
    """A stored page; the facts of its fetch are attributes, too (``row.url``, ``row.md5``).

    Args:
        fetched: facts of the fetch.
        offset: first byte of its record in the host's page.dat.
        length: bytes of the record, the line feed at its end included.
        charset: encoding the body was read in; ``charset_source`` says what decided it.
        flags: reason codes noted without dropping the page.
        links: all links of the page.
        analysis: values of further columns by name.
    """

    kind: ClassVar[Literal["page"]] = "page"
    fetched: Fetched
    offset: int
    length: int
    charset: str
    charset_source: str
    title: str
    flags: tuple[str, ...] = ()
    links: Links = field(default_factory=Links)
    analysis: Mapping[str, object] = field(default_factory=dict)

    @property
    def bucket(self) -> int:
        """Number of the folder that holds the host."""
        return bucket(self.host)


@dataclass(frozen=True, slots=True)
class DuplicateRow(FetchFacts):
    """A page dropped because ``duplicate_of`` is stored with the same MD5.

    Of its fetch only URL, level, time and MD5 are kept. In a shard ``duplicate_of`` is empty: the
    server says only that another page has the body. A merge finds it by its MD5.
    """

    kind: ClassVar[Literal["duplicate"]] = "duplicate"
    fetched: Fetched
    duplicate_of: str
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


@dataclass(frozen=True, slots=True)
class VisitRow:
    """A stored page that was asked for again and has no new version; ``reason`` says why not."""

    kind: ClassVar[Literal["visit"]] = "visit"
    url: str
    reason: str
    level: int
    at: float


Row = PageRow | DuplicateRow | RedirectRow | DropRow | VisitRow


def record_facts(
    record: TianwangRecord, reply: StoredReply, *, host: str = "", **facts: Any
) -> Fetched:
    """What a stored record and its reply tell of their fetch; ``facts`` are known better."""
    url = url_text(record.url)
    fetched = Fetched(
        url=url,
        host=host or host_key(url),
        status=reply.status or 0,
        fetched_at=float(record.date),
        origin=record.origin,
        ip=record.ip,
        header_lines=reply.header_lines,
    )
    return fetched.with_body(reply.body, **facts)


def page_row(
    fetched: Fetched,
    page: Page,
    *,
    links: Links | None = None,
    flags: tuple[str, ...] = (),
    analysis: Mapping[str, object] | None = None,
) -> PageRow:
    """The row of a page that has no place in a page.dat yet.

    Without ``links`` it has those of the page.
    """
    canonical = page.canonical
    columns = {} if canonical is None else {"canonical": canonical}
    return PageRow(
        fetched,
        offset=0,
        length=0,
        charset=page.encoding,
        charset_source=page.charset_source,
        title=page.title,
        flags=flags,
        links=page.links if links is None else links,
        analysis={**columns, **(analysis or {})},
    )
