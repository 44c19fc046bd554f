"""Versions of pages: one row a URL in the pages table, whatever happens while they are settled."""

from __future__ import annotations

import dataclasses
import shutil
from operator import itemgetter

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.corpus.warc import export_warc, import_warc
from quarkcrawl.store import Corpus, CorpusWriter, VisitRow, page_dat_path, salvage
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables import count_unsettled, page_versions, settle_versions
from quarkcrawl.store.tables import versions as versions_module
from quarkcrawl.store.warc import read_warc, warc_date
from tests.progress import Told
from tests.store.samples import make_item

HOSTS = [f"h{n}.example.cn" for n in range(6)]


def body_of(number: int, version: int) -> bytes:
    return b"<title>%d</title><p>%d as of %d" % (number, number, version)


def stored(number: int, version: int):
    """A page in one of its versions."""
    at = 1_700_000_000.0 + 86400 * version + number
    host = HOSTS[number % len(HOSTS)]
    item = make_item(number, host=host, body=body_of(number, version), fetched_at=at)
    return item if version == 1 else dataclasses.replace(item, analysis={"version": version})


def append(root, pages) -> None:
    with CorpusWriter(root) as writer:
        for number, version in pages:
            writer.append_page(stored(number, version))


@pytest.fixture
def root(tmp_path):
    """Thirty pages; of every third a second version, of every fifth a third, in runs of their own."""
    root = tmp_path / "corpus"
    append(root, [(number, 1) for number in range(30)])
    append(root, [(number, 2) for number in range(0, 30, 3)])
    append(root, [(number, 3) for number in range(0, 30, 15)])
    return root


def newest(number: int) -> int:
    return 3 if number % 15 == 0 else 2 if number % 3 == 0 else 1


def assert_settled(root) -> None:
    corpus = Corpus.open(root)
    pages = {row.url: row for row in corpus.pages()}
    assert len(pages) == len(list(corpus.pages())) == 30
    for number in range(30):
        row = pages[stored(number, 1).url]
        assert corpus.page(row).body == body_of(number, newest(number))
    earlier = sorted((row.url, row.analysis.get("version") or 1) for row in corpus.versions())
    assert earlier == sorted(
        (stored(n, 1).url, version) for n in range(30) for version in range(1, newest(n))
    )
    for row in corpus.versions():
        assert b"as of %d" % (row.analysis.get("version") or 1) in corpus.page(row).body
    assert list(verify(root)) == []


def rows_of_page(root, url: str) -> list[tuple]:
    """Version, time and row of each record of a page, by version."""
    corpus = Corpus.open(root)
    rows = [row for row in (*corpus.versions(), *corpus.pages()) if row.url == url]
    found = [(row.analysis.get("version") or 1, row.fetched_at, row) for row in rows]
    return sorted(found, key=itemgetter(0))


def assert_all_listed(root) -> None:
    """Each version of each page that has several once, whatever tables it is in."""
    found = sorted((row["url"], row["version"]) for row in page_versions(root))
    assert found == sorted(
        (stored(n, 1).url, version) for n in range(0, 30, 3) for version in range(1, newest(n) + 1)
    )


def test_both_tell_how_far_they_are(root):
    told = Told()
    settle_versions(root, told)
    told.check("files")
    told = Told()
    assert len(list(page_versions(root, on_progress=told))) == 22
    told.check("rows", unknown={"rows"})
    assert told.steps["rows"][-1][0] == 2 * 42  # which pages have versions, then these


def test_settled_pages_have_one_row_each(root) -> None:
    assert list(verify(root)) == []  # unsettled versions are no fault
    assert settle_versions(root) == 12
    assert_settled(root)
    assert settle_versions(root) == 0
    assert_settled(root)


def test_commands_that_count_pages_say_that_there_are_earlier_versions(root, capsys) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(stored(1, 2))
        writer.sync()
        assert count_unsettled(root) == 13  # one of them still in the journal
    said = f"{root}: 13 earlier versions of pages count as pages until the crawl ends, or "
    commands = (["corpus", "info", str(root), "--json"], ["corpus", "dedup", str(root)])
    for words in commands:
        assert main(words) == 0
        assert said in capsys.readouterr().err
    settle_versions(root)
    assert count_unsettled(root) == 0
    for words in commands:
        assert main(words) == 0
        assert capsys.readouterr().err == ""


