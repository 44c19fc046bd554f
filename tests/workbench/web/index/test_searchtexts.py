"""Search in a file of texts against looking at each text, and in steps against at once."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.workbench.web.index import search as searchtexts
from quarkcrawl.workbench.web.index.fold import fold
from quarkcrawl.workbench.web.index.search import TextWriter, hit_spans, words_of
from tests.profiles import examples

LETTERS = st.text(st.sampled_from("ab天网網 ÄＢ\u0308\n"), max_size=6)


def written(path, rows, batch_rows=3):
    writer = TextWriter(path)
    for first in range(0, len(rows), batch_rows):
        part = rows[first : first + batch_rows]
        numbers = writer.add(*(pa.array([row[n] for row in part], pa.string()) for n in (0, 1)))
        assert numbers.to_pylist() == list(range(first, first + len(part)))
    return writer.finish()


def naive(rows, words):
    joined = [fold(f"{title or ''}\n{text or ''}\n") for title, text in rows]
    return [n for n, text in enumerate(joined) if all(word in text for word in words)]


@given(
    rows=st.lists(st.tuples(st.none() | LETTERS, st.none() | LETTERS), max_size=8),
    query=st.text(st.sampled_from("aB天网網 ä“”"), max_size=6).filter(words_of),
    stretch_bytes=st.sampled_from([1, 7, 1000]),
)
@settings(max_examples=examples(150))
def test_finds_what_a_look_at_each_text_finds(tmp_path_factory, rows, query, stretch_bytes):
    texts = written(tmp_path_factory.mktemp("texts") / "t", rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searchtexts, "STRETCH_BYTES", stretch_bytes)
        search = texts.search(words_of(query))
    assert search.found.tolist() == naive(rows, words_of(query))
    assert search.next_row == len(texts) == len(rows)
    texts.close()


def test_a_long_search_goes_on_where_it_stopped(tmp_path, monkeypatch):
    rows = [(f"t{n}", "天网" if n % 3 else "北京") for n in range(50)]
    texts = written(tmp_path / "t", rows)
    monkeypatch.setattr(searchtexts, "STRETCH_BYTES", 1)
    monkeypatch.setattr(searchtexts, "WALL_S", -1.0)  # every stretch takes too long
    how_far = [texts.search(("天网",)).next_row for _ in range(50)]
    assert how_far == list(range(1, 51))
    assert texts.search(("天网",)).found.tolist() == naive(rows, ["天网"])
    texts.close()


def test_only_the_latest_searches_are_remembered(tmp_path):
    texts = written(tmp_path / "t", [("a", "b")] * 4)
    for number in range(100):
        texts.search((str(number),))
    assert len(texts._searches) <= searchtexts._MOST_SEARCHES
    texts.close()


def test_an_empty_corpus_has_no_texts(tmp_path):
    texts = TextWriter(tmp_path / "t").finish()
    assert texts.search(("x",)).found.tolist() == []
    texts.close()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("B a 天网 b  天网大学", ("天网大学", "天网", "a", "b")),
        ('"new  York" 北京', ("new york", "北京")),
        ("“天网 搜索”b", ("天网 搜索", "b")),
        ("臺灣 台湾 ＴＡＩＷＡＮ", ("taiwan", "台湾")),
        ('a "b c', ("a", "b", "c")),  # a quotation mark alone is none
        ('"" “ ”', ()),
    ],
)
def test_words_and_phrases_are_folded_and_each_once(query, words):
    assert words_of(query) == words


@given(text=LETTERS, query=st.text(st.sampled_from("aB天网網 ä“”"), max_size=6))
@settings(max_examples=examples(200))
def test_hits_are_where_the_words_are(text, query):
    words = words_of(query)
    spans = hit_spans(text, words)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))
    for start, end in spans:
        assert any(word in fold(text[start:end]) for word in words)
    assert bool(spans) == any(word in fold(text) for word in words)


def test_hits_of_a_text_that_folds_to_another_length():
    text = "½ Straße, STRASSE und 臺灣ＧＰＳ"
    assert [text[a:b] for a, b in hit_spans(text, words_of("strasse 台湾gps"))] == [
        "Straße", "STRASSE", "臺灣ＧＰＳ",
    ]  # fmt: skip


def test_texts_are_given_as_they_are(tmp_path):
    rows = [("臺灣 ＧＰＳ", "Größe ½"), (None, "x")]
    texts = written(tmp_path / "t", rows)
    assert [texts[0], texts[1]] == ["臺灣 ＧＰＳ\nGröße ½\n", "\nx\n"]
    texts.close()
    assert list(tmp_path.iterdir()) == []


def test_what_is_about_the_words_has_the_best_score(tmp_path):
    filler = "经济市场" * 20
    rows = [
        ("其他", f"{filler}天网{filler}"),
        ("其他", f"天网{filler}天网{filler[8:]}天网"),
        ("天网", filler),
        ("其他", "天网"),
        ("其他", filler),
        ("其他", f"{filler}天网{filler}{filler}{filler}"),
    ]
    texts = written(tmp_path / "t", rows)
    search = texts.search(("天网",))
    scores = dict(zip(search.found, search.scores, strict=True))
    assert scores.keys() == {0, 1, 2, 3, 5}
    assert scores[1] > scores[0] > scores[5]  # more often; then in a shorter text
    assert scores[2] > scores[0]  # in the title
    assert scores[3] > scores[0]
    texts.close()
