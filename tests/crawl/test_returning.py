"""Returning visits: what changed has a new version, what did not costs a row."""

from __future__ import annotations

import hashlib
import random
import signal
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from quarkcrawl.frontier import FrontierOptions, SqliteFrontier
from quarkcrawl.frontier.sqlite.file import WAL_PAGES
from quarkcrawl.store import ROTATE_BYTES, Corpus
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables import iter_batches
from tests import forked

from .changingweb import Truth, changing_web, serving
from .harness import FAST, command, crawl, environment, host_map, write_hosts

DAY_S = 86400.0


class Sample(NamedTuple):
    """A crawl at one moment: when, what it has fetched, its memory, its last journal file."""

    hour: float
    n_fetches: int
    mib: float
    n_files: int


PLAIN = {"segmentation": "false", "host_concurrency": "4", "in_process": "yes"}
BOUNDS = {"refresh_min_s": "1 d", "refresh_max_s": "8 d"}
HOST = "h0.changing.example"
HOME = f"http://{HOST}/"


def refresh(folder, server, hosts, day: int, **settings: str):
    """The same campaign on another day."""
    server.day = day
    given = PLAIN | BOUNDS | {"refresh": "yes"} | settings
    return crawl(folder, server, hosts, ahead_s=day * DAY_S, **given)


def versions(out) -> dict[str, list[bytes]]:
    """Bodies of each page, the earliest first."""
    corpus = Corpus.open(out)
    bodies = defaultdict(list)
    rows = [*corpus.versions(), *corpus.pages()]
    for row in sorted(rows, key=lambda row: row.analysis.get("version") or 1):
        bodies[row.url].append(corpus.page(row).body)
    return bodies


def started(folder, server, day: int, **settings: str) -> forked.Command:
    """A run of the campaign that goes on beside the test."""
    server.day = day
    given = FAST | {"host_map": host_map(server)} | PLAIN | BOUNDS | {"refresh": "yes"} | settings
    words = command(write_hosts(folder, [HOST]), folder / "corpus", given)
    return forked.Command(words, folder, environment(**{forked.AHEAD: str(day * DAY_S)}))


def wait_until(is_so, process: forked.Command) -> None:
    """Until something holds or the process has ended."""
    deadline = time.monotonic() + 120
    while not is_so() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.full
def test_a_page_that_changed_has_two_versions_and_others_a_row(tmp_path) -> None:
    truth = {HOME: Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(validator=("etag", "modified", "none")[n]) for n in range(3)}
    truth[f"{HOME}p3"] = Truth(changes=[2], validator="etag")
    truth[f"{HOME}p4"] = Truth(vanishes=2)
    truth[f"{HOME}p5"] = Truth(moves=2)
    truth[f"{HOME}p6"] = Truth(changes=[2], validator="none")
    with serving(truth) as server:
        first = crawl(tmp_path, server, [HOST], **PLAIN)
        assert first.reasons == {"stored": 8}
        sizes = {path: path.stat().st_size for path in first.out.rglob("page.dat*")}
        server.sent.clear()
        run = refresh(tmp_path, server, [HOST], 2)
        assert run.code == 0, run.stderr
        assert run.reasons == {
            "changed": 2, "unchanged": 4, "http_404": 1, "redirect": 1, "stored": 1
        }  # fmt: skip
        assert run.summary["complete"]
        assert sorted(sent.status for sent in server.sent) == [200] * 4 + [301] + [304] * 3 + [404]
        assert list(verify(run.out)) == []
        assert len(run.pages()) == 9
        assert run.pages()[f"{HOME}p3"].analysis["version"] == 2
        stored = versions(run.out)
        for name in ("p3", "p6"):
            assert stored[HOME + name] == [server.body(HOME + name, v) for v in (0, 1)]
        assert {url for url, bodies in stored.items() if len(bodies) > 1} == {
            f"{HOME}p3", f"{HOME}p6"
        }  # fmt: skip
        visits = {row.url: row.reason for row in run.rows("visit")}
        assert visits == {
            **dict.fromkeys([HOME, *(f"{HOME}p{n}" for n in range(3))], "unchanged"),
            f"{HOME}p4": "http_404",
            f"{HOME}p5": "redirect",
        }
        assert sizes  # three records more in the one file
        run.assert_settled()

        server.sent.clear()  # nothing is due yet
        again = refresh(tmp_path, server, [HOST], 2)
        assert (again.code, again.reasons, server.sent) == (0, {}, [])


