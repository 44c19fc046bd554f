"""Extraction of a corpus leaves out what its hosts repeat; the rows depend on the pages alone."""

import pytest

import quarkcrawl as qc
from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, clean_corpus, cleaned_contents, extract_corpus
from quarkcrawl.corpus.extraction import job
from quarkcrawl.corpus.extraction.page import SitePage
from quarkcrawl.corpus.extraction.sites import PageOnDisk, SiteEvidence
from quarkcrawl.corpus.pagerows import PageRows
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.store import Corpus, bucket
from tests.corpus.corpora import add_pages, assert_complete, parts_of, rows_of
from tests.corpus.sitepages import COPIED, NOTICE, articles, copies, store

QUARK = ExtractionOptions("quark")
HERE = PoolOptions(in_process=True)
NOTED, MIRROR, SMALL = "noted.cn", "mirror.cn", "small.cn"


@pytest.fixture
def root(tmp_path):
    store(tmp_path, NOTED, articles(24))
    store(tmp_path, MIRROR, copies(24))
    store(tmp_path, SMALL, articles(15, start=50))
    return tmp_path


def run(root, options=QUARK, pool=HERE, **more):
    return extract_corpus(root, options, pool=pool, **more)


def by_host(rows, host):
    return [row for row in rows.values() if row["host"] == host]


@pytest.mark.full
def test_a_host_with_enough_pages_loses_what_it_repeats_and_no_other(root):
    report = run(root)
    assert (report.pages, report.extracted, report.site_pages_read) == (63, 63, 48)
    assert report.shortened == 24
    assert_complete(root)
    rows = rows_of(root)
    for row in by_host(rows, NOTED):
        assert NOTICE not in row["content_text"]
        assert row["repeated_chars"] == len(NOTICE)
        assert row["site_digest"]
    for row in by_host(rows, MIRROR) + by_host(rows, SMALL):
        content = qc.extract(Corpus.open(root).page(pages_of(root)[row["url"]]), method="quark")
        assert row["content_text"] == content.text
        assert (row["repeated_chars"], row["site_digest"]) == (None, None)
    assert all(COPIED[0] in row["content_text"] for row in by_host(rows, MIRROR))
    assert all(NOTICE in row["content_text"] for row in by_host(rows, SMALL))


def pages_of(root):
    return {row.url: row for row in Corpus.open(root).pages()}


def test_it_can_be_switched_off(root):
    report = run(root, ExtractionOptions("quark", site_pages=0))
    assert (report.site_pages_read, report.shortened) == (0, 0)
    rows = rows_of(root)
    assert all(NOTICE in row["content_text"] for row in by_host(rows, NOTED))
    assert not (root / "analysis" / "extractions" / "quark" / "_sites").exists()
    with pytest.raises(ConfigError, match="site_pages = 0, not 80"):
        run(root)


def test_so_many_pages_of_a_host_are_read_at_most(root):
    report = run(root, ExtractionOptions("quark", site_pages=16))
    assert (report.site_pages_read, report.shortened) == (32, 24)


@pytest.mark.full
def test_processes_and_the_order_of_the_pages_change_nothing(root, tmp_path_factory):
    run(root)
    run(root, pool=PoolOptions(2), out=root / "out")
    assert rows_of(root, out=root / "out") == rows_of(root)
    other = tmp_path_factory.mktemp("other")
    store(other, SMALL, articles(15, start=50))
    store(other, MIRROR, copies(24)[::-1])
    store(other, NOTED, articles(24)[::-1])
    run(other)
    texts = [sorted(row["content_text"] for row in rows_of(one).values()) for one in (root, other)]
    assert texts[0] == texts[1]


@pytest.mark.full
@pytest.mark.parametrize("n_done", [1, 30])
def test_a_run_that_was_stopped_goes_on_with_the_same_rows(root, monkeypatch, n_done):
    run(root, out=root / "whole")

    def interrupt(report):
        if report.extracted == n_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(root, on_progress=interrupt)
    assert len(rows_of(root)) == n_done
    report = run(root)
    assert (report.done_before, report.removed, report.site_pages_read) == (n_done, 0, 0)
    assert rows_of(root) == rows_of(root, out=root / "whole")


def test_stopped_while_it_learns_it_has_no_row_yet(root, monkeypatch):
    read = job.lines_of_stored

    def lines(page, root, method):
        if page.host == NOTED and page.url.endswith("/7.html"):
            raise KeyboardInterrupt
        return read(page, root, method)

    with monkeypatch.context() as patch:
        patch.setattr(job, "lines_of_stored", lines)
        with pytest.raises(KeyboardInterrupt):
            run(root)
    assert not parts_of(root)
    run(root)
    run(root, out=root / "whole")
    assert rows_of(root) == rows_of(root, out=root / "whole")


