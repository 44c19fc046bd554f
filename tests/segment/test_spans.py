"""Where blocks stand: each span holds its runs, only them, and so do its bytes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import QuarkRecognizer, Segmentation, Span
from tests.page.samples import SIMPLIFIED, encode, real_pages
from tests.profiles import examples
from tests.segment.samples import pages


def cut(page: Page) -> Segmentation:
    return QuarkRecognizer().recognize(page)


def text_in(gap: str) -> str:
    """Text between tags, shown or hidden, without white space."""
    return "".join("".join(PageTree.parse(f"<body><div>{gap}").runs).split())


def check_spans(page: Page) -> tuple[int, int]:
    """Verify the spans of all blocks; (visible runs, those in no span)."""
    found = cut(page)
    tree, spans = page.tree, page.spans
    owner = np.full(len(page.html) + 1, -1)
    n_lost = 0
    for block in found:
        runs = [r for r in found.runs_of(block.number).tolist() if tree.run_chars[r]]
        located = sorted((r for r in runs if spans.start[r] >= 0), key=lambda r: spans.start[r])
        assert block.n_unlocated_runs == len(runs) - len(located)
        n_lost += block.n_unlocated_runs
        ends = 0
        for span in block.spans:
            assert ends <= span.start < span.end
            ends = span.end
            check_bytes(page, span)
            inside = [r for r in located if span.start <= spans.start[r] < span.end]
            assert inside
            assert spans.end[inside[-1]] == span.end
            for before, after in pairwise(inside):
                assert not text_in(page.html[spans.end[before] : spans.start[after]])
            located = located[len(inside) :]
            assert (owner[span.start : span.end] == -1).all(), "two blocks at one place"
            owner[span.start : span.end] = block.number
        assert not located
    return int(found.n_runs.sum()), n_lost


def check_bytes(page: Page, span: Span) -> None:
    if span.byte_start >= 0 and page.encoding != "hz":
        data = page.body[span.byte_start : span.byte_end]
        assert data.decode(page.charset.codec, "replace") == page.html[span.start : span.end]


@settings(max_examples=examples(80))
@given(pages)
def test_generated_pages(html: str) -> None:
    check_spans(Page.from_html(html))


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "hz"])
def test_encodings(encoding: str) -> None:
    html = f"<table><tr><td>{SIMPLIFIED}<b>粗</b><td><a href=/>{SIMPLIFIED}</a></table>&copy;"
    page = Page.from_bytes(encode(html, encoding))
    assert check_spans(page) == (4, 0)
    assert all(span.byte_start >= 0 for block in cut(page) for span in block.spans)


@pytest.mark.full
@pytest.mark.shared
def test_real_pages() -> None:
    n_runs = n_lost = 0
    for _, body, _ in real_pages("cwced", "magic_article_zh", "twevents", "magic_forum_zh"):
        runs, lost = check_spans(Page.from_bytes(body))
        n_runs += runs
        n_lost += lost
    assert n_runs > 10_000
    assert n_lost <= 0.001 * n_runs


def spans_of(html: str) -> list[list[str]]:
    page = Page.from_html(html)
    return [[page.html[span.start : span.end] for span in block.spans] for block in cut(page)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>甲</p> <!-- x --> <p class='a'>乙</p>", [["甲</p> <!-- x --> <p class='a'>乙"]]),
        ("<p>甲</p>&nbsp;　<p>乙", [["甲</p>&nbsp;　<p>乙"]]),
        ("甲<h1>题</h1>乙", [["甲", "乙"], ["题"]]),
        ("甲<script>x</script>乙", [["甲", "乙"]]),
        ("甲<script><!--x--></script>乙", [["甲", "乙"]]),
        ("甲<script src=x></script >乙", [["甲<script src=x></script >乙"]]),
        ("甲<h1>题</h1><h2>副</h2>乙<b>丙", [["甲", "乙<b>丙"], ["题"], ["副"]]),
        ("甲<b title='1>2'>乙", [["甲", "乙"]]),  # not told to be markup only: not joined
    ],
)
def test_what_is_joined(html: str, expected: list[list[str]]) -> None:
    assert spans_of(html) == expected


def test_a_run_that_cannot_be_located() -> None:
    """Text in two pieces of source with another's text between them is one run of the tree."""
    page = Page.from_html("<table>甲<tr><td><h1>题</h1></td></tr>乙</table>")
    found = cut(page)
    lost = [run for run in np.flatnonzero(page.tree.run_chars) if page.spans.start[run] < 0]
    assert sum(block.n_unlocated_runs for block in found) == len(lost)
    check_spans(page)
