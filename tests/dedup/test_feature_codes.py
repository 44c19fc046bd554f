"""Feature codes, their keys, the rules, and the single pass."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.dedup import (
    CODE_ONLY,
    DEFAULT_RULE,
    FEATURECODE_2004,
    THREE_CODES,
    CodeRule,
    code_keys,
    code_text,
    fingerprint,
    group_by_codes,
    without_reposting_lines,
)
from quarkcrawl.dedup.codekeys import KEYS_PER_CODE
from quarkcrawl.dedup.codesketch import code_sketch, stop_codes
from quarkcrawl.dedup.featurecode import code_strings, text_units
from quarkcrawl.dedup.grouping import code_matcher
from quarkcrawl.errors import ConfigError, InputError
from tests.profiles import examples

STOPS = "。．｡"
_TEXTS = st.text(alphabet="中文网页北京𠀀㐀豈。．｡，a1 \n", max_size=120)


def _is_han(char: str) -> bool:
    unit = ord(char)
    spans = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3134F))
    return any(first <= unit <= last for first, last in spans)


def lcs_length(first: str, second: str) -> int:
    """Length of the longest common subsequence, the plain way."""
    row = [0] * (len(second) + 1)
    for one in first:
        corner = 0
        for at, other in enumerate(second, 1):
            above = row[at]
            row[at] = corner + 1 if one == other else max(above, row[at - 1])
            corner = above
    return row[-1]


def _naive_codes(text: str) -> list[str]:
    """All codes of a text, in order, each once."""
    found = []
    for at, char in enumerate(text):
        if char in STOPS:
            left = [c for c in text[:at] if _is_han(c)][-5:]
            right = [c for c in text[at + 1 :] if _is_han(c)][:5]
            code = "".join(left + right)
            if len(left) == len(right) == 5 and code not in found:
                found.append(code)
    return found


@given(_TEXTS)
def test_codes_are_those_of_a_plain_reading(text: str) -> None:
    coded = code_text(text, n_head=3, n_tail=200)
    assert list(code_strings(coded.head)) == _naive_codes(text)[:3]
    assert set(code_strings(coded.tail)) == set(_naive_codes(text))
    assert coded.n_chars == sum(map(_is_han, text))


def test_the_tail_begins_with_the_last_code() -> None:
    text = "一二三四五。六七八九十。甲乙丙丁戊。己庚"
    coded = code_text(text, n_head=1, n_tail=1)
    assert code_strings(coded.head) == ("一二三四五六七八九十",)
    assert code_strings(coded.tail) == ("六七八九十甲乙丙丁戊",)


def test_golden_page() -> None:
    text = "据新华社（记者 Li）8月7日电，北京 2008 年奥运会\n火炬今日抵达。\n当地有3万人迎接，气氛热烈。"
    assert fingerprint(text).feature_codes == ("炬今日抵达当地有万人",)
    assert fingerprint(text).n_chars == 32


@pytest.mark.parametrize("boundary", ["㐀䶿", "一鿿", "豈﫿", "𠀀", chr(0x3134F)])
def test_han_at_the_edges_of_its_ranges(boundary: str) -> None:
    assert code_text(boundary).n_chars == len(boundary)


@pytest.mark.parametrize(
    "char", [chr(0x33FF), chr(0x4DC0), chr(0xF8FF), chr(0xFB00), chr(0x31350), "あ", "한"]
)
def test_not_han(char: str) -> None:
    assert code_text(char).n_chars == 0


# Keys


def _near(code: str, random_: random.Random, alphabet: str) -> str:
    """A code of ten with some characters changed, moved or dropped."""
    chars = list(code)
    for _ in range(random_.randrange(4)):
        kind, at = random_.randrange(3), random_.randrange(len(chars))
        if kind == 0:
            chars[at] = random_.choice(alphabet)
        elif kind == 1:
            chars.insert(random_.randrange(10), chars.pop(at))
        else:
            chars.pop(at)
            chars.insert(random_.randrange(10), random_.choice(alphabet))
    return "".join(chars)


@given(st.integers(0, 2**32), st.sampled_from(["甲乙", "甲乙丙丁戊己庚辛壬癸子丑寅卯"]))
@settings(max_examples=examples(300))
def test_a_shared_key_is_a_long_common_subsequence(seed: int, alphabet: str) -> None:
    random_ = random.Random(seed)
    first = "".join(random_.choice(alphabet) for _ in range(10))
    second = _near(first, random_, alphabet)
    codes = np.stack([text_units(first), text_units(second)])
    for slack in (0, 1, 2):
        keys = code_keys(codes, slack)
        assert keys.shape == (2, KEYS_PER_CODE[slack])
        shared = bool(set(keys[0].tolist()) & set(keys[1].tolist()))
        assert shared == (lcs_length(first, second) >= 10 - slack)


def test_index_finds_what_a_full_scan_finds() -> None:
    random_ = random.Random(8)
    alphabet = "甲乙丙丁戊己庚辛壬癸子丑寅卯"
    texts = []
    code = "".join(random_.choice(alphabet) for _ in range(10))
    for _ in range(120):
        if random_.random() < 0.3:
            code = "".join(random_.choice(alphabet) for _ in range(10))
        code = _near(code, random_, alphabet)
        texts.append(f"{code[:5]}。{code[5:]}{'多' * random_.randrange(6)}")
    for slack in (0, 1, 2):
        rule = replace(FEATURECODE_2004, slack=slack)
        matcher = code_matcher(rule)
        firsts: list[int] = []
        for number, text in enumerate(texts):
            found = matcher.match(text, number)
            fits = [first for first in firsts if _fits(texts[first], text, slack)]
            assert (found is not None) == bool(fits)
            if found is None:
                firsts.append(number)
            else:
                ratio = min(_ratio(texts[first], text) for first in fits)
                assert found.first in fits
                assert found.rank == ratio


def _ratio(first: str, second: str) -> float:
    low, high = sorted((len(first) - 1, len(second) - 1))
    return high / low


def _fits(first: str, second: str, slack: int) -> bool:
    one, other = _naive_codes(first)[0], _naive_codes(second)[0]
    return lcs_length(one, other) >= 10 - slack and _ratio(first, second) <= 1.10


# Rules


def _article(seed: int, n_sentences: int = 12) -> str:
    random_ = random.Random(seed)
    chars = [chr(0x4E00 + n) for n in range(3000)]
    return "".join("".join(random_.choices(chars, k=20)) + "。" for _ in range(n_sentences))


def test_the_length_bound_of_the_paper() -> None:
    text = _article(1)
    longer = text + "多" * 24  # 240 + 24: exactly 1.10
    too_long = text + "多" * 25
    assert group_by_codes([text, longer], FEATURECODE_2004).firsts == (0, 0)
    assert group_by_codes([text, too_long], FEATURECODE_2004).firsts == (0, 1)
    assert group_by_codes([text, too_long], CODE_ONLY).firsts == (0, 0)


def test_the_first_member_speaks_for_its_class() -> None:
    text = _article(2, 40)
    chain = [text[: int(len(text) * share)] for share in (1.0, 0.95, 0.88)]
    grouping = group_by_codes(chain, FEATURECODE_2004)
    assert grouping.firsts == (0, 0, 2)  # the third is close to the second only


def test_the_closest_length_wins() -> None:
    text = _article(3, 60)
    texts = [text, text[: int(len(text) * 0.85)], text[: int(len(text) * 0.92)]]
    assert group_by_codes(texts, FEATURECODE_2004).firsts == (0, 1, 1)


def test_a_caption_does_not_break_the_default_rule() -> None:
    text = _article(4)
    captioned = "图为比赛现场的资料照片。新华社记者摄\n" + text
    assert group_by_codes([text, captioned], FEATURECODE_2004).firsts == (0, 1)
    assert group_by_codes([text, captioned]).firsts == (0, 0)


def test_one_code_in_common_is_not_enough_by_default() -> None:
    caption = "图为比赛现场的资料照片。新华社的记者王芳摄影\n"
    texts = [caption + _article(5), caption + _article(6)]
    assert group_by_codes(texts, CODE_ONLY).firsts == (0, 0)
    assert group_by_codes(texts).firsts == (0, 1)


def test_the_end_tells_a_shortened_article() -> None:
    text = _article(10, 60)
    shortened = text[: 21 * 56]  # four sentences less: 1.07 times shorter
    assert group_by_codes([text, shortened], THREE_CODES).firsts == (0, 0)
    assert group_by_codes([text, shortened]).firsts == (0, 1)
    assert group_by_codes([text, text[: 21 * 59]]).firsts == (0, 0)


def test_texts_without_codes_are_equal_by_their_letters() -> None:
    texts = ["没有句号", "没有，句号", "別的", "", "！"]
    grouping = group_by_codes(texts)
    assert grouping.firsts == (0, 0, 2, 3, 3)
    assert grouping.reasons == ("first", "no-code", "first", "first", "no-code")


def test_equal_texts_need_no_method() -> None:
    text = _article(7)
    other = _article(8)
    grouping = group_by_codes([other, text, other, text, text + "。"])
    assert grouping.firsts == (0, 1, 0, 1, 1)
    assert grouping.reasons == ("first", "first", "md5", "md5", "codes:3")
    assert grouping.kept == [0, 1]
    assert grouping.groups == {0: [0, 2], 1: [1, 3, 4]}


def test_stop_list() -> None:
    rule = replace(FEATURECODE_2004, stop_lengths=4)
    lead = "本站所有的文章均为转载。如有问题请来信\n"
    texts = [lead + _article(seed, 8 + 5 * seed) for seed in range(6)]
    near = texts[3].replace(lead, lead + "另有一句别的话在。")
    sketches = [code_sketch(text, rule) for text in texts]
    stopped = stop_codes(((s.codes, s.n_chars, "") for s in sketches), rule)
    assert len(stopped) == 1
    grouping = group_by_codes([*texts, near, lead + _article(99, 22)], rule)
    assert grouping.firsts[:6] == (0, 1, 2, 3, 4, 5)
    assert grouping.firsts[7] == 7  # as long as text 3, the same first code, another article
    hosts = [f"h{number}" for number in range(8)]
    by_hosts = replace(FEATURECODE_2004, stop_hosts=8)
    last = [*texts, near, lead + _article(99, 22)]
    assert group_by_codes(last, by_hosts, hosts).firsts[7] == 7
    assert (
        group_by_codes(last, by_hosts, ["h"] * 8).firsts
        == group_by_codes(last, FEATURECODE_2004).firsts
    )
    with pytest.raises(InputError):
        group_by_codes(last, by_hosts)
    assert stop_codes([((b"x",), 100, ""), ((b"x",), 104, "")], rule) == frozenset()


@pytest.mark.parametrize(
    "fields",
    [
        {"n_equal": 4},
        {"n_equal": 0},
        {"slack": 3},
        {"slack": -1},
        {"length_ratio": 0.9},
        {"length_ratio": float("nan")},
        {"n_tail_equal": 4},
        {"stop_hosts": -1},
    ],
)
def test_rules_that_make_no_sense(fields: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        CodeRule(**fields)  # type: ignore[arg-type]


# Lines of reposting

_BODY = "这是正文的第一句。这是正文的第二句，比第一句长。"


@pytest.mark.parametrize(
    "line",
    [
        "来源：新华网",
        "【来源: 人民日报】",
        "本文来源：网易科技报道 责任编辑：王晓易_NE0011",
        "（责任编辑：李明）",
        "责编：王芳",
        "編輯：陳大文",
        "作者：张三 编辑：李四",
        "免责声明：本文仅代表作者个人观点，与本网无关。其原创性以及文中陈述文字未经本站证实。",
        "本站转载此文目的在于传递更多信息，不代表本网的观点和立场。",
        "如涉及版权问题，请与我们联系删除。",
        "摘自《北京青年报》",
        "（原标题：北京二十五所成人高校招生）",
    ],
)
def test_lines_that_go(line: str) -> None:
    assert without_reposting_lines(f"{line}\n{_BODY}") == _BODY
    assert without_reposting_lines(f"{_BODY}\n\n{line}\n") == _BODY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "来源：新华网",
        "记者从有关部门获悉，来源已经查明。",
        "编辑部的故事是一部电视剧。",
        "他说：“来源不明的食品不要吃。”",
        "\n".join(["短。"] * 7 + ["来源：新华网"] + ["短。"] * 7),  # in the middle
    ],
)
def test_lines_that_stay(text: str) -> None:
    assert without_reposting_lines(text) == text


def test_credits_go_without_their_line() -> None:
    assert without_reposting_lines(f"{_BODY}（记者 王芳 编辑 李四）") == _BODY


@given(st.text(alphabet="来源：编辑记者（）()\n 声明代表作者。中", max_size=80))
def test_stripping_keeps_order_and_never_empties(text: str) -> None:
    stripped = without_reposting_lines(text)
    characters = iter(text)
    assert all(char in characters for char in stripped)
    assert bool(stripped) == bool(text)


# Bad input


@pytest.mark.parametrize(
    "text",
    [
        "",
        "。",
        "字",
        "x",
        "\ud800",
        "。" * 50,
        "没有句号的文本" * 9,
        "mixed 中文 и русский. عربي。日本語テキスト。한국어。",
        "\x00" * 10,
    ],
)
def test_odd_texts(text: str) -> None:
    for rule in (DEFAULT_RULE, FEATURECODE_2004, CODE_ONLY, CodeRule(slack=2, stop_lengths=2)):
        assert group_by_codes([text, text + "\n", "另一篇"], rule).firsts[0] == 0
    found = fingerprint(text)
    assert len(found.md5) == 32
    assert 0 <= found.simhash < 1 << 64


@given(st.text(max_size=60))
def test_fingerprint_never_raises(text: str) -> None:
    assert fingerprint(text) == fingerprint(text)


def test_ten_megabytes() -> None:
    text = _article(9, 1000) * 166  # 3.5 M characters, 10 MB of UTF-8
    found = fingerprint(text)
    assert found.n_chars == 166 * 20_000
    assert found.feature_codes == fingerprint(_article(9, 1000)).feature_codes
