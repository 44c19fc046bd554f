"""The lexicon: its file form, what replaces it, how words are counted."""

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.refine.spam import Lexicon, spam_of


def test_longer_words_win_and_disguises_are_counted():
    found = Lexicon.parse(["[gambling]", "1: 赌场", "3: 澳门赌场"]).matches("澳门赌场和賭.場")
    assert found["gambling"].counts == {"澳门赌场": 1, "赌场": 1}
    assert found["gambling"].n_disguised == 1
    assert found["gambling"].weight == 4


def test_latin_words_match_whole():
    lexicon = Lexicon.parse(["[pharmacy]", "1: cialis", "2: buy cialis"])
    assert lexicon.matches("specialist of cialists") == {}
    assert set(lexicon.matches("buy cialis")["pharmacy"].counts) == {"cialis", "buy cialis"}


def test_another_lexicon_replaces_the_words(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "# mine\n[loans]\n3: 天网币 | 云矿机 | 算力贷\n[call]\n1: 速来 | 快上车\n", "utf-8"
    )
    text = "天网币云矿机算力贷，天网币稳赚，速来快上车，联系QQ：12345678，云矿机天网币。" * 3
    assert spam_of(None, text, "天网币云矿机", lexicon=Lexicon.read(path)).kinds == ("loans",)
    assert spam_of(None, text, "天网币云矿机").kinds == ()


@pytest.mark.parametrize("line", ["赌场", "[lottery]", "4: 赌场", "x: 赌场", "[gambling]\n0: 赌场"])
def test_a_bad_line_is_named(line):
    with pytest.raises(InputError) as caught:
        Lexicon.parse(line.split("\n"), source="mine.txt")
    assert str(caught.value).startswith(f"mine.txt:{1 + line.count(chr(10))}")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot read the lexicon"):
        Lexicon.read(tmp_path / "no.txt")
