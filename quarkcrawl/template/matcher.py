"""Pages as they come: match, extract, keep what is unknown, learn from it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.page.urls import host_key
from quarkcrawl.template.model import TemplateSet, extract_fields, read_templates, write_templates
from quarkcrawl.template.structure import sequence_of_page
from quarkcrawl.template.unknown import UnknownBuffer

if TYPE_CHECKING:
    from os import PathLike

    from quarkcrawl.page import Page
    from quarkcrawl.template.model import TemplateFields
    from quarkcrawl.template.unknown import BufferOptions


logger = logging.getLogger(__name__)


class TemplateMatcher:
    """Extracts fields with the templates of a file; with a buffer, adds new ones to it.

    Args:
        path: the template file; with a buffer it may be missing at first.
        unknown: file of the buffer; None: unknown pages are not kept.
        by_host: use only templates of a page's own host.
        options: when the buffer is full; None for the defaults.

    Raises:
        InputError: a file is damaged or, without a buffer, missing.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        unknown: str | PathLike[str] | None = None,
        *,
        by_host: bool = False,
        options: BufferOptions | None = None,
    ) -> None:
        self._path = Path(path)
        self._by_host = by_host
        self._buffer = UnknownBuffer(unknown, options) if unknown is not None else None
        is_new = self._buffer is not None and not self._path.exists()
        self.templates = TemplateSet() if is_new else read_templates(path)

    def match(self, page: Page) -> TemplateFields:
        """Match a page and read its fields.

        Args:
            page: any page; if it has no template, it goes to the buffer of unknown pages, if there
                is one.
        """
        host = host_key(page.url) if self._by_host else None
        page_fields = extract_fields(page, self.templates, host)
        if not page_fields.template and self._buffer is not None:
            sequence = sequence_of_page(page, self.templates.sequence).sequence
            self._buffer.add(page.url, sequence)
            if self._buffer.is_full:
                self._learn(self._buffer)
        return page_fields

    def _learn(self, buffer: UnknownBuffer) -> None:
        """New templates are in their file before their pages leave the buffer."""
        result = buffer.retrain(
            self.templates, save=lambda templates: write_templates(templates, self._path)
        )
        self.templates = result.templates
        logger.info(
            "%d new templates explain %d pages; %d wait, %d dropped",
            result.n_new, result.n_explained, result.n_waiting, result.n_dropped,
        )  # fmt: skip
