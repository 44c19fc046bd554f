"""Rules of sites, in the worker process: proposed for a block, tried on pages, nothing kept."""

from __future__ import annotations

import time
import unicodedata
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.errors import StoreError
from quarkcrawl.lab.evaluate import comparable
from quarkcrawl.page import Page, PdfPage, UnparsedPage
from quarkcrawl.segment import shortened
from quarkcrawl.template.site import corrected, proposed_rule, rule_effects
from quarkcrawl.workbench.report import COMMON, align, stretches
from quarkcrawl.workbench.web.worker.analyzed import analyzed, body_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.content import Content
    from quarkcrawl.template.site import RuleKind
    from quarkcrawl.workbench.web.documents import DocumentSource


MOST_TEXT: Final = 20_000
"""Longer contents are cut before they are shown beside each other."""

_TITLE_CHARS: Final = 120
_MOST_LINES: Final = 6
_LINE_CHARS: Final = 160


def rule_for_block(
    document: DocumentSource,
    others: Sequence[DocumentSource],
    method: str,
    block: int,
    kind: RuleKind,
    host: str,
) -> dict[str, Any]:
    """The rule that is proposed for a block of a page.

    Args:
        document: the page.
        others: some other pages of the site, which tell what it has everywhere.
        method: name of the method whose content is corrected.
        block: number of the block.
        kind: what it is.
        host: the site.

    Raises:
        InputError: there is no such block, or it has no text.
    """
    content = analyzed(document).content(method)
    some = [extract(page, method=method) for page in _pages(others)]
    some = [other for other in some if other.failure is None]
    rule = proposed_rule(content, block, kind, some, host=host)
    return {"select": rule.select, "own": rule.own, "page_only": rule.page_only}


def _pages(documents: Sequence[DocumentSource]) -> Iterator[Page]:
    """Those that can be read and have a tree."""
    for document in documents:
        try:
            body, content_type = body_of(document)
        except StoreError:
            continue
        page = Page.from_bytes(body, document.url, content_type)
        if document.is_markup and not isinstance(page, UnparsedPage):
            yield page


def taught_changes(
    documents: Sequence[DocumentSource], method: str, before: str, after: str, limit_s: float
) -> list[dict[str, Any]]:
    """What changes on some pages when their site gets other rules; as many as the time allows.

    Args:
        documents: the pages.
        method: name of the extraction method.
        before: rules that hold now, see `quarkcrawl.template.site.SiteRules.of`.
        after: those that would hold then.
        limit_s: begin no other page after so long.

    Returns:
        One row a page, for one at least.
    """
    start = time.perf_counter()
    rows: list[dict[str, Any]] = []
    for document in documents:
        if rows and time.perf_counter() - start > limit_s:
            break
        rows.append(_change(document, method, before, after))
    return rows


def taught_effects(document: DocumentSource, method: str, taught: str) -> dict[str, Any]:
    """What each rule of its site decides on a page.

    Args:
        document: the page.
        method: name of the extraction method.
        taught: the rules, see `quarkcrawl.template.site.SiteRules.of`.

    Raises:
        StoreError: the page cannot be read.
    """
    content = _content(document, method)
    if content is None:
        return {"effects": [], "is_kept": False}
    is_kept = corrected(content, taught).is_kept
    return {"effects": rule_effects(content, taught), "is_kept": is_kept}


def _change(document: DocumentSource, method: str, before: str, after: str) -> dict[str, Any]:
    row = {"id": document.id, "url": document.url, "state": "same", "before": 0, "added": 0}
    row |= {"removed": 0, "title": "", "gone": [], "come": []}
    try:
        content = _content(document, method)
    except StoreError:
        return row | {"state": "unreadable"}
    if content is None:
        return row
    old, new = corrected(content, before), corrected(content, after)
    tree = content.page.tree
    row["before"] = int(tree.run_chars[old.content.runs & ~tree.run_raw].sum())
    if new.is_kept and not old.is_kept:
        row["state"] = "kept"
    was, now = old.content.runs & ~tree.run_raw, new.content.runs & ~tree.run_raw
    removed, added = (int(tree.run_chars[mask].sum()) for mask in (was & ~now, now & ~was))
    if not removed and not added:
        return row
    gone, come = _lines(old.content.text, new.content.text)
    return row | {
        "state": "changed",
        "title": shortened(content.title or content.page.title, _TITLE_CHARS),
        "removed": removed,
        "added": added,
        "gone": gone,
        "come": come,
    }


def _content(document: DocumentSource, method: str) -> Content | None:
    """What the method finds, None on a page without markup."""
    body, content_type = body_of(document)
    page = Page.from_bytes(body, document.url, content_type)
    if not document.is_markup or isinstance(page, PdfPage):
        return None
    return extract(page, method=method)


def _lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The first lines that only one of two texts has."""
    left, right = old.split("\n"), new.split("\n")
    have, had = set(right), set(left)
    gone = [shortened(line, _LINE_CHARS) for line in left if line not in have][:_MOST_LINES]
    come = [shortened(line, _LINE_CHARS) for line in right if line not in had][:_MOST_LINES]
    return gone, come


def taught_difference(
    document: DocumentSource, method: str, before: str, after: str
) -> dict[str, Any]:
    """The content of a page before and after, as stretches of what both have and what one has.

    Args:
        document: the page.
        method: name of the extraction method.
        before: rules that hold now.
        after: those that would hold then.
    """
    content = _content(document, method)
    if content is None:
        return {"before": [], "after": [], "is_cut": False}
    texts = [corrected(content, taught).content.text for taught in (before, after)]
    left, right = (text[:MOST_TEXT] for text in texts)
    alignment = align(comparable(left), comparable(right))
    sides = (("before", left, alignment.left, "gone"), ("after", right, alignment.right, "come"))
    difference: dict[str, Any] = {
        side: stretches(unicodedata.normalize("NFKC", text), np.where(is_common, COMMON, other))
        for side, text, is_common, other in sides
    }
    return difference | {"is_cut": max(map(len, texts)) > MOST_TEXT}
