"""What a host repeats: found where articles share a line, not where pages are copies."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.template.site import SiteLines, repeated_lines, site_lines, without_repeated
from tests.corpus.sitepages import COPIED, NOTICE, articles, copies, page, paragraphs
from tests.profiles import examples

METHODS = ("default", "quark", "rules")


def contents(bodies, method="default"):
    return [qc.extract(body, method=method) for body in bodies]


def learned(found):
    return repeated_lines([site_lines(content) for content in found])


@pytest.mark.parametrize("method", METHODS)
def test_a_notice_within_the_content_is_taken_out(method):
    found = contents(articles(20), method)
    assert all(NOTICE in content.text for content in found)
    repeated = learned(found)
    for content in found:
        refined, n_taken = without_repeated(content, repeated)
        assert n_taken == len(NOTICE)
        lines = content.text.split("\n")
        lines.remove(NOTICE)
        assert refined.text == "\n".join(lines)
        assert refined.title == content.title
        shown = [refined.page.tree.runs[run] for run in refined.runs.nonzero()[0]]
        assert NOTICE not in "".join(shown)
        assert refined.text.replace("\n", "") in "".join(shown)
        assert NOTICE not in refined.markdown


@pytest.mark.parametrize("method", METHODS)
def test_copies_keep_their_article(method):
    found = contents(copies(30), method)
    assert all(text in content.text for content in found for text in COPIED)
    assert learned(found) == ""


def test_copies_among_articles_count_once():
    found = contents(copies(30) + articles(12))
    repeated = learned(found)
    assert repeated == learned(contents(articles(12)))
    for content in found[:30]:
        assert without_repeated(content, repeated) == (content, 0)


def test_few_articles_prove_nothing():
    assert learned(contents(articles(7))) == ""
    assert learned(contents(articles(8))) != ""


def test_a_quotation_on_some_pages_is_kept():
    quoting = [page(n, paragraphs(n), NOTICE if n % 2 else "") for n in range(40)]
    # An empty notice has no element: the place is known from another remark there.
    others = [
        page(n, paragraphs(n), f"第{n}篇的备注说明：数据由第{n}小组提供。") for n in range(20)
    ]
    assert learned(contents(quoting[1::2] + others)) == ""
    assert learned(contents(quoting[1::2])) != ""


def test_what_repeats_within_a_page_is_the_form_of_its_list():
    made = [
        page(
            n, [text for part in paragraphs(n) for text in (part, "实验的主要特点和具体参数：")], ""
        )
        for n in range(20)
    ]
    found = contents(made)
    assert sum("主要特点" in content.text for content in found) == len(found)
    assert learned(found) == ""


def test_a_text_that_is_most_of_a_page_is_kept():
    repeated = learned(contents(articles(20)))
    (short,) = contents([page(99, ["第九十九次实验没有得到任何结果。"])])
    assert NOTICE in short.text
    assert without_repeated(short, repeated) == (short, 0)


def test_an_empty_page_stays_empty():
    repeated = learned(contents(articles(20)))
    content = qc.extract("")
    assert without_repeated(content, repeated) == (content, 0)
    assert site_lines(content).chars == [0]


def test_the_order_of_pages_changes_nothing():
    lines = [site_lines(content) for content in contents(articles(12) + copies(12))]
    expected = repeated_lines(lines)
    assert expected
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        assert repeated_lines(lines) == expected


numbers = st.integers(1, 12)
pages = st.lists(st.lists(st.tuples(numbers, st.integers(0, 3), st.integers(0, 60)), max_size=8))


@given(st.lists(pages, min_size=1, max_size=3), st.randoms(use_true_random=False))
@settings(max_examples=examples(100))
def test_any_lines_in_any_order(groups, dice):
    chars = [dice.randrange(60) for _ in range(13)]
    host = [
        SiteLines([t for t, _, _ in one], [p for _, p, _ in one], [chars[t] for t, _, _ in one])
        for group in groups
        for one in group
    ]
    expected = repeated_lines(host)
    dice.shuffle(host)
    assert repeated_lines(host) == expected
    assert repeated_lines(host + host) == expected  # a copy is no article of its own


@given(st.integers(0, 7), st.binary(min_size=0, max_size=64))
@settings(max_examples=examples(40))
def test_whatever_is_said_to_repeat_half_of_the_text_stays(seed, noise):
    (content,) = contents([page(seed, paragraphs(seed))])
    host = contents(articles(8, start=100))
    words = learned(host) + noise[: len(noise) // 8 * 8].hex()
    refined, n_taken = without_repeated(content, words)
    inked = len("".join(content.text.split()))
    assert n_taken <= inked / 2
    assert len("".join(refined.text.split())) == inked - n_taken
    assert not np.any(refined.runs & ~content.runs)
