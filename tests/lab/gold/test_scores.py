"""Formulas on examples worked by hand, and on the tables that the thesis prints."""

import pytest

from quarkcrawl.lab.evaluate.sewm2008.topic import score_topic
from quarkcrawl.lab.gold.scores import NOTHING, Score, macro

TOPIC_TABLE = {  # P, R, F1 as printed in section 4.3.1
    "DLUT1": (0.888888888889, 0.869565217391, 0.879120879121),
    "DLUT2": (0.89552238806, 0.869565217391, 0.882352941176),
    "SCU1": (0.846153846154, 0.876811594203, 0.861209964413),
    "SCU2": (0.840277777778, 0.876811594203, 0.858156028369),
    "SCUT1": (0.883211678832, 0.876811594203, 0.88),
    "SCUT2": (0.889705882353, 0.876811594203, 0.883211678832),
    "SCUT3": (0.82119205298, 0.898550724638, 0.858131487889),
    "SCUT4": (0.794871794872, 0.898550724638, 0.843537414966),
    "SDU1": (0.78125, 0.905797101449, 0.838926174497),
    "SDU2": (0.774566473988, 0.971014492754, 0.861736334405),
    "RUC": (0.670103092784, 0.942028985507, 0.78313253012),
}
N_TOPIC, N_OTHER = 138, 89


@pytest.mark.parametrize("team", TOPIC_TABLE)
def test_the_printed_topic_scores_follow_from_whole_numbers_of_pages(team):
    precision, recall, f1 = TOPIC_TABLE[team]
    n_correct = round(recall * N_TOPIC)
    n_found = round(n_correct / precision)
    assert n_found - n_correct <= N_OTHER
    gold = {f"t{n}": True for n in range(N_TOPIC)} | {f"o{n}": False for n in range(N_OTHER)}
    found = [f"t{n}" for n in range(n_correct)] + [f"o{n}" for n in range(n_found - n_correct)]
    result = score_topic(team, found, gold)
    assert (result.n_found, result.n_correct) == (n_found, n_correct)
    assert result.score.precision == pytest.approx(precision, abs=1e-10)
    assert result.score.recall == pytest.approx(recall, abs=1e-10)
    assert result.score.f1 == pytest.approx(f1, abs=1e-10)


def test_macro_f1_is_the_mean_of_page_values_as_pku_s():
    # PKU's printed .822 is below 2PR/(P+R) = .849 of its means .933 and .780: only a mean can be.
    pages = [Score.of(90, 100, 90), Score.of(10, 10, 50), NOTHING]
    assert pages[0].f1 == pytest.approx(2 * 0.9 / 1.9)
    assert pages[1].f1 == pytest.approx(2 * 0.2 / 1.2)
    found = macro(pages)
    assert found.precision == pytest.approx((0.9 + 1 + 0) / 3)
    assert found.recall == pytest.approx((1 + 0.2 + 0) / 3)
    assert found.f1 == pytest.approx((2 * 0.9 / 1.9 + 2 * 0.2 / 1.2 + 0) / 3)
    assert found.f1 < 2 * found.precision * found.recall / (found.precision + found.recall)


@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 5, 0), (0, 0, 5), (0, 5, 5)])
def test_nothing_right_scores_nothing(counts):
    assert Score.of(*counts) == NOTHING


def test_no_pages_have_no_score():
    assert macro([]) == NOTHING


def test_topic_documents_without_gold_do_not_count():
    gold = {"a": True, "b": False, "c": True}
    assert score_topic("x", ["a", "b", "zzz"], gold).score == Score.of(1, 2, 2)
