"""Marks inside of elements: exact to the character in text, in scores, in what is read from files."""

import base64
import json

import numpy as np
import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.sewm2008.finding import ContentGold, score_page
from quarkcrawl.lab.gold import Passage, load_gold, marked_text, read_marks
from quarkcrawl.page import Page

HEAD = "新华网 2003-10-26 电"
BODY = "天网搜索引擎。 Read more"
HTML = f"<h1 quark=noise>标题</h1><p quark=noise>{HEAD}</p><p quark=content>{BODY}</p>"
PASSAGES = [
    {"run": 1, "start": 15, "end": 16, "kind": "content"},
    {"run": 2, "start": 7, "end": 17, "kind": "comment"},
]


def folder_of(path, passages):
    (path / "a.html").write_text(HTML)
    entry = {"url": "http://www.pku.edu.cn/a", "origin": "blank", "passages": passages}
    (path / "marks.json").write_text(json.dumps({"a": entry}))
    return path


def test_text_of_a_page_with_passages_is_exact(tmp_path):
    [gold] = load_gold(folder_of(tmp_path, PASSAGES))
    assert (gold.url, gold.passages[0]) == (
        "http://www.pku.edu.cn/a",
        Passage(1, 15, 16, "content"),
    )
    assert marked_text(gold).gold_text == "电\n天网搜索引擎。"
    found = read_marks(gold.page(), "a", passages=gold.passages)
    assert found.content_chars.tolist() == [0, 1, 7]
    assert found.is_topic


def test_spans_are_scored_to_the_character(tmp_path):
    [gold] = load_gold(folder_of(tmp_path, PASSAGES))
    for unit in ("chars", "bytes"):
        made = ContentGold.of(gold, unit)
        source = made.page.html if unit == "chars" else made.page.html.encode()
        of = (lambda text: text) if unit == "chars" else str.encode
        places = [source.index(of(text)) for text in ("电", "天网")]
        exact = [(places[0], len(of("电"))), (places[1], len(of("天网搜索引擎。")))]
        assert score_page(made, exact).f1 == 1.0
        whole = [(places[1], len(of(BODY)))]
        assert score_page(made, whole).precision == 7 / 15


def test_a_page_without_passages_is_read_as_before(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    [gold] = load_gold(tmp_path)
    assert (gold.url, gold.origin, gold.passages) == ("", "", ())
    assert marked_text(gold).gold_text == BODY
    (tmp_path / "marks.json").write_text('{"a": {"kinds": ["content"], "chars": [3]}}')
    [gold] = load_gold(tmp_path)
    assert (gold.origin, gold.passages) == ("unknown", ())


def test_passages_in_json_lines(tmp_path):
    body = base64.b64encode(HTML.encode()).decode()
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "1", "body_b64": body, "passages": PASSAGES}))
    assert marked_text(load_gold(path)[0]).gold_text == "电\n天网搜索引擎。"


@pytest.mark.parametrize(
    "passages",
    [[{"run": 0}], [1], "x", [{"run": 0, "start": 2, "end": 1, "kind": "date"}],
     [{"run": 0, "start": 0, "end": 1, "kind": "other"}], 3],
)  # fmt: skip
def test_what_are_no_passages_is_named(tmp_path, passages):
    with pytest.raises(InputError, match=r"no passages.*a\.html|a\.html.*no passages"):
        load_gold(folder_of(tmp_path, passages))


def test_passages_outside_of_the_page_are_named(tmp_path):
    for run, end in ((9, 1), (0, 9)):
        one = {"run": run, "start": 0, "end": end, "kind": "date"}
        [gold] = load_gold(folder_of(tmp_path, [one]))
        with pytest.raises(InputError, match="no characters"):
            marked_text(gold)


def test_a_tree_with_other_texts_counts_anew():
    tree = Page.from_html("<p>天网搜索</p><p>二</p>").tree
    assert tree.run_chars.tolist() == [4, 1]
    other = tree.with_runs(["天", "二二"])
    assert other.run_chars.tolist() == [1, 2]
    assert other.text() == "天二二"
    assert tree.run_chars.tolist() == [4, 1]
    assert np.array_equal(other.run_node, tree.run_node)
