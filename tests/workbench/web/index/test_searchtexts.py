"""Search in a file of texts against looking at each text, and in steps against at once."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.workbench.web.index import search as searchtexts
from quarkcrawl.workbench.web.index.search import TextWriter, words_of
from tests.profiles import examples

LETTERS = st.text(st.sampled_from("ab天网 Ä\n"), max_size=6)


def written(path, rows, batch_rows=3):
    writer = TextWriter(path)
    for first in range(0, len(rows), batch_rows):
        part = rows[first : first + batch_rows]
        numbers = writer.add(*(pa.array([row[n] for row in part], pa.string()) for n in (0, 1)))
        assert numbers.to_pylist() == list(range(first, first + len(part)))
    return writer.finish()


def naive(rows, words):
    joined = [f"{title or ''}\n{text or ''}".lower() for title, text in rows]
    return [n for n, text in enumerate(joined) if all(word in text for word in words)]


@given(
    rows=st.lists(st.tuples(st.none() | LETTERS, st.none() | LETTERS), max_size=8),
    query=st.text(st.sampled_from("aB天网 ä"), max_size=5).filter(str.strip),
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


def test_words_are_lower_case_and_each_once():
    assert words_of("B a 天网 b  天网大学") == ("天网大学", "天网", "a", "b")
