"""Rows are written as the standard library would write them, and what that cannot write, too."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.store.tables.json import dump


class Pair(NamedTuple):
    first: int
    second: str


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
leaves = st.none() | st.booleans() | numbers | st.text(st.characters(), max_size=9)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(values)
def test_reads_back_as_the_standard_library_writes_it(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    assert json.loads(dump(value)) == json.loads(written)


@dataclass
class Found:
    n: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.arange(3), [0, 1, 2]),
        (np.float32(0.5), 0.5),
        ({"a": np.bool_(True), "b": [np.int64(7)]}, {"a": True, "b": [7]}),
        ((1, (2, 3)), [1, [2, 3]]),
        (Pair(1, "b"), [1, "b"]),
        ({"b"}, ["b"]),
        (b"\x01\xff", "01ff"),
        (2**70, 2**70),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        ("a\ud800b", "a?b"),
        ([float("nan"), float("inf")], [None, None]),
        (date(2008, 3, 5), "datetime.date(2008, 3, 5)"),
        (Found(1), "Found(n=1)"),
    ],
)
def test_what_is_not_plain(value: object, expected: object) -> None:
    assert json.loads(dump(value)) == expected


def test_nested_deeper_than_the_fast_writer_goes() -> None:
    value: list[Any] = []
    for _ in range(400):
        value = [value]
    assert json.loads(dump(value)) == value
