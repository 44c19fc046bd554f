"""Simplification and the merging of repeated records."""

import random
import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page import Page
from quarkcrawl.page.tree.tree import PageTree
from quarkcrawl.template.structure.policy import THESIS_POLICY
from quarkcrawl.template.structure.repeats import MOST_ELEMENTS, repeats_of
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page
from quarkcrawl.template.structure.skeleton import simplify
from quarkcrawl.template.structure.suffixtree import SuffixTree, repetitions, suffix_tree_repeats
from tests.segment.samples import pages
from tests.template.samples import flat, relaxed, sequence_of, skeleton, skeleton_of, tree


def naive(node, adjacent=False):
    """(code, children) with equal siblings merged, by comparing trees."""
    kept = []
    for child in (naive(child, adjacent) for child in node[1]):
        if child not in (kept[-1:] if adjacent else kept):
            kept.append(child)
    return node[0], tuple(kept)


def shape(merged, of):
    return of.code[merged.elements].tolist(), of.depth[merged.elements].tolist()


@relaxed
@given(tree)
def test_merging_equals_a_comparison_of_trees(made):
    of = skeleton(made)
    assert shape(repeats_of(of), of) == flat(naive(made))
    assert shape(repeats_of(of, "run"), of) == flat(naive(made, adjacent=True))
    assert len(repeats_of(of, "none").elements) == len(of)


@relaxed
@given(tree)
def test_merging_twice_changes_nothing(made):
    of = skeleton(made)
    once = skeleton_of(*shape(repeats_of(of), of))
    again = repeats_of(once)
    assert len(again.elements) == len(once)
    assert not again.repeated.any()


@relaxed
@given(tree)
def test_each_element_is_stood_for_by_one_of_its_name_and_depth(made):
    of = skeleton(made)
    merged = repeats_of(of)
    model = merged.elements[merged.stands_for]
    assert (of.code[model] == of.code).all()
    assert (of.depth[model] == of.depth).all()
    assert (merged.stands_for[merged.elements] == np.arange(len(merged.elements))).all()
    under = of.parent > -1
    assert (merged.stands_for[of.parent[under]] == np.searchsorted(
        merged.elements, of.parent[model][under])).all()  # fmt: skip


@relaxed
@given(tree)
def test_the_flag_says_that_several_records_are_merged(made):
    of = skeleton(made)
    merged = repeats_of(of)
    for position in np.flatnonzero(merged.repeated):
        assert (merged.stands_for == position).sum() > 1
    groups = zip(merged.stands_for.tolist(), of.parent.tolist(), strict=True)
    twice = [key for key, n in _count(groups).items() if n > 1]
    assert {key[0] for key in twice} == set(np.flatnonzero(merged.repeated).tolist())


def _count(keys):
    found = {}
    for key in keys:
        found[key] = found.get(key, 0) + 1
    return found


@relaxed
@given(tree)
def test_the_suffix_tree_merges_no_more_than_we_do(made):
    of = skeleton(made)
    theirs, ours = suffix_tree_repeats(of), repeats_of(of)
    dropped = np.flatnonzero(theirs != np.arange(len(of)))
    assert not set(dropped.tolist()) & set(ours.elements.tolist())
    merged = repeats_of(of, "suffix-tree")
    model = merged.elements[merged.stands_for]
    assert (of.code[model] == of.code).all()
    assert (of.depth[model] == of.depth).all()


@relaxed
@given(st.lists(st.integers(0, 2), max_size=30))
def test_the_suffix_tree_holds_every_suffix_and_every_right_maximal_repeat(tokens):
    made = SuffixTree(tokens)
    starts, below = made.leaf_starts()
    assert below[0] == slice(0, len(tokens) + 1)
    assert sorted(starts) == list(range(len(tokens) + 1))
    text = [*tokens, -1]
    stack, inner = [(0, [])], {}
    while stack:
        node, path = stack.pop()
        path = path + text[made.start[node] : made.end_of(node)] if node else path
        for start in starts[below[node]]:
            assert text[start : start + len(path)] == path
        if not made.is_leaf(node) and node:
            inner[tuple(path)] = sorted(starts[below[node]])
            assert len(made.children[node]) > 1
        stack.extend((child, path) for child in made.children[node].values())
    assert inner == _right_maximal(tokens)


def _right_maximal(tokens):
    places = {}
    text = [*tokens, -1]
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            places.setdefault(tuple(tokens[start:end]), []).append(start)
    return {
        word: found
        for word, found in places.items()
        if len({text[start + len(word)] for start in found}) > 1
    }


def test_the_suffix_tree_of_the_thesis_example():
    made = SuffixTree([ord(letter) for letter in "BANANA"])
    starts, below = made.leaf_starts()
    inner = [n for n in range(1, len(below)) if not made.is_leaf(n)]
    assert {len(starts[below[n]]) for n in inner} == {2, 3}  # ANA and NA twice, A three times
    assert len(inner) == 3


