"""The Content record and `extract`."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content import METHODS
from quarkcrawl.content.labels import kinds_of, label_by_runs
from quarkcrawl.content.metadata.headline import headline, without_headline, without_page_headline

HTML = (
    "<title>流星_新闻</title><h1>流星</h1><div>"
    + "昨天，北京看到了流星，很亮。" * 20
    + "</div><p>末尾"
)


def test_importing_the_package_is_light():
    code = (
        "import sys, quarkcrawl; heavy = {'numba', 'jieba', 'sklearn', 'scrapy', 'pyarrow', 'lxml'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_method_that_fails_gives_an_empty_content(monkeypatch):
    def broken(page):
        message = "no luck"
        raise KeyError(message)

    monkeypatch.setitem(METHODS, "broken", broken)
    content = qc.extract(HTML, method="broken")
    assert content.failure == "KeyError: 'no luck'"
    assert content.text == ""
    assert not content.runs.any()
    assert content.spans == ()
    assert {block.kind for block in content.blocks} == {"noise"}
    assert "failed" in repr(content)


def test_what_can_be_given():
    texts = {
        qc.extract(given, method="quark").text
        for given in (HTML, HTML.encode(), qc.Page.from_html(HTML))
    }
    assert len(texts) == 1
    assert qc.extract(HTML, url="http://a.cn/1.html").page.url == "http://a.cn/1.html"


def test_labels_for_methods_without_blocks():
    page = qc.Page.from_html(HTML)
    inside = np.array(["流星，" in run for run in page.tree.runs])
    assert [block.kind for block in label_by_runs(page, inside)] == ["noise", "content", "noise"]
    assert kinds_of(np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)) == [
        "content",
        "content",
        "rel_link",
        "noise",
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (HTML, "流星"),
        (
            "<title>北京看到了流星 - 新闻频道</title><h1>某某网</h1><p>北京看到了流星",
            "北京看到了流星",
        ),
        ("<title>北京看到了流星_新闻频道</title><p>没有标题的文字", "北京看到了流星"),
        ("<h2>只有小标题</h2>", "只有小标题"),
        ("<title>某某网：北京看到了流星</title><h1>北京看到了流星</h1>", "北京看到了流星"),
        ("<p>什么都没有", ""),
        ("", ""),
    ],
)
def test_headline(html, expected):
    assert headline(qc.Page.from_html(html)) == expected


def test_a_text_without_its_headline():
    page = qc.Page.from_html("<title>流星_新闻频道</title><h1>流星雨</h1><h2>流星</h2>")
    assert headline(page) == "流星"
    assert without_page_headline("新闻\n流 星\n昨天\n流星", page) == "新闻\n昨天\n流星"
    assert without_page_headline("昨天的流星\n很亮", page) == "昨天的流星\n很亮"
    assert without_page_headline("1\n2\n3\n4\n5\n6\n流星", page).endswith("流星")
    assert without_page_headline("", page) == ""
    assert without_page_headline("流星\n1\n2\n3\n4\n5\n6\n7", page) == "1\n2\n3\n4\n5\n6\n7"
    untitled = qc.Page.from_html("<h1>流星</h1>")
    assert without_page_headline("流星\n很亮", untitled) == "很亮"
    assert without_page_headline("流星", qc.Page.from_html("<p>流星")) == "流星"


def test_a_text_without_a_given_headline():
    assert without_headline("新闻\n流 星\n昨天\n流星", "流星") == "新闻\n昨天\n流星"
    assert without_headline("1\n2\n3\n4\n5\n6\n流星", "流星").endswith("流星")
    assert without_headline("流星", "") == "流星"
    assert without_headline("", "流星") == ""


@given(st.lists(st.sampled_from(["流星", "流星雨", "新闻频道", "很亮", ""]), max_size=9))
def test_both_ways_agree(lines):
    page = qc.Page.from_html("<title>流星_新闻频道</title><h1>流星雨</h1><h2>流星</h2>")
    text = "\n".join(lines)
    assert without_page_headline(text, page) == without_headline(text, headline(page))
