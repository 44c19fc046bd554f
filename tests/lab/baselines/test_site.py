"""The teams' methods that compare pages of a site: on made sites whose own parts we know."""

import json

import pytest
from hypothesis import given

from quarkcrawl.errors import InputError
from quarkcrawl.lab.baselines.content import BASELINES
from quarkcrawl.lab.baselines.site import SITE_BASELINES, likeness_of_urls, shared_runs
from quarkcrawl.lab.evaluate.extractors.extractors import content_method
from quarkcrawl.lab.evaluate.sewm2008.finder import StoredPage, find_content
from quarkcrawl.page import Page, PageTree
from tests.cli.test_extract import call
from tests.page.samples import markup

__all__ = ["call"]  # a fixture

ABOUT = "本站成立于一九九七年，内容由各地通讯员提供，转载请注明出处，违者必究。" * 4
"""Long text of the site that has no links: what a page alone cannot tell from its content."""


def page(number, text, *, more="", lead="<p>今日要闻</p>"):
    html = (
        f"<title>第{number}篇</title><div>{lead}<a href=/>首页</a></div><div><h1>第{number}篇</h1>"
        f"<p>{text}</p>{more}</div><div>{ABOUT}</div>"
    )
    return Page.from_html(html, f"http://a.cn/2008/{number}.html")


def article(number):
    return f"第{number}篇写的是另一件事，研究者在第{number}天收集网页。" * 8


PAGES = [page(number, article(number)) for number in range(6)]
LINKS = "<ul>" + "".join(f"<li><a href=/x{n}>只在这一页的链接{n}</a>" for n in range(9)) + "</ul>"


def runs_of(tree, mask):
    return [text for text, is_in in zip(tree.runs, mask, strict=True) if is_in and text.strip()]


@given(markup)
def test_a_page_shares_everything_with_itself(html):
    tree = PageTree.parse(html)
    assert shared_runs(tree, PageTree.parse(html)).all()


def test_what_is_equal_at_the_same_place_is_shared():
    one, other = (PageTree.parse(html) for html in (
        "<div><p>甲<p>乙<ul><li>一<li>二</ul></div><div>丙</div>",
        "<div><p>乙<p>丁<ul><li>二<li>三</ul></div><span>丙</span>",
    ))  # fmt: skip
    assert runs_of(one, shared_runs(one, other)) == ["乙", "二"]
    assert runs_of(other, shared_runs(other, one)) == ["乙", "二"]
    assert runs_of(one, ~shared_runs(one, other)) == ["甲", "一", "丙"]


@pytest.mark.parametrize("name", SITE_BASELINES)
def test_what_the_site_repeats_is_no_content(name):
    found = SITE_BASELINES[name](PAGES[0], PAGES[1:]).text
    assert article(0) in found
    assert ABOUT not in found
    assert "首页" not in found


@pytest.mark.parametrize("name", SITE_BASELINES)
def test_a_page_without_others_is_judged_alone(name):
    for others in ([], [PAGES[0]], [Page.from_html(PAGES[0].html, "http://a.cn/copy")]):
        found = SITE_BASELINES[name](PAGES[0], others)
        assert ABOUT in found.text
        assert article(0) in found.text
    if name == "scut2":
        assert found.text == BASELINES["scut1"](PAGES[0]).text


def test_links_of_the_page_alone_are_left_out_by_their_ratio():
    own = page(9, "", more=f"<div>{article(9)}</div><div>{LINKS}</div>")
    found = SITE_BASELINES["scut3"](own, PAGES).text
    assert article(9) in found
    assert "只在这一页的链接" not in found


def test_the_partner_of_scut3_is_alike_by_url_and_that_of_scut4_is_not_chosen_by_it():
    assert likeness_of_urls("http://a.cn/x/1", "http://a.cn/x/22") == (14, -1)
    near = Page.from_html(PAGES[1].html, "http://a.cn/2008/01.html")
    far = [Page.from_html(f"<p>别的版面{n}", f"http://a.cn/about/{n}") for n in range(40)]
    assert ABOUT not in SITE_BASELINES["scut3"](PAGES[0], [*far, near]).text
    assert ABOUT in SITE_BASELINES["scut4"](PAGES[0], [*far, near]).text


def test_pages_of_a_host_are_given_to_a_method_of_several_pages():
    stored = {one.url: StoredPage(one.url, one.body, one.url) for one in PAGES}
    alone = StoredPage("x", PAGES[0].body, "http://b.cn/2008/0.html")
    nowhere = StoredPage("y", PAGES[0].body, "")
    run, failures = find_content("scut3", stored | {"x": alone, "y": nowhere}, "chars", workers=1)
    assert not failures

    def text(number, html):
        return "".join(html[start : start + n] for start, n in run.spans[number])

    for one in PAGES:
        assert ABOUT not in text(one.url, one.html)
    assert ABOUT in text("x", PAGES[0].html)
    assert ABOUT in text("y", PAGES[0].html)
    with pytest.raises(InputError, match="scut3 needs several pages of a site: evaluate content"):
        content_method("scut3")


def test_the_command_scores_them(call, tmp_path):
    rows = [{"url": one.url, "html": one.html.replace("<h1>", "<h1 quark=content>")
                                             .replace("<p>第", "<p quark=content>第")}
            for one in PAGES]  # fmt: skip
    lines = "\n".join(json.dumps({"id": str(n), **row}) for n, row in enumerate(rows))
    (tmp_path / "gold.jsonl").write_text(lines, encoding="utf-8")
    done = call("evaluate", "content", "gold.jsonl", "--method", "scut1", "--method", "scut3",
                "--json", "-", "--workers", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    scores = {one["name"]: one["score"] for one in json.loads(done.stdout)}
    assert scores["scut3"]["precision"] > 0.99 > scores["scut1"]["precision"] > 0
