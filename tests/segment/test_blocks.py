"""Blocks and their counts, compared with counting one by one; blocks written as HTML again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from quarkcrawl.page import PageTree
from quarkcrawl.page.text.chars import PUNCTUATION, SPACE, STOP, char_class
from quarkcrawl.segment import (
    Block,
    QuarkRecognizer,
    Segmentation,
    SegmentOptions,
    TagClass,
    as_page,
    segment,
)
from tests.profiles import examples
from tests.segment import oracle
from tests.segment.samples import pages


def cut(html: str) -> Segmentation:
    return QuarkRecognizer(SegmentOptions(ripe_chars=20)).recognize(as_page(html))


@settings(max_examples=examples(60))
@given(pages)
def test_first_texts_begin_the_texts(html: str) -> None:
    found = cut(html)
    numbers = list(range(len(found)))[::2]
    for n_chars in (1, 5, 10_000):
        for number, text in zip(numbers, found.first_texts(numbers, n_chars), strict=True):
            whole = found.texts[number]
            assert whole.startswith(text.rstrip())
            n_shown = sum(not char_class(char) & SPACE for char in text)
            assert n_shown >= min(n_chars, int(found.n_chars[number]))


def inked(text: str) -> str:
    return "".join(char for char in text if not char_class(char) & SPACE)


@settings(max_examples=examples(60))
@given(pages)
def test_first_lines_begin_the_first_lines(html: str) -> None:
    found = cut(html)
    numbers = np.arange(len(found))
    for n_chars in (1, 5, 10_000):
        lines, firsts = found.first_lines(numbers, n_chars)
        seen = (
            np.flatnonzero((found.run_block == n) & (found.tree.run_chars > 0)) for n in numbers
        )
        assert firsts.tolist() == [int(runs[0]) for runs in seen]
        for whole, line in zip(found.texts, lines, strict=True):
            first = inked(whole.partition("\n")[0])
            assert inked(whole).startswith(inked(line))
            assert len(inked(line)) >= min(n_chars, len(first))
            if not found.tree.nodes("pre", "listing", "plaintext", "textarea", "xmp"):
                assert first.startswith(inked(line))


def test_cells_of_a_first_line() -> None:
    found = cut("<table><tr><td>to<b>p</b><td> a  b <tr><td>second</table>")
    assert found.first_lines(np.arange(1), 9)[0] == ["top\ta b"]


@settings(max_examples=examples(60))
@given(pages)
def test_block_of_each_link_holds_its_first_run(html: str) -> None:
    found = cut(html)
    tree = found.tree
    for link, block in zip(found.page.links, found.link_block.tolist(), strict=True):
        first, last = int(tree.run_start[link.node]), int(tree.run_end[link.node])
        assert block == (found.run_block[first] if first < last else -1)


def owners(found: Segmentation) -> list[int | None]:
    """Block of each node: that of the nearest root at or above it."""
    roots = found.root.tolist()
    parents = found.tree.parent.tolist()
    result: list[int | None] = []
    for node, parent in enumerate(parents):
        inherited = result[parent] if parent >= 0 else None
        result.append(roots.index(node) if node in roots else inherited)
    return result


@settings(max_examples=examples(60))
@given(pages)
def test_counts(html: str) -> None:
    found = cut(html)
    tree = found.tree
    owner, run_node = owners(found), tree.run_node.tolist()
    for number, block in enumerate(found):
        nodes = [node for node in range(len(tree)) if owner[node] == number]
        runs = [
            run
            for run in range(len(tree.runs))
            if owner[run_node[run]] == number and not tree.run_raw[run]
        ]
        assert found.runs_of(number).tolist() == runs
        text = "".join(tree.runs[run] for run in runs)
        anchors = "".join(tree.runs[run] for run in runs if tree.run_anchor[run])
        assert block.n_chars == oracle.visible_chars(text)
        assert block.n_anchor_chars == oracle.visible_chars(anchors)
        assert block.n_punctuation == sum(char_class(c) & PUNCTUATION != 0 for c in text)
        assert found.n_stops[number] == sum(char_class(c) & STOP != 0 for c in text)
        assert found.n_runs[number] == sum(oracle.visible_chars(tree.runs[r]) > 0 for r in runs)
        assert found.n_nodes[number] == len(nodes)
        assert block.n_links == sum(
            tree.tags[n] == "a" and tree.attr(n, "href") is not None for n in nodes
        )
        assert block.n_images == sum(tree.tags[node] == "img" for node in nodes)
        shown = [tree.tags[node] for node in nodes if not tree.hidden[node]]
        assert block.has_custom == bool({"h1", "h2", "title"} & set(shown))
        assert [found.node_block[node] for node in nodes] == [number] * len(nodes)
    assert len(found.n_links) == len(found)


def test_images_and_links() -> None:
    block = segment("<a href=/1>一</a><a name=x>二</a><a href=''><img src=1></a>")[0]
    assert (block.n_links, block.n_images, block.n_chars, block.n_anchor_chars) == (2, 1, 2, 2)


def letters(text: str) -> str:
    return "".join(char for char in text if oracle.visible_chars(char))


@settings(max_examples=examples(100))
@given(pages)
def test_markup_reads_as_the_block(html: str) -> None:
    found = cut(html)
    for block in found:
        tree = PageTree.parse(block.html)
        assert sorted(letters(tree.text())) == sorted(letters(block.text))
        assert not letters("".join(itertools.compress(tree.runs, tree.run_raw)))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            '<body><p class=a>"甲" &lt;<br><!-- x --><script>y</script><img src=\'a"b\' alt>乙',
            '<html><body><p class="a">"甲" &lt;<br><img src="a&quot;b" alt>乙</p></body></html>',
        ),
        (
            "<div>甲<h1 id=t>题</h1>乙</div>",
            "<html><body><div>甲乙</div></body></html>",
        ),
        ("<pre>\n\n甲</pre>", "<html><body><pre>\n\n甲</pre></body></html>"),
        ("<xmp><b></xmp>", "<html><body><pre>&lt;b&gt;</pre></body></html>"),
    ],
)
def test_markup(html: str, expected: str) -> None:
    block = next(block for block in segment(html) if block.tag == "html")
    assert block.html == expected


def test_sequence() -> None:
    found = cut("<h1>甲</h1><h2>乙</h2>丙")
    assert isinstance(found[0], Block)
    assert [block.text for block in found[1:]] == ["乙", "丙"]
    assert found[-1].number == 2
    assert found[0] in found
    with pytest.raises(IndexError):
        found[3]
    assert "3 blocks" in repr(found)
    assert "/html/body/h1" in repr(found[0])


def test_kinds() -> None:
    found = cut("<h1>甲</h1>丙")
    assert [block.kind for block in found] == [None, None]
    assert found.n_chars.tolist() == [1, 1]
    labeled = found.with_kinds(["content", "noise"])
    assert [block.kind for block in labeled] == ["content", "noise"]
    assert labeled.n_chars is found.n_chars
    assert [block.kind for block in found] == [None, None]
    with pytest.raises(ValueError, match="1 kinds for 2 blocks"):
        found.with_kinds(["noise"])


def test_place_of_a_surrounding_block() -> None:
    """By the first run that is its own: behind a block that comes first in it."""
    blocks = segment("<div><h1>甲</h1>乙</div>")
    assert [block.text for block in blocks] == ["甲", "乙"]
    assert [block.tag_class for block in blocks] == [TagClass.CUSTOM, TagClass.BIG]


@given(pages)
def test_all_texts_at_once(html: str) -> None:
    found, again = cut(html), cut(html)
    one_by_one = [block.text for block in found]
    assert found.texts == again.texts == one_by_one
    assert [block.text for block in found] == one_by_one
    assert all(one_by_one)


def test_blocks_on_one_line() -> None:
    """Elements that become blocks but start no line."""
    assert cut("甲<svg>乙</svg><svg>丙</svg>丁").texts == ["甲丁", "乙", "丙"]
