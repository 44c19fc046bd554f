"""Markup made to hurt: what is asked of a content must cost as much as the page is long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quarkcrawl as qc
from quarkcrawl.content.items.noise import _meaning
from quarkcrawl.content.lines.names import NameReader
from quarkcrawl.content.lines.scoring import CLASS_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

ARTICLE = "<p>这是一段说明，用来撑起页面的主题。</p>" * 5

CASES: dict[str, Callable[[int], str]] = {
    "nested preformatted text": lambda n: "<pre>a" * n,
    "pictures of one picture": lambda n: f"<article>{ARTICLE}<picture>{'<img>' * n}",
    "nested headings": lambda n: "<title>天</title>" + "<h1>天<div>x" * (n // 2),
    "nested tables": lambda n: "<table><tr><td>a" * (n // 3),
    "lists in definitions": lambda n: "<dl><dt>a<dd>b" * (n // 3),
    "stray items": lambda n: "<blockquote><li>天网" * (n // 2),
}


def work(html: str, method: str) -> float:
    """CPU seconds for all that a content can be asked for."""
    started = time.process_time()
    content = qc.extract(html, "http://a.cn/", method)
    assert content.failure is None
    _ = content.text, content.metadata, content.blocks, content.items
    _ = content.markdown, content.structure, content.topic_probability
    return time.process_time() - started


@pytest.mark.full
@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("method", ["default", "rules"])
@pytest.mark.parametrize("name", CASES)
def test_cost_grows_linearly(name: str, method: str) -> None:
    """Eight times the size may cost at most 24 times (a square would be 64), plus noise."""
    work(CASES[name](500), method)
    small = min(work(CASES[name](1_500), method) for _ in range(2))
    large = min(work(CASES[name](12_000), method) for _ in range(2))
    assert large <= 24 * small + 0.25


def test_attributes_that_carry_pictures_are_not_kept_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quarkcrawl.content.lines.names._MAX_KNOWN_CHARS", 10_000, raising=False)
    reader = NameReader(np.zeros(2 << CLASS_BITS, np.float32))
    rows = []
    for n in range(50):
        table, places = reader.rows([(("class", "nav"), ("style", f"{n} {'x' * 1_000}"))])
        rows.append(table[places].tolist())
    assert all(row == rows[0] for row in rows)
    assert sum(len(value or "") for attrs in reader._memory.rows for _, value in attrs) < 12_000


def test_names_of_blocks_are_kept_without_their_other_attributes() -> None:
    _meaning.cache_clear()
    for number in range(5):
        style = f"background:url({number}{'A' * 1_000})"
        qc.topic_items(f"{ARTICLE}<div class=comment style='{style}'>天网，搜索引擎。</div>")
    assert _meaning.cache_info().currsize == 1
