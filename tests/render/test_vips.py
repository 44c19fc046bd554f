"""VIPS on pages that a browser has drawn: generated layouts whose visual blocks are known."""

from collections import defaultdict

import numpy as np
import pytest

from quarkcrawl.segment import VipsOptions, VipsSegmenter
from tests.segment.vipspages import visual_page

pytestmark = pytest.mark.full

QUICK = range(1000, 1006)
MANY = range(2000, 2060)


def groups(run_group, run_chars):
    """Blocks as sets of runs with ink."""
    found = defaultdict(set)
    for run, group in enumerate(run_group.tolist()):
        if group >= 0 and run_chars[run] > 0:
            found[group].add(run)
    return {frozenset(runs) for runs in found.values()}


def known_blocks(page):
    tree = page.tree
    marks = np.full(len(tree), -1)
    for node in range(len(tree)):
        if number := tree.attr(node, "data-block"):
            marks[node : tree.end[node]] = int(number)
    return groups(marks[tree.run_node], tree.run_chars)


def block_f1(pages, rules):
    """F1 over all blocks of all pages; a block counts if it has exactly the runs of a known one."""
    n_right = n_found = n_known = 0
    for page in pages:
        found = VipsSegmenter(VipsOptions(rules=rules)).segment(page)
        found, known = groups(found.run_block, page.tree.run_chars), known_blocks(page)
        n_right += len(found & known)
        n_found += len(found)
        n_known += len(known)
    assert n_known >= 5 * len(pages) - 5
    return 2 * n_right / (n_found + n_known)


def drawn_pages(screen, seeds):
    results = [screen.show(visual_page(seed)) for seed in seeds]
    assert all(result.page is not None for result in results)
    return [result.page for result in results]


def test_known_blocks_of_a_few_layouts(screen):
    pages = drawn_pages(screen, QUICK)
    assert block_f1(pages, "quarkcrawl") >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "least"), [("quarkcrawl", 0.95), ("paper", 0.9)])
def test_known_blocks_of_many_layouts(screen, rules, least):
    pages = drawn_pages(screen, MANY)
    assert block_f1(pages, rules) >= least
