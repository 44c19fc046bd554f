"""What a site says about the content of its pages."""

import json

import pytest

from quarkcrawl.content import extract
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from quarkcrawl.template.model.evidence import (
    boilerplate_runs,
    content_runs,
    learn_content,
    site_content,
)
from quarkcrawl.template.model.templatefile import read_templates, write_templates
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.train import train
from tests.template.blogpages import WORDS, listing, post

LEFT_OUT = "分享到微博"


def article(number, extra=""):
    page = post(number, comments=number % 3)
    html = page.html.replace("<section>", f"<section>{WORDS * 6}")
    return Page.from_html(html.replace("</section>", f"{extra}</section>"), page.url)


@pytest.fixture(scope="module")
def templates():
    return train([article(number) for number in range(12)]).templates


@pytest.fixture(scope="module")
def learned(templates):
    return learn_content(templates, [article(number) for number in range(12)])


def test_content_stands_where_the_extractor_keeps_nearly_everything(templates, learned):
    (template,) = learned.templates
    nodes = dict(template.positions())
    assert [nodes[position].tag for position in template.content] == ["section"]
    assert templates.templates[0].content == ()


def test_what_the_page_model_leaves_out_there_is_content(templates, learned):
    page = article(77, f"<div class=share>{LEFT_OUT}</div>")
    assert LEFT_OUT not in extract(page).text  # what the page alone says
    assert LEFT_OUT not in site_content(page, templates).text
    found = site_content(page, learned)
    assert LEFT_OUT in found.text
    assert extract(page).text in found.text.replace(LEFT_OUT, "").strip()
    assert "版权所有" not in found.text
    assert "首页" not in found.text


def test_content_and_boilerplate_are_marked_apart(learned):
    page = article(50, f"<pre>{LEFT_OUT}</pre>")
    content, repeated = content_runs(page, learned), boilerplate_runs(page, learned)
    assert LEFT_OUT in [run for run, is_in in zip(page.tree.runs, content, strict=True) if is_in]
    assert not (content & repeated).any()
    unknown = Page.from_html("<b>x")
    assert not content_runs(unknown, learned).any()


def test_nine_pages_show_no_content(templates):
    few = learn_content(templates, [article(number) for number in range(9)])
    assert [template.content for template in few.templates] == [()]
    assert learn_content(TemplateSet(), [article(1)]) == TemplateSet()
    assert learn_content(templates, []) == templates


def test_lists_and_unknown_pages_do_not_vote(templates, learned):
    pages = [article(number) for number in range(12)] + [listing(number) for number in range(20)]
    assert learn_content(templates, pages) == learned


def test_the_order_of_pages_does_not_matter(templates, learned):
    assert learn_content(templates, [article(number) for number in range(11, -1, -1)]) == learned


def test_content_positions_survive_their_file(learned, tmp_path):
    path = tmp_path / "t.json"
    write_templates(learned, path)
    assert read_templates(path) == learned
    data = json.loads(path.read_text())
    del data["templates"][0]["content"]
    path.write_text(json.dumps(data))
    assert read_templates(path).templates[0].content == ()
    data["templates"][0]["content"] = ["nowhere"]
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="nowhere"):
        read_templates(path)


def test_nothing_is_learned_from_broken_pages(templates):
    broken = Page.from_bytes(b"\xff\x00<")
    assert content_runs(broken, templates).tolist() == [False] * len(broken.tree.runs)
    pages = [Page.from_bytes(b"") for _ in range(20)]
    assert learn_content(templates, pages) == templates
