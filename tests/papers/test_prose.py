"""Numbers in the text of docs/published.md, between its tables: each from where it comes, in order."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.papers.conftest import ROOT, kept_run, short
from tests.papers.test_tables import sections

DRAWS = "95 2,000"
"""Of intervals: percent and draws, as `benchmarks/published.py` has them."""

SEED = "2008"


def numbers(part: str) -> list[str]:
    """Numbers of a section's sentences: no tables, commands, code, or addresses."""
    prose = re.sub(
        r"```.*?```|<!--.*?-->|^\|[^\n]*|`[^`]*`", "", part, flags=re.DOTALL | re.MULTILINE
    )
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    return re.findall(r"(?<![\w.,-])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?!\w)", prose)


def words(*values: object) -> list[str]:
    """What the page would write: counts with commas, shares without the zero, texts word by word."""
    written: list[str] = []
    for value in values:
        if isinstance(value, str):
            written += value.split()
        elif isinstance(value, float):
            written.append(short(abs(value)))
        elif isinstance(value, list):
            written += words(*value)
        else:
            written.append(f"{value:,}")
    return written


def marks_of(name: str) -> list[list[str]]:
    lines = (ROOT / "benchmarks" / f"{name}.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="session")
def reading() -> dict:
    return kept_run("reading")


@pytest.fixture
def said(text: str):
    """Numbers of the one section whose heading holds these words."""

    def of(about: str) -> list[str]:
        (part,) = [part for heading, part in sections(text).items() if about in heading]
        return numbers(part)

    return of


def test_content_finding(said, kept: dict, sites: dict) -> None:
    content = kept["content"]
    found = {name: one["all"] for name, one in content["methods"].items()}
    every = found | sites["all"]["methods"]
    papers = [found[name] for name in ("dlut", "quark", "scut1", "sdu", "scu")]
    papers += [sites["all"]["methods"][name] for name in ("scut2", "scut3", "scut4")]
    precisions = [one["precision"] for one in papers]
    likeness = max(
        abs(part["methods"]["scut3"]["f1"] - part["methods"]["scut4"]["f1"])
        for part in sites.values()
    )
    assert likeness < 0.001
    four = sites["with_four"]
    assert four["methods"]["scut2"]["precision"] == max(
        one["precision"] for one in four["methods"].values()
    )
    n_articles = kept["priors"]["zh articles"]["pages"]
    behind, news = found["quark"]["minus_dlut"], content["methods"]["quark"]["news"]
    assert behind[2] < 0
    assert news["minus_dlut"][2] < 0
    extraction = (ROOT / "docs" / "extraction.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (quark|dlut) \| (.+) \|$", extraction, re.MULTILINE)[:2])
    by_texts = [rows[name].split(" | ")[3] for name in ("quark", "dlut")]
    assert said("content finding") == words(
        "104 2007", content["pages"], content["hosts"],
        n_articles, n_articles - content["pages"], DRAWS,
        ".253 .896", min(precisions), max(precisions),
        "2011", every["sdu"]["f1"],
        content["pages"], sites["with_others"]["pages"], sites["with_others"]["hosts"],
        four["pages"], four["hosts"],
        ".001", 0.405 - 0.402,
        four["pages"], four["methods"]["scut2"]["precision"], four["methods"]["scut1"]["precision"],
        "0", four["hosts"],
        "4.4 .822", behind[0], behind[2], behind[1], "0",
        news["pages"], news["minus_dlut"][0], news["minus_dlut"][2], news["minus_dlut"][1],
        by_texts,
    )  # fmt: skip


def test_priors(said, kept: dict) -> None:
    priors = kept["priors"]
    sets = [priors[name] for name in ("zh articles", "zh forums", "en articles")]
    articles = sets[0]["features"]
    assert said("fourteen priors") == words(
        *([one["pages"], one["content_blocks"], one["blocks"]] for one in sets),
        f"{sets[0]['content_blocks_a_page']:.1f}", "20",
        short(articles["anchor_ratio"][0], 2), short(articles["anchor_ratio"][1], 2),
        short(articles["custom_tag"][0], 2), short(articles["custom_tag"][1], 2),
        "10", short(articles["punctuation_density"][1], 2),
    )  # fmt: skip
    assert 1 / 9.5 < articles["many_links"][1] < 1 / 8.5, "one of nine"
    assert priors["published"]["features"]["many_links"][1] > 0.7


