"""Two texts side by side: each is whole, and what is common stands there once."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.worker.differences import code_likeness, compared_texts
from tests.cli.test_paper_options import FIRST, TAIL

TEXTS = st.text(alphabet="天网搜索 \n,ab①", max_size=40)


def inked(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def of(stretches: list[dict[str, str]], *names: str) -> str:
    return inked("".join(one["text"] for one in stretches if one["who"] in names))


@given(TEXTS, TEXTS)
def test_both_texts_are_whole_and_what_is_common_stands_once(left, right):
    found = compared_texts(left, right)
    assert of(found["stretches"], "first", "common") == inked(left)
    assert of(found["stretches"], "second", "common") == inked(right)
    n_common = len(of(found["stretches"], "common"))
    assert (found["n_first"], found["n_second"], found["n_common"]) == (
        len(inked(left)), len(inked(right)), n_common,
    )  # fmt: skip
    assert not found["is_cut"]


def test_golden():
    found = compared_texts("广告。天网搜索引擎。", "天网搜索引擎。\n版权")
    assert found["stretches"] == [
        {"who": "first", "text": "广告。"},
        {"who": "common", "text": "天网搜索引擎。"},
        {"who": "second", "text": "版权"},
    ]
    assert found["f1"] == round(2 * 7 / 19, 4)


def test_long_texts_are_cut_and_say_so():
    found = compared_texts("天" * 30_000, "天网")
    assert found["is_cut"]
    assert len(found["text_first"]) == 20_000


@pytest.mark.parametrize(
    ("second", "ratio", "slack"),
    [
        (FIRST + TAIL * 3, 1.0, "0"),
        (FIRST + TAIL * 4, 1.21, "0"),
        (FIRST.replace("索引擎。正式", "索引击。正式") + TAIL * 3, 1.0, "1"),
        (FIRST.replace("索引擎。正式", "索引击。发式") + TAIL * 3, 1.0, "2"),
        (FIRST.replace("索引擎。正式", "击发起。正式") + TAIL * 3, 1.0, "over"),
        (FIRST.replace("。", "，").rstrip("，") + TAIL.rstrip("。"), None, "none"),
    ],
)
def test_what_the_rule_of_the_feature_code_asks_of_two_pages(second, ratio, slack, tmp_path):
    """The cases of `corpus near --length-ratio` and `--slack`, told beside the two pages."""
    documents = []
    for number, text in enumerate((FIRST + TAIL * 3, second)):
        path = tmp_path / f"{number}.html"
        path.write_text(f"<meta charset=utf-8><p>{text}", encoding="utf-8")
        documents.append(DocumentSource(str(path), f"http://h{number}.cn/", str(path)))
    found = code_likeness(documents)
    assert found["slack"] == slack
    assert ratio is None or found["length_ratio"] == pytest.approx(ratio, abs=0.03)
