"""Home pages over real sockets: what is alive, what is not, what a stopped check leaves."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb import SelectionWeb, ServerProcess
from quarkcrawl.lab.mockweb.selection.scores import score_selection
from quarkcrawl.select import (
    Probe,
    ProbeFile,
    SelectionOptions,
    SelectionWork,
    SpamList,
    read_probes,
    select_sites,
)
from tests import forked
from tests.crawl.harness import ROOT, environment, host_map
from tests.progress import read_terminal, screen


def select(*words, cwd=ROOT):
    words = [sys.executable, "-m", "quarkcrawl", "select", *map(str, words)]
    return forked.run(words, cwd=cwd, env=environment(), timeout=250)


def check_words(work, server, timeout_s=2):
    return [
        "check",
        "--work",
        work,
        "--timeout-s",
        timeout_s,
        "--set",
        f"host_map={host_map(server)}",
    ]


def write_lists(web, folder):
    """The URLs of a web in two lists, with some lines that are none."""
    urls = list(web.urls())
    (folder / "one.txt").write_text("".join(f"{u}\n" for u in [*urls[::2], "no url"]))
    (folder / "two.txt").write_text("".join(f"{u}\n" for u in urls[1::2]))
    return [folder / "one.txt", folder / "two.txt"]


def scores_of(web, work):
    """The work folder against the truth; in the served web no host has a port of its own."""
    options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()))
    selection = select_sites(work.counts(), read_probes(work.path("probes.jsonl")), options)
    pages = {host.host: web.pages_of(host) for host in web.plan}
    return score_selection(web.plan, selection, pages, dead=("dead", "port"))


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A web of 60 hosts, counted and checked by the commands."""
    web, folder = SelectionWeb(5, 60, most_pages=300), tmp_path_factory.mktemp("check")
    work = SelectionWork(folder / "work")
    with ServerProcess(web.arguments()) as server:
        counted = select("count", *write_lists(web, folder), "--work", work.root)
        first = select(*check_words(work.root, server))
        asked = len(server.log())
        second = select(*check_words(work.root, server))
        assert len(server.log()) == asked
        log = server.log()
    return web, work, (counted, first, second), log


@pytest.mark.full
def test_counts_are_those_of_the_web(checked):
    web, work, (counted, *_), _ = checked
    assert counted.returncode == 0, counted.stderr
    assert json.loads(counted.stdout)["bad"] == 1
    assert "one.txt" in counted.stderr
    assert work.counts().select(["host", "pages"]).to_pylist() == [
        {"host": row["host"], "pages": row["pages"]} for row in web.count_table().to_pylist()
    ]


@pytest.mark.full
def test_alive_and_dead_are_told_apart_and_asking_again_asks_nobody(checked):
    web, work, (_, *runs), _ = checked
    for run in runs:
        assert run.returncode == 0, run.stderr
        summary = json.loads(run.stdout)
        assert summary["complete"]
    assert summary["checked"] == summary["hosts"]
    probes = {p.host: p for p in read_probes(work.path("probes.jsonl"))}
    for host in web.plan:
        if host.kind != "malformed":
            assert probes[host.host].is_alive == (host.kind not in {"dead", "port"}), host
    expected = {row["host"]: row for row in web.probe_rows()}
    for host, probe in probes.items():
        row = expected[host]
        if probe.is_alive and web._by_name[host].form != "counter" and host not in web._counted:
            assert (probe.md5, probe.hops) == (row["md5"], row.get("hops", 0)), host


@pytest.mark.full
def test_a_terminal_sees_how_many_home_pages_were_asked_for(tmp_path):
    web, work = SelectionWeb(5, 20, most_pages=50), SelectionWork(tmp_path / "work")
    work.count(write_lists(web, tmp_path))
    n_hosts = len(work.to_check())
    ours, theirs = pty.openpty()
    with ServerProcess(web.arguments()) as server:
        words = [*map(str, check_words(work.root, server)), "--quiet"]
        with subprocess.Popen(
            [sys.executable, "-m", "quarkcrawl", "select", *words], cwd=ROOT, stderr=theirs,
            stdout=subprocess.PIPE, env=environment(TERM="xterm", COLUMNS="100"),
        ) as process:  # fmt: skip
            os.close(theirs)
            shown = "".join(read_terminal(ours))
            summary = json.loads(process.communicate(timeout=250)[0])
    os.close(ours)
    assert summary["complete"]
    assert f"{n_hosts}/{n_hosts}" in shown
    assert screen(shown) == []


