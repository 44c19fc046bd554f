"""What docs/published.md says beside the printed numbers: held to the kept run, and to small new ones."""

from __future__ import annotations

import importlib
import itertools
import json
import re
from collections import Counter

import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.quark import FEATURES
from quarkcrawl.content.quark.bayes import PUBLISHED_PRIORS
from quarkcrawl.lab.evaluate.reposts.scores import PAPER_TABLE
from quarkcrawl.lab.evaluate.sewm2008.grades import PUBLISHED_SHARE
from quarkcrawl.lab.gold import Score
from tests.lab.gold.test_scores import TOPIC_TABLE
from tests.papers.conftest import ROOT, SHARED, short
from tests.papers.test_tables import sections, tables

needs_pages = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is absent")
SAME_AGAIN = 0.02
"""How far a figure may move when methods change before the page must be measured anew."""

PRINTED_F1 = {"dlut": 0.907, "quark": 0.822, "scut1": 0.434, "sdu": 0.375, "scu": 0.286}
"""Best run of each team whose method is here (thesis, 4.3.2)."""


@pytest.fixture(scope="module")
def benchmark(program) -> object:
    return program("published")


def row_with(page: list[list[str]], text: str, place: int) -> list[str]:
    return next(row for row in page if len(row) > place and row[place].startswith(text))


# The page says what was measured


def test_content_of_every_method_stands_on_the_page(kept: dict, page: list[list[str]]) -> None:
    for method, figures in kept["content"]["methods"].items():
        row = row_with(page, f"`{method}`", 2)
        found = figures["all"]
        assert row[3:6] == [short(found[name]) for name in ("precision", "recall", "f1")], method
        assert row[6] == "[{}, {}]".format(*map(short, found["f1_interval"]))


def test_methods_of_several_pages_stand_on_the_page(sites: dict, page: list[list[str]]) -> None:
    for method, found in sites["all"]["methods"].items():
        row = next(row for row in page if len(row) > 6 and row[2].startswith(f"`{method}`"))
        assert row[3:6] == [short(found[name]) for name in ("precision", "recall", "f1")], method
        parts = [
            " ".join(short(sites[part]["methods"][method][name]) for name in
                     ("precision", "recall", "f1"))
            for part in ("with_others", "with_four")
        ]  # fmt: skip
        assert [f"`{method}`", *parts] in page, method
    counts = [(sites[part]["pages"], sites[part]["hosts"]) for part in ("with_others", "with_four")]
    assert counts == [(187, 42), (114, 14)]


def test_no_cell_of_ours_is_empty_without_a_reason(page: list[list[str]]) -> None:
    teams = [row for row in page if row[0].startswith(("DLUT", "PKU", "RUC", "SCU", "SDU"))]
    assert len(teams) >= 11
    for row in teams:
        ours = " ".join(row[2:])
        is_measured = "`" in ours and "." in ours
        assert is_measured or "not measured" in ours, row


def test_priors_stand_on_the_page(kept: dict, page: list[list[str]]) -> None:
    names = ("customized", "noise word", "punctuation of", "punctuation >", "text outside",
             "links >", "anchor /")  # fmt: skip
    sets = ("published", "zh articles", "zh forums", "en articles")
    for name, feature in zip(names, FEATURES, strict=True):
        row = row_with(page, name, 0)
        for cell, of in zip(row[1:], sets, strict=True):
            found = [float(number) for number in cell.split(", ")]
            assert found == pytest.approx(kept["priors"][of]["features"][feature], abs=0.0051)
    row = row_with(page, "p(content)", 0)
    assert row[1:] == [short(kept["priors"][of]["p_content"], 2) for of in sets]


def test_grades_stand_on_the_page(kept: dict, page: list[list[str]]) -> None:
    assert pytest.approx(0.946, abs=5e-4) == PUBLISHED_SHARE
    for method in ("ibdom", "rules", "quark"):
        report = kept["portals"][method]
        row = next(row for row in page if row[0] == f"`{method}`")
        assert row[1:6] == [str(n) for n in report["grades"].values()]
        assert row[6] == short(report["good_share"])


def test_the_table_of_feature_codes_is_the_printed_one(page: list[list[str]]) -> None:
    for name, cells in PAPER_TABLE.items():
        row = row_with(page, name, 0)
        assert (row[1].split(), row[2]) == (list(cells[:-1]), cells[-1])


