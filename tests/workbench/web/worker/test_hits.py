"""Words are found in the text that a reader sees, and their places lead into the runs of the view."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import html as lxml_html

from quarkcrawl.workbench.web.documents import LARGE_BYTES, Documents
from quarkcrawl.workbench.web.index import words_of
from quarkcrawl.workbench.web.worker import analyzed as kept
from quarkcrawl.workbench.web.worker import frames, hits
from quarkcrawl.workbench.web.worker.answers import answer_page
from tests.workbench.web.worker.test_reading import asked_until_answered

FILLER = "<p>" + "其他的事情，今天没有。" * 20


@pytest.fixture
def opened():
    kept._kept.clear()
    documents = Documents(None)
    yield lambda body: documents.add(body.encode())
    documents.close()


def found(document, query):
    return answer_page(("find_words", document, {"words": words_of(query)}))


def shown(document, hit, part=0):
    """What of the colored view is marked, by the characters that the places count."""
    values = {"view": "neutral", "method": "default", "templates": "", "part": part, "nonce": "n"}
    tree = lxml_html.fromstring(answer_page(("frame", document, values))[0])
    pieces = []
    for piece in hit["pieces"]:
        (run,) = tree.xpath(f'//qk-run[@data-qk-run="{piece["run"]}"]')
        inked = [char for char in run.text_content() if char not in " \t\n\f\r"]
        pieces.append("".join(inked[piece["start"] : piece["end"]]))
    return pieces


def test_hits_lead_into_the_runs_of_the_view(opened):
    document = opened(
        f"<h1>天网 搜索</h1><p>北京\n   大学的天<b>網搜</b>索引擎 𠮷天网{FILLER}<p>ＴＩＡＮＷＡＮＧ 和 天网"
    )
    answer = found(document, "天網")
    assert answer["n_hits"] == 4
    assert [shown(document, hit) for hit in answer["hits"]] == [
        ["天网"], ["天", "網"], ["天网"], ["天网"],
    ]  # fmt: skip
    assert [shown(document, hit) for hit in found(document, "tianwang")["hits"]] == [
        ["ＴＩＡＮＷＡＮＧ"]
    ]
    assert [hit["block"] >= 0 for hit in answer["hits"]] == [True] * 4


def test_a_phrase_crosses_white_space_and_elements_of_a_line_but_no_line(opened):
    document = opened(
        f"<p>new\n  <i>york</i> city{FILLER}<table><tr><td>北</td><td>京</td></table><ul><li>南<li>京</ul>"
    )
    assert [shown(document, hit) for hit in found(document, '"new york"')["hits"]] == [
        ["new", "york"]
    ]
    assert found(document, '"newyork"')["n_hits"] == 0
    assert found(document, "北京")["n_hits"] == 0
    assert found(document, "南京")["n_hits"] == 0


def test_what_is_not_seen_is_not_found(opened):
    document = opened(
        f"<title>秘密</title><script>秘密</script><style>秘密</style><!--秘密-->{FILLER}<p>公开"
    )
    assert found(document, "秘密")["n_hits"] == 0
    assert found(document, "公开")["n_hits"] == 1


def test_of_many_hits_all_are_counted_and_the_first_told(opened, monkeypatch):
    monkeypatch.setattr(hits, "MOST_HITS", 5)
    answer = found(opened(f"<p>{'天网，' * 40}"), "天网")
    assert (answer["n_hits"], len(answer["hits"])) == (40, 5)


def test_hits_of_a_page_in_parts_say_in_which_they_are(opened, monkeypatch):
    monkeypatch.setattr(frames, "MOST_NODES", 20)
    monkeypatch.setattr(frames, "PART_RUNS", 10)
    body = "".join(
        f"<p>第{n}段{'，天网' if n % 7 == 3 else ''}，今天没有什么事情。</p>" for n in range(40)
    )
    document = opened(body)
    answer = found(document, "天网")
    assert [hit["part"] for hit in answer["hits"]] == [n // 10 for n in range(40) if n % 7 == 3]
    for hit in answer["hits"]:
        assert shown(document, hit, hit["part"]) == ["天网"]


def test_a_large_page_is_read_first(opened):
    body = "".join(f"<table><tr><td>{'北京大学的天网。' * 9}</table>" for _ in range(30))
    document = replace(opened(body), n_bytes=LARGE_BYTES)
    answer, _ = asked_until_answered("find_words", document, words=words_of("天网"))
    assert answer["n_hits"] == 270


@pytest.mark.parametrize(
    "body",
    [
        "",
        "天网",
        "<p>\0天网",
        "<svg><text>天网</text></svg>",
        "<textarea>天网</textarea>",
        "<a" * 300,
    ],
)
def test_any_page_can_be_searched(opened, body):
    assert found(opened(body), "天网")["n_hits"] <= 1
