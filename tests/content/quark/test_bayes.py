"""The Bayes side: published arithmetic, the seven features, priors as files."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.quark.bayes import accepted, features, log_odds, posterior
from quarkcrawl.content.quark.priors import FEATURES, PUBLISHED_PRIORS, Priors
from quarkcrawl.content.words import WordFinder, noise_words
from quarkcrawl.errors import InputError
from quarkcrawl.segment import QuarkRecognizer, SegmentOptions, as_page
from tests.profiles import examples

# Written down from the thesis a second time, in hundredths: content, then noise.
PUBLISHED = ((29, 1), (4, 45), (85, 25), (77, 34), (84, 6), (10, 71), (8, 85))
VECTORS = list(itertools.product((False, True), repeat=7))


def exact_posterior(vector):
    content, noise = Fraction(16, 100), Fraction(84, 100)
    for is_present, (in_content, in_noise) in zip(vector, PUBLISHED, strict=True):
        content *= Fraction(in_content if is_present else 100 - in_content, 100)
        noise *= Fraction(in_noise if is_present else 100 - in_noise, 100)
    return content / (content + noise)


def test_posterior_of_all_128_vectors():
    found = posterior(np.array(VECTORS))
    exact = [exact_posterior(vector) for vector in VECTORS]
    assert found == pytest.approx([float(value) for value in exact], rel=1e-12)
    accepted = (log_odds(np.array(VECTORS)) > 0).tolist()
    assert accepted == [value > Fraction(1, 2) for value in exact]
    assert 0 < sum(accepted) < 128


def test_two_posteriors_by_hand():
    # A block with none of the features, and one with those of a long article.
    nothing = 0.16 * 0.71 * 0.96 * 0.15 * 0.23 * 0.16 * 0.90 * 0.92
    noise = 0.84 * 0.99 * 0.55 * 0.75 * 0.66 * 0.94 * 0.29 * 0.15
    assert posterior(np.zeros((1, 7), bool))[0] == pytest.approx(nothing / (nothing + noise))
    content = 0.16 * 0.71 * 0.96 * 0.85 * 0.77 * 0.84 * 0.90 * 0.92
    noise = 0.84 * 0.99 * 0.55 * 0.25 * 0.34 * 0.06 * 0.29 * 0.15
    article = np.array([[False, False, True, True, True, False, False]])
    assert posterior(article)[0] == pytest.approx(content / (content + noise))


def cut(html, **options):
    options = {"ripe_chars": 0, "custom_tags": ("h1", "title"), **options}
    return QuarkRecognizer(SegmentOptions(**options)).recognize(as_page(html))


def vectors(html, words=("版权",)):
    cut_page = cut(html)
    rows = features(cut_page, WordFinder(words))
    return [
        {name for name, value in zip(FEATURES, row, strict=True) if value} for row in rows.tolist()
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>字字字", set()),
        ("<h1>字字字</h1>", {"custom_tag"}),
        ("<title>题</title><div>字字字", set()),  # a title is no part of the visible page
        ("<div>版权" + "字" * 97, {"noise_word"}),
        ("<div>版权" + "字" * 98, set()),  # 100 characters are not fewer than 100
        ("<div>" + "字" * 97 + "。。。", set()),  # 0.3 in 10 are not more than 0.3
        ("<div>" + "字" * 96 + "。。。", {"punctuation_density"}),
        ("<div>" + "字" * 996 + "。。。。", {"long_text"}),
        ("<div>" + "字" * 995 + "。。。。。", {"long_text", "punctuation"}),
        ("<div>" + "字" * 200, set()),
        ("<div>" + "字" * 201, {"long_text"}),
        ("<div>" + "字" * 201 + "<a href=x>" + "链" * 60 + "</a>", {"long_text"}),
        ("<div>" + "字" * 200 + "<a href=x>" + "链" * 60 + "</a>", set()),
        ("<div>" + "字" * 200 + "<a href=x>" + "链" * 61 + "</a>", {"anchor_ratio"}),
        ("<div><a href=x>链</a>", {"anchor_ratio"}),
        ("<div>" + "字" * 100 + "<a href=x></a>" * 20, set()),
        ("<div>" + "字" * 100 + "<a href=x></a>" * 21, {"many_links"}),
        ("<div>" + " 字\n" * 201, {"long_text"}),  # white space does not count
    ],
)
def test_the_limits_of_each_feature(html, expected):
    assert vectors(html) == [expected]


def test_features_belong_to_their_block():
    rows = vectors("<div>版权字</div><div>" + "字" * 300 + "。" * 20 + "</div><h1>题</h1>")
    assert rows == [
        {"noise_word"},
        {"punctuation_density", "punctuation", "long_text"},
        {"custom_tag"},
    ]


def test_a_page_without_blocks_has_no_features():
    assert features(cut("<script>1</script>"), noise_words()).shape == (0, 7)
    assert posterior(np.zeros((0, 7), bool)).shape == (0,)


BLOCKS = [
    "版权所有，不得转载，谢谢。",
    "昨天，北京看到了流星，人们很高兴。" * 20,
    "短句，短句，短句。",
    "<h1>题目</h1>",
    "<h1>首页</h1>",
    "<a href=x>链接的文字</a>" * 25,
]
EVEN = Priors(0.5, (0.5, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5), (0.5, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5))


@settings(max_examples=examples(80))
@given(st.lists(st.sampled_from(BLOCKS), max_size=8), st.sampled_from([PUBLISHED_PRIORS, EVEN]))
def test_noise_words_are_looked_for_only_where_they_matter(blocks, priors):
    page = cut("".join(f"<div>{block}</div>" for block in blocks))
    full = log_odds(features(page, noise_words()), priors) > 0
    assert accepted(page, noise_words(), priors).tolist() == full.tolist()


def test_words_are_found_whole_and_in_either_case():
    finder = WordFinder(["rss", "首页"])
    assert finder.places("RSS across rss1 首页首页") == [16, 18, 0, 11]
    assert WordFinder([]).places("anything 首页") == []


def test_noise_words_that_are_shipped():
    words = noise_words().words
    assert len(words) == len(set(words)) > 200
    assert {"版权所有", "上一篇", "copyright"} <= set(words)
    assert not {word for word in words if word.isascii() and not word.isalpha()}


def test_priors_come_back_from_a_file(tmp_path):
    path = tmp_path / "priors.json"
    PUBLISHED_PRIORS.save(path)
    assert Priors.load(path) == PUBLISHED_PRIORS
    assert PUBLISHED_PRIORS.name in path.read_text("utf-8")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"p_content": 0.2}', '{"p_content": 2, "features": {}}']
)
def test_a_file_without_priors_is_named(tmp_path, text):
    path = tmp_path / "priors.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"priors\.json"):
        Priors.load(path)
    with pytest.raises(InputError, match=r"none\.json"):
        Priors.load(tmp_path / "none.json")


def test_priors_are_probabilities():
    half = (0.5,) * 7
    assert posterior(np.ones((1, 7), bool), Priors(0.5, half, half))[0] == 0.5
    with pytest.raises(InputError, match="7 values"):
        Priors(0.5, half[:6], half)
    with pytest.raises(InputError, match="not between"):
        Priors(0.5, (*half[:6], 1.0), half)
