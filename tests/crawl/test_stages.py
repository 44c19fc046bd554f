"""The stages in the card's order: aliases and duplicates, spam list, page.dat."""

import hashlib

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store.repair.verify import verify

from .harness import crawl, endings

A, B = "www.first.example", "www.second.example"


def page(*hrefs: str, text: str = "") -> str:
    anchors = "".join(f"<a href='{h}'>{h}</a>" for h in hrefs)
    return f"<html><head><title>{text}</title></head><body>{anchors}<p>{text}</p></body></html>"


@pytest.mark.full
def test_a_duplicate_leaves_a_row_with_its_links_and_no_body(tmp_path):
    same = page("/x", "http://elsewhere.example/", text="same")
    pages = {
        f"http://{A}/": page("/one", "/two", text="home"),
        f"http://{A}/one": same,
        f"http://{A}/two": same,
        f"http://{A}/x": page(text="x"),
    }
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A])
    run.assert_settled()
    assert endings(run) == {"stored": 3, "duplicate": 1}
    (row,) = run.rows("duplicate")
    assert {row.url, row.duplicate_of} == {f"http://{A}/one", f"http://{A}/two"}
    assert row.md5 == hashlib.md5(same.encode()).digest()
    assert [link.url for link in row.links] == [f"http://{A}/x", "http://elsewhere.example/"]
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_a_host_with_the_home_page_of_another_is_closed_as_its_alias(tmp_path):
    home = page("/a", "/b", text="the same home")
    pages = {f"http://{h}/": home for h in (A, B)}
    pages |= {f"http://{h}/{p}": page(text=f"{p} of {h}") for h in (A, B) for p in "ab"}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A, B])
    run.assert_settled()
    assert endings(run) == {"stored": 3, "duplicate": 1, "host_alias": 2}
    (row,) = run.rows("duplicate")
    alias = row.url.split("/")[2]
    assert {url.split("/")[2] for url in run.drops()} == {alias}
    assert set(run.drops().values()) == {"host_alias"}


@pytest.mark.full
def test_a_host_on_the_spam_list_is_dropped_whole(tmp_path):
    pages = {
        f"http://{A}/": page("/a", text="good"),
        f"http://{A}/a": page(text="a"),
        "http://x1.spam.example/": page("/a", "/b", text="casino"),
        "http://x1.spam.example/a": page(text="more"),
    }
    spam = tmp_path / "spam.txt"
    spam.write_text("# list\nspam.example\n", encoding="utf-8")
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A, "x1.spam.example"], spam_list=str(spam))
    run.assert_settled()
    assert endings(run) == {"stored": 2, "spam_host": 1}  # whose links nobody has read
    drops = {url for url, reason in run.drops().items() if reason == "spam_host"}
    assert drops == {"http://x1.spam.example/"}


@pytest.mark.full
def test_a_malformed_spam_list_stops_the_run_with_file_and_line(tmp_path):
    spam = tmp_path / "spam.txt"
    spam.write_text("fine.example\nnot a domain\n", encoding="utf-8")
    with ServerProcess.for_pages({f"http://{A}/": page()}) as server:
        run = crawl(tmp_path, server, [A], spam_list=str(spam))
    assert run.code != 0
    assert "spam.txt:2" in run.stderr


@pytest.mark.full
def test_an_oversize_page_is_cut_marked_and_stored(tmp_path):
    long = "<html><body>" + "长" * 100_000
    pages = {f"http://{A}/": long}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A], max_body_bytes="10 KiB")
    run.assert_settled()
    row = run.pages()[f"http://{A}/"]
    assert row.flags == ("truncated",)
    assert run.bodies()[f"http://{A}/"] == long.encode()[:10240]


@pytest.mark.full
def test_max_host_pages_closes_the_host_and_lists_what_waited(tmp_path):
    paths = [f"/p{i}" for i in range(10)]
    pages = {f"http://{A}/": page(*paths, text="home")}
    pages |= {f"http://{A}{p}": page(text=p) for p in paths}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A], max_host_pages="4", host_concurrency="1")
    run.assert_settled()
    assert endings(run) == {"stored": 4, "host_budget": 7}
    assert sorted(run.drops().values()) == ["host_budget"] * 7


@pytest.mark.full
def test_traps_are_refused_by_path_and_by_pattern(tmp_path):
    deep = "/a" * 40
    repeat = "/x/y/x/y/x/y/x/y/z"
    days = [f"/cal?day={i}" for i in range(20)]
    pages = {f"http://{A}/": page(deep, repeat, "/" + "l" * 3000, *days, text="home")}
    pages |= {f"http://{A}{d}": page(text=d) for d in days}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [A], pattern_pages="5")
    run.assert_settled()
    reasons = sorted(run.drops().values())
    assert reasons.count("trap_depth") == reasons.count("trap_repeat") == 1
    assert run.summary["reasons"]["url_too_long"] == 1  # counted, not kept
    assert reasons.count("trap_pattern") + endings(run)["stored"] == 21
    assert endings(run)["stored"] == 6
