"""A block becomes a rule, the rule finds the same part of other pages, contents are corrected."""

from __future__ import annotations

import numpy as np
import pytest

import quarkcrawl as qc
from quarkcrawl.content import Content, Extraction
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from quarkcrawl.segment import lines_of, segmentation_of
from quarkcrawl.template.site import (
    SiteRule,
    SiteRules,
    corrected,
    proposed_rule,
    rule_effects,
    without_repeated,
)
from quarkcrawl.template.site.places import names_of, places_of
from tests.corpus.sitepages import paragraphs

HOST = "a.cn"


def html(number: int, more: str = "", inside: str = "") -> str:
    """An article of a site: its own id, a box beside it, two lists without names."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs(number))
    return (
        f"<title>第{number}篇</title><body><div id='top'><ul><li>首页</li></ul></div>"
        f"<div id='main'><h1>第{number}篇</h1><div class='text post-{number}' id='p{number}'>"
        f"{body}{inside}</div><div class='box'><b>热门</b><i>排行榜第{number}期</i></div></div>"
        f"<div><ul><li>版权所有</li></ul></div>{more}"
    )


def page(number: int, **more: str) -> Page:
    return Page.from_html(html(number, **more), f"http://{HOST}/{number}.html")


def taken(one: Page, *texts: str) -> Content:
    """As if a method had taken the runs with these texts."""
    tree = one.tree
    runs = np.array([any(text in run for text in texts) for run in tree.runs], np.bool_)
    runs &= ~tree.run_raw
    return Content(Extraction(one, "made", text=lines_of(tree, runs), runs=runs))


def of_others(*numbers: int, runs: tuple[str, ...] = ("第",), **more: str) -> list[Content]:
    """What a method found on other pages: the runs with these texts."""
    return [taken(page(number, **more), *runs) for number in numbers]


def said(kind: str, select: str, *, own: bool = False) -> str:
    return SiteRules((SiteRule(HOST, kind, select, own),)).of(HOST)


def block_with(one: Page, text: str) -> int:
    return next(block.number for block in segmentation_of(one) if text in block.text)


# Contents


def test_noise_goes_and_content_comes_in_the_order_of_the_page():
    content = taken(page(1), "第1次", "热门")
    assert content.text.endswith("热门")
    found = corrected(content, said("noise", "div.box"))
    assert found.content.text == "\n".join(paragraphs(1))
    assert (found.added_chars, found.removed_chars) == (0, 2)
    found = corrected(found.content, said("content", "#top li"))
    assert found.content.text == "\n".join(["首页", *paragraphs(1)])
    assert (found.added_chars, found.removed_chars) == (2, 0)
    assert found.content.runs.sum() == 5


def test_a_content_to_which_no_rule_says_anything_is_the_same():
    content = qc.extract(page(1))
    for taught in ("", said("noise", "div.none"), said("noise", "#top"), said("content", "script")):
        assert corrected(content, taught).content is content


def test_the_innermost_element_decides_and_of_two_rules_the_later():
    content = taken(page(1), "第1次")
    inner, outer = ("content", "div.box b"), ("noise", "div.box")
    for order in ([inner, outer], [outer, inner]):
        rules = SiteRules(tuple(SiteRule(HOST, kind, select) for kind, select in order))
        both = corrected(taken(page(1), "第1次", "热门", "排行榜"), rules.of(HOST))
        assert both.content.text.split("\n") == [*paragraphs(1), "热门"]
    later = SiteRules((SiteRule(HOST, "noise", "div.box"), SiteRule(HOST, "content", ".box")))
    assert corrected(content, later.of(HOST)).added_chars == len("热门排行榜第1期")


def test_each_rule_says_what_it_decides_and_what_the_method_had_said():
    content = taken(page(1), "第1次", "热门")
    rules = SiteRules((
        SiteRule(HOST, "noise", "div.box"),
        SiteRule(HOST, "content", "div.box i"),
        SiteRule(HOST, "noise", "div.none"),
        SiteRule(HOST, "noise", "div.text", page="http://a.cn/2.html", page_only=True),
    ))  # fmt: skip
    outer, inner = rule_effects(content, rules.of(HOST))
    assert (outer.rule, outer.content_chars, outer.noise_chars) == (0, 2, 0)
    assert (inner.rule, inner.content_chars, inner.noise_chars) == (1, 0, 6)
    assert outer.blocks == [block_with(content.page, "热门")]
    assert inner.blocks == [block_with(content.page, "排行榜")]
    found = corrected(content, rules.of(HOST))
    assert (found.removed_chars, found.added_chars) == (outer.content_chars, inner.noise_chars)
    assert rule_effects(content, "") == []
    failed = Content(Extraction(page(1), "made", failure="broken"))
    assert rule_effects(failed, rules.of(HOST)) == []


def test_own_leaves_the_blocks_within_alone():
    words = "栏目一共收录了三十篇文章。" * 8
    one = page(1, more=f"<div class='outer'>外面的文字{words}<table><tr><td>{words}</table></div>")
    cut = segmentation_of(one)
    assert block_with(one, "外面的文字") != block_with(one, "栏目") or len(cut) > 2
    content = taken(one, "第1次", "外面的文字", "栏目")
    whole = corrected(content, said("noise", "div.outer"))
    own = corrected(content, said("noise", "div.outer", own=True))
    assert "栏目" not in whole.content.text
    assert own.content.text.count("栏目") == 8
    assert "外面的文字" not in own.content.text


def test_the_headline_is_not_repeated_in_the_text():
    content = qc.extract(page(1))
    found = corrected(content, said("content", "#main")).content
    assert found.title == "第1篇"
    assert "第1篇" not in found.text.split("\n")
    assert "热门" in found.text


def test_rules_that_leave_nearly_nothing_change_nothing():
    content = taken(page(1), "第1次", "热门")
    found = corrected(content, said("noise", "div.text"))
    assert found.content is content
    assert found.is_kept
    both = SiteRules((SiteRule(HOST, "noise", "div.text"), SiteRule(HOST, "content", "#main i")))
    assert corrected(content, both.of(HOST)).is_kept
    assert not corrected(taken(page(1), "热门"), said("noise", "div.text")).is_kept


def test_lines_of_which_nothing_changes_stay_as_the_method_wrote_them():
    table = "<table><tr><td>甲</td><td>乙</td></tr></table>"
    content = taken(page(1, inside=table), "第1次", "甲", "乙", "热门")
    assert "甲\t乙" in content.text
    assert "甲\t乙" in corrected(content, said("noise", "div.box")).content.text
    half = corrected(content, said("noise", "td:last-of-type")).content.text
    assert "甲" in half
    assert "乙" not in half


def test_what_a_page_carries_as_data_gives_way_to_content():
    data = '<script type="application/ld+json">{"@type":"Article","articleBody":"%s"}</script>'
    body = "数据里的正文说明了这一点。" * 40
    one = Page.from_html(
        f"<title>题</title>{data % body}<div class='x'>看得见</div>", "http://a.cn/"
    )
    content = qc.extract(one)
    assert content.extraction.embedded is not None
    assert corrected(content, said("noise", "div.x")).content is content
    found = corrected(content, said("content", "div.x")).content
    assert found.text == "看得见"
    assert found.extraction.embedded is None


@pytest.mark.parametrize("method", ["default", "quark", "rules", "ibdom"])
def test_all_methods_are_corrected_alike(method):
    content = qc.extract(page(1), method=method)
    taught = SiteRules((SiteRule(HOST, "noise", "div.box"), SiteRule(HOST, "content", "div.text")))
    found = corrected(content, taught.of(HOST)).content
    assert found.method == method
    assert set(paragraphs(1)) <= set(found.text.split("\n"))
    assert "热门" not in found.text
    kinds = {block.kind for block in found.blocks if "第1次" in block.text}
    assert kinds == {"content"}


def test_pages_without_markup_stay_as_they_are():
    failed = Content(Extraction(page(1), "made", failure="broken"))
    assert corrected(failed, said("content", "p")).content is failed


def test_a_file_of_a_method_keeps_its_topic_models():
    models = {"zh": object()}
    content = Content(taken(page(1), "第1次", "热门").extraction, models)
    for changed in (corrected(content, said("noise", "div.box")).content,
                    content.with_runs(content.runs, content.text)):  # fmt: skip
        assert changed._topic_models is models
    assert without_repeated(content, "") == (content, 0)


# Places


def others(*numbers: int) -> list[frozenset[str]]:
    return [names_of(page(number).tree) for number in numbers]


def test_names_of_the_site_are_used_and_names_of_the_page_are_not():
    one = page(1)
    rule = proposed_rule(
        qc.extract(one), block_with(one, "第1次"), "content", of_others(2, 3), host=HOST
    )
    assert "post-1" not in rule.select
    assert "p1" not in rule.select
    assert (rule.host, rule.kind, rule.page) == (HOST, "content", "http://a.cn/1.html")
    found = corrected(taken(page(2), "热门"), SiteRules((rule,)).of(HOST)).content
    assert set(paragraphs(2)) <= set(found.text.split("\n"))


def test_without_other_pages_names_with_digits_are_of_the_page():
    one = page(1)
    runs = [run for run, text in enumerate(one.tree.runs) if "第1次" in text]
    assert places_of(one, runs).select == "div.text"
    assert places_of(one, runs, others(1)).select == "div#p1"


def test_elements_without_names_are_told_by_their_number():
    one = page(1)
    runs = [run for run, text in enumerate(one.tree.runs) if "版权" in text]
    place = places_of(one, runs)
    assert not place.own
    found = corrected(taken(page(2), "第2次", "版权"), said("noise", place.select)).content
    assert found.text == "\n".join(paragraphs(2))
    assert (
        corrected(taken(page(2), "首页", "第2次"), said("noise", place.select)).removed_chars == 0
    )


def test_elements_that_are_alike_are_named_at_once():
    inside = "<div class='ad'>广告</div>"
    one = page(1, inside=inside)
    runs = [run for run, text in enumerate(one.tree.runs) if "第1次" in text]
    place = places_of(one, runs, others(2))
    assert place == ("div.text > p", False)
    long = page(2, inside="<p>又一段</p>" * 9 + inside)
    found = corrected(taken(long, "广告", "热门"), said("content", place.select)).content
    assert found.text.count("又一段") == 9


def test_text_between_the_elements_of_others_is_named_by_what_is_around_it():
    one = page(1, more="<div class='mixed'>甲<p>乙</p>丙</div>")
    runs = [run for run, text in enumerate(one.tree.runs) if text.strip() in {"甲", "丙"}]
    assert places_of(one, runs) == ("div.mixed", True)


def test_a_rule_for_one_page_changes_no_other():
    rule = SiteRule(HOST, "noise", "div.box", page=f"http://{HOST}/2.html", page_only=True)
    taught = SiteRules((rule,)).of(HOST)
    assert corrected(taken(page(2), "第2次", "热门"), taught).removed_chars == 2
    content = taken(page(1), "第1次", "热门")
    assert corrected(content, taught).content is content


def test_blocks_that_are_not_there_are_refused():
    content = qc.extract(page(1))
    for block in (-1, 10_000):
        with pytest.raises(InputError, match=f"no block {block} with text"):
            proposed_rule(content, block, "noise", host=HOST)
