"""Heuristics of quality against straightforward counts, and on texts that each rule is about."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.refine.heuristics import (
    NOTED,
    REASONS,
    UNSPACED,
    Bounds,
    HeuristicOptions,
    heuristics_of,
)
from tests.profiles import examples
from tests.refine.corpora import sentences

GOOD = "\n".join(sentences(1, 6))
ENGLISH = """The owner of the house said that a tree is in the garden, and we went to see it.
It was not easy to find. Most people have never been there before us, since the gate is closed in winter.
When spring comes, a painter from the town opens it, and children run down to the river with their dogs.
They collect stones there. Nobody asks them to be quiet, for the nearest neighbor lives a mile away.
In the evening the birds return, and the light on the water is what visitors remember for years."""


def failing(text, *, is_spaced=False, options=None):
    found = heuristics_of(text, is_spaced=is_spaced, options=options or HeuristicOptions())
    return {*found.failed, *found.noted}


def tokens_of(text, is_spaced):
    if not is_spaced:
        return list("".join(text.split()))
    return "".join(sign if sign.isalnum() else " " for sign in text).split()


def naive_top(tokens, n):
    if len(tokens) <= n:
        return 0.0
    counts = Counter(tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1))
    most = max(counts.values())
    if most < 2:
        return 0.0
    total = sum(map(len, tokens))
    return {min(sum(map(len, gram)) * most / total, 1.0) for gram, k in counts.items() if k == most}


def naive_repeated(tokens, n):
    if len(tokens) <= n:
        return 0.0
    seen, covered = set(), set()
    for k in range(len(tokens) - n + 1):
        gram = tuple(tokens[k : k + n])
        if gram in seen:
            covered.update(range(k, k + n))
        seen.add(gram)
    total = sum(map(len, tokens))
    return sum(len(tokens[k]) for k in covered) / total


@given(st.lists(st.text("ab ，。天网", min_size=1, max_size=20), max_size=20), st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_ngram_shares_are_those_of_a_naive_count(lines, is_spaced):
    text = "\n".join(lines).replace("，", " ").replace("。", " ")
    bounds = Bounds(top_ngrams=((2, 1.0),), duplicate_ngrams=((3, 1.0),))
    options = HeuristicOptions(spaced=bounds, unspaced=bounds)
    found = heuristics_of(text, is_spaced=is_spaced, options=options)
    tokens = tokens_of(text, is_spaced)
    assert found.n_words == len(tokens)
    expected = naive_top(tokens, 2)
    choices = expected if isinstance(expected, set) else {expected}
    assert any(found.top_ngram_share == pytest.approx(one) for one in choices)
    assert found.duplicate_ngram_share == pytest.approx(naive_repeated(tokens, 3))


def test_good_texts_fail_no_rule():
    assert not heuristics_of(GOOD, is_spaced=False).failed
    assert not heuristics_of(ENGLISH, is_spaced=True).failed


def filled(chance, n):
    return "".join(
        chance.choice("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏") for _ in range(n)
    )


CASES = {
    "gopher.short_text": ("今天的天气很好。我们在家。你来了。", False),
    "gopher.word_length": ("a b c d " * 40 + "the of.", True),
    "gopher.symbols": (GOOD + "#" * 400, False),
    "gopher.bullets": ("\n".join(f"• {line}" for line in sentences(2, 9)), False),
    "gopher.ellipsis_lines": ("\n".join(f"{line[:-1]}……" for line in sentences(3, 6)), False),
    "gopher.letters": (GOOD[:150] + "12345，67890；" * 40, False),
    "gopher.stop_words": (filled(random.Random(1), 400), False),
    "gopher.duplicate_lines": ("\n".join(sentences(4, 4) * 2), False),
    "gopher.top_ngram": (GOOD[:100] + "天下第一网站" * 60, False),
    "gopher.duplicate_ngrams": (GOOD + "\n另外" + GOOD, False),
    "c4.few_sentences": (
        "\n".join(GOOD.replace("。", "")[k : k + 15] for k in range(0, 300, 15)),
        False,
    ),
    "c4.lorem_ipsum": (GOOD + "Lorem ipsum dolor sit amet", False),
    "c4.curly_bracket": (GOOD + "{ }", False),
    "c4.javascript": ("请在浏览器中启用脚本，否则页面的内容不能显示。\n" * 3, False),
    "fineweb.line_ends": ("\n".join(line[:-1] for line in sentences(5, 9)), False),
    "fineweb.short_lines": (GOOD.replace("，", "\n").replace("的", "\n"), False),
    "fineweb.duplicate_chars": ("\n".join([*sentences(6, 5), *sentences(6, 2)]), False),
    "fineweb.line_breaks": (
        "\n".join(GOOD.replace("。", "")[k : k + 4] for k in range(0, 300, 4)),
        False,
    ),
    "gopher.long_text": (GOOD, False),
}


@pytest.mark.parametrize("code", REASONS)
def test_each_rule_fails_on_what_it_is_about(code):
    text, is_spaced = CASES[code]
    options = HeuristicOptions()
    if code == "gopher.long_text":
        options = HeuristicOptions(unspaced=Bounds(most_words=100))
    assert code in failing(text, is_spaced=is_spaced, options=options)
    assert code not in failing(GOOD)


def test_what_is_noted_only_drops_nothing():
    found = heuristics_of(GOOD + "{ }", is_spaced=False)
    assert found.noted == ("c4.curly_bracket",)
    assert not found.failed
    assert REASONS.keys() >= NOTED


@given(st.text(max_size=400), st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_any_text_is_judged(text, is_spaced):
    found = heuristics_of(text, is_spaced=is_spaced)
    assert {*found.failed, *found.noted} <= REASONS.keys()
    for share in (found.line_end_share, found.short_line_share, found.duplicate_line_share,
                  found.duplicate_ngram_share, found.top_ngram_share):  # fmt: skip
        assert 0 <= share <= 1


def test_bounds_are_the_users_choice():
    assert "gopher.short_text" not in failing(
        "短文。", options=HeuristicOptions(unspaced=Bounds(least_words=1))
    )
    assert UNSPACED.least_words == 100
