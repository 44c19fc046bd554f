"""The repost benchmark: scores, edits, pages, the command; what the methods reach on it."""

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.cli import main
from quarkcrawl.dedup import METHODS, group_texts
from quarkcrawl.lab.evaluate.reposts.edits import CHANGING, KEEPING, n_han, sentences
from quarkcrawl.lab.evaluate.reposts.pages import N_LAYOUTS, page_of
from quarkcrawl.lab.evaluate.reposts.reposts import (
    Repost,
    make_reposts,
    usable_articles,
)
from quarkcrawl.lab.evaluate.reposts.scores import PAPER_TABLE, paper_table, score_classes
from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.site.text import paragraph
from quarkcrawl.lab.mockweb.site.words import COLUMNS


def score_by_edit(reposts, method="default"):
    """Scores of pairs of one kind alone: the plain copy of a class against each edited one.

    For every edit that keeps an article, recall is the share of the pairs (plain, edited so) that
    are found; for every edit that makes another one, what counts is the share of the pairs (whole,
    changed so) that are kept apart, again as recall.
    """
    chance = random.Random("by edit")
    plain = {
        r.article: r.text.split("\n") for r in reposts if r.label.endswith(":whole") and not r.edits
    }
    texts = list(plain.values())
    scores = {}
    for name, keep in KEEPING.items():
        pairs = [(text, keep(text, chance)) for text in texts]
        scores[name] = _score_pairs(pairs, method, same=True)
    for name, change in CHANGING.items():
        pairs = [(text, change(text, texts[at - 1], chance)) for at, text in enumerate(texts)]
        scores[name] = _score_pairs(pairs, method, same=False)
    return scores


def _score_pairs(pairs: list, method, *, same):
    found, known = [], []
    for number, (first, second) in enumerate(pairs):
        firsts = group_texts(["\n".join(first), "\n".join(second)], method).firsts
        found += [(number, place) for place in firsts]
        known += [(number, 0), (number, 0 if same else 1)]
    return score_classes(found, known)


def articles(n_articles: int, seed: int = 0) -> list[str]:
    made = []
    for number in range(n_articles):
        dice = Dice("test reposts", seed, number)
        topic = dice.pick(COLUMNS)[2]
        made.append("\n".join(paragraph(dice, topic) for _ in range(dice.between(4, 14))))
    return usable_articles(made)


@pytest.fixture(scope="module")
def reposts() -> list[Repost]:
    return make_reposts(articles(250), seed=4)


# Scores


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30))
def test_scores_by_counting_pairs(cells: list[tuple[int, int]]) -> None:
    found, known = [cell[0] for cell in cells], [cell[1] for cell in cells]
    score = score_classes(found, known)
    pairs = list(combinations(cells, 2))
    together = [pair for pair in pairs if pair[0][0] == pair[1][0]]
    belonging = [pair for pair in pairs if pair[0][1] == pair[1][1]]
    right = [pair for pair in together if pair in belonging]
    counts = (score.true_pairs, score.found_pairs, score.known_pairs)
    assert counts == (len(right), len(together), len(belonging))
    merged = sum(len({k for f, k in cells if f == one}) - 1 for one in set(found))
    split = sum(len({f for f, k in cells if k == one}) - 1 for one in set(known))
    assert (score.n_merged, score.n_split) == (merged, split)
    assert 0 <= score.f1 <= 1


def test_scores_of_nothing() -> None:
    score = score_classes([], [])
    assert (score.precision, score.recall, score.f1, score.n_errors) == (1, 1, 1, 0)
    assert score_classes([0, 0], [0, 1]).f1 == 0


def test_the_papers_sums() -> None:
    for cells in PAPER_TABLE.values():
        rows = [tuple(map(int, cell.split("/"))) for cell in cells]
        assert tuple(map(sum, zip(*rows[:-1], strict=True))) == rows[-1]


# Edits


@pytest.mark.parametrize("name", KEEPING)
def test_edits_that_keep_change_little(name: str) -> None:
    text = articles(30, 7)[0].split("\n")
    for seed in range(20):
        edited = KEEPING[name](text, random.Random(seed))
        assert edited != text or name in {"lines", "typos", "punctuation"}
        assert abs(n_han(edited) - n_han(text)) < 60


