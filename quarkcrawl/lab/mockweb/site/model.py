"""The generator's model: what a URL of the simulated web is, before it becomes HTML or HTTP.

Both the server and the truth are computed from these records: the server renders them, the
truth walks over their anchors and never sees the HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.web import Fault, Headers


PageKind = Literal["home", "list", "topic", "info"]
Role = Literal["nav", "list", "related", "text", "pager", "footer", "friend", "service"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link.

    Args:
        url: absolute URL that a crawler should derive; "" for javascript:, mailto: and the like.
        text: anchor text.
        role: place on the page.
        href: attribute value as written; "" means the template's usual root-relative form.
        nofollow: written with rel="nofollow".
    """

    url: str
    text: str
    role: Role = "nav"
    href: str = ""
    nofollow: bool = False

    def written(self, origin: str) -> str:
        """The attribute value on a page of the site with this origin."""
        if self.href:
            return self.href
        if self.url.startswith(origin) and self.url[len(origin) :].startswith("/"):
            return self.url[len(origin) :]
        return self.url


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of main content.

    Args:
        kind: paragraph, picture (``text`` is its caption) or table (``rows``).
        text: plain text.
        rows: cells of a table.
        anchor: a link inside a paragraph; its text occurs in ``text``.
    """

    kind: Literal["paragraph", "picture", "table"]
    text: str
    rows: tuple[tuple[str, ...], ...] = ()
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """One contribution to a forum thread."""

    author: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Intrusion:
    """Markup and a title that somebody else than the author of a page put into it.

    Args:
        title: text of the title element, "" for the author's.
        head: markup at the end of the head.
        lead: markup at the start of the body.
        tail: markup at its end.
    """

    title: str = ""
    head: str = ""
    lead: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A page of the web, as its author thinks of it.

    Args:
        url: canonical URL.
        kind: home, list, topic or info.
        template: label of the template that made it, unique to site and template.
        title: headline.
        site_name: name of the site, part of the title element.
        column: title of the column.
        date: date of publication as written on the page, "" if there is none.
        source: where it was taken from.
        author: who wrote it.
        items: main content of a topic page.
        posts: contributions, on forum pages.
        nav, entries, related, pager, friends, services, footer: links by their place.
        base: value of a base element.
        robots_meta: value of a robots meta element.
        notice: a sentence of its own, on info and special pages.
        padding: number of characters of filler (oversize pages).
        spam: kind of spam that the page is, "" for a good one.
        intrusion: what others put into it.
    """

    url: str
    kind: PageKind
    template: str
    title: str
    site_name: str
    column: str = ""
    date: str = ""
    source: str = ""
    author: str = ""
    items: tuple[Item, ...] = ()
    posts: tuple[Post, ...] = ()
    nav: tuple[Anchor, ...] = ()
    entries: tuple[Anchor, ...] = ()
    related: tuple[Anchor, ...] = ()
    pager: tuple[Anchor, ...] = ()
    friends: tuple[Anchor, ...] = ()
    services: tuple[Anchor, ...] = ()
    footer: tuple[Anchor, ...] = ()
    base: str = ""
    robots_meta: str = ""
    notice: str = ""
    padding: int = 0
    spam: str = ""
    intrusion: Intrusion = Intrusion()

    def anchors(self) -> list[Anchor]:
        """All links of the page, those inside paragraphs included."""
        inside = [item.anchor for item in self.items if item.anchor is not None]
        groups = (self.nav, self.entries, self.related, self.pager, self.services)
        outside = [anchor for group in groups for anchor in group]
        return [*outside, *inside, *self.friends, *self.footer]

    def main_text(self) -> str:
        """The content a reader came for, one paragraph, caption, table row or post a line."""
        lines: list[str] = [self.notice] if self.notice else []
        for item in self.items:
            lines += [" ".join(row) for row in item.rows] if item.rows else [item.text]
        lines += [post.text for post in self.posts]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Resource:
    """What a URL answers, and how a crawl of it must end.

    Args:
        fate: ``stored``, or the reason code with which a crawl ends it.
        document: the page, if it is one.
        plain: text of a text/plain page.
        body: body of anything else.
        status: HTTP status.
        headers: extra header fields; Location is made from ``location``.
        content_type: media type, "" for the site's HTML.
        location: Location header as written.
        target: absolute URL that a redirect leads to.
        delay_s, drip_s, fault, chunked: see `quarkcrawl.lab.mockweb.MockReply`.
        before: what the first visit gets instead.
        trap: one of endlessly many; a crawl may store or refuse it.
        twin: key of the body that several URLs share; "" means its own URL.
    """

    fate: str = "stored"
    document: Document | None = None
    plain: str = ""
    body: bytes = b""
    status: int = 200
    headers: Headers = ()
    content_type: str = ""
    location: str = ""
    target: str = ""
    delay_s: float = 0.0
    drip_s: float = 0.0
    fault: Fault | None = None
    chunked: bool = False
    before: Resource | None = field(default=None)
    trap: bool = False
    twin: str = ""

    def at(self, visit: int) -> Resource:
        """What this visit gets."""
        return self.before if self.before is not None and visit <= 1 else self

    def after(self, before: Resource) -> Resource:
        """The same resource, failing as ``before`` on its first visit."""
        return replace(self, before=before)


def nowhere() -> Resource:
    """The answer for URLs that do not exist."""
    return Resource("http_404", status=404)