def test_topic_pages_and_reposts_stand_on_the_page(kept: dict, page: list[list[str]]) -> None:
    assert (kept["topic"]["topic"], kept["topic"]["pages"]) == (138, 227)
    for method in ("dlut", "scu"):
        assert [f"`{method}`", *map(short, kept["topic"][method])] in [row[2:] for row in page]
    found = kept["reposts"]
    assert (found["pairs"], found["pairs_across_hosts"]) == (4, 4)
    for name, method in (("code only", "code-only"), ("`featurecode-2004`", "featurecode-2004")):
        row = next(row for row in page if row[0].startswith(name) and len(row) == 3)
        assert row[1:] == [str(n) for n in found[method].values()]


def test_all_runs_of_topic_finding_stand_on_the_page(text: str) -> None:
    """The eleven that the thesis prints, in the first table and beside the pages read one by one."""
    wanted = {team: " ".join(map(short, printed)) for team, printed in TOPIC_TABLE.items()}
    first, second, third = (
        {
            team: said
            for row in table[1:]
            if row[0] != "—"
            for team, said in zip(re.split("[,;] ", row[0]), row[1].split("; "), strict=True)
        }
        for table in tables(sections(text)["Quark thesis: topic pages (4.3.1)"])
    )
    assert first == third == wanted
    assert second == {team: wanted[team] for team in ("DLUT1", "DLUT2", "SCU1", "SCU2")}


def test_the_appendix_stands_on_the_page(kept: dict, page: list[list[str]]) -> None:
    def cell(found: dict) -> str:
        return "{:.0f} ({:.0f}–{:.0f})".format(*(100 * found[k] for k in ("mean", "least", "most")))

    tables = kept["templates"]
    for measure, found in tables["table_2"].items():
        wanted = [cell(tables[name][measure]) for name in ("table_2_posts", "table_2_tags")]
        assert [cell(found), *wanted] in [row[2:] for row in page if row[0] == f"`{measure}`"]
        by_k = [cell(one) for one in tables["table_3"][measure].values()]
        assert measure == "tree-edit" or by_k in [row[2:] for row in page]


# Claims, on the kept run


def test_quark_does_not_reach_dlut(kept: dict) -> None:
    for part in ("all", "news"):
        mean, low, high = kept["content"]["methods"]["quark"][part]["minus_dlut"]
        assert low < mean < high < 0, part


def test_the_order_of_the_systems_is_that_of_the_thesis(kept: dict) -> None:
    ours = {name: kept["content"]["methods"][name]["all"]["f1"] for name in PRINTED_F1}
    assert sorted(ours, key=ours.get) == sorted(PRINTED_F1, key=PRINTED_F1.get)


def test_likeness_of_urls_is_next_to_nothing_and_templates_lift_precision(sites: dict) -> None:
    for part in ("all", "with_others", "with_four"):
        methods = sites[part]["methods"]
        assert abs(methods["scut3"]["f1"] - methods["scut4"]["f1"]) < 0.001
        assert methods["scut2"]["precision"] > methods["scut1"]["precision"] + 0.05
        assert methods["scut2"]["recall"] < methods["scut1"]["recall"]
    low, high = sites["with_four"]["methods"]["scut2"]["minus_scut1"][1:]
    assert low < 0 < high


def test_a_system_that_takes_every_page_for_a_topic_page() -> None:
    score = Score.of(138, 227, 138)
    assert (round(score.precision, 3), score.recall, round(score.f1, 3)) == (0.608, 1.0, 0.756)


def test_what_the_priors_say_of_another_web(kept: dict) -> None:
    ours = kept["priors"]["zh articles"]["features"]
    for name, *theirs in zip(
        FEATURES, PUBLISHED_PRIORS.given_content, PUBLISHED_PRIORS.given_noise, strict=True
    ):
        content, noise = ours[name]
        assert (content > noise) == (theirs[0] > theirs[1]), name
    assert ours["long_text"][0] < 0.6 * 0.84
    assert ours["many_links"][1] < 0.2 * 0.71
    assert ours["custom_tag"][0] - ours["custom_tag"][1] < 0.05


def test_weighted_tags_need_pages_of_one_kind_and_size(kept: dict) -> None:
    """The opposite ranking of table II, and what it turns on."""
    tables = kept["templates"]
    gap = {
        name: tables[name]["weighted-tags"]["mean"] - tables[name]["tree-edit"]["mean"]
        for name in ("table_2", "table_2_posts", "table_2_tags")
    }
    assert gap["table_2"] > 0.1
    assert gap["table_2_posts"] > 0.3
    assert gap["table_2_tags"] < 0.1