def test_rows_in_the_journal_wait_for_the_end_of_the_run(root) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(stored(1, 2))
        writer.sync()
        assert settle_versions(root) == 0
    assert settle_versions(root) == 13


def test_a_kill_at_any_step_loses_nothing_and_is_mended(root, monkeypatch) -> None:
    write, rewrite, steps = versions_module.write_part, versions_module._rewrite, [0]

    def dying(step):
        def call(*args, **kwargs):
            steps[0] -= 1
            if steps[0] < 0:
                raise KeyboardInterrupt
            return step(*args, **kwargs)

        return call

    monkeypatch.setattr(versions_module, "write_part", dying(write))
    monkeypatch.setattr(versions_module, "_rewrite", dying(rewrite))
    for n_steps in range(3):
        steps[0] = n_steps
        with pytest.raises(KeyboardInterrupt):
            settle_versions(root)
        assert_all_listed(root)
        bodies = {Corpus.open(root).page(row).body for row in Corpus.open(root).pages()}
        assert {body_of(number, newest(number)) for number in range(30)} <= bodies
    steps[0] = 1000
    settle_versions(root)
    assert_settled(root)


def test_a_command_settles_what_a_kill_left(root, tmp_path, capsys) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(stored(1, 2))
        writer.sync()
        shutil.copytree(root, tmp_path / "killed")
        assert main(["corpus", "settle", str(root)]) == 1
        assert "in use" in capsys.readouterr().err
    killed = tmp_path / "killed"
    assert len(list(Corpus.open(killed).pages())) == 43
    assert main(["corpus", "settle", str(killed)]) == 0
    assert "13 rows" in capsys.readouterr().err
    pages = {row.url: row for row in Corpus.open(killed).pages()}
    assert len(pages) == len(list(Corpus.open(killed).pages())) == 30
    assert Corpus.open(killed).page(pages[stored(1, 1).url]).body == body_of(1, 2)
    assert list(verify(killed)) == []
    assert main(["corpus", "settle", str(killed)]) == 0
    assert main(["corpus", "settle", str(tmp_path)]) == 2  # no corpus; none is made
    assert not (tmp_path / "corpus.json").exists()


@pytest.mark.full
@pytest.mark.parametrize("is_settled", [False, True])
def test_a_merge_takes_the_newest_version(root, tmp_path, is_settled) -> None:
    """Also where another corpus has an earlier one that was fetched before or after."""
    append(tmp_path / "other", [(number, 1) for number in range(0, 30, 2)])
    with CorpusWriter(tmp_path / "late") as writer:
        late = make_item(3, host=HOSTS[3], body=b"<p>late", fetched_at=1_800_000_000.0)
        writer.append_page(late)
    if is_settled:
        settle_versions(root)
    corpora = [tmp_path / "other", root, tmp_path / "late"]
    report = merge_corpora(corpora, tmp_path / "out")
    corpus = Corpus.open(tmp_path / "out")
    bodies = {row.url: corpus.page(row).body for row in corpus.pages()}
    assert bodies == {stored(n, 1).url: body_of(n, newest(n)) for n in range(30)}
    assert report.pages == len(list(corpus.pages())) == 30
    assert report.url_twice == (16 if is_settled else 28)
    assert list(corpus.versions()) == []
    assert list(verify(tmp_path / "out")) == []


def test_later_versions_join_settled_ones(root) -> None:
    settle_versions(root)
    append(root, [(number, newest(number) + 1) for number in range(30)])
    assert settle_versions(root) == 30
    corpus = Corpus.open(root)
    assert len(list(corpus.pages())) == 30
    assert len(list(corpus.versions())) == 42
    assert list(verify(root)) == []


@pytest.mark.full
@pytest.mark.parametrize("is_settled", [False, True])
def test_salvage_keeps_the_versions(root, tmp_path, is_settled) -> None:
    if is_settled:
        settle_versions(root)
    report = salvage(root, tmp_path / "mended")
    assert (report.records_kept, report.repeated) == (42, 0)
    assert_settled(tmp_path / "mended")
    salvage(root)
    assert_settled(root)


