"""The compiled walks find what array operations find, in trees of any origin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.page import PageTree
from quarkcrawl.page.text import PUNCTUATION, SPACE, STOP, char_class
from quarkcrawl.page.tree.parse import Events, parse_events
from quarkcrawl.page.tree.tree import MAX_DEPTH
from tests.page.arrays import ArrayTree, any_events
from tests.page.samples import markup, real_pages
from tests.profiles import examples


def check(events: Events) -> None:
    expected, tree = ArrayTree(events).facts(), PageTree(events)
    for name, value in expected.items():
        found: Any = getattr(tree if hasattr(tree, name) else tree.run_lines, name)
        np.testing.assert_array_equal(found, value, err_msg=name)
        assert found.dtype in {np.dtype(np.int32), np.dtype(np.bool_)}, name
    check_counts(tree)


def check_counts(tree: PageTree) -> None:
    """Characters one by one."""
    chars, shown = tree.run_class, (~tree.run_raw).nonzero()[0].tolist()
    assert chars.text == "".join(f"{tree.runs[run]}\0" for run in shown)
    assert chars.codes.tolist() == list(map(ord, chars.text))
    for run, text in enumerate(tree.visible_runs):
        start, end = chars.starts[run : run + 2].tolist()
        assert chars.text[start:end] == (f"{text}\0" if run in shown else "")
        kinds = [char_class(char) if char <= "\uffff" else 0 for char in text]
        assert chars.inked[run] == sum(not kind & SPACE for kind in kinds)
        assert chars.punctuation[run] == sum(kind & PUNCTUATION > 0 for kind in kinds)
        assert chars.stops[run] == sum(kind & STOP > 0 for kind in kinds)


@settings(max_examples=examples(200))
@given(any_events)
def test_any_tree(events: Events) -> None:
    check(events)


@settings(max_examples=examples(200))
@example("")
@example("<div>甲<p>😀，乙。</div><div>丙\0丁")
@example("甲<template>乙<pre>丙<br>丁</pre>戊</template>己")
@example("<div>" * (MAX_DEPTH - 3) + "甲")
@example("<div>" * (MAX_DEPTH + 9) + "甲</div>乙<p>丙")
@given(st.one_of(markup, st.text(max_size=200)))
def test_any_markup(html: str) -> None:
    check(parse_events(html))


@pytest.mark.full
@pytest.mark.shared
def test_real_pages() -> None:
    for _, body, _ in real_pages("cwced", "twevents", "magic_forum_zh", limit=40):
        check(parse_events(body.decode("utf-8", "replace")))