@pytest.mark.parametrize("name", CHANGING)
def test_edits_that_change_take_what_is_there(name: str) -> None:
    text, other = (article.split("\n") for article in articles(30, 7)[:2])
    for seed in range(20):
        edited = CHANGING[name](text, other, random.Random(seed))
        there = set(sentences("".join(text))) | set(sentences("".join(other)))
        assert set(sentences("".join(edited))) <= there
        assert edited != text


def test_the_benchmark_is_seeded(reposts: list[Repost]) -> None:
    assert make_reposts(articles(250), seed=4) == reposts
    assert make_reposts(articles(250), seed=5) != reposts
    labels = {repost.label for repost in reposts}
    assert {label.split(":")[1] for label in labels} == {"whole", *CHANGING}
    assert {edit for repost in reposts for edit in repost.edits} == set(KEEPING)


def test_too_little_for_a_benchmark() -> None:
    assert make_reposts([]) == []
    assert usable_articles(["太短。" * 5, "字" * 300]) == []
    assert {repost.article for repost in make_reposts(articles(2)[:1])} == {0}


# What the methods reach


@pytest.mark.full
def test_default_finds_reposts_of_texts(reposts: list[Repost]) -> None:
    texts, labels = [r.text for r in reposts], [r.label for r in reposts]
    scores = {name: score_classes(group_texts(texts, name).firsts, labels) for name in METHODS}
    assert scores["default"].f1 >= 0.97
    assert scores["default"].f1 > scores["three-codes"].f1 > scores["featurecode-2004"].f1
    assert scores["featurecode-2004"].f1 > scores["code-only"].f1 > scores["md5"].f1


@pytest.mark.full
def test_the_shape_of_the_paper(reposts: list[Repost]) -> None:
    """Errors fall sharply with the length bound, and are fewest about 1.10."""
    areas = [([r.text for r in reposts], [r.label for r in reposts])]
    ratios = (1.02, 1.10, 1.14, 1.30)
    table = paper_table(areas, ratios=ratios)
    errors = {name: int(cells[-1].split("/")[1]) for name, cells in table.items()}
    assert errors["a = 1.10"] < 0.7 * errors["code only"]
    assert errors["a = 1.10"] < errors["a = 1.02"]
    assert min(errors["a = 1.10"], errors["a = 1.14"]) < errors["a = 1.30"]


def test_each_edit_alone(reposts: list[Repost]) -> None:
    scores = score_by_edit(reposts)
    assert set(scores) == {*KEEPING, *CHANGING}
    for name in KEEPING:
        assert scores[name].recall > 0.9, name
    for name in CHANGING:
        assert scores[name].n_merged < 0.15 * scores[name].n_texts / 2, name
    assert score_by_edit(reposts, "featurecode-2004")["caption"].recall < 0.5


def test_default_finds_reposts_of_whole_pages() -> None:
    made = make_reposts(articles(60, 3), seed=1)
    texts = [qc.extract(page_of(repost, number)).text for number, repost in enumerate(made)]
    labels = [repost.label for repost in made]
    assert score_classes(group_texts(texts).firsts, labels).f1 >= 0.95


def test_layouts_differ() -> None:
    repost = Repost("第一段。\n第二段<&>。", "0:whole", (), 0)
    pages = [page_of(repost, number) for number in range(40)]
    assert len({page.split("<body>")[1][:12] for page in pages}) >= N_LAYOUTS - 1
    assert all("第二段&lt;&amp;&gt;。" in page for page in pages)


# The command


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in articles(40, 9)]
    path.write_text("\n".join(lines), encoding="utf-8")
    arguments = ["evaluate", "dedup", str(path), "--method", "default,code-only"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["methods"]["default"]["f1"] > found["methods"]["code-only"]["f1"]
    assert set(found["paper_table"]) == set(PAPER_TABLE)
    assert main([*arguments, "--whole-pages", "--max-articles", "10"]) == 0
    assert "code only" in capsys.readouterr().out


def test_command_without_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "dedup", "--max-articles", "20", "--method", "default", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"]["default"]["n_classes"] > 20


def test_command_with_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "短"}\n{', encoding="utf-8")
    assert main(["evaluate", "dedup", str(path)]) == 2
    assert f"{path}:2" in capsys.readouterr().err
    path.write_text('{"text": "短"}', encoding="utf-8")
    assert main(["evaluate", "dedup", str(path)]) == 2
    assert "long enough" in capsys.readouterr().err
    assert main(["evaluate", "dedup", "--method", "none"]) == 2
    assert "three-codes" in capsys.readouterr().err