@pytest.mark.full
@pytest.mark.parametrize("is_settled", [False, True])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_salvage_keeps_a_page_that_went_back(root, tmp_path, is_settled, is_damaged) -> None:
    """The third version is the first again: each record keeps its own row."""
    append(root, [(2, 2)])
    with CorpusWriter(root) as writer:
        body = stored(2, 1).body
        again = make_item(2, host=HOSTS[2], body=body, fetched_at=1_700_000_000.0 + 86400 * 9)
        writer.append_page(dataclasses.replace(again, analysis={"version": 3}))
    if is_settled:
        settle_versions(root)
    before = rows_of_page(root, stored(2, 1).url)
    assert [version for version, *_ in before] == [1, 2, 3]
    if is_damaged:  # the first record: only the third has that body now
        _, _, row = before.pop(0)
        path = page_dat_path(root, row.host)
        content = bytearray(path.read_bytes())
        content[row.offset + row.length - 12] ^= 0xFF
        path.write_bytes(content)
    for mended in (tmp_path / "mended", root):
        report = salvage(root, None if mended == root else mended)
        assert (report.repeated, report.rows_rebuilt) == (0, 0)
        assert report.records_kept == 44 - is_damaged
        after = rows_of_page(mended, stored(2, 1).url)
        assert [facts[:2] for facts in after] == [facts[:2] for facts in before]
        assert list(verify(mended)) == []
        assert len({row.url for row in Corpus.open(mended).pages()}) == 30


def test_versions_are_listed(root, capsys) -> None:
    settle_versions(root)
    url = stored(15, 1).url
    rows = list(page_versions(root, url))
    assert [(row["version"], row["current"]) for row in rows] == [
        (1, False), (2, False), (3, True)
    ]  # fmt: skip
    assert len(list(page_versions(root))) == 22
    assert [row["version"] for row in page_versions(root, stored(1, 1).url)] == [1]
    assert main(["corpus", "versions", str(root), "--url", url]) == 0
    assert capsys.readouterr().out.count('"current": true') == 1


def test_versions_and_visits_of_pages_make_the_round_trip(root, tmp_path) -> None:
    """Also of a page whose third version is the first again."""
    append(root, [(2, 2)])
    with CorpusWriter(root) as writer:
        first = stored(2, 1)
        again = make_item(2, host=HOSTS[2], body=first.body, fetched_at=1_700_000_000.0 + 86400 * 9)
        writer.append_page(dataclasses.replace(again, analysis={"version": 3}))
        at = 1_700_000_000.0 + 86400 * 2.5  # between the second and the third version of 15
        writer.append_row(VisitRow(stored(15, 1).url, "unchanged", 2, at))
        writer.append_row(VisitRow(stored(4, 1).url, "unchanged", 2, at))
        writer.append_row(VisitRow(stored(5, 1).url, "http_404", 2, at))
    settle_versions(root)
    export = export_warc(root, tmp_path / "warc")
    assert (export.pages, export.revisits, export.problems) == (44, 2, [])
    revisits = {
        found.url: found.get("warc-refers-to-date")
        for path in (tmp_path / "warc").glob("*.warc.gz")
        for found in read_warc(path)
        if found.kind == "revisit"
    }
    dates = {row.url: row.fetched_at for row in Corpus.open(root).versions() if row.url in revisits}
    assert revisits.keys() == {stored(15, 1).url, stored(4, 1).url}
    assert revisits[stored(15, 1).url] == warc_date(int(stored(15, 2).fetched.fetched_at)), dates

    report = import_warc([tmp_path / "warc"], tmp_path / "again")
    assert (report.pages, report.visits, report.url_twice) == (44, 2, 0)
    before, after = Corpus.open(root), Corpus.open(tmp_path / "again")
    for kind in ("pages", "versions"):
        rows = {(r.url, r.analysis.get("version")): r.md5 for r in getattr(before, kind)()}
        assert {(r.url, r.analysis.get("version")): r.md5 for r in getattr(after, kind)()} == rows
    assert list(verify(tmp_path / "again")) == []
    unchanged = [row for row in before.visits() if row.reason == "unchanged"]
    assert sorted(after.visits(), key=str) == sorted(unchanged, key=str)