@pytest.mark.full
def test_two_tries_in_all_and_malformed_names_are_never_asked(checked):
    web, work, _, log = checked
    by_form = {host.host: host for host in web.plan}
    probes = {p.host: p for p in read_probes(work.path("probes.jsonl"))}
    for host, asked in Counter(entry.host for entry in log if entry.target == "/").items():
        form = by_form[host]
        assert form.kind not in {"malformed", "port"}
        if form.form in {"500", "hang", "retry"}:
            assert asked == 2, form
        elif form.form in {"404", "image", "plain"} and form.kind != "site":
            assert asked == 1, form
    assert all(p.tries <= 2 for p in probes.values())


@pytest.mark.full
def test_precision_and_recall_of_the_small_web(checked):
    web, work, _, _ = checked
    scores = scores_of(web, work)
    for step in ("names", "check", "aliases", "services", "spam", "digits", "pages"):
        assert (scores[step].precision, scores[step].recall) == (1.0, 1.0), scores[step]


@pytest.mark.full
def test_filter_and_report_by_command(checked, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    web, work, _, _ = checked
    spam = tmp_path / "spam.txt"
    spam.write_text("\n".join(web.spam_patterns()))
    done = select("filter", "--work", work.root, "--spam-list", spam, "--drop-undecided")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    seeds = work.path("seeds.txt").read_text().split()
    assert len(seeds) == len(set(seeds)) > 0
    assert summary["steps"][-1]["left"] == summary["seeds"]
    done = select("report", "--work", work.root)
    assert done.returncode == 0, done.stderr
    page = work.path("report.html").read_text()
    for step in summary["steps"]:
        assert f"{step['left']:,}" in page
    assert page.count("data:image/svg+xml") == 6
    assert "http://" not in page.partition("<body>")[0]
    for name in ("counted", "before", "after"):
        assert work.path("plots").joinpath(f"{name}.svg").read_bytes().startswith(b"<?xml")
        assert work.path("plots").joinpath(f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_without_matplotlib_the_report_says_how_to_get_it(checked):
    work = checked[1]
    work.filter(SelectionOptions())
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.figure'] = None\n"
        "from quarkcrawl.cli import main\n"
        f"sys.exit(main(['select', 'report', '--work', {str(work.root)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "quarkcrawl: select report: plots need matplotlib: pip install 'quarkcrawl[plot]'\n"
    )


@pytest.mark.full
def test_a_killed_check_goes_on_and_asks_nobody_twice_without_need(tmp_path):
    web = SelectionWeb(6, 400, most_pages=20)
    work = SelectionWork(tmp_path / "work")
    work.count(write_lists(web, tmp_path))
    with ServerProcess(web.arguments()) as server:
        words = [
            sys.executable,
            "-m",
            "quarkcrawl",
            "select",
            *map(str, check_words(work.root, server, 3)),
        ]
        child = subprocess.Popen([*words, "--concurrency", "20"], env=environment(),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        path = work.path("probes.jsonl")
        until = time.monotonic() + 60
        while time.monotonic() < until and (not path.exists() or not path.stat().st_size):
            time.sleep(0.02)
        child.kill()
        child.wait()
        kept = {p.host for p in read_probes(path)}
        assert kept
        with path.open("ab") as file:
            file.write(b'{"host": "cut off')
        before = len(server.log())
        done = select(*check_words(work.root, server))
        assert done.returncode == 0, done.stderr
        again = {entry.host for entry in server.log()[before:]}
    summary = json.loads(done.stdout)
    assert summary["complete"]
    aliases = {host.of for host in web.plan if host.kind == "alias"}
    assert not (again & kept) - aliases
    assert len(path.read_bytes().splitlines()) == summary["hosts"]


@pytest.mark.full
def test_ctrl_c_ends_a_check_and_keeps_what_was_found(tmp_path):
    pages = {f"http://h{i}.com/": {"fault": "hang", "html": "x"} for i in range(60)}
    pages |= {f"http://ok{i}.com/": f"<p>{i}" for i in range(30)}
    (tmp_path / "urls").write_text("".join(f"{u}\n" for u in pages))
    work = SelectionWork(tmp_path / "work")
    work.count([tmp_path / "urls"])
    with ServerProcess.for_pages(pages) as server:
        words = [
            sys.executable,
            "-m",
            "quarkcrawl",
            "select",
            *map(str, check_words(work.root, server, 4)),
        ]
        child = subprocess.Popen([*words, "--concurrency", "10"], env=environment(), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until and len(server.log()) < 12:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=300)
    assert child.returncode == 130, err
    assert not json.loads(out)["complete"]
    assert 0 < len(read_probes(work.path("probes.jsonl"))) < 90


@pytest.mark.full
def test_scrapy_crawl_seeds_does_all_steps_and_yields_the_sites(tmp_path):
    web = SelectionWeb(8, 50, most_pages=40)
    lists = write_lists(web, tmp_path)
    with ServerProcess(web.arguments()) as server:
        words = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "seeds",
            "-O",
            str(tmp_path / "seeds.jsonl"),
        ]
        words += ["-a", "lists=" + ",".join(map(str, lists)), "-a", f"work={tmp_path / 'work'}"]
        words += ["-s", f"QUARKCRAWL_HOST_MAP={host_map(server)}", "-s", "QUARKCRAWL_TIMEOUT_S=2"]
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    sites = [json.loads(line) for line in (tmp_path / "seeds.jsonl").read_text().splitlines()]
    work = SelectionWork(tmp_path / "work")
    assert [site["url"] for site in sites] == work.path("seeds.txt").read_text().split()
    assert set(sites[0]) == {"host", "url", "pages", "md5", "aliases"}
    assert all(site["pages"] >= 10 and len(site["md5"]) == 32 for site in sites)


def crawled_seeds(work, *words):
    command = [sys.executable, "-m", "scrapy", "crawl", "seeds", "-a", f"work={work}", *words]
    return subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True,
                          check=False, timeout=300)  # fmt: skip


