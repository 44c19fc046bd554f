"""Compiled loops: the same arrays, of the same types, as array operations give."""

from __future__ import annotations

import subprocess
import sys
from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.content.page_lines import PageLines
from quarkcrawl.page import Page, PageTree
from quarkcrawl.page import page as page_module
from quarkcrawl.page.text.chars import PUNCTUATION, STOP
from quarkcrawl.page.tree.parse import Events
from quarkcrawl.page.tree.tree import MAX_DEPTH
from quarkcrawl.segment import QuarkRecognizer, Segmentation, SegmentOptions, as_page
from quarkcrawl.segment.quark import recognizer
from tests.page.samples import real_pages
from tests.profiles import examples
from tests.segment.quark.test_recognizer import OPTIONS
from tests.segment.samples import pages

TREE = (
    *("end", "depth", "parent", "run_start", "run_end", "run_node", "run_anchor", "run_raw"),
    *("hidden", "run_chars", "text_chars", "anchor_chars", "punctuation", "stops"),
)
BLOCKS = (
    *("root", "run_block", "node_block", "n_chars", "n_anchor_chars", "n_punctuation", "n_stops"),
    *("n_links", "n_images", "has_custom", "_run_chars_upto"),
)


@pytest.fixture(scope="module")
def in_loops() -> Any:
    """What cuts pages in compiled loops."""
    from quarkcrawl.segment.quark.kernels import recognize

    return recognize


def cut(page: Page, options: SegmentOptions, in_loops: Any = None) -> Segmentation:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recognizer, "_in_loops", in_loops)
        return QuarkRecognizer(options).recognize(page)


def facts(found: Segmentation) -> dict[str, Any]:
    """All that loops fill in, and what is read off it."""
    tree, n_runs = found.tree, len(found.tree.runs)
    chars, everything = tree.run_class, np.ones(n_runs, np.bool_)
    order, edges = found._runs
    return {
        **{name: getattr(tree, name) for name in TREE},
        **{name: getattr(found, name) for name in BLOCKS},
        "classes": [chars.count(kind) for kind in (PUNCTUATION, STOP, PUNCTUATION | STOP)],
        "stops": chars.total(STOP),
        "order": order,
        "edges": edges,
        "texts": found.texts,
        "first": found.first_texts(range(len(found)), 7),
        "headings": found.first_lines(np.arange(len(found)), 7),
        "before": tree.inked_before(np.arange(n_runs)),
        "starts": chars.starts,
        "own": tree.texts(np.arange(len(tree))),
        "page": PageLines(tree).text,
        "page lines": PageLines(tree).lines,
        "lines": found.line_reader.lines(everything),
        "odd": found.line_reader.text(np.arange(n_runs) % 3 > 0),
    }


def check_same(page: str | bytes, options: SegmentOptions, in_loops: Any) -> None:
    expected = facts(cut(as_page(page), options))
    found = facts(cut(as_page(page), options, in_loops))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
        if isinstance(value, np.ndarray):
            assert found[name].dtype == value.dtype, name


@settings(max_examples=examples(200))
@example("", SegmentOptions())
@example("<div>甲<p>😀，乙。</div><div>丙\0丁", SegmentOptions())
@example("<div>" * (MAX_DEPTH - 3) + "甲", SegmentOptions())
@example("<div>" * (MAX_DEPTH + 9) + "甲</div>乙<p>丙", SegmentOptions())
@given(pages, OPTIONS)
def test_same_as_arrays(in_loops: Any, html: str, options: SegmentOptions) -> None:
    check_same(html, options, in_loops)


@given(st.binary(max_size=200))
def test_any_bytes(in_loops: Any, body: bytes) -> None:
    check_same(body, SegmentOptions(), in_loops)


@pytest.mark.full
@pytest.mark.shared
def test_real_pages(in_loops: Any) -> None:
    for _, body, _ in real_pages("cwced", "twevents", "magic_forum_zh", limit=40):
        check_same(body, SegmentOptions(), in_loops)


def test_hidden_runs_have_no_text(in_loops: Any) -> None:
    found = cut(as_page("<script>1</script><p>甲<style>2</style>乙"), SegmentOptions(), in_loops)
    every_run = np.arange(len(found.tree.runs))
    assert len(every_run) > 2
    assert found.line_reader.text_of(every_run) == "甲乙"
    assert found.tree.folding is not None
    assert found.tree.folding.texts(every_run[:1], np.array([0, 1])) == [""]


def test_deep_pages_are_left_to_arrays(in_loops: Any) -> None:
    """The parser nests no deeper than that; a tree of other origin may."""
    n, events = MAX_DEPTH + 9, Events()
    events.tags, events.attrs, events.runs = ["html", *["div"] * n], [()] * (n + 1), ["甲"]
    events.marks = array("i", [0] * (n + 1) + [~1] * (n + 1))
    page = as_page("")
    page._tree = PageTree(events)
    assert in_loops(page, np.zeros(n + 1, np.bool_), SegmentOptions()) is None
    assert cut(page, SegmentOptions(), in_loops)[0].text == "甲"


def test_loaded_only_when_asked_for() -> None:
    code = (
        "import sys; from quarkcrawl.segment import segment, use_compiled_loops;"
        "before = [block.text for block in segment('<h1>天网</h1><p>北京大学')];"
        "assert 'numba' not in sys.modules; use_compiled_loops(); assert 'numba' in sys.modules;"
        "assert [block.text for block in segment('<h1>天网</h1><p>北京大学')] == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@settings(max_examples=examples(100))
@example("<a href=/1>甲<script>1</script> <b>乙\n丙</b></a><a href=/2><a href=/3> </a>")
@example("<a href=/1>甲\0乙</a>")
@given(pages)
def test_links_of_a_prepared_page(html: str) -> None:
    from quarkcrawl.segment.quark.kernels import prepare

    expected = list(as_page(html, "http://a.cn/").links)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "_prepare", prepare)
        assert list(as_page(html, "http://a.cn/").links) == expected
