"""What compiled loops say of blocks and lines is what counting one by one says."""

from __future__ import annotations

from itertools import dropwhile, groupby

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.content.page_lines import _BLANKS, PageLines
from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.tree.parse import Events
from quarkcrawl.page.tree.tree import MAX_DEPTH
from quarkcrawl.segment import LineReader, QuarkRecognizer, Segmentation, SegmentOptions, as_page
from tests.page.arrays import any_events
from tests.page.samples import real_pages
from tests.profiles import examples
from tests.segment import oracle
from tests.segment.quark.test_recognizer import OPTIONS
from tests.segment.samples import pages

Pieces = list[tuple[int, int, str]]


def pieces(tree: PageTree, chosen: list[int], *, keeps_space: bool = True) -> Pieces:
    """First run, row and text of each piece of a line among visible runs."""
    lines, found = tree.run_lines, []
    for _, group in groupby(chosen, lines.piece.__getitem__):
        runs = list(group)
        text = "".join(tree.runs[run] for run in runs)
        if not tree.run_chars[runs].any():
            text = ""
        elif keeps_space and lines.preformatted[runs[0]]:
            text = text.strip("\r\n").rstrip()
        else:
            text = " ".join(text.split())
        found.append((runs[0], int(lines.row[runs[0]]), text))
    return found


def written(found: Pieces) -> str:
    rows = groupby((piece for piece in found if piece[2]), lambda piece: piece[1])
    return "\n".join("\t".join(text for _, _, text in row) for _, row in rows)


def beginning(tree: PageTree, runs: list[int], n_chars: int) -> list[int]:
    """Runs up to so many visible characters."""
    n_before = np.append(0, tree.run_chars[runs].cumsum()).tolist()
    return [run for run, before in zip(runs, n_before, strict=False) if before < n_chars]


def check(found: Segmentation) -> None:
    tree, reader = found.tree, found.line_reader
    visible = (~tree.run_raw).nonzero()[0].tolist()
    own = [(found.run_block == number).nonzero()[0].tolist() for number in range(len(found))]
    assert [found.runs_of(number).tolist() for number in range(len(found))] == own
    for name, values in (
        ("n_chars", tree.run_chars),
        ("n_anchor_chars", tree.run_chars * tree.run_anchor),
        ("n_punctuation", tree.run_class.punctuation),
        ("n_stops", tree.run_class.stops),
        ("n_runs", tree.run_chars > 0),
    ):
        assert getattr(found, name).tolist() == [values[runs].sum() for runs in own], name
    number_of = {root: number for number, root in enumerate(found.root.tolist())}
    blocks = [number_of.get(0, -1)]
    for node in range(1, len(tree)):
        blocks.append(number_of.get(node, blocks[tree.parent[node]]))
    assert found.node_block.tolist() == blocks

    assert found.texts == [written(pieces(tree, runs)) for runs in own]
    firsts = [beginning(tree, runs, 7) for runs in own]
    expected = [pieces(tree, runs) for runs in firsts]
    assert found.first_texts(range(len(found)), 7) == list(map(written, expected))
    lines, starts = found.first_lines(np.arange(len(found)), 7)
    heads = [list(dropwhile(lambda run: not tree.run_chars[run], runs)) for runs in firsts]
    folded = [pieces(tree, runs, keeps_space=False) for runs in heads]
    assert lines == [written(found).partition("\n")[0] for found in folded]
    assert starts.tolist() == [runs[0] for runs in heads]

    whole = [text for _, _, text in pieces(tree, visible, keeps_space=False)]
    assert PageLines(tree).lines == [text for text in whole if text.strip(_BLANKS)]
    kept = [(run, text) for run, _, text in pieces(tree, visible) if text]
    assert reader.lines(np.ones(len(tree.runs), np.bool_)) == kept
    odd = [run for run in visible if run % 3]
    assert reader.text(np.arange(len(tree.runs)) % 3 > 0) == written(pieces(tree, odd))
    before = [
        max((other for other in range(run) if tree.run_chars[other]), default=-1)
        for run in range(min(len(tree.runs), 300))
    ]
    assert tree.inked_before(np.arange(len(before))).tolist() == before


def cut(page: Page | str | bytes, options: SegmentOptions | None = None) -> Segmentation:
    return QuarkRecognizer(options or SegmentOptions()).recognize(as_page(page))


@settings(max_examples=examples(200))
@example("", SegmentOptions())
@example("<div>甲<p>😀，乙。</div><div>丙\0丁", SegmentOptions())
@example("<div>" * (MAX_DEPTH - 3) + "甲", SegmentOptions())
@example("<div>" * (MAX_DEPTH + 9) + "甲</div>乙<p>丙", SegmentOptions())
@given(pages, OPTIONS)
def test_any_page(html: str, options: SegmentOptions) -> None:
    check(cut(html, options))


@given(st.binary(max_size=200))
def test_any_bytes(body: bytes) -> None:
    check(cut(body))


@settings(max_examples=examples(100), deadline=None)
@given(any_events)
def test_any_tree(events: Events) -> None:
    """The parser nests no deeper than the limit; a tree of other origin may."""
    page = as_page("")
    page._tree = PageTree(events)
    found = cut(page)
    check(found)
    inked = (found.run_block >= 0) & (page.tree.run_chars > 0)
    assert oracle.blocks(page.tree, SegmentOptions()) == [
        (root, (inked & (found.run_block == number)).nonzero()[0].tolist())
        for number, root in enumerate(found.root.tolist())
    ]


@pytest.mark.full
@pytest.mark.shared
def test_real_pages() -> None:
    for _, body, _ in real_pages("cwced", "twevents", "magic_forum_zh", limit=40):
        check(cut(body))


def test_hidden_runs_have_no_text() -> None:
    found = cut("<script>1</script><p>甲<style>2</style>乙")
    every_run = np.arange(len(found.tree.runs))
    assert len(every_run) > 2
    assert found.line_reader.text_of(every_run) == "甲乙"
    assert LineReader(found.tree).texts_of(every_run[:1], np.array([0, 1])) == [""]


@settings(max_examples=examples(100))
@example("<a href=/1>甲<script>1</script> <b>乙\n丙</b></a><a href=/2><a href=/3> </a>")
@example("<a href=/1>甲\0乙</a>")
@given(pages)
def test_texts_of_links(html: str) -> None:
    page = as_page(html, "http://a.cn/")
    for link in page.links:
        runs = range(page.tree.run_start[link.node], page.tree.run_end[link.node])
        shown = "".join(page.tree.runs[run] for run in runs if not page.tree.run_raw[run])
        assert link.text == (" ".join(shown.split()) if link.kind != "refresh" else "")
