"""Extractors side by side: names, peers, failures, summaries."""

import dataclasses
import io

import pytest
from rich.console import Console

from quarkcrawl.content import METHODS
from quarkcrawl.content.quark import tokens
from quarkcrawl.errors import InputError
from quarkcrawl.lab.baselines.content import BASELINES
from quarkcrawl.lab.evaluate.extractors.extractors import (
    DEFAULT_EXTRACTORS,
    content_method,
    extractor,
)
from quarkcrawl.lab.evaluate.extractors.measure import _WARM_UP, Job, Measurement
from quarkcrawl.lab.evaluate.extractors.peers import PEERS
from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison, Summary, compare
from quarkcrawl.lab.evaluate.extractors.source import Source
from quarkcrawl.lab.evaluate.extractors.tables import comparison_json, comparison_tables
from quarkcrawl.lab.gold.pages import GoldPage
from quarkcrawl.lab.gold.scores import NOTHING, Score
from tests.lab.baselines.test_content import NEWS, SENTENCE


def job(
    number: str, html: str = NEWS, gold: str = SENTENCE * 13, name: str = "mine", **more
) -> Job:
    page = GoldPage(
        number, html.encode("gb18030"), number, encoding="gb18030", gold_text=gold, **more
    )
    return Job(name, page, with_title=False)


@pytest.mark.parametrize("name", [*METHODS, *BASELINES])
def test_ours_find_the_content_from_bytes(name):
    source = Source(NEWS.encode("gb18030"), "not looked at")
    title, text = extractor(name).make()(source)
    assert title == "天网上线"
    assert SENTENCE in text


@pytest.mark.filterwarnings("ignore")  # what peers warn of is theirs
def test_every_installed_peer_finds_the_content_from_text():
    tried = []
    for name in PEERS:
        found = extractor(name)
        if found.is_installed:
            tried.append(name)
            _, text = found.make()(Source(b"", NEWS, "http://example.cn/1.html", "zh"))
            assert SENTENCE in text or name in ("boilerpy3", "newspaper4k", "magic-html"), name
    assert "turbohtml" in tried  # our parser: always there


def test_a_peer_is_asked_for_its_title_by_name():
    assert extractor("readability+title").gives_title
    assert not extractor("readability").gives_title
    assert extractor("quark").gives_title


@pytest.mark.parametrize("name", ["nix", "quark+title", "sdu+title", ""])
def test_an_unknown_extractor_is_named(name):
    with pytest.raises(InputError, match=f"no extractor '{name}'".replace("+", r"\+")):
        extractor(name)


def test_an_unknown_method_is_named():
    with pytest.raises(InputError, match="no method 'trafilatura'; there are default"):
        content_method("trafilatura")


def test_all_defaults_are_known():
    assert len({extractor(name).name for name in DEFAULT_EXTRACTORS}) == len(DEFAULT_EXTRACTORS)


def test_absent_peers_are_listed_with_how_to_install_them(monkeypatch):
    absent = dataclasses.replace(PEERS["gne"], module="no_such_module_at_all")
    monkeypatch.setitem(PEERS, "gne", absent)
    compared = compare(["sdu", "gne"], [job("a")], workers=1)
    assert list(compared.measured) == ["sdu"]
    assert compared.absent == {"gne": "gne"}
    assert "pip install gne" in shown(compared, None, {})


def shown(compared: Comparison, against, differences) -> str:
    out = io.StringIO()
    for table in comparison_tables(compared, against, differences):
        Console(file=out, width=200).print(table)
    return out.getvalue()


def test_failures_and_time_outs_score_nothing_and_are_counted():
    wrong = job("wrong")
    wrong = dataclasses.replace(
        wrong, page=dataclasses.replace(wrong.page, encoding="no-such-codec")
    )
    compared = compare(["sdu"], [job("a"), wrong, job("b")], workers=1)
    first, failed, last = compared.measured["sdu"]
    assert failed.failure.startswith("error: LookupError")
    assert failed.score == NOTHING
    assert first.score == last.score != NOTHING
    summary = compared.summaries("sdu")["mine"]
    assert summary.failures == {"error": 1}
    assert summary.score.f1 == pytest.approx(first.score.f1 * 2 / 3)
    assert "1 error" in shown(compared, None, {})
    slow = compare(["sdu"], [job("a", NEWS * 3000)], workers=1, timeout_s=0.001)
    assert [page.failure for page in slow.measured["sdu"]] == ["timeout"]