def test_slopes_fall_and_are_steeper_than_the_printed_one(kept: dict, page: list) -> None:
    names = ("simulated", "links", "all_links")
    slopes = [kept["hosts"][name]["slope"] for name in names]
    assert all(slope < kept["hosts"]["published_slope"] for slope in slopes)
    assert row_with(page, "slope", 0)[2:] == [short(slope) for slope in slopes]
    counts = [f"{kept['hosts'][name]['hosts']:,}" for name in names]
    assert row_with(page, "hosts", 0)[2:] == counts


# Small versions made anew


def test_errors_fall_with_the_length_bound(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "dedup", "--max-articles", "120", "--method", "featurecode-2004", "--json"]
    assert main(words) == 0
    table = json.loads(capsys.readouterr().out)["paper_table"]
    errors = {name: int(cells[-1].split("/")[1]) for name, cells in table.items()}
    assert errors["a = 1.10"] < 0.7 * errors["code only"]
    assert errors["a = 1.10"] < errors["a = 1.05"]
    assert errors["a = 1.14"] < 1.15 * errors["a = 1.10"]


def test_books_by_measure(benchmark: object, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("template_measures").books(60)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    errors = {row["measure"]: row["error_6"] for row in rows}
    assert errors["weighted-tags"] == errors["path-weighted"] == errors["fourier"] == 0
    assert errors["path-set"] > 0.6
    assert errors["path-shingles"] > 0.2


@pytest.mark.full
@needs_pages
def test_priors_counted_again(benchmark: object, kept: dict) -> None:
    found = benchmark.priors(None)
    for name in ("zh articles", "zh forums", "en articles"):
        for feature, values in kept["priors"][name]["features"].items():
            assert found[name]["features"][feature] == pytest.approx(values, abs=SAME_AGAIN)


@pytest.mark.full
@needs_pages
def test_portals_graded_again(benchmark: object, kept: dict) -> None:
    found = benchmark.portals(None)
    assert dict(found["pages"]) == kept["portals"]["pages"]
    for method in ("ibdom", "rules", "quark"):
        wanted = kept["portals"][method]["good_share"]
        assert found[method]["good_share"] == pytest.approx(wanted, abs=2.5 / 41)  # two pages


@needs_pages
def test_marks_put_back_on_a_page_are_its_gold(benchmark: object) -> None:
    golds = [one for _, one in benchmark.gold_pages(["cwced"])][:12]
    for gold in golds:
        page = gold.page()
        runs = benchmark.marked_runs(page, gold.gold_text)
        wanted = benchmark.squeeze(gold.gold_text)
        marked = "".join(
            benchmark.squeeze(text)
            for text, is_in in zip(page.tree.runs, runs, strict=True)
            if is_in
        )
        assert 0.8 < len(marked) / len(wanted) < 1.25, gold.number


@needs_pages
@pytest.mark.shared
def test_the_reposts_are_all_of_the_day_with_most_news(benchmark: object) -> None:
    golds = [one for _, one in benchmark.gold_pages(["daniel_zh"])]
    days = Counter(day_of(one) for one in golds)
    ((day, n_pages),) = days.most_common(1)
    hosts = {benchmark.host_of(one) for one in golds if day_of(one) == day}
    assert (day, n_pages, len(hosts)) == ("20120112", 103, 56)
    texts = [benchmark.squeeze(one.gold_text) for one in golds]
    grams = [{text[k : k + 8] for k in range(len(text) - 7)} for text in texts]
    near = [
        {day_of(golds[number]) for number in pair}
        for pair in itertools.combinations(range(len(golds)), 2)
        if 2 * len(grams[pair[0]] & grams[pair[1]]) > len(grams[pair[0]] | grams[pair[1]])
    ]
    assert near == [{day}] * 4


def day_of(gold: object) -> str:
    """Records of daniel_zh begin with the day."""
    return re.search(r"\b(20\d{6})_", gold.number)[1]


def interval(parts: list[float]) -> str:
    mean, low, high = (short(part).replace("-.000", ".000") for part in parts)
    return f"{mean} [{low}, {high}]"


def test_known_item_search_stands_on_the_page(kept: dict, page: list[list[str]]) -> None:
    found = kept["search"]
    assert found["pages"] == 4218
    assert found["sites"] == 13
    assert sum(found["queries"].values()) >= 1000
    text = (ROOT / "docs" / "published.md").read_text("utf-8")
    assert f"{found['queries']['title']:,} headlines" in text
    assert f"{found['queries']['anchor']} texts of links" in text
    for result in found["results"]:
        row = next(row for row in page if row[:2] == [result["text"], result["rank"] or "none"])
        names = ("mrr", "mrr_title", "mrr_anchor", "success_1", "success_10")
        assert row[2:7] == [short(result[name]) for name in names]
        assert set(result["weights"]) <= {"0.0"}, "the page says that no rank helps"
        if not result["rank"]:
            assert interval(result["mrr_interval"]) in text
            continue
        at_weights = result["against_no_rank_at_weights"]
        assert max(mean for mean, _, _ in at_weights.values()) < 0, "and that any other harms"
        row = next(row for row in page if row[0] == f"{result['text']}, {result['rank']}")
        assert row[1:] == [interval(at_weights[weight]) for weight in ("0.05", "0.4", "1.6")]


def test_fields_by_a_label_stand_on_the_page(page: list[list[str]]) -> None:
    path = ROOT / "benchmarks" / "history" / "fields_of_sites.jsonl"
    *sites, total = json.loads(path.read_text("utf-8").splitlines()[-1])["figures"]
    assert len(sites) == total["sites"] == 13
    assert total["agrees"] == {"title": [583, 583], "date": [634, 634]}
    rows = [row for row in page if len(row) == 5 and row[4].startswith((".", "1."))]
    for method, means in total["means"].items():
        cells = [
            "{} [{}, {}]".format(*map(short, means[name])) for name in ("title", "date", "body")
        ]
        assert cells in [[row[1], row[2], row[4]] for row in rows], method
    with_labels = [total["means"][name]["title"] for name in ("label-unmasked", "autoscraper")]
    assert with_labels[0][1] < with_labels[1][0] < with_labels[0][2], "the page says: no difference"


def test_lists_by_the_commands_are_those_of_the_page(
    kept: dict, lists: dict, page: list[list[str]]
) -> None:
    for name in ("links", "all_links"):
        wanted = kept["hosts"][name]
        assert lists[name]["dropped"] == {"spam": 0, **wanted["dropped"]}
        assert (lists[name]["hosts"], lists[name]["seeds"]) == (wanted["hosts"], wanted["seeds"])
        assert lists[name]["proposals"] == 0
    names = {"folders and home pages": "/", "without a suffix": "no suffix"}
    shares = {row[0]: row[1] for row in lists["addresses"]["types"]}
    rows = [row for row in page if row[0].startswith("type ")]
    assert len(rows) == 11
    for row in rows:
        kind = row[0].removeprefix("type ")
        assert row[4] == f"{100 * shares[names.get(kind, kind)]:.1f}"
    mock = {name: {row[0]: row[1] for row in found} for name, found in lists["mock"].items()}
    said = {row[0].removeprefix("mock web: "): row[2] for row in page if "mock web: " in row[0]}
    totals = mock["totals"]
    counts = [totals[name] for name in ("pages", "sites", "mean pages of a site")]
    assert said["pages; sites; pages a site"] == "; ".join(map(str, counts))
    assert said["KB a page; dynamic, %"] == "{:.0f}; {:.1f}".format(
        totals["mean bytes of a page"] / 1000, 100 * totals["dynamic pages"] / totals["pages"]
    )
    for column, kinds in (("domains, %", mock["domains"]), ("types, %", mock["types"])):
        for part in said[column].split(", "):
            kind, _, share = part.rpartition(" ")
            assert share == f"{100 * kinds[names.get(kind, kind)]:.1f}", part
    assert said["provinces, %"].startswith(f"Shanghai {100 * mock['provinces']['上海']:.1f},")


def test_chapter_four_stands_on_the_page(kept: dict, page: list[list[str]]) -> None:
    tables = kept["hosts"]["chapter_4"]
    for column, name in ((2, "marked"), (3, "sites")):
        totals = dict(tables[name]["totals"])
        assert row_with(page, "pages", 0)[column] == f"{totals['pages']:,}"
        assert row_with(page, "sites", 0)[column] == f"{totals['sites']:,}"
        for domain, share, *_ in tables[name]["domains"]:
            assert row_with(page, f"domain {domain}", 0)[column] == f"{100 * share:.1f}"
        for kind, share, _ in tables[name]["types"]:
            rows = [row for row in page if row[0] == f"type {kind}"]
            assert not rows or rows[0][column] == f"{100 * share:.1f}"
    shares = kept["hosts"]["all_links"]["domains"]
    for domain, share in shares.items():
        assert row_with(page, f"domain {domain}", 0)[4] == f"{100 * share:.1f}"
