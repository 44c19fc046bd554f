"""Claims of docs/published.md made anew, from the pages or the generator, and not from the kept run.

What takes seconds is `full`; the list at the end of the page says what is recomputed here.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from quarkcrawl.cli import main
from quarkcrawl.lab.evaluate.reposts.scores import PAPER_TABLE
from tests.papers.conftest import ROOT, SHARED, kept_run

needs_pages = [
    pytest.mark.shared,
    pytest.mark.full,
    pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is absent"),
]
needs_minutes = [*needs_pages, pytest.mark.slow]
SAME_AGAIN = 0.02
"""How far a mean may move when methods change before the page must be measured anew."""


@pytest.fixture(scope="module")
def programs(program) -> SimpleNamespace:
    names = ("published", "template_measures", "fields_of_sites")
    return SimpleNamespace(**{name: program(name) for name in names})


def cells(text: str, first: str) -> list[str]:
    """The row of the page that begins with a name."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def within(spread: dict, value: float) -> bool:
    """One draw of several lies between the least and the most of them."""
    return spread["least"] - 1e-3 <= value <= spread["most"] + 1e-3


# SEWM2008


@pytest.mark.usefixtures("programs")
class TestWithPages:
    pytestmark = needs_pages

    def test_quark_stays_behind_dlut(
        self, programs: SimpleNamespace, kept: dict, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(programs.published, "METHODS", ("dlut", "quark"))
        found = programs.published.content(None)
        assert (found["pages"], found["hosts"]) == (278, 133)
        for method in ("dlut", "quark"):
            wanted = kept["content"]["methods"][method]["all"]
            for name in ("precision", "recall", "f1"):
                assert found["methods"][method]["all"][name] == pytest.approx(
                    wanted[name], abs=SAME_AGAIN
                )
        for part in ("all", "news"):
            _, _, high = found["methods"]["quark"][part]["minus_dlut"]
            assert high < 0, part

    def test_topic_pages(self, programs: SimpleNamespace, kept: dict) -> None:
        found = programs.published.topic(None)
        for method in ("dlut", "scu"):
            assert found[method] == pytest.approx(kept["topic"][method], abs=SAME_AGAIN)

    def test_reposts_as_they_occur(self, programs: SimpleNamespace, kept: dict) -> None:
        found = programs.published.reposts(None)
        assert found == kept["reposts"]
        most = found["featurecode-2004"]
        assert most["joined"] == most["of_the_pairs"] < found["code-only"]["joined"]

    def test_news_of_one_day(self, text: str) -> None:
        """Where more reposts would be, if there were any."""
        path = SHARED / "extraction" / "daniel_zh.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            names = [json.loads(line)["id"].split("_") for line in lines]
        hosts = [name[2] for name in names if name[1] == "zh/20120112"]
        assert f"{len(hosts)} pages of {len(set(hosts))} hosts" in text

    def test_table_of_the_feature_code_on_real_articles(
        self, text: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = [
            str(SHARED / "extraction" / f"{name}.jsonl.gz")
            for name in ("cwced", "daniel_zh", "magic_article_zh")
        ]
        table = table_of(text, capsys, *files)
        assert {name: cells(text, name)[4] for name in PAPER_TABLE} == table

    def test_one_draw_of_table_two(self, programs: SimpleNamespace, kept: dict) -> None:
        sites = programs.published.by_site({"post"})
        found = programs.published.table_2(sites, 1)
        for measure, wanted in kept["templates"]["table_2_posts"].items():
            assert within(wanted, found[measure]["mean"]), measure
        assert found["weighted-tags"]["mean"] > found["tree-edit"]["mean"] + 0.2

    def test_one_site_of_table_three(self, programs: SimpleNamespace, kept: dict) -> None:
        sites = programs.published.by_site()
        named = kept["templates"]["sites"][:1]
        found = programs.published.table_3(sites, named, None)
        for measure, by_k in kept["templates"]["table_3"].items():
            for k, wanted in by_k.items():
                assert within(wanted, found[measure][int(k)]["mean"]), (measure, k)

    def test_linked_hosts(self, programs: SimpleNamespace, kept: dict) -> None:
        found = json.loads(json.dumps(programs.published.linked_hosts(None)))
        wanted = kept["hosts"]["links"]
        assert found["pages"] == wanted["pages"]
        assert found["hosts"] == pytest.approx(wanted["hosts"], rel=0.01)
        for name in ("slope", "slope_of_at_least"):
            assert found[name] == pytest.approx(wanted[name], abs=SAME_AGAIN)
        for name, share in wanted["domains"].items():
            assert found["domains"][name] == pytest.approx(share, abs=0.005), name

    def test_funnel_of_linked_hosts_by_the_commands(self, programs: SimpleNamespace) -> None:
        found = programs.published.by_the_commands(None)
        wanted = kept_run("published_lists")["lists"]["links"]
        for name in ("hosts", "seeds"):
            assert found[name] == pytest.approx(wanted[name], rel=0.01)
        assert found["proposals"] == wanted["proposals"] == 0
        for step, dropped in wanted["dropped"].items():
            assert found["dropped"][step] == pytest.approx(dropped, rel=0.01, abs=1), step

    def test_chapter_four_by_the_command(self, programs: SimpleNamespace, kept: dict) -> None:
        found = programs.published.statistics(400)["marked"]
        n_pages = dict(found["totals"])["pages"]
        assert n_pages == 400
        assert sum(row[2] for row in found["domains"]) == n_pages
        assert sum(row[2] for row in found["types"]) == n_pages
        assert dict(kept["hosts"]["chapter_4"]["marked"]["totals"])["pages"] > n_pages

    def test_fields_of_two_sites(self, programs: SimpleNamespace) -> None:
        kept_rows = fields_of_each()
        for name in ("3panda", "bboyjing"):
            path = next(programs.fields_of_sites.SITES.glob(f"{name}.*"))
            methods = ("label", "label-unmasked", "none-unmasked")
            found = programs.fields_of_sites.site(path, 60, methods)
            wanted = next(row for row in kept_rows if row["host"] == name)
            assert found["shown"] == wanted["shown"]
            for method in methods:
                for field, score in wanted[method].items():
                    assert found[method][field] == pytest.approx(score, abs=SAME_AGAIN)


@pytest.mark.usefixtures("programs")
class TestWhole:
    """What takes minutes: by `make test-slow`."""

    pytestmark = needs_minutes

    def test_known_item_search(self, programs: SimpleNamespace, kept: dict) -> None:
        found, wanted = programs.published.search(None), kept["search"]
        for name in ("pages", "sites", "queries"):
            assert found[name] == wanted[name]
        assert found["pages"] == 4218
        assert sum(found["queries"].values()) >= 1000
        for ours, theirs in zip(found["results"], wanted["results"], strict=True):
            assert (ours["text"], ours["rank"]) == (theirs["text"], theirs["rank"])
            for name in ("mrr", "mrr_title", "mrr_anchor", "success_1", "success_10"):
                assert ours[name] == pytest.approx(theirs[name], abs=SAME_AGAIN), name
            at_weights = theirs["against_no_rank_at_weights"]
            assert set(ours["against_no_rank_at_weights"]) == set(at_weights)
            for weight, told in ours["against_no_rank_at_weights"].items():
                assert told == pytest.approx(at_weights[weight], abs=SAME_AGAIN), weight

    def test_topic_pages_of_all_sites(self, programs: SimpleNamespace, tmp_path: Path) -> None:
        """Every fourth page with a label, beside the table of docs/extraction.md."""
        labeled = [
            {
                "id": str(number),
                "url": row["url"],
                "html": row["html"],
                "is_topic": row["template_label"] == "post",
            }
            for number, row in enumerate(programs.published.site_rows())
            if row["template_label"] not in {"other", "misc"}
        ][3::4]
        assert (len(labeled), sum(row["is_topic"] for row in labeled)) == (2447, 1122)
        path, scores = tmp_path / "labelled.jsonl", tmp_path / "scores.json"
        path.write_text("\n".join(map(json.dumps, labeled)), encoding="utf-8")
        methods = ("--method", "dlut", "--method", "scu")
        assert main(["evaluate", "topic", str(path), *methods, "--json-out", str(scores)]) == 0
        found = {row["name"]: row["score"] for row in json.loads(scores.read_text("utf-8"))}
        table = (ROOT / "docs" / "extraction.md").read_text("utf-8")
        for method, first in (("dlut", "`dlut`: has"), ("scu", "`scu`: skewness")):
            row = next(line for line in table.splitlines() if line.startswith(f"| {first}"))
            said = [float(cell) for cell in row.strip("|").split("|")[1:]]
            ours = [found[method][name] for name in ("precision", "recall", "f1")]
            assert ours == pytest.approx(said, abs=SAME_AGAIN), method

    def test_scut_on_sites_left_out(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = [str(path) for path in sorted((SHARED / "sites").glob("*.jsonl.gz"))]
        out = ("--method", "quark", "--out", str(tmp_path / "weights.json"))
        assert main(["train", "topic", *files, *out]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        found = {row["model"]: row["f1"] for row in rows}
        said = [float(word) for word in re.findall(r"\d?\.\d+", cells(text, "SCUT1, SCUT2")[2])]
        assert [found["page_and_url"], found["page"]] == pytest.approx(said, abs=SAME_AGAIN)

    @pytest.mark.parametrize(("name", "labels"), [
        ("table_2", None), ("table_2_posts", {"post"}), ("table_2_tags", {"tag"}),
    ])  # fmt: skip
    def test_all_draws_of_table_two(
        self, programs: SimpleNamespace, kept: dict, name: str, labels: set[str] | None
    ) -> None:
        found = programs.published.table_2(programs.published.by_site(labels), None)
        assert found == kept["templates"][name]

    def test_all_sites_of_table_three(self, programs: SimpleNamespace, kept: dict) -> None:
        sites, named = programs.published.by_site(), kept["templates"]["sites"]
        found = programs.published.table_3(sites, named, None)
        assert json.loads(json.dumps(found)) == kept["templates"]["table_3"]

    def test_all_methods_find_content(self, programs: SimpleNamespace, kept: dict) -> None:
        found = programs.published.content(None)["methods"]
        for method, wanted in kept["content"]["methods"].items():
            for name in ("precision", "recall", "f1"):
                assert found[method]["all"][name] == pytest.approx(
                    wanted["all"][name], abs=SAME_AGAIN
                ), method

    def test_methods_that_compare_pages_of_a_site(self, programs: SimpleNamespace) -> None:
        found, kept_sites = programs.published.content_sites(None), kept_run("published_sites")
        for part, wanted in kept_sites["content_sites"].items():
            assert found[part]["pages"] == wanted["pages"]
            for method, figures in wanted["methods"].items():
                for name in ("precision", "recall", "f1"):
                    now = found[part]["methods"][method][name]
                    assert now == pytest.approx(figures[name], abs=SAME_AGAIN), (part, method)

    def test_no_more_reposts_in_all_texts(self, programs: SimpleNamespace, text: str) -> None:
        found = programs.published.more_reposts(None)
        wanted = kept_run("published_reposts")["more_reposts"]
        assert found["across"] == wanted["across"] == 4
        assert found["hosts"] == wanted["hosts"]
        assert found["texts"] == pytest.approx(wanted["texts"], rel=0.01)
        assert f"{wanted['texts']:,} Chinese texts of {wanted['hosts']} hosts" in text

    def test_hosts_that_all_pages_link_to(self, programs: SimpleNamespace, kept: dict) -> None:
        found = programs.published.linked_hosts(None, programs.published.all_pages)
        found, wanted = json.loads(json.dumps(found)), kept["hosts"]["all_links"]
        assert found["pages"] == wanted["pages"] == 12_649
        for name in ("hosts", "urls", "seeds"):
            assert found[name] == pytest.approx(wanted[name], rel=0.01), name
        for step, dropped in wanted["dropped"].items():
            assert found["dropped"][step] == pytest.approx(dropped, rel=0.02, abs=1), step
        for name in ("slope", "slope_below_500", "slope_of_at_least"):
            assert found[name] == pytest.approx(wanted[name], abs=SAME_AGAIN), name
        for size, slope in wanted["slope_by_hosts_drawn"].items():
            assert found["slope_by_hosts_drawn"][size] == pytest.approx(slope, abs=SAME_AGAIN)
        for name, share in wanted["domains"].items():
            assert found["domains"][name] == pytest.approx(share, abs=0.005), name
        assert found["dynamic"] == pytest.approx(wanted["dynamic"], abs=0.005)

    def test_chapter_four_of_all_pages(self, programs: SimpleNamespace, kept: dict) -> None:
        found = json.loads(json.dumps(programs.published.statistics(None)))
        for column, wanted in kept["hosts"]["chapter_4"].items():
            assert_same_tables(found[column], wanted)

    def test_chapter_four_of_addresses_and_of_the_mock_web(self, programs: SimpleNamespace) -> None:
        found = json.loads(json.dumps(programs.published.lists(None)))
        wanted = kept_run("published_lists")["lists"]
        assert found["all_links"] == wanted["all_links"]
        for column in ("addresses", "mock"):
            assert_same_tables(found[column], wanted[column])

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its parser
    def test_fields_of_all_sites_by_autoscraper(self, programs: SimpleNamespace) -> None:
        """The peer, where it is installed: `pip install autoscraper 'beautifulsoup4<4.13'`."""
        pytest.importorskip("autoscraper")
        methods = ("autoscraper", "autoscraper-site", "autoscraper-best")
        for wanted in fields_of_each():
            path = next(programs.fields_of_sites.SITES.glob(f"{wanted['host']}.*"))
            found = programs.fields_of_sites.site(path, 60, methods)
            for method in methods:
                for field, score in wanted[method].items():
                    assert found[method][field] == pytest.approx(score, abs=SAME_AGAIN), path.name

    def test_fields_of_all_sites(self, programs: SimpleNamespace) -> None:
        every = programs.fields_of_sites.METHODS
        methods = [name for name in every if not name.startswith("autoscraper")]
        for wanted in fields_of_each():
            path = next(programs.fields_of_sites.SITES.glob(f"{wanted['host']}.*"))
            found = programs.fields_of_sites.site(path, 60, methods)
            assert found["shown"] == wanted["shown"]
            for method in methods:
                for field, score in wanted[method].items():
                    assert found[method][field] == pytest.approx(score, abs=SAME_AGAIN), path.name


def assert_same_tables(found: dict, wanted: dict) -> None:
    """Totals and shares of chapter 4, within a hundredth and half a point."""
    ours, theirs = dict(found["totals"]), dict(wanted["totals"])
    for name in ("pages", "sites", "dynamic pages", "mean bytes of a page"):
        assert ours[name] == pytest.approx(theirs[name], rel=0.01), name
    for table in ("domains", "types", "provinces"):
        shares = {row[0]: row[1] for row in found[table]}
        for name, share, *_ in wanted[table]:
            assert shares.get(name, 0.0) == pytest.approx(share, abs=0.005), (table, name)


def fields_of_each() -> list[dict]:
    path = ROOT / "benchmarks" / "history" / "fields_of_sites.jsonl"
    return json.loads(path.read_text("utf-8").splitlines()[-1])["figures"][:-1]


# Generated


def table_of(text: str, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """Errors by bound; the page names as many texts as there were."""
    assert main(["evaluate", "dedup", *words, "--method", "featurecode-2004", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert f"({printed['methods']['featurecode-2004']['n_texts']:,} texts" in text
    return {name: row[-1] for name, row in printed["paper_table"].items() if name in PAPER_TABLE}


@pytest.mark.full
def test_table_of_the_feature_code_on_generated_articles(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = table_of(text, capsys, "--max-articles", "800")
    assert {name: cells(text, name)[3] for name in PAPER_TABLE} == table


@pytest.mark.full
def test_table_one(
    programs: SimpleNamespace, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    programs.template_measures.books(500)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    errors = {
        row["measure"]: ", ".join(f"{100 * row[f'error_{k}']:.0f}" for k in (6, 4, 2))
        for row in rows
    }
    assert cells(text, "weighted tag")[2] == errors["weighted-tags"]
    assert cells(text, "path shingles")[2] == errors["path-shingles"]
    assert cells(text, "FFT")[2] == errors["fourier"]
    paths = re.findall(r"(\d+, \d+, \d+)", cells(text, "path")[2])
    assert paths == [errors["path-set"], errors["path-weighted"]]


@pytest.mark.full
def test_funnel_of_the_simulated_web(programs: SimpleNamespace, kept: dict) -> None:
    """A tenth of the hosts: the steps drop the planted shares, the line is as steep."""
    found, wanted = programs.published.simulated(10_000), kept["hosts"]["simulated"]
    for step in ("names", "check", "aliases", "services", "spam", "digits"):
        assert found["dropped"][step] == pytest.approx(wanted["dropped"][step] / 10, rel=0.02)
    assert found["slope"] < -0.68
