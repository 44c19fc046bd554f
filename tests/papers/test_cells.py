"""Cells of docs/published.md: theirs against the printed tables, ours against the kept runs."""

from __future__ import annotations

import json
import re

from tests.papers.conftest import ROOT, short
from tests.papers.test_tables import sections, tables

CONTENT = {
    "DLUT1": ".948 .896 .907",
    "DLUT2": ".917 .780 .801",
    "PKU (early Quark)": ".933 .780 .822",
    "RUC": ".664 .383 .466",
    "SCUT1": ".555 .393 .434",
    "SCUT2": ".555 .393 .434",
    "SCUT3": ".679 .306 .405",
    "SCUT4": ".660 .307 .402",
    "SDU1, SDU2": ".387 .409 .375",
    "SCU1, SCU2": ".422 .253 .286",
}
"""Thesis, 4.3.2."""

APPENDIX = [
    {"weighted tag": "6, 5, 2", "path": "0, 0, 2", "path shingles": "6, 5, 2", "FFT": "60, 46, 47"},
    {
        "`weighted-tags`": "0",
        "`path-set`": "28",
        "`path-weighted`": "28",
        "`path-shingles`": "34",
        "`tree-edit`": "38",
        "`fourier`": "45",
        "`lcs-inverse`": "not there",
    },
    {
        "`weighted-tags`": "60, 50, 1",
        "`path-set`": "59, 46, 1",
        "`path-weighted`": "59, 46, 1",
        "`path-shingles`": "61, 47, 1",
        "`fourier`": "33, 31, 29",
        "`lcs-inverse`": "not there",
    },
]
"""Tables I to III of the appendix of Tsinghua 2013."""

FUNNEL = [
    "627,036", "within validity", "all together 341,566", "71,059", "6,728", "39,419", "17,244",
    "88,303 (printed steps leave 151,020)", "-.68", "not printed", "not printed", "not printed",
]  # fmt: skip
CHAPTER_4 = {
    "pages": "37,453,813", "sites": "29,100", "pages a site": "1,287", "KB a page": "23",
    "dynamic, %": "65.4", "domain .com": "63.75", "domain .net": "13.11", "domain .cn": "9.28",
    "domain com.cn": "8.08", "domain .org": "1.63", "domain province.cn": "1.51",
    "domain gov.cn": "1.41", "domain edu.cn": "1.06", "domain net.cn": "1.04",
    "domain org.cn": ".50", "domain ac.cn": ".24", "domain other": ".20", "type asp": "36.26",
    "type php": "24.18", "type html": "15.15", "type htm": "14.03", "type aspx": "3.85",
    "type shtml": "3.12", "type cgi": "2.17", "type jsp": ".86", "type php3": ".14",
    "type folders and home pages": ".13", "type without a suffix": "not printed",
    "provinces": "Beijing 21.3, Shanghai 16.7, Guangdong 11.8",
}  # fmt: skip
"""CWT200g, 4.1 to 4.4; dynamic pages summed over the domains."""

TYPES = {"folders and home pages": "/", "without a suffix": "no suffix"}
KIB = 1024


def tables_of(text: str, about: str) -> list[list[list[str]]]:
    """Rows below the head of each table of the section whose heading holds these words."""
    (part,) = [part for heading, part in sections(text).items() if about in heading]
    return [table[1:] for table in tables(part)]


def signed(values: list[float], plus: str = "") -> str:
    """A difference and its interval; what is above nothing may have a sign of its own."""
    mean, low, high = (f"{plus}{short(one)}" if one > 0 else short(one) for one in values)
    return f"{mean} [{low}, {high}]"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


# SEWM2008


