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


def test_length_and_slack_are_bounds_of_feature_codes() -> None:
    text = articles(20, 1)[0]
    longer = text + text[len(text) // 2 :]
    marks = {ratio: NearMarker("featurecode-2004", length_ratio=ratio) for ratio in (0.0, 2.0)}
    for ratio, marker in marks.items():
        assert marker.mark("http://a/", text) is None
        assert (marker.mark("http://b/", longer) is None) == (ratio == 0.0)
    with pytest.raises(ConfigError, match="slack"):
        NearMarker("featurecode", slack=3)
