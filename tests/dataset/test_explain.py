"""The whole way of a URL, whatever became of it."""

import json
import shutil
import subprocess
import sys

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.crawl.campaign import REASONS
from quarkcrawl.dataset import WAY_STEPS, explain_url
from quarkcrawl.dataset.explain import FILTER_REASONS
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.store import Corpus, DropRow, open_shard
from tests.corpus.corpora import add_pages
from tests.corpus.sitepages import NOTICE
from tests.corpus.taughtpages import ALONE, RULE, TAUGHT, store_site
from tests.crawl.harness import environment
from tests.progress import Told


@pytest.fixture(scope="module")
def root(demo_run):
    assert demo_run.returncode == 0, demo_run.stderr
    return demo_run.folder / "demo-out"


def way(root, url, **options):
    steps: dict[str, list] = {}
    for point in explain_url(root, url, **options):
        steps.setdefault(point.step, []).append(point)
    return steps


def some(rows, n=12):
    rows = sorted(rows, key=lambda row: row["url"])
    return rows[:: max(len(rows) // n, 1)]


@pytest.mark.full
def test_a_text_of_the_data_set_is_followed_to_its_file(root):
    out = root / "campaign" / "dataset"
    for row in some(ds.dataset(str(out / "data")).to_table().to_pylist()):
        steps = way(root, row["url"])
        assert steps["list"][0].finding == "host is a seed"
        assert steps["robots"][0].finding == "allowed"
        assert [point.finding for point in steps["fetch"]] == ["stored"]
        assert steps["charset"][0].facts["decided_by"]
        assert sum(steps["blocks"][0].facts.values()) > 0
        assert steps["content"][-1].facts["content_title"] == row["title"]
        assert steps["labels"][0].facts["language"] == row["language"]
        assert steps["dataset"][0].finding == "in the data set"
        place = steps["dataset"][0].place
        assert row["id"] in pq.read_table(place)["id"].to_pylist()


@pytest.mark.full
def test_what_is_left_out_has_its_reason(root):
    rows = ds.dataset(str(root / "campaign" / "dataset" / "left_out")).to_table().to_pylist()
    assert rows
    for row in some(rows):
        assert way(root, row["url"])["dataset"][0].finding == f"left out: {row['reason']}"


@pytest.mark.full
def test_what_was_not_stored_has_its_reason(root):
    corpus = Corpus.open(root)
    for row in corpus.drops():
        steps = way(root, row.url)
        step = "filters" if row.reason in FILTER_REASONS else "fetch"
        assert row.reason in [point.finding for point in steps[step]]
        assert {point.outcome for point in steps[step]} >= {"dropped"}
        assert row.reason in REASONS or row.reason.startswith("http_")
    for row in corpus.duplicates():
        point = way(root, row.url)["fetch"][0]
        assert (point.finding, point.facts["duplicate_of"]) == ("duplicate", row.duplicate_of)
    for row in corpus.redirects():
        assert {"redirect"} <= {point.finding for point in way(root, row.url)["fetch"]}


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        (f"http://{TAUGHT}", f"http://{TAUGHT}/"),
        (f"HTTP://{TAUGHT.upper()}:80/中 文.html#a", f"http://{TAUGHT}/%E4%B8%AD%20%E6%96%87.html"),
    ],
)
def test_an_address_need_not_be_in_its_normal_form(tmp_path, capsys, written, stored):
    add_pages(tmp_path, [0], host=TAUGHT, url=stored)
    assert main(["explain", str(tmp_path), written]) == 0
    assert "fetch      stored" in capsys.readouterr().out
    assert main(["explain", str(tmp_path), f"http://{TAUGHT}?other"]) == 0
    assert "knows nothing of this address" in capsys.readouterr().out