def test_content_finding(kept: dict, sites: dict, text: str) -> None:
    rows, _ = tables_of(text, "content finding")
    assert {row[0]: row[1] for row in rows if row[0] != "—"} == CONTENT
    ours = {name: found["all"] for name, found in kept["content"]["methods"].items()}
    ours |= {name: sites["all"]["methods"][name] for name in ("scut2", "scut3", "scut4")}
    seen = {}
    for row in rows:
        if row[2].startswith("not measured"):
            continue
        name = re.match(r"`(\w+)`", row[2])[1]
        found = ours[name]
        minus = "itself" if name == "dlut" else signed(found["minus_dlut"], "+")
        interval = "[{}, {}]".format(*map(short, found["f1_interval"]))
        figures = [short(found[key]) for key in ("precision", "recall", "f1")]
        seen[name] = row[3:] == [*figures, interval, minus]
    assert seen == dict.fromkeys(ours, True)


def test_topic_pages_of_all_sites(text: str) -> None:
    """Ours of the first table stand in docs/extraction.md, where the run is described."""
    extraction = (ROOT / "docs" / "extraction.md").read_text("utf-8")
    f1 = dict(
        re.findall(r"^\| (`(?:dlut|scu|scut)`[^|]*) \|.* (\S+) \|$", extraction, re.MULTILINE)
    )
    first, _, third = tables_of(text, "topic pages")
    rows = {row[0]: row[2:] for row in first}
    pages = "2,447 pages of 13 sites"
    assert re.search(r"\(2,447\s+pages", extraction)
    assert rows["DLUT1, DLUT2"][0] == f"`dlut` {f1['`dlut`: has a content block']}"
    assert rows["DLUT1, DLUT2"][1].startswith(pages)
    assert rows["SCU1, SCU2"][0] == f"`scu` {f1['`scu`: skewness of block sizes']}"
    with_url, without = (f1[f"`scut` {w} the URL, sites left out"] for w in ("with", "without"))
    assert rows["SCUT1, SCUT2"][0] == f"`scut` {with_url}, without the URL {without}"
    assert rows["SDU1, SDU2"][1].endswith("took 56,509 and 55,111 pages")
    taken, all_pages = 66_498, 71_502
    share = round(100 * taken / all_pages)
    assert rows["RUC"][1].endswith(f"took {taken:,} of {all_pages:,} pages ({share} %)")
    f1_of_all = short(2 * 138 / (138 + 227))
    assert rows["RUC"][0].startswith(f"{f1_of_all} if every page is taken")
    (row,) = [row for row in third if row[2] == "all pages taken"]
    assert row[1] == f"by their counts {short(138 / 227)} 1 {f1_of_all}"


# HIT 2004 and Tsinghua 2013


def test_reposts_as_they_occur(kept: dict, text: str) -> None:
    _, rows = tables_of(text, "HIT 2004")
    methods = ("code-only", "featurecode-2004", "default")
    ours = [[str(number) for number in kept["reposts"][name].values()] for name in methods]
    assert [row[1:] for row in rows] == ours


def test_printed_tables_of_the_appendix(text: str) -> None:
    found = [{row[0]: row[1] for row in rows} for rows in tables_of(text, "of the appendix")]
    assert found == APPENDIX


def test_fields_by_a_label(text: str) -> None:
    path = ROOT / "benchmarks" / "history" / "fields_of_sites.jsonl"
    *_, total = json.loads(path.read_text("utf-8").splitlines()[-1])["figures"]
    order = (
        "label-unmasked", "label", "site-unmasked", "site", "none-unmasked", "none", "content",
        "autoscraper-best", "autoscraper", "autoscraper-site",
    )  # fmt: skip
    (rows,) = tables_of(text, "fields by one label")
    for name, row in zip(order, rows, strict=True):
        cells = {field: signed(values) for field, values in total["means"][name].items()}
        if name in {"none-unmasked", "none", "content"}:
            cells["topics"] = "not there: no such proposal"
        assert row[1:] == [cells[field] for field in ("title", "date", "topics", "body")], name


# CWT200g


