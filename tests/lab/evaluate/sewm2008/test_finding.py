"""Task 2: the characters of spans, against an oracle that knew their places from the start."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.sewm2008.finding import (
    ContentGold,
    content_gold,
    score_content,
    score_page,
)
from quarkcrawl.lab.evaluate.sewm2008.places import TextPlaces
from quarkcrawl.lab.evaluate.sewm2008.runfile import ContentRun
from quarkcrawl.lab.evaluate.sewm2008.tables import content_json, content_table
from quarkcrawl.lab.gold.pages import GoldPage
from quarkcrawl.lab.gold.scores import NOTHING, Score, macro
from quarkcrawl.page import Page
from tests.lab.evaluate.pagemaker import Made, elements, make
from tests.profiles import examples

spans = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 200)), max_size=5)


def gold_of(made: Made, encoding: str = "utf-8", unit="chars") -> ContentGold:
    return ContentGold.of(GoldPage("n", made.marked.encode(encoding), "made"), unit)


def inside(made: Made, wanted: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans cut to the page."""
    size = len(made.html)
    cut = [(min(start, size - 1), length) for start, length in wanted]
    return [(start, min(length, size - start)) for start, length in cut]


def naive(made: Made, wanted: list[tuple[int, int]]) -> Score:
    covered = {place for start, length in wanted for place in range(start, start + length)}
    found = [kind for place, kind in made.chars if place in covered]
    return Score.of(found.count("content"), len(found), [k for _, k in made.chars].count("content"))


@given(elements, spans)
@settings(max_examples=examples(200))
def test_scores_agree_with_counting_characters_one_by_one(parts, wanted):
    made = make(parts)
    wanted = inside(made, wanted)
    assert gold_of(made).page.html == made.html
    assert score_page(gold_of(made), wanted) == (naive(made, wanted) if wanted else NOTHING)


@given(elements, spans, st.sampled_from(["gb18030", "utf-8", "utf-16"]))
@settings(max_examples=examples(100))
def test_bytes_and_characters_score_alike(parts, wanted, encoding):
    made = make(
        [("noise", ["天网", "搜索 引擎", "京　都"] * 3), *parts]
    )  # enough to tell the charset
    if encoding == "gb18030":
        made.html, made.marked = (t.replace("Ä", "A") for t in (made.html, made.marked))
    wanted = inside(made, wanted)
    in_bytes = gold_of(made, encoding, "bytes")
    n_bom = 2 if encoding == "utf-16" else 0
    codec = "utf-16-le" if encoding == "utf-16" else encoding

    def at(place: int) -> int:
        return n_bom + len(made.html[:place].encode(codec))

    byte_spans = [(at(start), at(start + length) - at(start)) for start, length in wanted]
    assert in_bytes.page.body == made.html.encode(encoding)
    assert score_page(in_bytes, byte_spans) == score_page(gold_of(made), wanted)


@given(elements)
def test_scores_are_shares(parts):
    made = make(parts)
    gold = gold_of(made)
    whole = score_page(gold, [(0, len(made.html))])
    for value in (whole.precision, whole.recall, whole.f1):
        assert 0 <= value <= 1
    if gold.is_content.any():
        assert whole.recall == 1
        exact = [(place, 1) for place, kind in made.chars if kind == "content"]
        assert score_page(gold, exact).f1 == 1


@pytest.mark.parametrize(
    "inside_text",
    ["天网<b>搜索</b>引擎", "天网<!-- 一条注释 -->搜索引擎", "天网 搜 索\r\n引擎", "天网<script>var x='搜索'</script>搜索引擎",
     "天网<img alt='搜索'>搜索引擎", "天<i class='a>b'>网</i>搜索引擎&nbsp;"],
)  # fmt: skip
def test_markup_inside_a_span_neither_helps_nor_hurts(inside_text):
    def score(text: str) -> Score:
        html = f"<p quark=content>{text}</p><p>广告</p>"
        gold = gold_of(Made(marked=html))
        start = gold.page.html.index("天")
        return score_page(gold, [(start, gold.page.html.index("广告") + 1 - start)])

    assert score(inside_text) == score("天网搜索引擎") == Score.of(6, 7, 6)


def test_overlapping_spans_count_once():
    gold = gold_of(Made(marked="<p quark=content>天网搜索</p>"))
    start = gold.page.html.index("天")
    assert score_page(gold, [(start, 3), (start + 1, 3), (start, 4)]) == Score.of(4, 4, 4)


def test_a_character_reference_is_one_character_where_it_starts():
    made = make([("content", ["&#x4e2d;", "天网"])])
    gold = gold_of(made)
    start = made.html.index("&#x4e2d;")
    assert score_page(gold, [(start, 1)]) == Score.of(1, 1, 3)
    assert score_page(gold, [(start + 1, 7)]) == NOTHING