@pytest.mark.full
def test_pages_that_come_later_change_the_rows_of_their_host_only(root):
    run(root)
    before = rows_of(root)
    store(root, SMALL, articles(3, start=80), start=80)
    report = run(root)
    # SMALL has enough pages now: its rows from before are not what they would be.
    assert (report.site_pages_read, report.removed, report.extracted) == (18, 15, 18)
    run(root, out=root / "whole")
    after = rows_of(root)
    assert after == rows_of(root, out=root / "whole")
    assert all(NOTICE not in row["content_text"] for row in by_host(after, SMALL))
    assert by_host(after, NOTED) == by_host(before, NOTED)
    report = run(root)
    assert (report.site_pages_read, report.removed, report.extracted) == (0, 0, 0)


@pytest.mark.full
def test_anew_means_that_hosts_are_learned_again(root):
    run(root)
    assert run(root, restart=True).site_pages_read == 48


@pytest.mark.full
def test_damaged_notes_name_their_file(root):
    run(root)
    for path in (root / "analysis" / "extractions" / "quark" / "_sites").iterdir():
        path.write_text("{")
    with pytest.raises(StoreError, match="delete it"):
        run(root)


def test_a_page_that_cannot_be_read_is_no_part_of_the_sample(root, monkeypatch):
    read = job.lines_of_stored

    def lines(page, root, method):
        if page.url.endswith("/7.html"):
            raise ValueError("坏")
        return read(page, root, method)

    monkeypatch.setattr(job, "lines_of_stored", lines)
    assert run(root).shortened == 24


# After a crawl


def cleaned(root):
    return {row["url"]: row for row in cleaned_contents(root, "quark").to_table().to_pylist()}


@pytest.mark.full
def test_only_hosts_that_repeat_something_are_cleaned(root):
    report = clean_corpus(root, QUARK, HERE)
    assert (report.pages, report.extracted, report.shortened) == (24, 24, 24)
    run(root)
    assert cleaned(root) == {row["url"]: row for row in by_host(rows_of(root), NOTED)}
    again = clean_corpus(root, QUARK, HERE)
    assert (again.extracted, again.done_before, again.site_pages_read) == (0, 24, 0)


def test_cleaned_with_other_options_all_is_done_anew(root):
    clean_corpus(root, QUARK, HERE)
    report = clean_corpus(root, ExtractionOptions("quark", items=True), HERE)
    assert report.extracted == 24
    assert all(row["items"] for row in cleaned(root).values())


def test_rows_of_a_host_that_repeats_nothing_any_more_leave(root):
    clean_corpus(root, QUARK, HERE)
    others = [body.replace(NOTICE.encode("gb18030"), f"第{n}篇另有一个备注，内容由第{n}小组提供。".encode("gb18030"))
              for n, body in enumerate(articles(40, start=200))]  # fmt: skip
    store(root, NOTED, others, start=200)
    report = clean_corpus(root, QUARK, HERE)
    assert (report.removed, report.extracted, cleaned(root)) == (24, 0, {})


def test_a_small_corpus_is_not_looked_at(tmp_path):
    store(tmp_path, SMALL, articles(15))
    report = clean_corpus(tmp_path, QUARK, HERE)
    assert (report.pages, report.extracted, report.site_pages_read) == (0, 0, 0)
    assert cleaned(tmp_path) == {}


def test_a_sample_is_the_same_however_many_pages_a_host_has(tmp_path):
    """It is the bodies with the least digests; no more than that stays in memory."""
    pages = [
        PageOnDisk(SitePage(f"http://a.cn/{n}", "a.cn", n, 9, "text/html"), bytes([n * 77 % 256]))
        for n in [*range(256), *range(0, 256, 3)]
    ]
    expected = [bytes([n]) for n in range(20)]
    for shift in (0, 100, 200):
        evidence = SiteEvidence(tmp_path, 20)
        (sample,) = [*evidence.to_read(1, [*pages[shift:], *pages[:shift]])]
        assert [bytes([page.offset * 77 % 256]) for page in sample] == expected


def test_of_two_records_of_a_url_the_last_counts_and_pages_come_by_host(tmp_path):
    add_pages(tmp_path, range(8))
    add_pages(tmp_path, [3, 5])
    rows = PageRows(Corpus.open(tmp_path))
    places = list(rows.places())
    assert len({place.url for place in places}) == len(places) == 8
    last = {}
    for row in Corpus.open(tmp_path).pages():
        last[row.url] = max(row.offset, last.get(row.url, 0))
    assert {place.url: place.offset for place in places} == last
    assert len(list(Corpus.open(tmp_path).pages())) == 10
    order = [(bucket(place.host), place.host, place.offset) for place in places]
    assert order == sorted(order)
