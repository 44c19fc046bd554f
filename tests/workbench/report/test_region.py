"""The map of the topic region."""

from __future__ import annotations

import pytest

from quarkcrawl.content.items.api import ITEM_METHODS, topic_region
from quarkcrawl.content.items.region import BlockRule, PictureRule
from quarkcrawl.workbench.report import region_map
from quarkcrawl.workbench.report.region import _PICTURE_RULES, _RULES
from tests.workbench.report.pages import tree_of_copy

LONG = "<p>图书馆新到了一批书，借的人很多。请大家看完以后按时归还。</p>" * 4
TABLE = "<table><tr><th>名<th>价<tr><td>甲<td>3</table>"
NOISE = "<div id=n><a href=x>一</a><a href=y>二</a></div>"
HTML = (
    f"<html lang=zh><title>页</title><body><div id=a>{LONG}{NOISE}{TABLE}"
    f"<img src=a.jpg width=99 height=99></div><script>alert(1)</script><div>外面</div>"
)


@pytest.mark.parametrize("method", sorted(ITEM_METHODS))
def test_region_removed_blocks_and_rules_are_shown(method: str) -> None:
    region = topic_region(HTML, method=method)
    shown = region_map(region)
    tree = tree_of_copy(shown)
    everything = range(len(tree))
    roots = [node for node in everything if tree.attr(node, "data-qk-region") is not None]
    removed = [node for node in everything if tree.attr(node, "data-qk-removed")]
    assert [tree.attr(node, "id") for node in roots] == ["a"]
    assert [tree.attr(node, "id") for node in removed] == ["n"]
    pictures = [tree.attr(node, "data-qk-picture") for node in tree.nodes("img")]
    assert pictures == ["dropped"]
    assert "too small" in shown
    assert "alert(1)" not in shown


def test_fills_say_what_each_run_is() -> None:
    tree = tree_of_copy(region_map(topic_region(HTML)))
    fills = {
        "".join(tree.text(node).split()): tree.attr(node, "data-qk-fill")
        for node in tree.nodes("qk-run")
    }
    assert fills["图书馆新到了一批书，借的人很多。请大家看完以后按时归还。"] == "topic"
    assert (fills["甲"], fills["一"]) == ("table", "noise")
    assert "外面" not in fills


def test_every_rule_has_words() -> None:
    assert set(_RULES) == set(BlockRule)
    assert set(_PICTURE_RULES) == set(PictureRule)


def test_empty_page() -> None:
    assert "Topic region" in region_map(topic_region(b""))