@pytest.mark.full
def test_a_rule_tells_what_it_touches_and_what_the_method_had_said(tmp_path, capsys):
    store_site(tmp_path)
    url = f"http://{TAUGHT}/3.html"
    assert "rules" not in way(tmp_path, url)
    absent = RULE.replace("div.note", "div.none")
    elsewhere = RULE + f"page = 'http://{TAUGHT}/4.html'\npage_only = true\n"
    agreed = RULE.replace("div.note", "div.text").replace('"noise"', '"content"')
    kept = RULE.replace("div.note", "div.text")
    file = tmp_path / "rules.toml"
    file.write_text(f"{absent}\n{RULE}\n{elsewhere}")
    found = way(tmp_path, url)["rules"]
    assert [(one.outcome, one.facts["rule"], one.place) for one in found] == [
        ("absent", 1, str(file)), ("changed", 2, str(file)),
    ]  # fmt: skip
    facts = found[1].facts
    assert (facts["kind"], facts["select"]) == ("noise", "div.note")
    assert (facts["said_content_chars"], facts["said_noise_chars"]) == (len(NOTICE), 0)
    (block,) = facts["blocks"]
    assert block > 0
    assert "rules" not in way(tmp_path, f"http://{ALONE}/3.html")
    assert "rules" not in way(tmp_path, url, with_rules=False)

    file.write_text(kept)
    assert [one.outcome for one in way(tmp_path, url)["rules"]] == ["kept"]
    other = tmp_path / "other.toml"
    other.write_text(agreed)
    assert [one.outcome for one in way(tmp_path, url, rules=other)["rules"]] == ["agrees"]
    assert main(["explain", str(tmp_path), url, "--rules", str(other), "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["facts"]["select"] for one in told if one["step"] == "rules"] == ["div.text"]
    other.write_text("[[rule]]\nhost = 3\n")
    (broken,) = way(tmp_path, url, rules=other)["rules"]
    assert broken.outcome == "unreadable"
    assert "rule 1: host: 3 is no text" in broken.finding
    assert way(tmp_path, url, rules=other)["fetch"][0].outcome == "stored"


def test_reasons_of_filters_are_reasons():
    assert REASONS.keys() > FILTER_REASONS


def test_what_a_filter_dropped_was_not_fetched(tmp_path):
    with open_shard(tmp_path) as writer:
        for reason in sorted(FILTER_REASONS):
            writer.append_row(DropRow(f"http://a.cn/{reason}", "a.cn", reason, "why", 2, 1.0))
    for reason in FILTER_REASONS:
        told = Told()
        (point,) = explain_url(tmp_path, f"http://a.cn/{reason}", on_progress=told)
        told.check("shards")
        assert (point.step, point.finding, point.outcome) == ("filters", reason, "dropped")
        assert point.facts["detail"] == "why"


@pytest.mark.full
def test_steps_are_told_in_their_order(root):
    for row in some(Corpus.open(root).table("page").to_table(columns=["url"]).to_pylist(), 3):
        steps = [point.step for point in explain_url(root, row["url"])]
        assert steps == sorted(steps, key=WAY_STEPS.index)


@pytest.mark.full
def test_every_rank_of_a_url_is_told(root, tmp_path):
    copy = shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("campaign"))
    for name in ("quarkrank", "pagerank"):
        assert main(["rank", name, str(copy)]) == 0
    ranks = pq.read_table(copy / "analysis" / "ranks" / "quarkrank.parquet").to_pylist()
    for row in some(ranks):
        points = {point.finding: point for point in way(copy, row["url"])["rank"]}
        assert sorted(points) == ["pagerank", "quarkrank"]
        facts = points["quarkrank"].facts
        assert (facts["rank"], facts["position"]) == (row["rank"], row["position"])


@pytest.mark.full
def test_a_table_that_is_broken_says_so_and_the_rest_is_told(root, tmp_path):
    """Each table in turn cut to half of its bytes."""
    url = some(ds.dataset(str(root / "campaign" / "dataset" / "data")).to_table().to_pylist())[0][
        "url"
    ]
    whole = [point for point in explain_url(root, url) if point.step not in {"list", "dataset"}]
    copy = shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("campaign"))
    broken = 0
    for table in ("drops", "redirects", "duplicates", "near", "labels"):
        for file in [*(copy / "analysis" / table).rglob("*.parquet")]:
            data = file.read_bytes()
            file.write_bytes(data[: len(data) // 2])
            points = explain_url(copy, url)
            findings = {(point.step, point.finding) for point in points}
            lost = {(point.step, point.finding) for point in whole} - findings
            unreadable = {point.step for point in points if point.outcome == "unreadable"}
            assert {step for step, _ in lost} <= unreadable, file
            assert len(unreadable) <= 1, file
            assert ("fetch", "stored") in findings
            broken += len(unreadable)
            file.write_bytes(data)
    assert broken >= 4


@pytest.mark.full
def test_robots_is_told_as_it_was_read(root):
    refused = [row.url for row in Corpus.open(root).drops() if row.reason == "robots"]
    assert refused
    for url in refused:
        assert way(root, url)["robots"][0].finding == "forbidden"


@pytest.mark.full
def test_a_host_that_was_not_chosen_says_at_which_step(root):
    hosts = pq.read_table(root / "campaign" / "seeds" / "hosts.parquet").to_pylist()
    for row in [row for row in hosts if row["step"]]:
        steps = way(root, f"http://{row['host']}/x.html")
        assert steps["list"][0].finding == f"host left out at {row['step']}: {row['reason']}"
        assert steps["fetch"][0].finding == "the corpus knows nothing of this address"


@pytest.mark.full
def test_nobody_has_heard_of_it(root):
    steps = way(root, "http://nobody.example/")
    assert steps["list"][0].finding == "host is in no list"
    assert steps["dataset"][0].finding == "unknown to the data set"


@pytest.mark.full
def test_the_command(root):
    url = next(iter(Corpus.open(root).drops())).url
    words = [sys.executable, "-m", "quarkcrawl", "explain", str(root), url]
    plain, lines = (
        subprocess.run([*words, *more], capture_output=True, text=True, check=True,
                       env=environment()).stdout
        for more in ([], ["--json"])
    )  # fmt: skip
    points = [json.loads(line) for line in lines.splitlines()]
    assert [point["step"] for point in points] == [
        line.split()[0] for line in plain.splitlines() if line[0] != " "
    ]


@pytest.mark.full
def test_what_is_no_corpus_or_data_set_says_so(root, tmp_path):
    with pytest.raises(StoreError):
        explain_url(tmp_path, "http://a.cn/")
    with pytest.raises(InputError, match="no data set"):
        explain_url(root, "http://a.cn/", datasets=[tmp_path])
