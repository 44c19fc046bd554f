"""The kind of a page: own pages of each kind, and what holds for any page."""

from __future__ import annotations

import itertools
import re
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.kind import (
    KINDS,
    N_RANGES,
    WORD_BITS,
    KindModel,
    load_kind_model,
    numbers,
    page_facts,
    page_kind,
    read_kind_model,
    rounded,
    write_kind_model,
)
from quarkcrawl.content.kind.hints import hint_words, short_texts
from quarkcrawl.content.kind.model import known_places
from quarkcrawl.content.kind.pieces import Pieces
from quarkcrawl.content.kind.words import FAMILIES
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from tests.profiles import examples

SENTENCE = (
    "The ministers met on Tuesday, and after long talks they agreed on a plan for the coast. "
)
POST = (
    '<div class="post" id="post-{n}"><div class="author"><a href="/members/u{n}">user{n}</a>'
    "<p>Joined: Mar 3, 2019<br>Posts: {n}01</div><time>Mar {n}, 2021 at 10:0{n}</time>"
    '<div class="post-body message">I have the same problem, did you find out why it hangs?</div>'
    '<a href="#">Quote</a> <a href="#">Reply</a> <a href="#">Report</a></div>'
)
CARD = (
    '<li class="product-card"><a href="/p/{n}"><img src="{n}.jpg"><h3>Tent {n}</h3></a>'
    '<span class="price">${n}9.99</span> <span>(1{n} reviews)</span><button>Add to cart</button>'
)
PAGES = {
    "article": (
        "https://news.example/2021/03/05/coast-plan.html",
        f"""<meta property="og:type" content="article"><title>Coast plan agreed</title><body>
        <article><h1>Coast plan agreed</h1><p class="byline">By Ann Lee, March 5, 2021
        {("<p>" + SENTENCE * 4) * 8}</article>""",
    ),
    "forum": (
        "https://forum.example/threads/why-does-it-hang.4711/",
        "<title>Why does it hang? | Forum</title><body><h1>Why does it hang?</h1><div class=thread>"
        + "".join(POST.format(n=n) for n in range(1, 9))
        + "</div><form><textarea name=message></textarea><button>Post reply</button></form>",
    ),
    "collection": (
        "https://shop.example/collections/tents",
        "<title>Tents | Shop</title><body><h1>Tents</h1><p>24 products<label>Sort by</label>"
        "<select><option>Price</select><ul class=product-grid>"
        + "".join(CARD.format(n=n) for n in range(1, 25))
        + "</ul><a href=/cart>Cart</a>",
    ),
    "documentation": (
        "https://docs.example/en/latest/library/json.html",
        '<meta name="generator" content="Sphinx 5.0"><title>json — Library 1.2 documentation</title>'
        '<body><nav class="sphinxsidebar toctree">Table of Contents</nav><div class="document" '
        'role="main"><section id="json"><h1>json</h1>'
        + "<h2>Usage</h2><p>The function returns the default parameter, see the example.</p>"
        '<div class="highlight-python"><pre><code>json.loads(text)\nreturn {}</code></pre></div>'
        * 6
        + "</section></div><a>Next topic</a> <a>Previous topic</a>",
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_plain_cases(kind):
    url, html = PAGES[kind]
    content = qc.extract(html, url)
    assert content.page_type == kind
    assert content.page_type_probability > 1 / len(KINDS)


def test_the_kind_is_that_of_the_page_whatever_the_method():
    url, html = PAGES["forum"]
    found = {
        (content.page_type, content.page_type_probability)
        for content in (qc.extract(html, url, method) for method in ("default", "rules", "quark"))
    }
    assert len(found) == 1


@pytest.mark.parametrize("html", ["", "<script>x</script>", "\x00"])
def test_a_page_without_text_is_nothing(html):
    assert page_kind(Page.from_html(html)) == ("other", 0.0)


PIECES = st.sampled_from(
    ("<p class='a-b'>", "<div id=post-1>", "<pre>", "</div>", "<h1>", "$3.99", "天网", "\ud800",
     "<a href=//[>", "<meta property=og:type content=article>", "<main>", "<meta name=x>", " ",
     '<script type="application/ld+json">{"@type": ["Product", 3]}</script>', "<script>",
     '<script type="application/ld+json">[{"@type": {"a": 1}}', "<table><td>", "<b itemtype=/>")
)  # fmt: skip
URLS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(("", "//[", "http://", "http://a.cn/?&=&", "http://a.cn/1/2.html?q=1#x")),
)


@settings(max_examples=examples(150))
@given(st.lists(PIECES, max_size=30).map("".join), URLS)
def test_any_page_has_a_kind_with_a_probability(html, url):
    found = page_kind(Page.from_html(html, url))
    assert found.name in KINDS
    assert 0 <= found.probability <= 1
    assert found == page_kind(Page.from_html(html, url))


@settings(max_examples=examples(50))
@given(st.lists(PIECES, max_size=20).map("".join), URLS)
def test_probabilities_sum_to_one(html, url):
    likely = load_kind_model().probabilities(page_facts(Page.from_html(html, url)))
    assert likely.sum() == pytest.approx(1)
    assert (likely >= 0).all()


@given(
    st.lists(st.text("ab中\U0001f600\udc80", min_size=1, max_size=4), unique=True),
    st.text("aab中\U0001f600\udc80", max_size=60),
)
def test_pieces_are_counted_as_strings_count(pieces, text):
    assert Pieces(pieces).counts(text).tolist() == list(map(text.count, pieces))


def test_pieces_of_one_bucket_are_told_apart():
    far = chr(ord("a") + 1024)
    assert Pieces(["a", far]).counts(f"a{far}{far}").tolist() == [1, 2]


@given(st.lists(st.text("ab \n\u3000中\0", max_size=9), max_size=9))
def test_the_first_text_has_single_blanks_and_so_many_characters(texts):
    tree = Page.from_html("".join(f"<p>{text}</p>" for text in texts)).tree
    words = " ".join(run for run in tree.runs if not run.isspace()).split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "_MAX_CHARS", 20)
        assert numbers._first_text(tree) == " ".join(words)[:20]


