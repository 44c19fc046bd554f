"""Nodes found by CSS are those of the tree."""

from __future__ import annotations

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from quarkcrawl.page.tree import CssFinder, check_css

HTML = (
    "<!DOCTYPE html><p class='a b'>1<p id=x>2<table><b>out</b><tr><td class=a>3</table>"
    "<svg viewBox='0 0 1 1'><linearGradient/><text>t</text></svg><template>4</template><i>5<i>6"
)


@pytest.mark.parametrize(
    ("selector", "texts"),
    [("p", ["1", "2"]), (".a", ["1", "3"]), ("#x", ["2"]), ("td, p.b", ["1", "3"]), ("table b, body > b", ["out"]), ("p:last-of-type", ["2"]),
     ("div", []), ("body > *:nth-of-type(2)", ["2"])],
)  # fmt: skip
def test_a_selector_finds_nodes_of_the_tree(selector, texts):
    page = Page.from_html(HTML)
    found = CssFinder(page.html, page.tree).select(selector)
    assert [page.tree.text(node) for node in found] == texts
    assert found == sorted(found)


def test_a_selector_finds_nodes_of_a_declared_shadow_tree():
    page = Page.from_html("<x-a><template shadowrootmode=open><p>1</p></template><b>2</b></x-a>")
    nodes = CssFinder(page.html, page.tree).select("x-a p, b")
    assert [page.tree.text(node) for node in nodes] == ["1", "2"]


@pytest.mark.parametrize("selector", ["", "p[", ">", "p:nope", "p::before-that"])
def test_what_is_no_selector_is_refused(selector):
    page = Page.from_html(HTML)
    with pytest.raises(InputError):
        check_css(selector)
    with pytest.raises(InputError):
        CssFinder(page.html, page.tree).select(selector)


def test_a_page_whose_tree_is_not_the_whole_document_has_no_nodes():
    page = Page.from_html(HTML)
    assert CssFinder(HTML + "<p>more", page.tree).select("p") == []
