"""All rules of the heuristics against a reading of docs/refine/heuristics.md, letter by letter."""

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.refine.heuristics import REASONS, Bounds, HeuristicOptions, heuristics_of
from tests.profiles import examples

PARTS = [
    "天", "网", "的", "是", "了", "天下网站", "词语，", "。", "！", "……", "…", "...", ".", ". ",
    "；", ";", "#", "• ", "1. ", "- ", "the ", "of ", "it's ", "well-known ", "a_b ", "42 ", "{",
    "Lorem ipsum ", "JavaScript ", "cookie ", "启用脚本", "\n", "\n", "\n\n", " ", "\u3000", "？",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=60).map("".join)
SMALL = Bounds(
    least_words=8,
    most_words=60,
    word_chars=(2.0, 4.0),
    least_letters=0.7,
    most_symbols=0.05,
    top_ngrams=((2, 0.3), (3, 0.2)),
    duplicate_ngrams=((3, 0.3), (4, 0.2)),
    least_sentences=2,
    short_chars=6,
    most_breaks=0.15,
)
BULLETS = "•·●○■□▪◆◇※★☆►▶▸‣⁃∙-*–—"
STOP_CHARS = "的是不了在有我他这這个個们們来來说說和就也对對人你到"


def words_of(line):
    """Runs of letters and digits, joined by single apostrophes and hyphens."""
    words, place = [], 0
    while place < len(line):
        start = place
        while place < len(line) and (
            line[place].isalnum()
            or (place > start and line[place] in "'’-" and line[place + 1 : place + 2].isalnum())
        ):
            place += 1
        if place > start:
            words.append(line[start:place])
        place = max(place, start + 1)
    return words


def n_sentences_of(text):
    count = 0
    for place, sign in enumerate(text):
        behind = text[place + 1 : place + 2]
        if sign in "。！？!?…":
            count += not behind or behind not in "。！？!?…"
        elif sign == ".":
            count += not behind or behind.isspace()
        elif sign in "；;":
            count += not behind or behind == "\n"
    return count


def n_symbols_of(text):
    runs = sum(sign == "…" and text[place : place + 2] != "……" for place, sign in enumerate(text))
    return text.count("#") + text.count("...") + runs


def top_shares(tokens, n):
    """Shares that the most frequent sequence may have; several can be the most frequent."""
    if len(tokens) <= n:
        return {0.0}
    counts = Counter(tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1))
    most = max(counts.values())
    total = sum(map(len, tokens))
    tops = [gram for gram, count in counts.items() if count == most]
    return {min(sum(map(len, gram)) * most / total, 1.0) if most > 1 else 0.0 for gram in tops}


def repeated_share(tokens, n):
    seen, covered = set(), set()
    for k in range(len(tokens) - n + 1):
        gram = tuple(tokens[k : k + n])
        if gram in seen:
            covered.update(range(k, k + n))
        seen.add(gram)
    total = sum(map(len, tokens))
    return sum(len(tokens[k]) for k in covered) / total if len(tokens) > n else 0.0


def begins_with_bullet(line):
    digits = 0
    while digits < 2 and line[digits : digits + 1].isdecimal():
        digits += 1
    lengths = range(1, digits + 1)
    return line[0] in BULLETS or any(line[k : k + 1] in {".", "、", ")", "）"} for k in lengths)


def asks_for_scripts(line):
    low = line.lower()
    cookie = any(
        not low[end : end + 1].isalnum() and low[end : end + 1] != "_"
        for form in ("cookie", "cookies")
        for start in range(len(low))
        if low.startswith(form, start)
        for end in [start + len(form)]
    )
    return cookie or any(part in low for part in ("javascript", "java script", "启用脚本"))


