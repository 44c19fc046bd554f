"""Pages as the worker process keeps them: parsed once, extracted once by each method."""

from __future__ import annotations

import html
from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.content import METHOD_FILE_SUFFIX, extract, method_named, plain_content
from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.page import Page, UnparsedPage
from quarkcrawl.page.urls import host_key
from quarkcrawl.segment import segmentation_of
from quarkcrawl.store import Corpus, bucket, read_at, split_reply
from quarkcrawl.template import TemplateSet, read_templates, site_content
from quarkcrawl.template.site import SiteRules, corrected, read_rules
from quarkcrawl.workbench.web.worker.blockfacts import BlockFacts

if TYPE_CHECKING:
    from quarkcrawl.content import Content
    from quarkcrawl.content.quark import AnalyzerOptions
    from quarkcrawl.segment import Segmentation
    from quarkcrawl.workbench.web.documents import DocumentSource


_MOST_PAGES: Final = 12
_MOST_BYTES: Final = 64 << 20
_kept: OrderedDict[str, Analyzed] = OrderedDict()
_templates: dict[str, tuple[int, TemplateSet]] = {}
_rules: dict[str, tuple[int, SiteRules]] = {}


class Analyzed:
    """A page and what methods found on it.

    Attributes:
        steps_done: steps of `quarkcrawl.workbench.web.worker.reading`, each with method and
        template file.
    """

    def __init__(self, document: DocumentSource, page: Page) -> None:
        self.document = document
        self.page = page
        self.steps_done: set[tuple[str, str, str]] = set()
        self._read: dict[tuple[str, str], _Reading] = {}

    @cached_property
    def seen(self) -> Page:
        """The page as a browser shows it: plain text, too, has a tree there."""
        if not isinstance(self.page, UnparsedPage):
            return self.page
        return Page.from_html(f"<pre>{html.escape(self.page.html)}</pre>", self.page.url)

    @cached_property
    def drawn(self) -> Page:
        """The page after its scripts and with its style sheets, if a browser of the crawl ran it.

        Raises:
            StoreError: the table of pages cannot be read.
        """
        text = _rendered_html(self.document) if self.document.rendered_in else None
        return self.seen if text is None else Page.from_html(text, self.page.url)

    @cached_property
    def segmentation(self) -> Segmentation:
        """The blocks; held here, since `segmentation_of` forgets what nobody holds."""
        return segmentation_of(self.page)

    def blocks_by(self, method: str, templates: str = "") -> Segmentation:
        """The blocks as a method cuts the page: one with options may cut it in its own way."""
        if method.endswith(METHOD_FILE_SUFFIX):
            return self.content(method, templates).segmentation
        return self.segmentation

    def content(self, method: str, templates: str = "") -> Content:
        """What a method finds.

        Args:
            method: its name.
            templates: file of templates, for the site model; "": the page alone.

        Raises:
            InputError: the template file cannot be read.
        """
        return self._reading(method, templates).content

    def facts(self, method: str, templates: str = "") -> BlockFacts:
        """Facts about the blocks as a method sees them, counted once; see `content`."""
        return self._reading(method, templates).facts

    def _reading(self, method: str, templates: str) -> _Reading:
        """Made anew when templates or rules of the site have changed; the old one is dropped."""
        all_templates = template_set(templates) if templates else None
        taught, version = "", (0, 0)
        if templates:
            taught = self._taught()
            version = _templates[templates][0], hash(taught)
        reading = self._read.get((method, templates))
        if reading is None or reading.version != version:
            content = corrected(self._extracted(method, all_templates), taught).content
            reading = _Reading(version, content, method_named(method).analyzer)
            self._read[method, templates] = reading
        return reading

    def _taught(self) -> str:
        """What people taught about the site.

        Raises:
            ConfigError: something in the file of rules is wrong.
        """
        path = self.document.rules_in
        file = Path(path) if path else None
        if file is None or not file.exists():
            return ""
        changed = file.stat().st_mtime_ns
        if path not in _rules or _rules[path][0] != changed:
            _rules[path] = changed, read_rules(file)
        return _rules[path][1].of(host_key(self.page.url))

    def _extracted(self, method: str, templates: TemplateSet | None) -> Content:
        if isinstance(self.page, UnparsedPage):
            return plain_content(self.page)
        if templates is None or not len(templates):
            return extract(self.page, method=method)
        host = host_key(self.page.url) or None
        return site_content(self.page, templates, method, host)


class _Reading:
    """What a method found, with templates and rules of some version of their files."""

    def __init__(
        self, version: tuple[int, int], content: Content, options: AnalyzerOptions | None
    ) -> None:
        self.version = version
        self.content = content
        self._options = options

    @cached_property
    def facts(self) -> BlockFacts:
        return BlockFacts(self.content, self._options)


def template_set(path: str) -> TemplateSet:
    """Templates of a file, read again when it has changed.

    Raises:
        InputError: it cannot be read.
    """
    file = Path(path)
    changed = file.stat().st_mtime_ns if file.exists() else 0
    if path not in _templates or _templates[path][0] != changed:
        _templates[path] = changed, read_templates(file) if changed else TemplateSet()
    return _templates[path][1]


def analyzed(document: DocumentSource) -> Analyzed:
    """The page of a document, parsed.

    Raises:
        StoreError: it cannot be read.
    """
    if document.id not in _kept:
        body, content_type = body_of(document)
        page = Page.from_bytes(body, document.url, content_type)
        # As in a crawl and in `extract CORPUS`; a PDF file is what it is.
        if not document.is_markup and not isinstance(page, UnparsedPage):
            page = UnparsedPage(page.body, page.charset, page.url)
        _kept[document.id] = Analyzed(document, page)
    _kept.move_to_end(document.id)
    while len(_kept) > 1 and (
        len(_kept) > _MOST_PAGES or sum(len(one.page.body) for one in _kept.values()) > _MOST_BYTES
    ):
        _kept.popitem(last=False)
    return _kept[document.id]


def body_of(document: DocumentSource) -> tuple[bytes, str | None]:
    """Bytes of a page and the Content-Type that it came with.

    Raises:
        StoreError: they cannot be read.
    """
    if document.is_stored:
        try:
            record = read_at(Path(document.path), document.offset, document.length)
        except DamagedRecordError:  # says where
            raise
        except StoreError as error:
            where = f"{document.path}@{document.offset}"
            raise StoreError(error.message, where=where) from error
        reply = split_reply(record.data)
        return reply.body, reply.content_type
    try:
        return Path(document.path).read_bytes(), document.content_type or None
    except OSError as error:
        raise StoreError(f"the page is gone ({error.strerror})", where=document.id) from error


def _rendered_html(document: DocumentSource) -> str | None:
    """What the table of pages has of a page that was run in a browser; None if that failed."""
    import pyarrow as pa  # noqa: PLC0415 - slow, and for pages that a browser ran only
    import pyarrow.dataset as ds  # noqa: PLC0415

    table = Corpus.open(document.rendered_in).table("page")
    is_page = (ds.field("url") == document.url) & (ds.field("offset") == document.offset)
    is_page &= ds.field("bucket") == bucket(host_key(document.url))
    try:
        texts = table.scanner(
            columns=["rendered_html"], filter=is_page, use_threads=False, cache_metadata=False
        ).to_table()["rendered_html"]
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"the table of pages: {error}", where=document.rendered_in) from error
    return next(iter(texts.to_pylist()), None)
