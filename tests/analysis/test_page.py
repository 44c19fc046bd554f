"""What the analysis of one page says of it."""

from __future__ import annotations

from quarkcrawl.analysis import AnalysisPlan, PageInput, analyze


def test_a_page_that_an_element_would_have_swallowed_is_flagged():
    body = ("<title>a</title><iframe src=b/>" + "<p>周六下午在湖边读书。</p>" * 20).encode()
    assert analyze(PageInput("http://a.cn/", body), AnalysisPlan()).flags == ("unclosed",)
    whole = body.replace(b"/>", b"></iframe>")
    assert analyze(PageInput("http://a.cn/", whole), AnalysisPlan()).flags == ()
