"""The stages that a worker runs: what a page becomes, as columns of its row."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarkcrawl.classify import Classifier
from quarkcrawl.content import (
    BlockTable,
    block_columns,
    box_columns,
    content_columns,
    extract,
    plain_content,
)
from quarkcrawl.dedup import fingerprint
from quarkcrawl.errors import QuarkError
from quarkcrawl.page import PdfPage, UnparsedPage
from quarkcrawl.segment import segmentation_of
from quarkcrawl.template import TemplateMatcher
from quarkcrawl.template.site import corrected, without_repeated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page import Page


def segmentation(page: Page, _columns: Mapping[str, Any], *, spans: bool = False) -> dict[str, Any]:
    """``blocks`` and ``link_blocks``; of a rendered page ``block_boxes``, too.

    Args:
        page: parsed or rendered.
        spans: also where blocks stand in the body.
    """
    cut = segmentation_of(page)
    # A rendered page is not what lies in page.dat: nothing of it has a place there.
    if page.layout is not None:
        return block_columns(cut) | box_columns(cut)
    return block_columns(cut, spans=spans)


def content(
    page: Page,
    columns: Mapping[str, Any],
    *,
    method: str = "default",
    spans: bool = False,
    items: bool = False,
    metadata: bool = True,
    repeated: str = "",
    taught: str = "",
) -> dict[str, Any]:
    """The columns of the content, and their kinds for the blocks that the stage before has cut.

    Args:
        page: the page; one that was not parsed is plain text or PDF. A PDF file without text has
            no content; why, its flag says.
        columns: what the stages before have added.
        method: how content is told from the rest, see `quarkcrawl.content.METHODS`.
        spans: also where the content stands in the body.
        items: also paragraphs, data tables and pictures in order.
        metadata: also headline, date, source, author, language and name of the site.
        repeated: what the host repeats (`quarkcrawl.template.site`) and is to be taken out; then
            ``repeated_chars`` says how much that was.
        taught: what people taught about the host (`quarkcrawl.template.site.SiteRules`), which has
            the last word; then ``taught_chars`` says how many characters it put in and took out.

    Raises:
        QuarkError: the method failed on this page.
    """
    is_plain = isinstance(page, UnparsedPage)
    result = plain_content(page) if is_plain else extract(page, method=method)
    if isinstance(page, PdfPage):
        spans = items = False
        if result.failure is not None:
            return {}
    if result.failure is not None:
        raise QuarkError(result.failure)
    result, n_taken = without_repeated(result, repeated)
    result, n_added, n_removed, _ = corrected(result, taught)
    spans = spans and page.layout is None
    added = content_columns(result, spans=spans, items=items, metadata=metadata)
    if repeated:
        added["repeated_chars"] = n_taken
    if taught:
        added["taught_chars"] = n_added + n_removed
    if "blocks" in columns and not isinstance(page, PdfPage):
        added["blocks"] = BlockTable(result.segmentation, spans=spans)
    return added


def template(page: Page, _columns: Mapping[str, Any], *, file: str) -> dict[str, Any]:
    """``template``, ``template_similarity`` and ``template_fields``.

    Args:
        page: the page; plain text has no template.
        file: the templates.
    """
    if isinstance(page, UnparsedPage):
        return {}
    return _matcher(file).match(page).columns()


@cache
def _matcher(file: str) -> TemplateMatcher:
    return TemplateMatcher(file, None)


def page_class(page: Page, _columns: Mapping[str, Any], *, file: str) -> dict[str, Any]:
    """``page_class`` and ``class_probability``, unless the model knows no word of the page.

    Args:
        page: parsed or not.
        file: the model.
    """
    prediction = _classifier(file).classify(page)
    if not prediction.name:
        return {}
    return {
        "page_class": prediction.name,
        "class_probability": round(prediction.probability, 4),
    }


@cache
def _classifier(file: str) -> Classifier:
    return Classifier.load(Path(file))


def near(_page: Page, columns: Mapping[str, Any]) -> dict[str, Any]:
    """``simhash`` and ``feature_codes`` of the content that an earlier stage has found.

    Args:
        columns: what the stages before have added.
    """
    text = columns.get("content_text")
    if not isinstance(text, str) or not text:
        return {}
    sketch = fingerprint(text)
    return {"simhash": sketch.simhash, "feature_codes": list(sketch.feature_codes)}