def test_topic_pages(said, kept: dict, reading: dict) -> None:
    topic, few = reading["topic"], kept["topic"]
    pages, others = few["pages"], few["pages"] - few["topic"]
    marks = marks_of("topic_read")
    sets = Counter(mark[0].partition("/")[0] for mark in marks)
    english, whole, kinds = sets.pop("wcxb_types"), sets.pop("sites"), sets.pop("zh_types")
    threads = sets.pop("zh_threads") + sets.pop("magic_forum_zh")
    read = {mark[1] for mark in marks}
    assert read == {"topic", "other"}
    n_topic = sum(mark[1] == "topic" for mark in marks)
    assert n_topic == topic["topic"]
    methods = {name: one["all"] for name, one in topic["methods"].items() if "all" in one}
    dlut, scu, fitted = (
        methods[name] for name in ("dlut", "scu", "scut, fitted on the pages read")
    )
    wrong = topic["methods"]["dlut"]["wrong"]
    lists = sum(wrong[reason] for reason in ("list", "links", "excerpts", "home"))
    taken = sum(count for reason, count in wrong.items() if reason not in {"post", "thread"})
    with_articles = topic["methods"]["scut, fitted on sites and articles"]["wrong"]
    assert said("topic pages (4.3.1)") == words(
        pages, ".783 .883", pages, few["topic"] / pages, few["topic"], pages, "1",
        2 * few["topic"] / (few["topic"] + pages),
        few["topic"], others, kept["search"]["sites"], SEED, "2008",
        topic["pages"], topic["hosts"], SEED, len(marks) - english, kinds, threads,
        sum(sets.values()), whole, english, "1,500", n_topic, len(marks) - n_topic,
        few["topic"], others, topic["unsure"], "2,000",
        dlut["precision"][0], scu["precision"][0], ".889 .846", lists, taken,
        n_topic, len(marks) - n_topic, fitted["f1"], ".880 .883",
        with_articles.get("list", 0),
    )  # fmt: skip


def test_grades(said, kept: dict, reading: dict) -> None:
    pages, grades = kept["portals"]["pages"], reading["grades"]
    n_pages = sum(pages.values())
    marks = [mark for mark in marks_of("grades_read") if mark[1] == "ibdom"]
    good = {"good", "fairly good"}
    bad = [mark for mark in marks if mark[3] not in good]
    portals = Counter(mark[2] for mark in marks)
    early = {"NetEase": 3, "Sohu": 2}  # and one each of Qianlong and Sina, all graded good
    items = (ROOT / "docs" / "items.md").read_text("utf-8")
    items = items.partition("the paper's two best grades")[2]
    shares = [
        re.search(rf"^\| {name} \| (\S+) \|", items, re.MULTILINE)[1] for name in ("ibdom", "rules")
    ]
    n_texts = len(marks_of("grades_read"))
    ruler = grades["ruler"]
    parts = [grades["methods"]["default"][part]["grades"] for part in ("paper's portals", "others")]
    n_good = sum(part[grade] for part in parts for grade in good)
    share = kept["portals"]["ibdom"]["good_share"]
    error = 2 * (share * (1 - share) / n_pages) ** 0.5
    assert said("IB-DOM: grades") == words(
        "700 593 69 94.4", n_pages,
        pages["sina"], pages["tencent"], pages["netease"], pages["xinhua"], "2011",
        n_pages, short(error, 2), kept["priors"]["zh articles"]["pages"],
        shares,
        grades["pages"], n_pages, "2004 2005", early["NetEase"], early["Sohu"],
        portals["-"], SEED, "1 100 2011",
        sum(mark[2] == "Sina" and mark[3] in good for mark in marks) - 1, portals["Sina"] - 1,
        len(bad), sum(mark[4] == "links" for mark in bad), "150 250",
        n_good, grades["pages"],
        round(ruler["agrees"] * n_texts), n_texts, ruler["milder_reader"],
    )  # fmt: skip
    assert n_texts == 3 * grades["pages"]


def test_reposts(said, kept: dict, page: list[list[str]]) -> None:
    """Their errors a class are those of a = 1.10; 3,418 and 1,101 texts are counted by test_recomputed."""
    errors = {
        row[0]: row[2:]
        for row in page
        if row[0].startswith(("code only", "a = ")) and len(row) == 5
    }
    theirs, generated, real = (
        [tuple(map(int, errors[bound][n].split("/"))) for bound in ("code only", "a = 1.10", "a = 1.12", "a = 1.14")]
        for n in range(3)
    )  # fmt: skip
    spread = [
        max(wrong for _, wrong in of[1:]) / min(wrong for _, wrong in of[1:]) - 1
        for of in (generated, real)
    ]
    assert generated[1][1] < 0.55 * generated[0][1], "half of the errors"
    (several,) = [kept_run("published_reposts")["more_reposts"]]
    pairs = kept["reposts"]["pairs"]
    assert several["across"] == pairs
    assert kept["reposts"]["pairs_across_hosts"] == pairs
    assert said("HIT 2004") == words(
        "902", theirs[0][0], "800 3,418 1,101", f"{100 * (1 - real[1][1] / real[0][1]):.0f}",
        "1.10 1.14", f"{100 * max(spread):.0f}",
        *(short(of[1][1] / of[1][0], 2) for of in (theirs, generated, real)),
        kept["reposts"]["texts"], pairs, pairs, pairs, theirs[0][0], "2012 103 56", pairs,
        several["texts"], several["hosts"], pairs,
    )  # fmt: skip