def test_the_headline_counts_only_where_the_gold_includes_it():
    plain = job(
        "a", NEWS.replace("<h1>天网上线</h1>", "").replace("天网上线", "Quark"), gold=SENTENCE * 9
    )
    titled = Job(
        "mine",
        dataclasses.replace(plain.page, number="b", gold_text="Quark" + SENTENCE * 9),
        with_title=True,
    )
    compared = compare(["sdu", "turbohtml"], [plain, titled], workers=1)
    assert [page.score.f1 for page in compared.measured["sdu"]] == [1, 1]
    assert compared.measured["turbohtml"][1].score.recall < 1  # the headline is no part of its text


def measured(*rows: tuple[float, float]) -> tuple[Measurement, ...]:
    return tuple(Measurement(Score(f1, f1, f1), cpu_s, is_empty=f1 == 0) for f1, cpu_s in rows)


def test_a_summary_by_hand():
    pages = (*measured((1.0, 0.1), (0.0, 0.2), (0.5, 0.3)), Measurement(failure="crash: SIGSEGV"))
    found = Summary.of(pages)
    assert found.n_pages == 4
    assert found.score.f1 == pytest.approx(1.5 / 4)
    assert found.empty_share == 0.5
    assert found.failures == {"crash": 1}
    assert found.mean_pages_per_s == pytest.approx(3 / 0.6)
    assert found.median_pages_per_s == pytest.approx(5)


def test_speeds_of_pages_too_quick_to_be_timed():
    found = Summary.of(measured((1.0, 0.0), (1.0, 0.0), (1.0, 0.5)))
    assert (found.mean_pages_per_s, found.median_pages_per_s) == (6, 0)
    failed = Summary.of((Measurement(failure="timeout"),))
    assert (failed.mean_pages_per_s, failed.median_pages_per_s) == (0, 0)


def compared_by_hand() -> Comparison:
    jobs = (job("a", name="cwced", lang="zh", url="http://x.cn/1"), job("b", name="cwced", lang="zh", url="http://x.cn/2"),
            job("c", name="wcxb_en", lang="en"))  # fmt: skip
    rows = {
        "one": measured((1.0, 0.1), (0.5, 0.1), (0.25, 0.1)),
        "two": measured((0.5, 0.1), (0.0, 0.1), (0.5, 0.1)),
    }
    return Comparison(jobs, rows, {}, {"two": "1.2"})


def test_sets_are_grouped_by_language():
    compared = compared_by_hand()
    assert compared.groups() == {
        "cwced": [0, 1],
        "wcxb_en": [2],
        "all_zh": [0, 1],
        "articles_zh": [0, 1],
        "all_en": [2],
    }
    assert compared.summaries("one")["all_zh"].score.f1 == 0.75


def test_differences_are_drawn_by_host():
    compared = compared_by_hand()
    found = compared.difference("one", "two", "all_zh")
    assert (found.mean, found.n_groups) == (0.5, 1)
    assert compared.difference("one", "two", "all_zh", by_host=False).n_groups == 2


def test_an_address_that_is_none_has_no_host():
    compared = compared_by_hand()
    jobs = (job("a", name="cwced", lang="zh", url="http://["), *compared.jobs[1:])
    found = dataclasses.replace(compared, jobs=jobs).difference("one", "two", "all_zh")
    assert found.n_groups == 2


def test_the_table_and_the_json_say_the_same():
    compared = compared_by_hand()
    differences = {"two": {"all_zh": compared.difference("one", "two", "all_zh")}}
    text = shown(compared, "one", differences)
    assert "0.750" in text
    assert "+0.500 [+0.500 +0.500]*" in text
    found = comparison_json(compared, "one", differences, by_page=True)
    assert found["extractors"]["one"]["groups"]["all_zh"]["score"]["f1"] == 0.75
    assert found["extractors"]["one"]["by_page"]["c"]["score"]["f1"] == 0.25
    assert found["extractors"]["two"]["version"] == "1.2"
    assert found["differences"]["two"]["all_zh"]["mean"] == 0.5
    assert "by_page" not in comparison_json(compared, None, {}, by_page=False)["extractors"]["one"]


def test_a_dictionary_is_loaded_before_time_is_taken():
    tokens.load_dictionary.cache_clear()
    extractor("quark").make()(_WARM_UP)
    assert tokens.load_dictionary.cache_info().currsize == 1
