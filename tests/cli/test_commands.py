"""The commands as a user runs them: output, exit codes, help."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quarkcrawl.cli.campaign_file import STEPS
from tests import forked
from tests.crawl.harness import environment

pytestmark = pytest.mark.timeout(900)  # the demo has nine processes, one after the other


def run(
    *words: str, cwd: Path | None = None, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "quarkcrawl", *words]
    return forked.run(words, cwd=cwd or Path.cwd(), env=environment(), timeout=timeout)


@pytest.fixture
def demo(demo_run, tmp_path):
    shutil.copytree(demo_run.folder, tmp_path, dirs_exist_ok=True)
    return tmp_path, demo_run


@pytest.mark.full
def test_the_demo_crawls_and_says_where_the_results_are(demo):
    folder, done = demo
    assert done.returncode == 0, done.stderr
    for word in ("spam_host", "host_alias", "few_pages", "robots", "gb18030", "big5", "hz",
                 "page.dat", "analysis", "frontier.sqlite", "documents of"):  # fmt: skip
        assert word in done.stdout
    campaign = folder / "demo-out" / "campaign"
    assert (campaign / "seeds" / "seeds.txt").read_text().count("\n") == 12
    assert (campaign / "seeds" / "count.json").is_file()
    page = (campaign / "campaign.html").read_text()
    assert "after aliases" in page
    assert "documents of the collection" in page
    assert page.count("<svg") + page.count("image/svg+xml") == 2
    assert {path.suffix for path in (campaign / "statistics").iterdir()} == {
        ".txt", ".md", ".csv", ".html", ".json",
    }  # fmt: skip
    summary = Path(folder, done.stdout.split("run summary")[1].split()[0])
    assert json.loads(summary.read_text())["finish_reason"] == "finished"


@pytest.mark.full
def test_a_finished_campaign_is_not_run_again_but_from_a_step_on(demo):
    folder, _ = demo
    file = "demo-out/campaign/demo.toml"
    plan = run("campaign", file, "--dry-run", cwd=folder)
    assert [line.split()[0] for line in plan.stdout.splitlines()] == list(STEPS)
    again = run("campaign", file, cwd=folder)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    sums = folder / "demo-out" / "campaign" / "collection" / "SHA256SUMS"
    before = sums.read_bytes()
    redone = run("campaign", file, "--from", "sample", "--until", "sample", cwd=folder)
    assert redone.returncode == 0
    assert redone.stderr.count("== ") == 1
    assert sums.read_bytes() == before
    assert run("corpus", "verify", str(sums.parent), cwd=folder).returncode == 0


@pytest.mark.full
def test_the_demo_replaces_only_a_demo(tmp_path):
    from quarkcrawl.cli.demo import _fresh

    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "demo.txt").touch()
    _fresh(tmp_path / "old")
    assert not (tmp_path / "old").exists()
    (tmp_path / "demo-out").mkdir()
    (tmp_path / "demo-out" / "thesis.doc").write_text("precious")
    refused = run("demo", cwd=tmp_path)
    assert refused.returncode == 2
    assert "demo-out" in refused.stderr
    assert (tmp_path / "demo-out" / "thesis.doc").read_text() == "precious"


@pytest.mark.full
def test_corpus_info_as_table_and_as_json(demo):
    folder, _ = demo
    shown = run("corpus", "info", "demo-out", cwd=folder)
    found = json.loads(run("corpus", "info", "demo-out", "--json", cwd=folder).stdout)
    assert found["pages"] > 500
    assert f"{found['pages']:,}" in shown.stdout
    assert found["drops"]["robots"] == 2


@pytest.mark.full
def test_verify_finds_damage_and_salvage_mends_it(demo):
    folder, _ = demo
    assert run("corpus", "verify", "demo-out", cwd=folder).returncode == 0
    victim = max((folder / "demo-out").glob("data_*/*/page.dat"), key=lambda p: p.stat().st_size)
    data = bytearray(victim.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 50] = bytes(50)
    victim.write_bytes(data)
    damaged = run("corpus", "verify", "demo-out", cwd=folder)
    assert damaged.returncode == 1
    problems = [json.loads(line) for line in damaged.stdout.splitlines()]
    assert any(victim.parent.name in p["where"] for p in problems)
    report = json.loads(run("corpus", "salvage", "demo-out", "--out", "mended", cwd=folder).stdout)
    before = json.loads(run("corpus", "info", "demo-out", "--json", cwd=folder).stdout)["pages"]
    assert 1 <= before - report["records_kept"] <= 2
    assert run("corpus", "verify", "mended", cwd=folder).returncode == 0


@pytest.mark.parametrize("verb", ["info", "verify", "salvage"])
def test_a_folder_that_is_no_corpus_is_named(tmp_path, verb):
    done = run("corpus", verb, str(tmp_path / "nothing"))
    assert done.returncode == 2
    assert "nothing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["crawl"], ["nonsense"], ["crawl", "h", "--out", "c", "--lvl"]])
def test_wrong_usage_exits_2(words):
    assert run(*words).returncode == 2


def test_version():
    assert run("--version").stdout.startswith("quarkcrawl 0.")


def test_config_show_lists_every_setting():
    from quarkcrawl.config import CrawlConfig

    rows = [json.loads(line) for line in run("config", "show", "--json").stdout.splitlines()]
    assert [row["name"] for row in rows] == list(CrawlConfig.names())
