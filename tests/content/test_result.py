"""The Content record and `extract`."""

import subprocess
import sys

import numpy as np

import quarkcrawl as qc
from quarkcrawl.content import METHODS
from quarkcrawl.content.labels import kinds_of, label_by_runs

HTML = (
    "<title>流星_新闻</title><h1>流星</h1><div>"
    + "昨天，北京看到了流星，很亮。" * 20
    + "</div><p>末尾"
)


def test_importing_the_package_is_light():
    code = (
        "import sys, quarkcrawl; heavy = {'scipy', 'jieba', 'sklearn', 'scrapy', 'pyarrow', 'lxml'};"
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