@pytest.mark.full
def test_options_of_the_commands_are_settings_of_the_spider(tmp_path):
    """Without a check: what the filter does is the same as by its command."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    urls = [f"http://{host}.cn/{n}" for host, pages in (("a", 4), ("b", 12), ("1c", 30), ("d", 9))
            for n in range(pages)]  # fmt: skip
    path = tmp_path / "urls.parquet"
    pq.write_table(pa.table({"address": urls}), path)
    given = ["-s", "SELECT_COLUMN=address", "-s", "SELECT_UNCHECKED=1", "-s", "SELECT_LEAST_PAGES=9",
             "-s", "SELECT_SKIP=digits,check,aliases"]  # fmt: skip
    out = tmp_path / "seeds.jsonl"
    (tmp_path / "work").mkdir()
    done = crawled_seeds(tmp_path / "work", "-a", f"lists={path}", *given, "-O", str(out),
                         "-s", "QUARKCRAWL_TIMEOUT_S=1", "-s", "QUARKCRAWL_HOST_MAP=127.0.0.1:9:9")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "SELECT_LEAST_PAGES is an old name; write SELECT_MIN_PAGES" in done.stderr
    assert [json.loads(line)["host"] for line in out.read_text().splitlines()] == [
        "1c.cn",
        "b.cn",
        "d.cn",
    ]
    same = select("filter", "--work", tmp_path / "work", "--unchecked", "--min-pages", "9",
                  "--skip", "digits", "--skip", "check", "--skip", "aliases")  # fmt: skip
    assert json.loads(same.stdout)["seeds"] == 3
    assert not (tmp_path / "work" / "probes.jsonl").exists()  # nobody was asked


@pytest.mark.full
def test_the_spider_chooses_what_the_commands_choose_by_the_same_options(tmp_path):
    """Without a check; with any of three options left out other sites are chosen."""
    lists = write_lists(SelectionWeb(5, 1500, most_pages=100), tmp_path)
    spider, commands = tmp_path / "spider", tmp_path / "commands"
    spider.mkdir()
    settings = ("ALIASES=md5", "OUTLIERS=line", "DROP_UNDECIDED=1", "MEMORY=64MiB", "MIN_PAGES=12",
                "UNCHECKED=1")  # fmt: skip
    words = [word for setting in settings for word in ("-s", f"SELECT_{setting}")]
    words += ["-s", "QUARKCRAWL_HOST_MAP=127.0.0.1:9:9"]  # no test asks hosts out there
    done = crawled_seeds(spider, "-a", f"lists={','.join(map(str, lists))}", *words)
    assert done.returncode == 0, done.stderr
    counted = select("count", *lists, "--work", commands, "--memory", "64MiB")
    assert counted.returncode == 0, counted.stderr
    done = select("filter", "--work", commands, "--unchecked", "--aliases", "md5",
                  "--outliers", "line", "--drop-undecided", "--min-pages", "12")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not (spider / "probes.jsonl").exists()  # nobody was asked
    for name in ("seeds.txt", "spam_domains.txt", "filter.json"):
        assert (spider / name).read_text("utf-8") == (commands / name).read_text("utf-8")
    assert json.loads((spider / "filter.json").read_text("utf-8"))["options"]["aliases"] == "md5"
    chosen = len((spider / "seeds.txt").read_text("utf-8").splitlines())
    options = SelectionOptions(
        least_pages=12, outliers="line", drop_undecided=True, spam=SpamList.parse([])
    )
    work = SelectionWork(commands)
    assert len(work.filter(options, checked=False).seeds) == chosen
    for left_out in ({"least_pages": 10}, {"outliers": "default"}, {"drop_undecided": False}):
        assert len(work.filter(replace(options, **left_out), checked=False).seeds) != chosen


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "message"),
    [("SELECT_ALIASES=sha1", "SELECT_ALIASES: 'sha1' is none of"), ("SELECT_SIZE=3", "no setting")],
)
def test_a_wrong_setting_of_the_spider_is_named_before_anything_is_asked(tmp_path, words, message):
    done = crawled_seeds(tmp_path / "work", "-a", "lists=none.txt", "-s", words)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "work" / "probes.jsonl").exists()


@pytest.mark.full
def test_a_check_of_nothing_says_so(tmp_path):
    done = select("check", "--work", tmp_path)
    assert done.returncode == 2
    assert "counts.parquet: is not there; run the step before" in done.stderr


def test_a_damaged_line_within_the_probes_is_named(tmp_path):
    path = tmp_path / "probes.jsonl"
    with ProbeFile(path) as file:
        file.add(Probe("a.cn", "http://a.cn/", ""))
    path.write_bytes(path.read_bytes() + b"not json\n")
    with pytest.raises(InputError, match=r"probes\.jsonl:2"):
        read_probes(path)


@pytest.mark.slow
def test_a_web_of_2000_hosts_probed_and_its_seeds_crawled(tmp_path):
    web, work = SelectionWeb(101, 2000, most_pages=300), SelectionWork(tmp_path / "work")
    work.count(write_lists(web, tmp_path))
    spam = tmp_path / "spam.txt"
    spam.write_text("\n".join(web.spam_patterns()))
    with ServerProcess(web.arguments()) as server:
        done = select(*check_words(work.root, server, 10))
        assert done.returncode == 0, done.stderr
        scores = scores_of(web, work)
        print({k: (v.wrong, v.precision, v.recall) for k, v in scores.items()})
        for step in ("names", "check", "aliases", "services", "spam", "digits", "pages"):
            assert (scores[step].precision, scores[step].recall) == (1.0, 1.0), scores[step]
        assert scores["outliers"].recall >= 0.9
        assert scores["outliers"].precision >= 0.95
        done = select("filter", "--work", work.root, "--spam-list", spam, "--drop-undecided")
        assert done.returncode == 0, done.stderr
        words = [sys.executable, "-m", "quarkcrawl", "crawl", str(work.path("seeds.txt"))]
        words += ["--out", str(tmp_path / "corpus"), "--quiet", "--delay-s", "0"]
        words += ["--set", f"host_map={host_map(server)}", "--set", "max_host_pages=15"]
        words += [
            "--set",
            "host_concurrency=4",
            "--set",
            "segmentation=false",
            "--set",
            "content=false",
        ]
        done = subprocess.run(
            words, env=environment(), capture_output=True, text=True, check=False, timeout=1500
        )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    traps = {host.host for host in web.plan if host.form == "trap"}
    seeds = [url.split("/")[2] for url in work.path("seeds.txt").read_text().split()]
    assert set(summary["hosts"]) >= set(seeds)
    for host in seeds:
        assert 1 <= summary["hosts"][host].get("stored", 0) <= 15, host
    assert traps & set(seeds)