@pytest.mark.full
def test_home_pages_that_say_the_same_on_one_day_close_no_host(tmp_path) -> None:
    """As a hoster's notice of works does; pages that were there before stay."""
    hosts = [f"h{n}.changing.example" for n in range(2)]
    truth = {f"http://{host}/{name}": Truth() for host in hosts for name in ("", "p0", "p1")}
    with serving(truth) as server:
        first = crawl(tmp_path, server, hosts, **PLAIN)
        assert first.reasons == {"stored": 6}
        server.notice = b"<title>works</title><p>we are back soon"
        run = refresh(tmp_path, server, hosts, 2)
        assert run.reasons == {"changed": 1, "duplicate": 5}
        server.notice = None
        run = refresh(tmp_path, server, hosts, 20)
        assert run.reasons == {"changed": 1, "unchanged": 5}
    assert run.summary["frontier"]["hosts_open"] == 2
    assert len(run.pages()) == 6
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_a_full_host_takes_no_new_pages_but_its_old_ones_are_visited(tmp_path) -> None:
    truth = {HOME: Truth(changes=[2], validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(changes=[2], validator="etag") for n in range(4)}
    truth |= {f"{HOME}p{n}": Truth(born=2) for n in range(4, 9)}
    with serving(truth) as server:
        first = crawl(tmp_path, server, [HOST], max_host_pages="5", **PLAIN)
        assert first.reasons["stored"] == 5
        run = refresh(tmp_path, server, [HOST], 2, max_host_pages="5")
        assert run.reasons == {"changed": 5}
        assert not any(sent.url == f"{HOME}p5" for sent in server.sent)
        truth[HOME].changes.append(20)  # whose links are followed then
        run = refresh(tmp_path, server, [HOST], 20, max_host_pages="9")
        found = dict(run.reasons)
        # What is out when the last one is stored comes besides: at most four at once.
        n_new = found.pop("stored")
        assert 4 <= n_new == 5 - found.pop("host_budget", 0)
        assert found == {"unchanged": 4, "changed": 1}
    run.assert_settled()


@pytest.mark.full
def test_a_feed_comes_back_and_is_not_read_twice(tmp_path) -> None:
    feed = f"{HOME}feed.xml"
    truth = {HOME: Truth(validator="etag"), f"{HOME}p0": Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(born=n, is_listed=True, validator="etag") for n in (1, 2, 5)}
    with serving(truth) as server:
        server.day = 1
        assert crawl(tmp_path, server, [HOST], feeds="all", **PLAIN).reasons == {
            "stored": 3, "feed": 1
        }  # fmt: skip
        wanted = {2: {"feed": 1, "stored": 1}, 3: {"unchanged": 1}, 5: {"feed": 1, "stored": 1}}
        for day, reasons in wanted.items():
            server.sent.clear()
            far = {"refresh_min_s": "1 d", "refresh_max_s": "90 d", "feeds": "all"}
            run = refresh(tmp_path, server, [HOST], day, **far)
            by_feed = {sent.status for sent in server.sent if sent.url == feed}
            assert by_feed == {304 if day == 3 else 200}
            for reason, n in reasons.items():
                assert run.reasons[reason] >= n, (day, run.reasons)
        assert {row.url for row in run.rows("drop")} == {feed}
        assert len(run.rows("drop")) == 1
    assert run.pages().keys() == truth.keys()
    run.assert_settled()


@pytest.mark.full
def test_a_notice_in_the_place_of_a_feed_does_not_end_it(tmp_path) -> None:
    feed = f"{HOME}feed.xml"
    truth = {HOME: Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(born=n, is_listed=True, validator="etag") for n in (1, 3)}
    with serving(truth) as server:
        server.day = 1
        assert crawl(tmp_path, server, [HOST], feeds="all", **PLAIN).reasons["feed"] == 1
        server.answers[feed] = (200, b"<title>works</title><p>back soon", {})
        run = refresh(tmp_path, server, [HOST], 2, feeds="all")
        assert run.reasons["no_list"] == 1
        server.answers.clear()
        run = refresh(tmp_path, server, [HOST], 4, feeds="all")
        assert (run.reasons["feed"], run.reasons["stored"]) == (1, 1)
    assert run.pages().keys() == truth.keys()


@pytest.mark.full
def test_a_home_page_that_leads_elsewhere_each_day_is_asked_each_day(tmp_path) -> None:
    """As those of digital newspapers do."""
    issues = {f"{HOME}d{day}/": Truth() for day in range(4)}
    with serving({HOME: Truth()} | issues) as server:
        for day in range(4):
            server.answers[HOME] = (302, b"", {"Location": f"/d{day}/"})
            if day == 0:
                run = crawl(tmp_path, server, [HOST], **PLAIN)
            else:
                run = refresh(tmp_path, server, [HOST], 2 * day)
            assert run.code == 0, run.stderr
    assert run.pages().keys() == issues.keys()
    assert [row.url for row in run.rows("redirect")] == [HOME]


@pytest.mark.full
def test_what_was_given_up_for_now_or_cut_comes_back(tmp_path) -> None:
    truth = {HOME: Truth(validator="etag"), f"{HOME}p1": Truth(validator="etag")}
    truth[f"{HOME}long"] = Truth()
    long = b"<p>" + b"a long page " * 500
    few = {"max_tries": "1", "late_tries": "0"}
    with serving(truth) as server:
        server.answers[f"{HOME}p1"] = (503, b"", {})
        server.answers[f"{HOME}long"] = (200, long, {"ETag": '"1"'})
        run = crawl(tmp_path, server, [HOST], max_body_bytes="1000", **few, **PLAIN)
        assert run.reasons == {"stored": 2, "http_503": 1}
        assert not run.summary["complete"]
        del server.answers[f"{HOME}p1"]
        run = refresh(tmp_path, server, [HOST], 2, **few)
        assert run.reasons == {"stored": 1, "changed": 1, "unchanged": 1}
        assert run.summary["complete"]
    assert run.bodies()[f"{HOME}long"] == long


@pytest.mark.full
def test_a_host_that_keeps_many_waiting_holds_no_other_back(tmp_path) -> None:
    truth = {HOME: Truth(validator="etag"), "http://h1.changing.example/": Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth() for n in range(1500)}
    slow = {"host_concurrency": "1", "delay_s": "0.02", "refresh_home_s": "0.5"}
    home = "http://h1.changing.example/"
    with serving(truth) as server:
        path = write_hosts(tmp_path, [HOST, "h1.changing.example"])
        given = FAST | {"host_map": host_map(server)} | PLAIN | slow
        given |= {"refresh": "yes", "watch": "yes"}
        words = command(path, tmp_path / "corpus", given)
        process = forked.Command(words, tmp_path, environment())
        wait_until(lambda: sum(one.url == home for one in server.sent) >= 5, process)
        n_sent = len(server.sent)
        process.send_signal(signal.SIGKILL)
        process.communicate(60)
        process.close()
    assert sum(one.url == home for one in server.sent) >= 5
    assert n_sent < 1400


@pytest.mark.full
def test_a_kill_loses_nothing_that_a_feed_or_a_redirect_led_to(tmp_path) -> None:
    truth = {HOME: Truth(validator="etag"), f"{HOME}mv": Truth(), f"{HOME}target": Truth(born=9)}
    truth |= {f"{HOME}p{n}": Truth(born=n, is_listed=True, validator="etag") for n in (1, 2)}
    rarely = {"commit_interval_s": "60", "commit_pages": "1000", "feeds": "all"}
    with serving(truth) as server:
        server.day = 1
        assert crawl(tmp_path, server, [HOST], feeds="all", **PLAIN).code == 0
        server.answers[f"{HOME}mv"] = (301, b"", {"Location": "/target"})
        server.sent.clear()
        process = started(tmp_path, server, 2, **rarely)
        wanted = {f"{HOME}feed.xml", f"{HOME}mv"}
        wait_until(lambda: wanted <= {one.url for one in server.sent}, process)
        time.sleep(0.2)  # its rows are in the journal, or not: both must do
        process.send_signal(signal.SIGKILL)
        process.communicate(60)
        process.close()
        run = refresh(tmp_path, server, [HOST], 2, feeds="all")
    assert run.code == 0, run.stderr
    assert truth.keys() - {f"{HOME}target"} <= run.pages().keys()
    assert f"{HOME}target" in run.pages()
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_twenty_days_of_a_changing_web(tmp_path, capsys) -> None:
    n_days, n_hosts = 20, 3
    truth = changing_web(n_hosts, 50, n_days)
    hosts = [f"h{h}.changing.example" for h in range(n_hosts)]
    with serving(truth) as server:
        assert crawl(tmp_path, server, hosts, **PLAIN).code == 0
        server.sent.clear()
        for day in range(1, n_days):
            run = refresh(tmp_path, server, hosts, day)
            assert run.code == 0, run.stderr
        sent = [one for one in server.sent if "/moved/" not in one.url]
        expected = defaultdict(list)
        for one in sent:
            body = server.body(one.url, one.version)
            if one.status == 200 and not one.url.endswith("/"):
                expected[one.url].append(body)
    n_full = sum(n_days - max(page.born, 1) for page in truth.values())
    share = len(sent) / n_full
    bound = 8
    seen = missed = 0
    for url, page in truth.items():
        asked = sorted(one.day for one in sent if one.url == url)
        ends = [day for day in (page.moves, page.vanishes) if day is not None]
        for change in (*page.changes, *ends):
            if change + bound < n_days and all(change <= end for end in ends):
                is_seen = any(change <= day <= change + bound for day in asked)
                seen, missed = seen + is_seen, missed + (not is_seen)
    with capsys.disabled():
        print(f"\n{share=:.3f} {seen=} {missed=}")
    assert share <= 0.35
    assert seen / (seen + missed) >= 0.95
    stored = versions(tmp_path / "corpus")
    for url, bodies in expected.items():
        kept = stored[url]
        assert all(body in kept for body in bodies), url
        assert len(kept) == len(set(kept)), url
    assert list(verify(tmp_path / "corpus")) == []


@pytest.mark.full
def test_kills_lose_no_version(tmp_path) -> None:
    n_pages, dice = 150, random.Random(5)
    kinds = ("etag", "modified", "none")
    truth = {HOME: Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(changes=[1, 2], validator=kinds[n % 3]) for n in range(n_pages)}
    small = {"commit_pages": "8", "commit_interval_s": "0.1", "refresh_max_s": "1 d"}
    with serving(truth) as server:
        assert crawl(tmp_path, server, [HOST], **PLAIN).code == 0
        for day in (1, 2):
            for _ in range(4):
                server.sent.clear()
                n_wanted = dice.randrange(5, 60)
                process = started(tmp_path, server, day, **small)
                wait_until(lambda n=n_wanted: len(server.sent) >= n, process)
                process.send_signal(signal.SIGKILL)
                process.communicate(60)
                process.close()
            run = refresh(tmp_path, server, [HOST], day, **small)
            assert run.code == 0, run.stderr
            assert list(verify(run.out)) == []
            stored = versions(run.out)
            for n in range(n_pages):
                url = f"{HOME}p{n}"
                assert stored[url] == [server.body(url, v) for v in range(day + 1)]
            run.assert_settled()


@pytest.mark.full
def test_a_watch_goes_on_with_what_appears_and_ends_when_told(tmp_path) -> None:
    truth = changing_web(1, 20, 8, seed=3)
    fast = {"refresh_min_s": "0.3", "refresh_max_s": "0.6", "refresh_home_s": "0.3", "watch": "yes"}
    with serving(truth) as server:
        process = started(tmp_path, server, 0, **fast)
        for day in range(8):
            server.day = day
            there = {
                (url, page.version(day))
                for url, page in truth.items()
                if page.born <= day
                and (page.moves is None or page.moves > day)
                and (page.vanishes is None or page.vanishes > day)
            }
            wait_until(lambda t=there: t <= {(s.url, s.version) for s in server.sent}, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(120)
        assert process.poll() == 130, said
        process.close()
    sent = defaultdict(list)
    for one in server.sent:
        body = server.body(one.url, one.version)
        if one.status == 200 and not one.url.endswith("/") and body not in sent[one.url]:
            sent[one.url].append(body)
    stored = versions(tmp_path / "corpus")
    moved = {url: bodies for url, bodies in stored.items() if "/moved/" in url}
    assert {url: bodies for url, bodies in stored.items() if url not in moved and url != HOME} == {
        url: bodies for url, bodies in sent.items() if "/moved/" not in url
    }
    assert list(verify(tmp_path / "corpus")) == []


@pytest.mark.full
def test_an_unchanged_page_takes_less_than_200_bytes(tmp_path) -> None:
    n_pages = 300
    truth = {HOME: Truth(validator="etag")}
    truth |= {f"{HOME}p{n}": Truth(validator=("etag", "none")[n % 2]) for n in range(n_pages)}
    with serving(truth) as server:
        out = crawl(tmp_path, server, [HOST], **PLAIN).out

        def stored_bytes() -> int:
            folders = [out / "journal", out / "analysis", *out.glob("data_*")]
            files = (p for folder in folders for p in folder.rglob("*") if p.is_file())
            return sum(path.stat().st_size for path in files)

        before = stored_bytes()
        run = refresh(tmp_path, server, [HOST], 2)
    assert run.reasons == {"unchanged": n_pages + 1}
    assert sum(batch.num_rows for batch in iter_batches(out, "visit")) == n_pages + 1
    assert stored_bytes() - before <= 200 * n_pages


def _grown_old(out: Path, n_bodies: int) -> None:
    """A corpus whose frontier remembers the bodies of a year: its cache is full soon."""
    Corpus.create(out)
    frontier = SqliteFrontier(out / "frontier.sqlite", FrontierOptions())
    for number in range(n_bodies):
        digest = hashlib.md5(b"%d" % number, usedforsecurity=False).digest()
        frontier.claim("md5", digest, f"http://old.example/{number}")
    frontier.commit()
    frontier.close()


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_three_days_of_news_take_no_more_memory(tmp_path, capsys) -> None:
    """Twenty front pages every ten minutes, and an article an hour on each.

    Time goes by fetches, so that nothing depends on the machine. Six days go by fast, with front
    pages that are another at each visit, until the caches are full and a journal file was
    compacted; then come the three days.
    """
    n_hosts, n_warm, n_hours = 20, 144, 144 + 72
    of_fast_hour, of_hour = 2 * n_hosts, 7 * n_hosts
    hosts = [f"h{h}.changing.example" for h in range(n_hosts)]
    truth = {}
    for host in hosts:
        truth[f"http://{host}/"] = Truth(changes=list(range(1, n_hours)), validator="etag")
        truth |= {f"http://{host}/p{n}": Truth(born=n, validator="etag") for n in range(n_hours)}
    settings = FAST | PLAIN | {
        "refresh": "yes", "watch": "yes", "refresh_home_s": "0.5", "refresh_min_s": "1 d",
        "commit_interval_s": "0.2",
    }  # fmt: skip
    samples = []
    out = tmp_path / "corpus"
    _grown_old(out, 400_000)
    old_bytes = (out / "frontier.sqlite").stat().st_size
    with serving(truth, n_links=30, n_outside=400) as server:
        settings["host_map"] = host_map(server)
        process = forked.Command(
            command(write_hosts(tmp_path, hosts), out, settings), tmp_path, environment()
        )
        hour = 0.0
        while hour < n_hours + 2 and process.poll() is None:
            hour = len(server.sent) / of_fast_hour
            if hour > n_warm:
                server.outside = ""
                hour = n_warm + (len(server.sent) - n_warm * of_fast_hour) / of_hour
            server.day = min(int(hour), n_hours - 1)
            time.sleep(0.1)
            status = (Path("/proc") / str(process.pid) / "status").read_text()
            resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
            n_files = max((int(p.stem[-6:]) for p in (out / "journal").glob("rows-*")), default=0)
            samples.append(Sample(hour, len(server.sent), int(resident.split()[1]) / 1024, n_files))
        log_bytes = sum(p.stat().st_size for p in out.glob("frontier.*-*"))
        journal_bytes = sum(p.stat().st_size for p in (out / "journal").iterdir())
        process.send_signal(signal.SIGINT)
        process.communicate(300)
        assert process.poll() == 130
        process.close()
    grown_bytes = (out / "frontier.sqlite").stat().st_size - old_bytes
    later = [sample for sample in samples if sample.hour > n_warm]
    fetches = [sample.n_fetches for sample in later]
    slope = statistics.linear_regression(fetches, [sample.mib for sample in later]).slope
    with capsys.disabled():
        print(f"\n{1000 * slope:.4f} MiB per 1,000 fetches")
        print(f"{grown_bytes=} {log_bytes=} {journal_bytes=}")
        print(*samples[:: max(1, len(samples) // 40)], sep="\n")
    assert later[0].n_files > 1, "no journal file was compacted before"
    assert {url for url in truth if "/p" in url} <= versions(out).keys()
    assert list(verify(out)) == []
    assert journal_bytes <= 2 * ROTATE_BYTES
    assert log_bytes <= WAL_PAGES * 4096 + (4 << 20)
    assert grown_bytes <= 200 * samples[-1].n_fetches  # a key, and the digest of a body
    assert 1000 * slope <= 0.05
