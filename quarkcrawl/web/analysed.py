"""Pages as the worker process keeps them: parsed once, extracted once by each method."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.content import extract
from quarkcrawl.errors import StoreError
from quarkcrawl.page import Page
from quarkcrawl.page.urls import host_key
from quarkcrawl.store import read_at, split_reply
from quarkcrawl.web.blockfacts import BlockFacts

if TYPE_CHECKING:
    from quarkcrawl.content import Content
    from quarkcrawl.template.templateset import TemplateSet
    from quarkcrawl.web.documents import Document

__all__ = ["Analysed", "analysed", "body_of", "template_set"]

_MOST_PAGES: Final = 12
_MOST_BYTES: Final = 64 << 20
_kept: OrderedDict[str, Analysed] = OrderedDict()
_templates: dict[str, tuple[int, TemplateSet]] = {}


class Analysed:
    """A page and what methods found on it.

    Args:
        document: where it is.
        page: the page.
    """

    def __init__(self, document: Document, page: Page) -> None:
        self.document = document
        self.page = page
        self._contents: dict[tuple[str, str, int], Content] = {}
        self._facts: dict[int, BlockFacts] = {}

    def content(self, method: str, templates: str = "") -> Content:
        """What a method finds.

        Args:
            method: its name.
            templates: file of templates, for the site model; "": the page alone.
        """
        found = template_set(templates) if templates else None
        key = method, templates, _templates[templates][0] if templates else 0
        if key not in self._contents:
            self._contents[key] = self._extracted(method, found)
        return self._contents[key]

    def facts(self, content: Content) -> BlockFacts:
        """Facts about the blocks, counted once.

        Args:
            content: one of this page's.
        """
        if id(content) not in self._facts:  # contents stay as long as this object
            self._facts[id(content)] = BlockFacts(content)
        return self._facts[id(content)]

    def _extracted(self, method: str, templates: TemplateSet | None) -> Content:
        if templates is None or not len(templates):
            return extract(self.page, method=method)
        from quarkcrawl.template import site_content  # noqa: PLC0415 - loads kernels

        host = host_key(self.page.url) or None
        return site_content(self.page, templates, method, host)


def template_set(path: str) -> TemplateSet:
    """Templates of a file, read again when it has changed.

    Raises:
        InputError: it cannot be read.
    """
    from quarkcrawl.template import TemplateSet, read_templates  # noqa: PLC0415

    file = Path(path)
    changed = file.stat().st_mtime_ns if file.exists() else 0
    if path not in _templates or _templates[path][0] != changed:
        _templates[path] = changed, read_templates(file) if changed else TemplateSet()
    return _templates[path][1]


def analysed(document: Document) -> Analysed:
    """The page of a document, parsed.

    Raises:
        StoreError: it cannot be read.
    """
    if document.id not in _kept:
        body, content_type = body_of(document)
        page = Page.from_bytes(body, document.url, content_type)
        _kept[document.id] = Analysed(document, page)
    _kept.move_to_end(document.id)
    while len(_kept) > 1 and (
        len(_kept) > _MOST_PAGES or sum(len(one.page.body) for one in _kept.values()) > _MOST_BYTES
    ):
        _kept.popitem(last=False)
    return _kept[document.id]


def body_of(document: Document) -> tuple[bytes, str | None]:
    """Bytes of a page and the Content-Type that it came with.

    Raises:
        StoreError: they cannot be read.
    """
    if document.is_stored:
        record = read_at(Path(document.path), document.offset, document.length)
        reply = split_reply(record.data)
        return reply.body, reply.get("content-type")
    try:
        return Path(document.path).read_bytes(), document.content_type or None
    except OSError as error:
        raise StoreError(f"the page is gone ({error.strerror})", where=document.id) from error
