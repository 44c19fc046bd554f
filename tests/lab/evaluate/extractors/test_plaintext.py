"""Plain-text gold: properties of the comparison, a naive oracle, and the shared scoring tool."""

import base64
import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.lab.evaluate.extractors.plaintext import (
    MAX_COMPARED_CHARS,
    comparable,
    compose,
    score_text,
)
from quarkcrawl.lab.evaluate.extractors.sidebyside import compare, load_jobs
from quarkcrawl.lab.gold.scores import NOTHING

SHARED = Path(__file__).resolve().parents[5] / "shared"
TOOL = SHARED / "tools" / "score_extraction.py"

text = st.text(st.sampled_from("天网搜索 \n　ＡＡA①ﬁ，,。"), max_size=30)


def naive_lcs(one: str, two: str) -> int:
    row = [0] * (len(two) + 1)
    for a in one:
        previous = 0
        for place, b in enumerate(two, 1):
            previous, row[place] = (
                row[place],
                previous + 1 if a == b else max(row[place], row[place - 1]),
            )
    return row[-1]


@given(text, text)
def test_scores_agree_with_a_naive_longest_common_subsequence(found, gold):
    score = score_text(found, gold)
    one, two = comparable(found), comparable(gold)
    if not one or not two:
        assert score == NOTHING
        return
    common = naive_lcs(one, two)
    assert score.precision == pytest.approx(common / len(one))
    assert score.recall == pytest.approx(common / len(two))
    assert 0 <= score.f1 <= 1
    turned = score_text(gold, found)
    assert (turned.precision, turned.recall) == (score.recall, score.precision)
    assert turned.f1 == pytest.approx(score.f1)


@given(text.filter(comparable))
def test_the_same_text_in_other_spelling_is_right(gold):
    spaced = "\n ".join(gold)
    assert score_text(gold, gold).f1 == 1
    assert score_text(spaced, gold).f1 == 1


def test_long_texts_are_cut():
    assert len(comparable("天 " * 100_000)) == MAX_COMPARED_CHARS


def test_the_headline_is_added_only_where_the_gold_has_it():
    assert compose("标题", "正文", with_title=True) == "标题\n正文"
    assert compose("标题", "正文", with_title=False) == "正文"


@pytest.fixture(scope="module")
def tool():
    if not TOOL.is_file():
        pytest.skip("the scoring tool of ../shared is not here")
    spec = importlib.util.spec_from_file_location("score_extraction", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.shared
@given(text, text)
def test_scores_are_those_of_the_shared_tool(tool, found, gold):
    score = score_text(found, gold)
    assert (score.precision, score.recall, score.f1) == pytest.approx(tool.score(found, gold))


def from_tool(folder: Path, extractor: str, *words: str) -> dict:
    out = folder / "tool.json"
    subprocess.run([sys.executable, TOOL, "--extractor", extractor, "--json", out, *words],
                   check=True, capture_output=True, timeout=300, cwd=Path(__file__).parents[4])  # fmt: skip
    return json.loads(out.read_text())


def same_numbers(ours, theirs) -> None:
    assert ours.n_pages == theirs["pages"]
    got = (ours.score.precision, ours.score.recall, ours.score.f1)
    assert got == pytest.approx((theirs["precision"], theirs["recall"], theirs["f1"]))
    assert ours.empty_share * ours.n_pages == pytest.approx(theirs["empty"])


@pytest.mark.shared
@pytest.mark.full
def test_a_comparison_gives_the_numbers_of_the_shared_tool(tool, tmp_path):
    sets = ["cwced", "twevents"]  # one whose gold has the headline, one without
    theirs = from_tool(tmp_path, "quarkcrawl:quark", "--sets", ",".join(sets), "--limit", "4")
    jobs = load_jobs([SHARED / "data" / "extraction"], sets=sets, limit=4)
    ours = compare(["quark"], jobs, workers=1).summaries("quark")
    for name in sets:
        same_numbers(ours[name], theirs[name])
    assert ours["all_zh"].score.f1 == pytest.approx(theirs["all_zh"]["f1"])
    assert ours["articles_zh"].n_pages == 4


@pytest.mark.full
@pytest.mark.shared
def test_a_generated_set_gives_the_numbers_of_the_shared_tool(tool, tmp_path):
    rows = []
    for number in range(6):
        html = f"<title>标题{number}_站</title><h1>标题{number}</h1><p>{'北京大学。' * 40}<div>首页{number}</div>"
        rows.append({"id": f"g/{number}", "url": "", "lang": "zh", "encoding": "gb18030",
                     "body_b64": base64.b64encode(html.encode("gb18030")).decode(),
                     "gold_text": f"标题{number}" + "北京大学。" * (30 + number)})  # fmt: skip
    data = tmp_path / "data"
    data.mkdir()
    with gzip.open(data / "daniel_zh.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    theirs = from_tool(tmp_path, "quarkcrawl:quark", "--data", str(data))
    ours = compare(["quark"], load_jobs([data]), workers=1).summaries("quark")
    same_numbers(ours["daniel_zh"], theirs["daniel_zh"])
