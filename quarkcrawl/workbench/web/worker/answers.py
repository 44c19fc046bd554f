"""What the worker process answers about a page; everything that goes back is plain data."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content import METHOD_FILE_SUFFIX, METHODS, extract, method_name
from quarkcrawl.content.items import item_fields
from quarkcrawl.lab.evaluate import PEERS, peer_text
from quarkcrawl.page import Page
from quarkcrawl.workbench.report import KIND_FILLS, ROLE_FILLS, chars_by_kind
from quarkcrawl.workbench.web.worker.analyzed import analyzed
from quarkcrawl.workbench.web.worker.blockfacts import BlockFacts
from quarkcrawl.workbench.web.worker.differences import (
    code_likeness,
    compared,
    compared_texts,
    texts_compared,
)
from quarkcrawl.workbench.web.worker.frames import (
    content_frame,
    is_large,
    map_frame,
    neutral_frame,
    original_frame,
    part_count,
)
from quarkcrawl.workbench.web.worker.gold import (
    disagreements,
    exported,
    mark,
    proposal,
    score_marks,
)
from quarkcrawl.workbench.web.worker.hits import find_words
from quarkcrawl.workbench.web.worker.reading import read
from quarkcrawl.workbench.web.worker.taught import (
    rule_for_block,
    taught_changes,
    taught_difference,
    taught_effects,
)
from quarkcrawl.workbench.web.worker.templates import (
    cluster_fields,
    cluster_rows,
    label,
    match,
    template_frame,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.workbench.web.documents import DocumentSource


MOST_TEXT: Final = 100_000
MOST_ITEMS: Final = 300
MOST_SPANS: Final = 5_000
_STEP_OF_VIEW: Final = {
    "original": "tree",
    "map": "blocks",
    "neutral": "blocks",
    "content": "content",
}

_cold = [*METHODS]
"""Methods that this process has not used yet."""


def answer_page(question: tuple[str, DocumentSource | None, dict[str, Any]]) -> Any:
    """Answer a question about a page.

    Args:
        question: name of one of `ANSWERS`, the page, other values.
    """
    name, document, values = question
    if document is None:
        return ANSWERS[name](**values)
    return ANSWERS[name](document, **values)


def _warm() -> int:
    """Load dictionaries and models of one of `_cold` before somebody waits for them.

    Returns:
        How many are still to be loaded.
    """
    if not _cold:
        return 0
    text = "".join(
        f"<div><h2>天网{n}</h2><p>{'北京大学网络实验室。' * 20}</p></div>" for n in range(9)
    )
    content = extract(Page.from_html(f"<title>天网</title>{text}"), method=_cold.pop(0))
    BlockFacts(content).some(0, 2)
    _ = content.is_topic
    return len(_cold)


def _summary(document: DocumentSource, method: str, templates: str) -> dict[str, Any]:
    start = time.perf_counter()
    held = read(document, "content", method, templates)
    content = held.content(method, templates)
    kinds = content.segmentation.kinds
    blocks = dict.fromkeys(KIND_FILLS, 0)
    for kind in kinds:
        blocks[kind or "none"] += 1
    chars = {**dict.fromkeys((*KIND_FILLS, *ROLE_FILLS), 0), **chars_by_kind(content)}
    return {
        "id": document.id,
        "url": document.url,
        "is_stored": document.is_stored,
        "encoding": held.page.encoding,
        "body_bytes": len(held.page.body),
        "page_title": held.page.title,
        "title": content.title,
        "published": content.published,
        "source": content.source,
        "author": content.author,
        "site_name": content.site_name,
        "language": content.language,
        "page_type": content.page_type,
        "page_type_probability": content.page_type_probability,
        "method": method_name(method),
        "failure": content.failure or "",
        "is_topic": content.is_topic,
        "topic_probability": round(content.topic_probability, 4),
        "n_blocks": len(kinds),
        "n_nodes": len(held.page.tree),
        "chars": chars,
        "blocks": blocks,
        "is_large": is_large(held.page),
        "n_parts": part_count(held.page),
        "text_chars": len(content.text),
        "elapsed_s": round(time.perf_counter() - start, 4),
    }


def _text(document: DocumentSource, method: str, templates: str) -> dict[str, Any]:
    content = read(document, "content", method, templates).content(method, templates)
    related = [{"url": link.url, "text": link.text} for link in content.related_links[:200]]
    return {
        "text": content.text[:MOST_TEXT],
        "is_cut": len(content.text) > MOST_TEXT,
        "related_links": related,
    }


def _items(document: DocumentSource, method: str) -> dict[str, Any]:
    items = read(document, "content", method).content(method).items
    shown = [item_fields(item) for item in items[:MOST_ITEMS]]
    return {"items": shown, "n_items": len(items)}


def _blocks(
    document: DocumentSource, method: str, templates: str, start: int, count: int
) -> dict[str, Any]:
    facts = read(document, "facts", method, templates).facts(method, templates)
    return {"n_blocks": len(facts), "blocks": facts.some(start, count)}


def _source(
    document: DocumentSource, method: str, templates: str, start: int, count: int
) -> dict[str, Any]:
    """A window of the source with the places of the content in it."""
    held = read(document, "spans", method, templates)
    content, source = held.content(method, templates), held.page.html
    spans = [[span.start, span.end] for span in content.spans]
    inside = [[max(a, start), min(b, start + count)] for a, b in spans if b > start]
    inside = [pair for pair in inside if pair[0] < min(pair[1], start + count)]
    return {
        "n_chars": len(source),
        "start": start,
        "text": source[start : start + count],
        "spans": inside[:MOST_SPANS],
        "first_span": spans[0][0] if spans else -1,
        "n_spans": len(spans),
    }


def _compare(document: DocumentSource, first: str, second: str, templates: str) -> dict[str, Any]:
    if first in PEERS or second in PEERS:
        return compared_texts(
            *(_text_by(document, method, templates) for method in (first, second))
        )
    one, two = (
        read(document, "content", method, templates).content(method, templates)
        for method in (first, second)
    )
    return compared(one, two)


def _text_by(document: DocumentSource, method: str, templates: str) -> str:
    """What a method of ours or a peer takes for the text."""
    if method not in PEERS:
        return read(document, "content", method, templates).content(method, templates).text
    held = read(document, "content", "default", templates)
    return peer_text(method, held.page, held.content("default", templates).language)


def _frame(
    document: DocumentSource, view: str, method: str, templates: str, part: int, nonce: str
) -> Any:
    has_own_blocks = view == "map" and method.endswith(METHOD_FILE_SUFFIX)
    step = "content" if has_own_blocks else _STEP_OF_VIEW[view]
    held = read(document, step, method, templates)
    if view == "original":
        frame = original_frame(held.drawn)
    elif view == "map":
        frame = map_frame(held.blocks_by(method, templates), part, nonce)
    elif view == "neutral":
        frame = neutral_frame(held.segmentation, part, nonce)
    else:
        frame = content_frame(held.content(method, templates), part, nonce)
    return tuple(frame)


def _read(document: DocumentSource, method: str, templates: str, upto: str) -> None:
    read(document, upto, method, templates)


def _charset(document: DocumentSource) -> dict[str, Any]:
    """What header and page declare, and how many places could not be decoded."""
    decided = analyzed(document).page.charset
    return {"header": decided.header, "meta": decided.meta, "undecodable": decided.n_replaced}


def _block_count(document: DocumentSource) -> int:
    return len(read(document, "blocks").segmentation)


ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "warm": _warm,
    "read": _read,
    "summary": _summary,
    "text": _text,
    "items": _items,
    "block_count": _block_count,
    "charset": _charset,
    "blocks": _blocks,
    "source": _source,
    "compare": _compare,
    "frame": _frame,
    "find_words": find_words,
    "texts_compared": texts_compared,
    "code_likeness": code_likeness,
    "mark": mark,
    "proposal": proposal,
    "score": score_marks,
    "disagreements": disagreements,
    "exported": exported,
    "label": label,
    "match": match,
    "cluster_rows": cluster_rows,
    "cluster_fields": cluster_fields,
    "template_frame": template_frame,
    "rule_for_block": rule_for_block,
    "taught_changes": taught_changes,
    "taught_difference": taught_difference,
    "taught_effects": taught_effects,
}
"""Questions by name."""