def pages_of(**htmls: str) -> dict[str, ContentGold]:
    return content_gold([GoldPage(name, html.encode(), name) for name, html in htmls.items()])


def span_of(gold: ContentGold, text: str) -> tuple[int, int]:
    data = text.encode()
    return gold.page.body.index(data), len(data)


def test_runs_are_averaged_over_pages_by_hand():
    gold = pages_of(
        a="<p quark=content>天网搜索</p><p>广告</p>",
        b="<p quark=content>北大</p>",
        c="<p quark=noise>空</p>",
    )
    one = ContentRun("one", {"a": (span_of(gold["a"], "天网搜索</p><p>广告"),)})
    two = ContentRun(
        "two", {"a": (span_of(gold["a"], "天网"),), "b": (span_of(gold["b"], "北大"),)}
    )
    first, second = score_content([one, two], gold)
    assert first.by_page == {"a": Score.of(4, 6, 4), "b": NOTHING}  # c has nothing to find
    assert first.score == macro([Score.of(4, 6, 4), NOTHING])
    assert (first.n_missing, second.n_missing) == (1, 0)
    assert second.score.f1 == pytest.approx((2 / 3 + 1) / 2)
    common = score_content([one, two], gold, pages="common")
    assert [len(result.by_page) for result in common] == [1, 1]
    assert common[0].score == Score.of(4, 6, 4)


def test_pages_marked_from_a_proposal_of_the_method_are_apart():
    gold = pages_of(a="<p quark=content>天网搜索</p><p>广告</p>", b="<p quark=content>北大</p>")
    spans = {"a": (span_of(gold["a"], "天网搜索"),), "b": (span_of(gold["b"], "北"),)}
    runs = [ContentRun("default", spans), ContentRun("quark", spans), ContentRun("rules", {})]
    origins = {"a": "default", "b": "blank"}
    default, quark, rules = score_content(runs, gold, origins=origins)
    assert default.own == {"a": Score(1, 1, 1)}
    assert default.by_page == {"b": Score.of(1, 1, 2)}
    assert default.score == Score.of(1, 1, 2)
    assert (quark.own, len(quark.by_page)) == ({}, 2)
    everything = dict.fromkeys("ab", "rules")
    [nothing] = score_content([runs[2]], gold, origins=everything)
    assert (nothing.by_page, nothing.n_missing, len(nothing.own)) == ({}, 0, 2)
    plain = content_json([default, rules], by_page=False)
    assert (plain[0]["n_pages"], plain[0]["n_own_pages"]) == (1, 1)
    assert plain[0]["own_score"]["f1"] == 1
    assert "own_score" not in plain[1]
    cells = [list(column.cells) for column in content_table([nothing], "t").columns]
    assert [column[0] for column in cells] == ["rules", "–", "–", "–", "0", "0"]
    assert cells[0][1] == "rules, marks from its proposal"


def test_runs_without_a_common_page_are_told():
    gold = pages_of(a="<p quark=content>天网搜索</p>", b="<p quark=content>北大</p>")
    runs = [ContentRun("one", {"a": ((0, 5),)}), ContentRun("two", {"b": ((0, 5),)})]
    with pytest.raises(InputError, match="common"):
        score_content(runs, gold, pages="common")


def test_gold_without_any_content_is_told():
    with pytest.raises(InputError, match="no page has text"):
        pages_of(c="<p quark=noise>空</p>")


def test_a_page_without_exact_bytes_is_counted_in_characters():
    body = '<meta charset=iso-2022-jp><p quark="content">天気予報</p>'.encode("iso-2022-jp")
    page = GoldPage("j", body, "j.html")
    if page.page().spans.byte_start.max() >= 0:  # pragma: no cover
        pytest.fail("this encoding was meant to have no exact byte offsets")
    with pytest.raises(InputError, match=r"j\.html: no exact byte offsets"):
        ContentGold.of(page)


def test_text_without_a_known_place_is_left_out_and_counted():
    gold = gold_of(Made(marked="<p quark=content>天网</i>搜索</p><p quark=content>引擎</p>"))
    assert gold.places.n_unlocated == 4  # a stray end tag interrupts the run
    assert score_page(gold, [(0, gold.places.size)]) == Score.of(2, 2, 2)


@pytest.mark.parametrize(
    "html", ["", "<script>var a=1</script>", "   ", "<frameset><frame></frameset>"]
)
def test_a_page_without_text_has_no_places(html):
    assert not len(TextPlaces.of(Page.from_html(html), "bytes").place)