def test_the_suffix_tree_of_a_page_without_end_takes_linear_memory():
    tracemalloc.start()
    starts, below = SuffixTree([1] * 3000).leaf_starts()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(len(starts[one]) for one in below) > 3000 * 3000 / 2
    assert peak < 3000 * 3000


def test_the_printed_algorithm_misses_what_occurs_twice():
    twice = skeleton((1, ((2, ((3, ()),)), (2, ((3, ()),)))))
    assert [r.length for r in repetitions(twice.tokens.tolist(), twice.depth.tolist())] == []
    assert len(repeats_of(twice, "suffix-tree").elements) == 5
    assert len(repeats_of(twice).elements) == 3


def test_the_printed_algorithm_finds_a_list():
    made = skeleton((1, tuple((2, ((3, ()), (1, ()))) for _ in range(5))))
    assert str(repeats_of(made, "suffix-tree").elements.tolist()) == "[0, 1, 2, 3]"


HTML = """<html><head><title>t</title><link href=a><style>b{}</style></head><body>
<blockquote><b>x</b></blockquote><ul><li><a>1</a><li><a>2</a></ul>
<x-card><p>y</p></x-card><svg><g></g></svg></body></html>"""


def test_names_are_compared_as_a_whole():
    page = sequence_of_page(Page.from_html(HTML))
    assert str(page.sequence) == "html0 head1 title2 body1 blockquote2 a2+ x-card2"
    thesis = simplify(PageTree.parse(HTML), THESIS_POLICY)
    assert str(sequence_of(thesis)) == "html0 head1 title2 body1 blockquote2 a2+ x-card2 svg2 g3"


def test_the_way_back_to_the_page():
    page = sequence_of_page(Page.from_html(HTML))
    place = page.sequence.tags.index("a")
    tree_ = page.page.tree
    assert ["".join(tree_.text(node)) for node in page.nodes(place)] == ["1", "2"]
    texts = {}
    for run, position in zip(tree_.runs, page.run_position.tolist(), strict=True):
        texts.setdefault(page.sequence.tags[position] if position >= 0 else "", []).append(run)
    assert texts["a"] == ["1", "2"]
    assert texts["blockquote"] == ["x"]  # b is unwrapped
    assert texts["x-card"] == ["y"]
    assert "b{}" in "".join(texts[""])


def test_prose_is_hidden():
    body = "<h2>x</h2><div>" + "春天来了，校园里的樱花开得正好。" * 9 + "</div><pre>y</pre>"
    one = f"<body><div><a href=x>nav</a></div><article>{body}</article></body>"
    two = f"<body><div><a href=x>nav</a></div><article>{body * 3}</article></body>"
    masked = [sequence_of_page(Page.from_html(html)).sequence for html in (one, two)]
    how = SequenceOptions(mask_prose=False)
    assert sequence_of_page(Page.from_html(one), how).sequence.tags[-1] == "pre"
    assert str(masked[0]) == "html0 head1 body1 div2 a3 article2 h23 div3 pre3"
    assert masked[1].tags[-1] == "article"


@relaxed
@given(pages, st.sampled_from(["all", "run", "none", "suffix-tree"]), st.booleans())
def test_any_page_becomes_a_sequence(html, repeats, mask):
    options = SequenceOptions(repeats=repeats, mask_prose=mask)
    page = sequence_of_page(Page.from_html(html), options)
    depths = page.sequence.depths
    assert len(page.sequence) == len(page.merged.elements) >= 1
    assert depths[0] == 0
    assert (np.diff(depths) <= 1).all()
    every = [node for place in range(len(page.sequence)) for node in page.nodes(place)]
    assert sorted(every) == page.skeleton.node.tolist()


def test_sizes_at_which_the_tree_is_no_longer_small():
    html = "<ul>" + "".join(f"<li><a>{n}</a><i>x</i>" for n in range(20_000)) + "</ul>"
    page = sequence_of_page(Page.from_html(html))
    assert str(page.sequence) == "html0 head1 body1 a2+ i2+"
    deep = sequence_of_page(Page.from_html("<div>" * 3000))
    assert len(deep.sequence) <= 3003


def test_a_page_without_end_is_read_to_a_bound():
    dice, names = random.Random(4), [f"x-{number}" for number in range(20)]
    sections = (
        "".join(f"<{name}>x</{name}>" for name in dice.choices(names, k=40)) for _ in range(400)
    )
    html = "".join(f"<section>{section}</section>" for section in sections)
    page = sequence_of_page(Page.from_html(html), SequenceOptions(mask_prose=False))
    assert len(page.sequence) == len(page.merged.repeated) == MOST_ELEMENTS
    places = [node for place in range(MOST_ELEMENTS) for node in page.nodes(place)]
    assert len(set(places)) == len(places) < len(page.skeleton)
    assert page.run_position.max() == MOST_ELEMENTS - 1
    assert page.run_position.min() == -1