def test_funnel_and_line(kept: dict, text: str) -> None:
    (rows,) = tables_of(text, "funnel and line")
    assert [row[1] for row in rows] == FUNNEL
    for place, name in ((2, "simulated"), (3, "links"), (4, "all_links")):
        found = kept["hosts"][name]
        dropped = {step: f"{number:,}" for step, number in found["dropped"].items()}
        asked = [dropped.get(step, "not asked") for step in ("check", "aliases", "services")]
        drawn = found["slope_by_hosts_drawn"].values()
        spam = dropped.get("spam")
        assert spam or rows[3][place].startswith("not measured: ")
        assert [row[place] for row in rows] == [
            f"{found['hosts']:,}", dropped["names"], ", ".join(asked), spam or rows[3][place],
            f"{dropped['outliers']}: needs a person", dropped["digits"], dropped["pages"],
            f"{found['seeds']:,}", short(found["slope"]), short(found["slope_below_500"]),
            short(found["slope_of_at_least"]), ", ".join(map(short, drawn)),
        ], name  # fmt: skip


def test_chapter_four(kept: dict, lists: dict, text: str) -> None:
    rows = {row[0]: row[1:] for row in tables_of(text, "chapter 4")[0]}
    assert {name: row[0] for name, row in rows.items()} == CHAPTER_4
    runs = [kept["hosts"]["chapter_4"][name] for name in ("marked", "sites")]
    addresses = kept["hosts"]["all_links"]
    shares = [{row[0]: row[1] for row in run["domains"] + run["types"]} for run in runs]
    shares.append(addresses["domains"] | {row[0]: row[1] for row in lists["addresses"]["types"]})
    others = [{row[0]: row[1] for row in run["domains"]}["other"] for run in runs]
    others.append(addresses["domains"]["other"])
    for name, row in rows.items():
        kind, _, about = name.partition(" ")
        if name == "domain other":
            assert row[1:] == list(map(percent, others))
        elif kind in {"domain", "type"}:
            assert row[1:] == [percent(one.get(TYPES.get(about, about), 0)) for one in shares], name
    totals = [dict(run["totals"]) for run in runs]
    urls, hosts = addresses["urls"], addresses["hosts"]
    assert rows["pages"][1:] == [*(f"{one['pages']:,}" for one in totals), f"{urls:,}"]
    assert rows["sites"][1:] == [*(f"{one['sites']:,}" for one in totals), f"{hosts:,}"]
    means = [one["mean pages of a site"] for one in totals]
    assert rows["pages a site"][1:] == [str(one) for one in (*means, urls // hosts)]
    sizes = [round(one["mean bytes of a page"] / KIB) for one in totals]
    assert rows["KB a page"][1:3] == list(map(str, sizes))
    dynamic = [one["dynamic pages"] / one["pages"] for one in totals]
    assert rows["dynamic, %"][1:] == list(map(percent, [*dynamic, addresses["dynamic"]]))


def test_the_mock_web_stands_beside_the_same_printed_shares(text: str) -> None:
    """Ours of this table are held in test_published.py."""
    rows = {row[0].removeprefix("mock web: "): row[1] for row in tables_of(text, "chapter 4")[1]}
    assert rows.pop("pages; sites; pages a site") == "; ".join(list(CHAPTER_4.values())[:3])
    assert rows.pop("KB a page; dynamic, %") == "23; 65.4"
    assert rows.pop("provinces, %") == CHAPTER_4["provinces"]
    for kind, names in (("domain", "domains, %"), ("type", "types, %")):
        parts = [part.rpartition(" ") for part in rows.pop(names).split(", ")]
        assert len(parts) >= 6
        assert [share for *_, share in parts] == [CHAPTER_4[f"{kind} {p[0]}"] for p in parts]
    assert not rows


# Known-item search


def test_content_blocks_against_whole_pages(kept: dict, text: str) -> None:
    rows, _ = tables_of(text, "known-item search")
    for result in kept["search"]["results"]:
        (row,) = [row for row in rows if row[:2] == [result["text"], result["rank"] or "none"]]
        against = result["against_whole"]
        assert row[-1] == (signed(against) if result["text"] == "content" else "itself"), row
