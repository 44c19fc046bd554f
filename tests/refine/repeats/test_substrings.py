"""Repeated substrings: equal to windows in a dictionary and to a suffix array of the corpus."""

import gzip
import json
import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.refine.repeats import (
    SourceText,
    SubstringOptions,
    repeated_substrings,
    windows,
    without,
)
from tests.profiles import examples
from tests.refine.repeats import naive

SITES = Path(__file__).parents[4] / "shared" / "data" / "sites"
MEMORIES = st.sampled_from([1024, 3000, 1 << 20])

pieces = st.one_of(
    st.text("甲乙", max_size=12),
    st.text("甲乙丙\n\U00020000\ud800", max_size=30),
    st.sampled_from(["甲乙丙丁" * 9, "甲" * 40, "天地玄黄，宇宙洪荒。"]),
)
corpora = st.lists(st.lists(pieces, max_size=4).map("".join), max_size=8)


def found(texts, folder, **options):
    documents = [SourceText(f"d{n}", text) for n, text in enumerate(texts)]
    return documents, list(
        repeated_substrings(lambda: documents, folder, SubstringOptions(**options))
    )


@pytest.mark.full
@settings(max_examples=examples(300), deadline=None)
@given(corpora, st.integers(1, 14), MEMORIES)
def test_equal_to_windows_in_a_dictionary(tmp_path_factory, texts, chars, memory):
    folder = tmp_path_factory.mktemp("work")
    documents, spans = found(texts, folder, least_chars=chars, memory_bytes=memory)
    assert spans == naive.substrings(documents, chars)
    again = repeated_substrings(list, folder, SubstringOptions(chars, memory))
    assert list(again) == spans
    for span in spans:
        text, first = texts[int(span.document[1:])], texts[int(span.first_document[1:])]
        n = span.end - span.start
        assert n >= chars
        assert text[span.start : span.end] == first[span.first_start : span.first_start + n]


@settings(max_examples=examples(100), deadline=None)
@given(corpora, st.integers(1, 14))
def test_marks_what_a_suffix_array_marks(tmp_path_factory, texts, chars):
    _, spans = found(texts, tmp_path_factory.mktemp("work"), least_chars=chars)
    marked = {(int(s.document[1:]), place) for s in spans for place in range(s.start, s.end)}
    assert marked == naive.repeated_chars(texts, chars)


@settings(max_examples=examples(60), deadline=None)
@given(corpora, st.integers(1, 14), MEMORIES)
def test_hashes_that_different_windows_have_change_nothing(tmp_path_factory, texts, chars, memory):
    compiled = windows.hash_windows

    def weak(*arrays):
        compiled(*arrays)
        arrays[4][:] &= np.uint64(3 << 20)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "hash_windows", weak)
        folder = tmp_path_factory.mktemp("work")
        documents, spans = found(texts, folder, least_chars=chars, memory_bytes=memory)
    assert spans == naive.substrings(documents, chars)


def test_many_copies_of_one_text_in_little_memory(tmp_path):
    text = "".join(random.Random(1).choices("天地玄黄宇宙洪荒日月盈昃", k=60))
    texts = [f"{n}{text}{n}" for n in range(300)]
    documents, spans = found(texts, tmp_path, least_chars=20, memory_bytes=6000)
    assert spans == naive.substrings(documents, 20)
    assert without(texts[1], spans[:1]) == "11"


def test_a_long_line_of_one_character_is_one_span(tmp_path):
    _, (span,) = found(["—" * 30000], tmp_path, memory_bytes=1 << 16)
    assert (span.start, span.end, span.first_start) == (1, 30000, 0)


def test_options_that_cannot_be_used(tmp_path):
    with pytest.raises(ConfigError):
        SubstringOptions(least_chars=0)
    with pytest.raises(ConfigError):
        SubstringOptions(memory_bytes=1)
    found(["甲"], tmp_path)
    with pytest.raises(InputError, match="take another folder"):
        found(["甲"], tmp_path, least_chars=7)


def test_a_lost_file_is_named(tmp_path):
    found(["甲乙" * 60], tmp_path)
    (tmp_path / "spans-000000.rows").unlink()
    with pytest.raises(StoreError, match=r"spans-000000\.rows: cannot read"):
        found([], tmp_path)
    (tmp_path / "text_ends.bytes").unlink()
    with pytest.raises(StoreError, match=r"text_ends\.bytes: cannot read"):
        found([], tmp_path)


@pytest.mark.full
@pytest.mark.shared
@pytest.mark.skipif(not SITES.is_dir(), reason="needs the sites of ../shared/data")
def test_source_of_real_pages(tmp_path):
    texts = []
    for path in sorted(SITES.glob("*.jsonl.gz"))[:6]:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            texts += [json.loads(line)["html"][:20000] for line in islice(file, 8)]
    documents, spans = found(texts, tmp_path, least_chars=50, memory_bytes=1 << 20)
    assert len(spans) > 100
    assert spans == naive.substrings(documents, 50)
