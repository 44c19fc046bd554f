"""Extractions as XML and as JSON lines (thesis, sections 1.1.2 and 6.6)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quarkcrawl.template.model.fields import TemplateFields


_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def json_lines(extractions: Iterable[TemplateFields]) -> Iterator[str]:
    """One JSON object for each page, in order."""
    for number, page in enumerate(extractions, 1):
        record = {
            "id": number,
            "url": page.url,
            "template": page.template or None,
            "similarity": round(page.similarity, 4),
            "fields": {name: list(values) for name, values in page.fields.items()},
            "dynamic": [{"gap": part.gap, "text": part.text} for part in page.dynamic],
        }
        yield json.dumps(record, ensure_ascii=False)


def xml_lines(extractions: Iterable[TemplateFields]) -> Iterator[str]:
    """One XML document, line by line; a field with several values is repeated."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<documents>"
    for number, page in enumerate(extractions, 1):
        about = f'id="{number}" url={_attribute(page.url)} template={_attribute(page.template)}'
        yield f'<document {about} similarity="{page.similarity:.4f}">'
        for name, values in page.fields.items():
            yield from (f"<{name}>{_text(value)}</{name}>" for value in values)
        for part in page.dynamic:
            yield f'<dynamic gap="{part.gap}">{_text(part.text)}</dynamic>'
        yield "</document>"
    yield "</documents>"


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("", value))


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("", value))
