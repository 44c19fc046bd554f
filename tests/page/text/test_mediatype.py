"""One Content-Type of several, as the Fetch standard extracts it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page.text import content_type_of, essence_of


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], ""),
        (["text/html; charset=gbk"], "text/html; charset=gbk"),
        (["nonsense"], "nonsense"),
        # Examples of the Fetch standard, section 3.5.
        (["text/plain;charset=gbk, text/html"], "text/html"),
        (["text/html;charset=gbk;a=b, text/html;x=y"], "text/html;charset=gbk;a=b"),
        (["text/html;charset=gbk", "x/x", "text/html;x=y"], "text/html;x=y"),
        (["text/html", "cannot-parse"], "text/html"),
        (["text/html", "*/*"], "text/html"),
        (["text/html", ""], "text/html"),
        (["", "text/html"], "text/html"),
        (["image/png", "text/html"], "text/html"),
        (['text/html;a="b,c/d"', "text/plain"], "text/plain"),
        (['text/html;a="b,c/d'], 'text/html;a="b,c/d'),
        (["nonsense", "more"], "nonsense"),
    ],
)
def test_the_last_that_names_a_media_type_is_taken(values, expected):
    assert content_type_of(values) == expected


@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_values_have_one(values):
    found = content_type_of(values)
    assert essence_of(found) == essence_of(found).lower()
    assert found in ",".join(values) or found == ""
