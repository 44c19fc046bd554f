"""Compiled loops beside the same source uncompiled: equal results, whatever calls them.

While pages are read and jobs run, each call of a compiled loop is made a second time, on copies of
its arrays, with the source as it stands.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hatch_build
import quarkcrawl as qc
from quarkcrawl import dedup
from quarkcrawl.content import METHODS
from quarkcrawl.content.kind.pieces import Pieces
from quarkcrawl.content.lines import line_features, load_model, smoothed_scores
from quarkcrawl.content.lines.matrix import COLUMNS
from quarkcrawl.content.lines.names import name_hashes, node_names
from quarkcrawl.content.related import related_blocks, related_links
from quarkcrawl.dedup.grouping import METHODS as GROUPINGS
from quarkcrawl.dedup.grouping import group_texts
from quarkcrawl.dedup.simhash.bands import near_links
from quarkcrawl.dedup.simhash.index import SimhashIndex
from quarkcrawl.lab.baselines import BASELINES, MEASURES
from quarkcrawl.lab.baselines.measures import compare
from quarkcrawl.lab.mockweb import MiniWeb, truth
from quarkcrawl.lab.mockweb.web import Ask
from quarkcrawl.page import PageTree
from quarkcrawl.page.tree.walk import flattened
from quarkcrawl.rank.compare import kendall_tau
from quarkcrawl.rank.graph import LinkGraph
from quarkcrawl.rank.iterate.flow import pagerank_flow, quarkrank_flow
from quarkcrawl.rank.iterate.iteration import iterate
from quarkcrawl.segment import segmentation_of
from quarkcrawl.template import sequence_of_page
from quarkcrawl.template.clustering.cluster import ClusterOptions, cluster
from tests.profiles import examples
from tests.segment.samples import pages
from tests.template.samples import sequences

NAMES = sorted(hatch_build.modules())
READING = [name for name in NAMES if name.split(".")[1] in {"page", "segment", "content", "dedup"}]
ROOT = Path(hatch_build.__file__).parent
SENTENCES = [
    "北京大学网络实验室的搜索引擎，从一九九七年开始运行。",
    "Web pages, 2008年6月1日。",
    "甲\n",
    "😀",
]
MINIWEB = MiniWeb.demo()
TEXT = "北京大学网络实验室的搜索引擎，从一九九七年开始运行。Web pages, 2008年6月1日。"
MARKED = (
    f"<title>网</title><article><h1>网</h1><p>{TEXT * 5}<img class=tex src=/x.png></article>"
    f"{'<p>1' * 60}<p class=seen-nowhere-else>file_name<p><a rel=author href=/w>王小明</a></p>"
)
"""With what few pages have: a picture of a formula, an underscore, an author far from the text, a new class name."""


@cache
def uncompiled(name):
    """The module as it stands, under another name."""
    path = ROOT / f"{name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name.replace('.', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def loops_of(name):
    """The functions of a module that its .pxd makes callable from outside."""
    module = importlib.import_module(name)
    assert module.__file__.endswith(hatch_build.SUFFIX)
    plain = vars(uncompiled(name))
    own = [key for key, value in plain.items()
           if inspect.isfunction(value) and value.__module__ == uncompiled(name).__name__]  # fmt: skip
    return {key: getattr(module, key) for key in own if hasattr(module, key)}


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.tobytes() == other.tobytes()
    if hasattr(one, "marks"):  # the parser's events
        fields = ("tags", "attrs", "runs", "links", "tag", "marks")
        return all(same(getattr(one, name), getattr(other, name)) for name in fields)
    return one == other or (one != one and other != other)


def copied(given):
    """Arguments whose arrays lie in other memory; views of one array are views of one again."""
    bases, copies = {}, []
    for one in given:
        base = one
        while isinstance(getattr(base, "base", None), np.ndarray):
            base = base.base
        if not isinstance(one, np.ndarray):
            copies.append(dict(one) if isinstance(one, dict) else one)
        else:
            new = bases.setdefault(id(base), bytearray(base.tobytes("A")))
            start = one.ctypes.data - base.ctypes.data
            copies.append(np.ndarray(one.shape, one.dtype, new, start, one.strides))
    return copies


def both(name, key, compiled, called):
    plain = getattr(uncompiled(name), key)

    def call(*given):
        copies = copied(given)
        result = compiled(*given)
        assert same(result, plain(*copies)), key
        assert all(map(same, given, copies)), key
        called.add(f"{name}.{key}")
        return result

    return call


def read(source):
    """All that is worked out of a page."""
    for method in METHODS:
        content = qc.extract(source, method=method)
        assert content.blocks or not content.text
        assert 0 <= content.topic_probability <= 1
        assert 0 <= content.page_type_probability <= 1
        assert content.metadata.title == content.title
    page = content.page
    line_features(page.tree, load_model().scorer)
    segmentation = segmentation_of(page)
    related_links(segmentation)
    related_blocks(segmentation, segmentation.n_chars > 9)
    flattened(page.tree.marks, 3)
    page.tree.inked_before(np.arange(len(page.tree.runs)))
    for baseline in BASELINES.values():
        baseline(page)
    Pieces(["文", "文字"])  # as two are made when they are imported
    return sequence_of_page(page).sequence


@pytest.fixture(scope="module")
def called():
    """Every module that uses a loop calls both; the names of those called so far."""
    read(f"<p>{TEXT}")  # what is loaded late is loaded now
    called = set()
    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES:
            replaced = {id(f): both(name, key, f, called) for key, f in loops_of(name).items()}
            for module in [m for key, m in sys.modules.items() if key.startswith("quarkcrawl")]:
                for key, value in list(vars(module).items()):
                    if id(value) in replaced:
                        patch.setattr(module, key, replaced[id(value)])
        yield called


@settings(max_examples=examples(25), deadline=None)
@given(pages)
def test_pages(called, source):
    read(source)


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(st.lists(st.sampled_from(SENTENCES), max_size=8).map("".join), max_size=5))
def test_texts(called, texts):
    for method in GROUPINGS:
        group_texts(texts, method)


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(sequences, min_size=1, max_size=6))
def test_sequences(called, found):
    for method in ("medoid", "leader"):
        made = cluster(found, ClusterOptions(method=method, workers=1, min_similarity=0.3))
    assert len(made)
    for name in MEASURES:
        compare(name, found[0], found[-1])


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 9)), max_size=30))
def test_graphs(called, links):
    source, target = np.array(links, np.int64).reshape(-1, 2).T
    graph = LinkGraph.from_links(source, target, n_nodes=10)
    for flow in (pagerank_flow, quarkrank_flow):
        iterate(flow(graph))
    kendall_tau(source / 7, target / 7)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_numbers(called, seed, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**64, n, np.uint64) & np.uint64(0xF0F0)
    index = SimhashIndex(3)
    index.extend(values[: n // 2])
    for value in values.tolist():
        index.add(value)
        index.find(value)
    firsts, others = near_links(values & np.uint64(1), values, np.arange(n, dtype=np.uint32), 3)
    dedup.unite(np.arange(n, dtype=np.uint32), firsts, others)
    score, weight = rng.random((2, n))
    smoothed_scores(score, rng.integers(0, 3, n), weight)


@pytest.mark.full
def test_each_loop_of_pages_and_texts_is_called(called):
    hosts = truth(MINIWEB).hosts.values()
    found = []
    for url in [list(host.levels)[-1] for host in hosts if host.levels][:4]:
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        found.append(read(MINIWEB.respond(Ask(scheme, host, f"/{path}")).body))
    read(MARKED)
    cluster([*found, *found], ClusterOptions(workers=1, min_similarity=0.1))
    for method in GROUPINGS:
        group_texts([TEXT * 9, TEXT * 8, TEXT], method)
    test_numbers(called)
    assert [name_hashes(names) for _, names in node_names(PageTree.parse(MARKED))] != []
    replace(load_model().trees).probabilities(np.zeros((1, len(COLUMNS)), np.float32))
    loops = [name for name in READING if name.endswith(".loops")]
    assert {f"{name}.{key}" for name in loops for key in loops_of(name)} <= called
    assert "quarkcrawl.page.tree.parse.parse_events" in called
