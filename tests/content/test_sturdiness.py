"""The same page written otherwise: white space, comments, quotes, end tags, encodings, names."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl import extract
from quarkcrawl.content.kind import page_facts
from quarkcrawl.content.lines.matrix import COLUMNS, line_features
from quarkcrawl.content.lines.model import load_model
from quarkcrawl.content.posts.dates import dated_runs
from quarkcrawl.page import Page, PageTree
from tests.profiles import examples

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "sturdiness.py"


def _program():
    pytest.importorskip("sklearn")
    pytest.importorskip("rapidfuzz")
    spec = importlib.util.spec_from_file_location("sturdiness", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HEAD = "<!DOCTYPE html><html><head><title>{0} - Lake</title></head><body><ul class=nav><li><a href=/>A</a></li><li><a href=/b>B</a></li></ul>"
TEXTS = {
    "zh": "周六下午我们在湖边读书，请大家自带书和水；如果下雨，就改到图书馆三楼的阅览室，时间不变。",
    "en": "We read by the lake on Saturday afternoon; please bring “your own” books, and water if it’s hot – or don’t.",
    "ru": "В субботу мы читали у озера; пожалуйста, возьмите с собой книги и воду, если будет жарко.",
    "el": "Το Σάββατο διαβάζαμε δίπλα στη λίμνη, παρακαλώ φέρτε βιβλία και νερό μαζί σας.",
}


def _article(text: str) -> str:
    lines = "\n".join(
        f"<p>{text} <!-- {n} --><b class=x>{text[:9]}</b>  <i>{text[9:20]}</i>, {n}</p>"
        for n in range(6)
    )
    return f"{HEAD.format(text[:12])}\n<div id=main>\n <h1>{text[:12]}</h1>\n{lines}\n</div><div id='foot'>Copyright</div></body></html>"


def _thread(text: str) -> str:
    posts = "".join(
        f"<div class='post' id='post-{n}'><div class='head'><a href=/user/{n}>Anna{n}</a> <span> 2011-03-0{n} 10:0{n} </span></div>"
        f"\n<div class='body'>{text[n:]}{text}</div><a href=#re>Reply</a><!-- end --></div>"
        for n in range(1, 7)
    )
    return f"{HEAD.format(text[:12])}<h1>{text[:12]}</h1>{posts}<p>Imprint</p></body></html>"


PAGES = {
    f"{kind.__name__[1:]} {language}": kind(text)
    for kind in (_article, _thread)
    for language, text in TEXTS.items()
}
WRITTEN = ["spaces collapsed", "indented", "comments removed", "quotes removed", "end tags removed", "minified"]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_browser_shows_the_same_reads_the_same(page, name):
    program = _program()
    first = Page.from_html(PAGES[page])
    html = program.REWRITTEN[name](first.html, None)
    assert html != first.html
    other = Page.from_html(html)
    assert program.shape(first, with_names=True) == program.shape(other, with_names=True)
    before, after = (
        line_features(read.tree, load_model().scorer).matrix for read in (first, other)
    )
    assert [COLUMNS[n] for n in np.flatnonzero((before != after).any(0))] == []
    np.testing.assert_array_equal(page_facts(first).numbers, page_facts(other).numbers)
    a, b = extract(first), extract(other)
    assert (a.title, a.text, len(a.posts)) == (b.title, b.text, len(b.posts))


@pytest.mark.parametrize("page", PAGES)
def test_encodings_do_not_matter(page):
    program = _program()
    first = extract(PAGES[page])
    assert len(first.text) > 200
    for name, (codec, label) in program.ENCODED.items():
        if page.endswith("en") and "says" in name and codec not in ("utf-8", "utf-16-be"):
            continue  # a few quotation marks are no evidence against what the page says
        other = extract(program.encoded(PAGES[page], codec, label))
        assert (other.title, other.text) == (first.title, first.text), name


@given(
    st.integers(0, 9),
    st.sampled_from(
        [
            "2011-03-05 10:00",
            "3 hours ago",
            "5 March 2011",
            "12分钟前",
            "Anna 2009",
            "about 7 books",
        ]
    ),
    st.sampled_from([" ", "\n", "\t  ", "\n    "]),
)
@settings(max_examples=examples(100))
def test_white_space_makes_no_date(n_blanks, text, blank):
    plain = dated_runs(PageTree.parse(f"<p>{text}</p>"))[1]
    wide = (blank * n_blanks) + text.replace(" ", blank) + blank * 40
    assert dated_runs(PageTree.parse(f"<p>{wide}</p>"))[1] == plain


def test_remarks_below_a_long_article_are_no_thread_though_nothing_is_named():
    text = TEXTS["en"]
    article = "".join(f"<p>{text} {n}, {text}</p>" for n in range(6))
    remarks = "".join(
        f"<li class=qx><a href=/user/{n}>Anna{n}</a> <i>March {n}, 2011 10:0{n}</i><p>{text[n * 5 :]} Well, {n} times, and {text}</p>"
        f"<a href=#r>Reply</a></li>"
        for n in range(1, 9)
    )
    content = extract(
        f"{HEAD.format('Reading')}<h1>Reading</h1><div>{article}</div><ol>{remarks * 3}</ol>",
        url="https://news.example/2011/03/05/reading.html",
    )
    assert content.text.count("hot – or don’t. 5,") == 1
    assert "Well, 3 times" not in content.text