def expected(text, is_spaced, bounds, options):
    """Every rule's outcome; None where sequences equally frequent leave it open."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    n_lines = max(len(lines), 1)
    joined = "".join(lines)
    if is_spaced:
        tokens = [word for line in lines for word in words_of(line)]
        split = [word for line in lines for word in line.split()]
        letters = sum(any(sign.isalpha() for sign in word) for word in split) / max(len(split), 1)
        n_stop = len({"the", "of"} & {word.lower() for word in split})
        n_stop += "a" in split
    else:
        tokens = [sign for sign in joined if not sign.isspace()]
        letters = sum(sign.isalpha() for sign in joined) / max(len(tokens), 1)
        n_particles = sum(
            "ぁ" <= sign <= "ゖ" or "ァ" <= sign <= "ヺ" or "가" <= sign <= "힣" for sign in joined
        )
        n_stop = 2 if n_particles > 1 else len(set(STOP_CHARS) & set(joined))
    ends = "。！？!?.…；;：:”\"」』’'）)】》～~"
    n_open = 0 if is_spaced else sum(len(line) >= 20 and line[-1] not in ends for line in lines)
    n_words = len(tokens)
    per_word = max(n_words, 1)
    mean = sum(map(len, tokens)) / per_word
    n_chars = sum(map(len, lines))
    again = [line for place, line in enumerate(lines) if line in lines[:place]]
    tops = [[share > bound for share in top_shares(tokens, n)] for n, bound in bounds.top_ngrams]
    return {
        "gopher.short_text": n_words < bounds.least_words,
        "gopher.long_text": n_words > bounds.most_words,
        "gopher.word_length": n_words > 0
        and (mean < bounds.word_chars[0] or mean > bounds.word_chars[1]),
        "gopher.symbols": n_symbols_of(text) / per_word > bounds.most_symbols,
        "gopher.bullets": sum(map(begins_with_bullet, lines)) / n_lines > options.most_bullets,
        "gopher.ellipsis_lines": sum(line.endswith(("…", "...", "。。。")) for line in lines)
        / n_lines
        > options.most_ellipses,
        "gopher.letters": letters < bounds.least_letters,
        "gopher.stop_words": n_stop < bounds.least_stop_words,
        "gopher.duplicate_lines": len(again) / n_lines > options.most_duplicate_lines,
        "gopher.top_ngram": True
        if any(all(one) for one in tops)
        else (None if any(any(one) for one in tops) else False),
        "gopher.duplicate_ngrams": any(
            repeated_share(tokens, n) > bound for n, bound in bounds.duplicate_ngrams
        ),
        "c4.few_sentences": n_sentences_of(text) + n_open < bounds.least_sentences,
        "c4.lorem_ipsum": "lorem ipsum" in text.lower(),
        "c4.curly_bracket": "{" in text,
        "c4.javascript": sum(map(asks_for_scripts, lines)) > n_lines / 2,
        "fineweb.line_ends": sum(
            line[-1] in "。！？!?.…；;：:”\"」』’'）)】》～~" for line in lines
        )
        / n_lines
        < options.least_line_ends,
        "fineweb.short_lines": sum(len(line) <= bounds.short_chars for line in lines) / n_lines
        > options.most_short_lines,
        "fineweb.duplicate_chars": (sum(map(len, again)) / n_chars if n_chars else 0)
        > options.most_duplicate_chars,
        "fineweb.line_breaks": (len(lines) - 1) / per_word > bounds.most_breaks,
    }


@given(TEXTS, st.booleans())
@settings(max_examples=examples(400), deadline=None)
def test_every_rule_is_that_of_its_definition(text, is_spaced):
    options = HeuristicOptions(spaced=SMALL, unspaced=SMALL)
    labels = heuristics_of(text, is_spaced=is_spaced, options=options)
    failing = {*labels.failed, *labels.noted}
    outcomes = expected(text, is_spaced, SMALL, options)
    assert outcomes.keys() == REASONS.keys()
    wrong = {code for code, fails in outcomes.items() if fails not in {None, code in failing}}
    assert not wrong


HOSTILE = {
    "ellipses": "…" * 1_000_000,
    "dots": "." * 1_000_000,
    "hyphens": "a-" * 500_000,
    "apostrophes": "a'" * 500_000 + "!",
    "lines": "\n" * 1_000_000,
    "short lines": "天\n" * 500_000,
    "one character": "天" * 1_000_000,
    "spaces": " " * 1_000_000 + "天",
    "java": "java " * 200_000,
    "surrogates": "\ud800" * 100_000,
}


@pytest.mark.full
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("is_spaced", [True, False])
def test_a_million_characters_take_seconds_whatever_they_are(name, is_spaced):
    start_s = time.process_time()
    heuristics_of(HOSTILE[name], is_spaced=is_spaced)
    assert time.process_time() - start_s < 20
