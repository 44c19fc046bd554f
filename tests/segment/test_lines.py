"""Readable text: the same as the slow twin writes, and what a reader expects."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import LineReader, lines_of
from tests.page.samples import real_pages
from tests.profiles import examples
from tests.segment import oracle
from tests.segment.samples import pages


def lines(html: str) -> str:
    tree = PageTree.parse(html)
    return lines_of(tree, np.ones(len(tree.runs), np.bool_))


def check(tree: PageTree, share: float, seed: int) -> None:
    rnd = random.Random(seed)
    mask = np.array([rnd.random() < share for _ in tree.runs], np.bool_)
    chosen = set(np.flatnonzero(mask & ~tree.run_raw).tolist())
    assert lines_of(tree, mask) == oracle.lines(tree, chosen)


@pytest.mark.full
@settings(max_examples=examples(150))
@example("<div>a <template><br></template>b<template><p>c</template>d", 1.0, 0)
@given(pages, st.sampled_from([0.3, 0.8, 1.0]), st.integers(0, 99))
def test_as_written_slowly(html: str, share: float, seed: int) -> None:
    check(PageTree.parse(html), share, seed)


@pytest.mark.shared
def test_real_pages() -> None:
    for number, (_, body, _) in enumerate(real_pages("cwced", "magic_forum_zh", limit=12)):
        check(Page.from_bytes(body).tree, (1.0, 0.6)[number % 2], number)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("<title>题</title><script>x</script>", ""),
        ("甲<b>乙</b> 丙\n丁", "甲乙 丙 丁"),
        ("<p>甲</p> <p>　　乙", "甲\n乙"),
        ("甲<br><br>乙", "甲\n乙"),
        ("甲<br><script>x</script>乙", "甲\n乙"),
        ("<ul><li>甲<li>乙</ul>丙", "甲\n乙\n丙"),
        ("<table><tr><td>甲<td> <td>乙<tr><td>丙</table>", "甲\t乙\n丙"),
        ("<table><tr><td><p>甲<p>乙<td>丙</table>", "甲\n乙\n丙"),
        ("<pre>\n甲\n  乙 </pre>丙", "甲\n  乙\n丙"),
        ("<p>甲<hr>乙", "甲\n乙"),
        ("<pre>\n  甲\n\n乙</pre>", "  甲\n\n乙"),
        ("<p>甲<div> \u200b </div>乙", "甲\n乙"),
    ],
)
def test_lines(html: str, expected: str) -> None:
    assert lines(html) == expected


def test_a_break_beside_text_that_is_left_out() -> None:
    tree = PageTree.parse("<b>甲</b><p>乙</p><b>丙</b>")
    mask = np.array([run != "乙" for run in tree.runs], np.bool_)
    assert lines_of(tree, mask) == "甲\n丙"


def test_nothing_chosen() -> None:
    tree = PageTree.parse("<p>甲")
    assert LineReader(tree).text(np.zeros(1, np.bool_)) == ""
