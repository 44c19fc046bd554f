"""The teams' baselines: against naive versions, and on a page whose content we know."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.quark.bayes import features, log_odds
from quarkcrawl.content.words import noise_words
from quarkcrawl.lab.baselines.content import (
    BASELINES,
    covering_node,
    largest_block,
    rules_and_bayes,
    size_outliers,
)
from quarkcrawl.page import Page
from quarkcrawl.segment import QuarkRecognizer
from tests.page.samples import markup
from tests.profiles import examples

SENTENCE = "北京大学网络实验室今天宣布，新一代搜索引擎正式上线运行。"
NEWS = (
    "<html><head><title>天网上线_新闻</title></head><body><div id=nav>"
    + "".join(f"<a href=/{n}>频道{n}</a> " for n in range(30))
    + f"</div><div id=main><h1>天网上线</h1><div id=one>{'<p>' + SENTENCE * 4} </div>"
    f"<div id=two>{'<p>' + SENTENCE * 9}</div></div><div id=foot>版权所有 联系我们</div></body></html>"
)


class Sizes:
    """Stands for a segmentation where only the sizes of blocks matter."""

    def __init__(self, sizes):
        self.n_chars = np.array(sizes, np.int64)

    def __len__(self):
        return len(self.n_chars)


def texts(name: str, html: str) -> str:
    return BASELINES[name](Page.from_html(html)).text


def test_the_largest_block_is_one_block():
    assert texts("sdu", NEWS) == SENTENCE * 9


def test_outliers_may_be_several_blocks():
    assert texts("scu", NEWS) == SENTENCE * 9  # sizes 90, 9, 108, 243: one stands apart
    twice = NEWS.replace(SENTENCE * 4 + " ", SENTENCE * 9)
    assert texts("scu", twice).split("\n") == [SENTENCE * 9] * 2


def test_the_covering_node_holds_both_pieces_and_what_is_between():
    found = texts("scut1", NEWS)
    assert found.count(SENTENCE) == 13
    assert "天网上线" in found
    assert "频道" not in found
    assert "版权" not in found


def test_rules_and_bayes_take_both_pieces_without_navigation():
    found = texts("dlut", NEWS)
    assert found.count(SENTENCE) == 13
    assert "频道" not in found
    assert "版权" not in found


@given(st.lists(st.integers(0, 300), min_size=2, max_size=9))
def test_outliers_are_those_of_the_naive_sequential_exceptions(sizes):
    chosen = size_outliers(Sizes(sizes))
    ordered = sorted(sizes)
    best, rest_of_best = 0.0, ordered
    for n_rest in range(1, len(ordered)):
        rest = ordered[:n_rest]
        smoothing = n_rest * (np.var(ordered) - np.var(rest))
        if smoothing > best + 1e-6:
            best, rest_of_best = smoothing, rest
    assert sorted(np.array(sizes)[~chosen].tolist()) == rest_of_best


@given(markup, st.integers(1, 6))
@settings(max_examples=examples(150))
def test_the_covering_node_is_the_lowest_common_ancestor(soup, limit):
    tree = Page.from_html(soup).tree
    own = [0] * len(tree)
    for run, node in enumerate(tree.run_node.tolist()):
        own[node] += 0 if tree.run_anchor[run] else int(tree.run_chars[run])
    found = covering_node(tree, limit)
    if not any(own):
        assert not found.any()
        return
    limit = min(limit, max(own))
    chains = []
    for node in [n for n, chars in enumerate(own) if chars >= limit]:
        chains.append([node])
        while chains[-1][-1] > 0:
            chains[-1].append(int(tree.parent[chains[-1][-1]]))
    lowest = next(node for node in chains[0] if all(node in chain for chain in chains))
    assert tree.text(lowest) == "".join(itertools.compress(tree.runs, found.tolist()))


@given(markup)
@settings(max_examples=examples(60))
def test_rules_only_take_away_from_bayes(soup):
    segmentation = QuarkRecognizer().recognize(Page.from_html(soup))
    chosen = rules_and_bayes(segmentation)
    assert len(chosen) == len(segmentation)
    if len(chosen):
        assert (log_odds(features(segmentation, noise_words())) > 0)[chosen].all()


@given(markup)
@settings(max_examples=examples(60))
def test_the_largest_block_has_the_most_text(soup):
    segmentation = QuarkRecognizer().recognize(Page.from_html(soup))
    chosen = largest_block(segmentation)
    if segmentation.n_chars.any():
        assert chosen.sum() == 1
        assert segmentation.n_chars[chosen][0] == segmentation.n_chars.max()
    else:
        assert not chosen.any()


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize(
    "body", [b"", b"   ", b"<script>x</script>", b"<frameset><frame src=a></frameset>", b"plain",
             b'<?xml version="1.0"?><a/>', b"<rss><channel><item/></channel></rss>", b"\xff\xfe\x00"],
)  # fmt: skip
def test_no_page_is_too_odd(name, body):
    content = BASELINES[name](Page.from_bytes(body))
    assert isinstance(content.text, str)
    assert content.method == name