@pytest.mark.parametrize("n_blanks", [1, 161, 400])
def test_white_space_in_the_source_does_not_change_the_kind(n_blanks):
    blank = "\n" + " " * n_blanks
    labels = "".join(f"<button>{blank}Add{blank}to cart</button><p>{n} in stock" for n in range(9))
    plain = labels.replace(blank + "Add", "Add").replace(blank, " ")
    first, second = (page_facts(Page.from_html(html)) for html in (labels, plain))
    np.testing.assert_array_equal(first.numbers, second.numbers)
    for one, other in zip(first.words, second.words, strict=True):
        np.testing.assert_array_equal(one, other)


def test_names_that_nobody_uses_change_nothing():
    url, html = PAGES["article"]
    known = page_facts(Page.from_html(html, url))
    noisy = page_facts(Page.from_html(html.replace("<article", '<article class="qzxvkjw"'), url))
    model = load_kind_model()
    [new] = set(noisy.words[0].tolist()) - set(known.words[0].tolist())
    if new not in model.codes:  # a hash may fall together with a known one
        np.testing.assert_array_equal(model.probabilities(known), model.probabilities(noisy))


def test_a_page_without_names_is_described_as_if_it_had_none():
    html = (
        "<title>天网</title><div{} role=main><h1 itemprop=headline>Rain</h1>"
        "<a href=/post/1>Reply</a><p{}>It rained</div>"
    )
    names = " class='thread post' id=reply-1", " class=message-body"
    whole, bare = Page.from_html(html.format(*names)), Page.from_html(html.format("", ""))
    nameless = page_facts(whole, with_names=False)
    family = FAMILIES.index("names")
    assert len(page_facts(whole).words[family]) > len(nameless.words[family]) == 2
    for one, other in zip(nameless.words, page_facts(bare).words, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(nameless.numbers, page_facts(bare).numbers)


@given(st.lists(st.integers(0, 60), unique=True), st.lists(st.integers(0, 60), unique=True))
def test_known_words_are_found(codes, wanted):
    codes, wanted = sorted(codes), sorted(wanted)
    found = known_places(np.array(codes, np.int32), np.array(wanted, np.int32)).tolist()
    assert [codes[place] for place in found] == [code for code in wanted if code in codes]


def test_a_model_is_read_as_it_was_written(tmp_path):
    model = load_kind_model()
    write_kind_model(tmp_path / "kinds.npz", model)
    again = read_kind_model(tmp_path / "kinds.npz")
    facts = page_facts(Page.from_html(PAGES["forum"][1], PAGES["forum"][0]))
    np.testing.assert_array_equal(model.probabilities(facts), again.probabilities(facts))


def test_another_file_is_refused(tmp_path):
    model = load_kind_model()
    path = tmp_path / "kinds.npz"
    path.write_bytes(b"PK")
    with pytest.raises(InputError, match="model of page kinds"):
        read_kind_model(path)
    write_kind_model(path, KindModel(
        model.codes[1:], model.bounds, model.weights, model.scale, model.start, {}
    ))  # fmt: skip
    with pytest.raises(InputError, match="other shapes"):
        read_kind_model(path)
    write_kind_model(path, KindModel(
        model.codes, model.bounds, model.weights, model.scale, model.start, {"bits": 3}
    ))  # fmt: skip
    with pytest.raises(InputError, match="other features"):
        read_kind_model(path)


def test_rounding_keeps_the_largest_weight_of_each_kind():
    weights = np.zeros((3, len(KINDS)))
    weights[:, 0] = 1.0, -2.0, 0.5
    small, scale = rounded(weights)
    assert small[:, 0].tolist() == [64, -127, 32]
    assert scale[0] == pytest.approx(2 / 127)
    assert not small[:, 1:].any()


def test_the_shipped_model_is_small():
    model = load_kind_model()
    assert len(model.weights) == len(model.codes) + len(model.bounds) * N_RANGES
    assert (np.diff(model.codes) > 0).all()
    assert model.codes.max() < len(FAMILIES) << WORD_BITS


def crc_codes(words) -> list[int]:
    mask = (1 << WORD_BITS) - 1
    return sorted({crc32(word.encode("utf-8", "surrogatepass")) & mask for word in words})


@given(st.lists(st.text("abYZ_-1é中", min_size=1, max_size=12), min_size=1, max_size=5))
@settings(max_examples=examples(200))
def test_names_count_by_their_words_and_pairs_of_words(names):
    page = Page.from_html(f'<div class="{" ".join(names)}">x</div>', "")
    words = list[str]()
    for name in names:
        of_name = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
        of_name = [word.lower() for word in of_name if len(word) > 1]
        words += of_name + list(map(" ".join, itertools.pairwise(of_name)))
    assert page_facts(page).words[0].tolist() == crc_codes(words)


@given(st.lists(st.text("abYé中١7 ", min_size=2, max_size=24), max_size=5))
@settings(max_examples=examples(200))
def test_short_texts_count_as_wholes_and_by_their_words(texts):
    page = Page.from_html("".join(f"<p>{text}</p>" for text in texts), "")
    words = list[str]()
    for text in (" ".join(text.split()) for text in texts):
        if len(text.replace(" ", "")) > 1:
            label = re.sub(r"\d+", "0", text.lower())
            words.append(f"is {label}")
            words += [f"has {word}" for word in label.split() if label.isascii()]
    assert page_facts(page).words[FAMILIES.index("labels")].tolist() == crc_codes(words)


@pytest.mark.parametrize(
    ("text", "is_label"),
    [("a\u200b", False), ("ab\u200b", True), ("\u200b" + "a" * 24, True), ("a" * 25, False)],
)
def test_characters_without_width_make_no_short_text_longer(text, is_label):
    page = Page.from_html(f"<p>{text}</p>", "")
    codes = page_facts(page).words[FAMILIES.index("labels")].tolist()
    assert codes == crc_codes([f"is {text}"] if is_label else [])


def hints(html: str, url: str = "", names: tuple[str, ...] = ()) -> set[str]:
    tree = Page.from_html(html, url).tree
    return set(hint_words(tree, url, names, short_texts(tree)))


def test_words_of_one_meaning_give_one_hint():
    assert hints("<button>Add to bag</button>") == hints("<button>加入购物车</button>")
    assert hints("<button>Buy now</button>") == {"label cart 1"}
    assert not hints("<p>Nothing to say</p>")


def test_hints_count_up_to_bounds():
    found = hints(
        "<p>回复</p><p>$3.99</p>" * 5 + "<p>Mar 3, 2019</p>", names=("reply-box", "avatar")
    )
    assert {"label reply 4", "label price 4", "label date 1", "name post 1"} <= found
    assert not {"label reply 8", "label date 2"} & found
    assert "name member 1" in found


def test_hints_of_addresses_tell_the_place_and_not_the_headline():
    found = hints("<p>x", "https://docs.a.example/en/tags/news-and-events-of-the-week-4711")
    assert found == {"host manual", "inner listing", "last slug", "last number"}
    links = "".join(f"<a href='https://b.example/thread/{n}'>x</a>" for n in range(3))
    found = hints(links + "<a href='#top'>x</a><a href='javascript:x()'>x</a>")
    assert found == {
        "link forum 1",
        "link forum 2",
        *(f"links forum {s}" for s in (0.05, 0.2, 0.4, 0.6)),
    }


def test_a_page_is_not_told_to_ask_by_the_words_its_label_came_from():
    asked = hints("<p>x", "https://a.example/questions/answers/")
    assert not asked