def test_appendix(said, kept: dict) -> None:
    templates = kept["templates"]

    def percent(table: str, measure: str, less: str = "") -> int:
        means = templates[table]
        return round(100 * (means[measure]["mean"] - (means[less]["mean"] if less else 0)))

    tables = ("table_2", "table_2_posts", "table_2_tags")
    gaps = [percent(table, "weighted-tags", "tree-edit") for table in tables[1:]]
    edit = [percent(table, "tree-edit") for table in tables]
    third = [one["mean"] for sizes in templates["table_3"].values() for one in sizes.values()]
    assert max(third) < 0.2
    assert templates["table_2_tags"]["weighted-tags"]["least"] == 0
    n_sites = len(templates["sites"])
    assert said("tables of the appendix") == words(
        "500 500 6 20", templates["table_2"]["fourier"]["n"], n_sites, n_sites - 1, n_sites - 2,
        percent("table_2_posts", "weighted-tags"), percent("table_2_tags", "weighted-tags"), "0", gaps,
        "38", min(edit), max(edit), "60", n_sites, "60 1 30 20",
    )  # fmt: skip


def test_fields(said) -> None:
    *sites, all_sites = kept_run("fields_of_sites")
    means = all_sites["means"]
    label, unmasked, none = means["label"], means["label-unmasked"], means["none"]
    best, every, content = means["autoscraper-best"], means["autoscraper"], means["content"]
    of_host = {one["host"]: one for one in sites}
    poor = of_host["barudisshu"]
    worst_title = min(one["autoscraper-best"]["title"] for one in sites)
    titles, days = all_sites["agrees"]["title"], all_sites["agrees"]["date"]
    assert best["title"][0] == best["date"][0]
    assert said("fields by one label") == words(
        "6.3 6.5", all_sites["pages"], all_sites["sites"], all_sites["templates"],
        sum(one["unmasked"] for one in sites), "1.1", titles, days, all_sites["sites"], "95",
        unmasked["title"][0], unmasked["date"][0], best["title"][0],
        best["topics"][0], unmasked["topics"][0], every["topics"][0],
        label["title"][0], label["topics"][0], poor["unseen"],
        poor["label-unmasked"]["body"], poor["label"]["body"], worst_title,
        none["title"][0], content["title"][0], none["body"][0], content["body"][0],
        none["date"][0], content["date"][0], sum(bool(one["shown"]["topics"]) for one in sites),
    )  # fmt: skip


def test_funnel(said, kept: dict) -> None:
    hosts = kept["hosts"]
    links, every = hosts["links"], hosts["all_links"]
    drawn = hosts["simulated"]["slope_by_hosts_drawn"]
    assert said("funnel and line") == words(
        "627,036", hosts["simulated"]["hosts"], "101", links["hosts"], links["pages"],
        links["urls"], every["hosts"], every["pages"], every["urls"], *map(int, drawn),
    )  # fmt: skip


def test_slopes_of_hosts_drawn(text: str, kept: dict) -> None:
    simulated = kept["hosts"]["simulated"]
    drawn = simulated["slope_by_hosts_drawn"]
    (said,) = re.findall(r"[Dd]rawn from the same simulated\s+web,([^()]+)", text)
    slopes = [word for n, slope in drawn.items() for word in (f"{int(n):,}", short(slope, 2))]
    assert re.findall(r"-?[\d,.]*\d", said) == [*slopes, f"{simulated['slope']:.2f}"]


def test_chapter_four(said, kept: dict) -> None:
    chapter, lists = kept["hosts"]["chapter_4"], kept_run("published_lists")["lists"]
    marked, whole = (dict(chapter[name]["totals"]) for name in ("marked", "sites"))
    types = {name: 100 * share for name, share, _ in chapter["marked"]["types"]}
    dynamic = 100 * marked["dynamic pages"] / marked["pages"]
    assert round(marked["mean bytes of a page"] / 1024 / 23) == 7
    assert 0.3 < types["no suffix"] / 100 < 0.36, "a third"
    assert said("statistics (chapter 4)") == words(
        "37,453,813 29,100 2005", marked["pages"], marked["sites"], whole["sites"],
        "36", short(types["asp"], 1), "65", f"{dynamic:.0f}", "2005 36.8",
        dict(lists["addresses"]["totals"])["pages"],
    )  # fmt: skip


def test_search(said, kept: dict) -> None:
    search = kept["search"]
    whole, content = (
        next(one["mrr_interval"] for one in search["results"] if one["text"] == text)
        for text in ("whole", "content")
    )
    assert said("known-item search") == words(
        search["pages"], search["queries"]["title"], search["queries"]["anchor"],
        "1.5 .75", "0 .05 .1 3.2", "1", "95", whole, content, "0",
    )  # fmt: skip
