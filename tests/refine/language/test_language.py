"""Languages, scripts and Cantonese, on texts of our own and on marked pages."""

import gzip
import json
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.refine.language import character_shares, han_script, is_cantonese, language_of
from tests.profiles import examples
from tests.refine.language.cantonese import cantonese

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
MARKED = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data"),
]

TEXTS = {
    "zh": "实验室的学生们在春天收集了许多网页，并且记录了每一个网站的结构和内容。",
    "ja": "研究室の学生たちは春に多くのウェブページを集めて、内容を記録しました。",
    "ko": "연구실의 학생들은 봄에 많은 웹페이지를 수집하고 내용을 기록했습니다.",
    "en": "The students of the laboratory collected many pages and wrote down what they hold.",
    "de": "Die Studenten des Labors sammelten viele Seiten und schrieben auf, was darin steht.",
    "fr": "Les étudiants du laboratoire ont recueilli de nombreuses pages et noté leur contenu.",
    "ru": "Студенты лаборатории собрали много страниц и записали, что на них написано.",
    "el": "Οι φοιτητές του εργαστηρίου συνέλεξαν πολλές σελίδες και κατέγραψαν το περιεχόμενο.",
    "pl": "Studenci laboratorium zebrali wiele stron i zapisali, co się na nich znajduje.",
}


def marked(name: str) -> list[dict]:
    for folder in ("extraction", "more"):
        path = SHARED / folder / f"{name}.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                return [row for row in map(json.loads, file) if row["gold_text"].strip()]
    raise FileNotFoundError(name)


@pytest.mark.parametrize("language", TEXTS)
def test_languages(language):
    found = language_of(TEXTS[language])
    assert found.language == language
    assert 0.5 < found.probability <= 1
    assert (found.script == "Hans") == (language == "zh")


@pytest.mark.parametrize("text", ["", "   \n", "12345 67890", "……——！！", "😀😀😀😀", "短文"])
def test_nothing_is_said_of_what_is_too_short(text):
    found = language_of(text)
    assert (found.language, found.probability, found.script) == ("und", 0.0, None)


def test_chinese_with_code_and_names_stays_chinese():
    text = "用户可以在终端里输入命令 docker run --rm -it ubuntu:22.04 bash，然后等待程序启动完成。"
    assert language_of(text * 3).language == "zh"


def test_scripts():
    assert han_script("這個實驗室的學生們") == "Hant"
    assert han_script("这个实验室的学生们") == "Hans"
    assert han_script("这个实验室的學生們說話") == "mixed"
    assert han_script("中文") is None
    assert han_script("她在香港着手寫這本書，裏面的綫索很清楚，這裡沒有麪包") == "Hant"
    assert han_script("皇后和王后在茶几旁，乾隆皇帝的书里写着：于是我们出发了") == "Hans"


def test_cantonese_texts_are_told_from_mandarin():
    texts = [cantonese(seed) for seed in range(200)]
    assert len(set(texts)) == 200
    assert sum(map(is_cantonese, texts)) >= 190
    assert all(language_of(text).language == "zh" for text in texts)
    assert not any(map(is_cantonese, TEXTS.values()))
    assert not is_cantonese(
        "店名叫「佢哋嘅茶」，他们在这里卖的是奶茶，不是咖啡，所以我没有去过那里。"
    )


@given(st.text(max_size=300))
@settings(max_examples=examples(200), deadline=None)
def test_shares_are_those_of_the_characters(text):
    shares = character_shares(text)
    visible = [
        sign for sign in text if not (sign.isspace() or unicodedata.category(sign)[0] == "Z")
    ]
    kinds = (shares.han, shares.kana, shares.hangul, shares.latin, shares.letter, shares.digit,
             shares.symbol)  # fmt: skip
    assert abs(shares.n_chars - len(visible)) <= sum(
        sign in "\x1c\x1d\x1e\x1f\x85" for sign in text
    )
    assert all(0 <= kind <= 1 for kind in kinds)
    assert sum(kinds) == pytest.approx(1 if shares.n_chars else 0)
    n_digits = sum(unicodedata.category(sign) == "Nd" and ord(sign) < 0x10000 for sign in visible)
    assert shares.digit * shares.n_chars == pytest.approx(n_digits)
    language_of(text)


def test_shares_by_a_naive_count():
    chance = random.Random(5)
    alphabets = {"han": "天网实验臺灣𠀀", "kana": "ひらカタ", "hangul": "한글", "latin": "abÄＺ",
                 "digit": "09５", "symbol": "，。!😀・", "letter": "яωع"}  # fmt: skip
    for _ in range(50):
        counts = {kind: chance.randint(0, 20) for kind in alphabets}
        signs = [chance.choice(alphabets[kind]) for kind, n in counts.items() for _ in range(n)]
        chance.shuffle(signs)
        shares = character_shares(" ".join(signs))
        assert shares.n_chars == len(signs)
        for kind, n in counts.items():
            assert getattr(shares, kind) == pytest.approx(n / max(len(signs), 1))


# Marked pages


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "language"),
    [
        pytest.param(name, language, marks=MARKED)
        for name, language in (
            ("daniel_zh", "zh"),
            ("daniel_en", "en"),
            ("daniel_other", ""),
            ("twevents", "zh"),
            ("magic_article_zh", "zh"),
            ("magic_article_en", "en"),
        )
    ],
)
def test_languages_of_marked_pages(name, language):
    rows = marked(name)
    found = {row["url"]: language_of(row["gold_text"]).language for row in rows}
    wrong = [row["url"] for row in rows if found[row["url"]] != (language or row["lang"])]
    assert len(wrong) <= 0.005 * len(rows), wrong


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
def test_scripts_and_cantonese_of_marked_pages():
    events = [row["gold_text"] for row in marked("twevents")]
    assert {han_script(text) for text in events} == {"Hant"}
    news = [(row["url"], row["gold_text"]) for row in marked("daniel_zh")]
    papers = ("chinatimes.com/", "nownews.com/", "libertytimes.com.tw/", "uho.com.tw/", "yam.com/")
    taiwan = [text for url, text in news if any(paper in url for paper in papers)]
    mainland = [text for url, text in news if ".cn/" in url and "big5." not in url]
    assert len(taiwan) > 30
    assert len(mainland) > 50
    assert {han_script(text) for text in taiwan} == {"Hant"}
    assert {han_script(text) for text in mainland} == {"Hans"}
    assert sum(map(is_cantonese, [*events, *(text for _, text in news)])) <= 0.01 * len(news)


@pytest.mark.full
@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["twevents", "daniel_zh"])
def test_scripts_of_converted_texts(name):
    opencc = pytest.importorskip("opencc")
    texts = [row["gold_text"] for row in marked(name)]
    for conversion, script in (("t2s", "Hans"), ("s2t", "Hant")):
        convert = opencc.OpenCC(conversion).convert
        right = sum(han_script(convert(text)) == script for text in texts)
        assert right >= 0.995 * len(texts)
