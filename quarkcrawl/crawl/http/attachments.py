"""Which replies are attachments that the crawl stores (setting ``attachments``)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quarkcrawl.crawl.http.replies import content_type_among
from quarkcrawl.errors import ConfigError
from quarkcrawl.page.pdf import PDF_TYPES, UNTOLD_TYPES, begins_as_pdf, has_pdf_library
from quarkcrawl.page.text import essence_of

if TYPE_CHECKING:
    from aiohttp import ClientResponse

    from quarkcrawl.config import CrawlConfig


class Attachments:
    """Tells by the head of a reply whether it may be one, and by its body whether it is.

    Args:
        config: the settings.

    Raises:
        ConfigError: a library is missing without which they cannot be read.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._wants_pdf = "pdf" in config.attachments
        if self._wants_pdf and not has_pdf_library():
            raise ConfigError("attachments=pdf needs pypdfium2: pip install 'quarkcrawl[pdf]'")

    def may_be(self, reply: ClientResponse) -> bool:
        """Whether a reply is an attachment by its head, or may be one.

        A file of no told type is asked for its first bytes only where its name ends in .pdf.
        """
        if not self._wants_pdf:
            return False
        mime = _mime(reply)
        return mime in PDF_TYPES or (mime in UNTOLD_TYPES and _is_named_pdf(reply))

    def max_bytes(self, reply: ClientResponse) -> int:
        """Where its body is cut."""
        config = self._config
        return config.max_attachment_bytes if self.may_be(reply) else config.max_body_bytes

    def is_other_file(self, reply: ClientResponse, body: bytes) -> bool:
        """Whether a reply that was read for its name's sake is no attachment."""
        mime = _mime(reply)
        if not self._wants_pdf or mime in self._config.mime_types:
            return False
        return mime in UNTOLD_TYPES and not begins_as_pdf(body)


def _mime(reply: ClientResponse) -> str:
    """The media type by which a reply is chosen; aiohttp's own has one where none is told."""
    return essence_of(content_type_among(reply))


def _is_named_pdf(reply: ClientResponse) -> bool:
    disposition = reply.content_disposition
    name = (disposition.filename if disposition is not None else None) or urlsplit(
        str(reply.url)
    ).path
    return name.lower().endswith(".pdf")
