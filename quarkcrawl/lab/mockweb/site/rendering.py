"""From a resource of the model to an HTTP reply: markup, charset, declarations, codings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quarkcrawl.lab.mockweb.dice import number
from quarkcrawl.lab.mockweb.site.markup import Skin, body_bytes, html_of
from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL
from quarkcrawl.lab.mockweb.web import Ask, Coding, Headers, MockReply, not_found

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.hosts import Declaration
    from quarkcrawl.lab.mockweb.site.model import Resource


_CODINGS = (Coding.GZIP, Coding.GZIP, Coding.DEFLATE, Coding.BROTLI, Coding.RAW_DEFLATE, None)


@dataclass(frozen=True, slots=True)
class Dress:
    """How a host presents its resources.

    Args:
        markup: style of its HTML.
        variant: variant of its templates.
        declaration: true charset and what is said about it.
        hostile: vary content codings and chunked transfer.
    """

    markup: Literal["table", "div", "html5"]
    variant: int
    declaration: Declaration
    hostile: bool

    def skin(self, origin: str) -> Skin:
        """The skin of pages under a name of the host."""
        true = self.declaration
        return Skin(self.markup, self.variant, origin, true.charset, true.meta, true.is_traditional)


def body_of(resource: Resource, ask: Ask, dress: Dress) -> bytes:
    """The entity of a resource."""
    skin = dress.skin(f"{ask.scheme}://{ask.host}")
    if resource.document is not None:
        return body_bytes(html_of(resource.document, skin), skin)
    if resource.plain:
        plain = resource.plain.translate(TO_TRADITIONAL) if skin.is_traditional else resource.plain
        return plain.encode(skin.charset)
    if resource.status >= 400 and not resource.body:
        return not_found().body
    return resource.body


def to_reply(resource: Resource, ask: Ask, dress: Dress) -> MockReply:
    """The reply to one request for a resource."""
    lot = number("lot", ask.host, ask.target) if dress.hostile else 0
    is_text = resource.document is not None or bool(resource.plain)
    return MockReply(
        resource.status,
        _headers(resource, dress),
        body_of(resource, ask, dress),
        delay_s=resource.delay_s,
        drip_s=resource.drip_s,
        fault=resource.fault,
        chunked=resource.chunked or (dress.hostile and lot % 5 == 0),
        coding=_CODINGS[lot // 8 % len(_CODINGS)] if is_text else None,
    )


def _headers(resource: Resource, dress: Dress) -> Headers:
    headers = list(resource.headers)
    if resource.location:
        headers.append(("Location", resource.location))
    content_type = resource.content_type or "text/html"
    declared = dress.declaration.header
    if declared and (resource.document is not None or resource.plain):
        content_type += f"; charset={declared}"
    elif resource.status >= 400:
        content_type = "text/html; charset=utf-8"
    headers.append(("Content-Type", content_type))
    return tuple(headers)
