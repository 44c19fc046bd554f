"""Marking pages as they come in."""

import pytest

from quarkcrawl.dedup import MARKING_METHODS, NearMark, NearMarker
from quarkcrawl.errors import ConfigError
from tests.dedup.test_reposts import articles


@pytest.mark.parametrize("method", MARKING_METHODS)
def test_the_first_of_a_class_is_named(method: str) -> None:
    one, other = articles(20, 5)[:2]
    marker = NearMarker(method, k=6)
    assert marker.mark("http://a/", one) is None
    assert marker.mark("http://b/", other) is None
    found = marker.mark("http://c/", other.replace("，", ",", 1))
    assert isinstance(found, NearMark)
    assert found.url == "http://b/"
    assert ":" in found.reason


def test_an_unknown_method() -> None:
    with pytest.raises(ConfigError, match="simhash-words"):
        NearMarker("md6")
