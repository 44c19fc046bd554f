"""URLs as numbers, and arrays that grow, against plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.rank.graph.growing import Growing
from quarkcrawl.rank.graph.urlnumbers import UrlNumbers
from tests.profiles import examples

TEXTS = st.lists(st.one_of(st.none(), st.text("ab中", max_size=12), st.text(max_size=40)))


def naive(columns):
    known: dict[str, int] = {}
    return [
        [-1 if text is None else known.setdefault(text, len(known)) for text in column]
        for column in columns
    ], list(known)


@pytest.mark.full
@given(st.lists(TEXTS, max_size=5), st.booleans())
@settings(max_examples=examples(60))
def test_as_a_dictionary_does_it(columns, encoded):
    columns = [[t if t is None else t.encode(errors="replace").decode() for t in c]
               for c in columns]  # fmt: skip
    found = UrlNumbers()
    arrays = [pa.array(column, pa.string()) for column in columns]
    arrays = [array.dictionary_encode() if encoded else array for array in arrays]
    numbers, texts = naive(columns)
    assert [found.add(array).tolist() for array in arrays] == numbers
    assert found.finish().to_pylist() == texts


def test_many_urls_in_slices_and_chunks():
    """More than the table holds at first, long texts, arrays that do not begin at 0."""
    urls = [f"http://host{k % 700}.cn/{'x' * (k % 90)}/{k % 30_000}" for k in range(70_000)]
    numbers, texts = naive([urls])
    whole, found = pa.array(urls), UrlNumbers()
    pieces = pa.chunked_array([whole[:5], whole[5:40_000]])
    both = np.concatenate([found.add(pieces), found.add(whole[40_000:])])
    assert both.tolist() == numbers[0]
    assert len(found) == len(texts)
    assert found.finish().to_pylist() == texts


def test_an_array_grows_while_someone_looks_at_it():
    grown = Growing(np.int64)
    grown.append(np.arange(10))
    view = grown.room(0)[:10]
    for start in range(10, 500_000, 70_000):
        grown.append(np.arange(start, start + 70_000))
    assert view.tolist() == list(range(10))
    assert np.array_equal(grown.finish(), np.arange(len(grown)))
    assert Growing(np.bool_).finish().tolist() == []
