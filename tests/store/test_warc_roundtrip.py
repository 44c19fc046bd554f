from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from quarkcrawl.cli import main
from quarkcrawl.corpus import export_warc, import_warc
from quarkcrawl.corpus.extraction.job import PoolOptions
from quarkcrawl.corpus.warc.captures import PageCapture, read_capture
from quarkcrawl.corpus.warc.entries import page_entries
from quarkcrawl.errors import ConfigError, InputError, StorageFullError, StoreError
from quarkcrawl.store import Corpus, TianwangRecord, split_reply, verify
from quarkcrawl.store.layout import stored_files
from quarkcrawl.store.warc.reader import WarcFound, read_warc
from quarkcrawl.store.warc.record import encode_entry
from tests.profiles import examples
from tests.store.test_full_disk import PROJECT, small_disk  # noqa: F401 - a fixture
from tests.store.warc_samples import ODD_RECORDS, build_corpus


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    """A corpus, its export, and the corpus made of that."""
    root = tmp_path_factory.mktemp("warc")
    build_corpus(root / "corpus")
    export_warc(root / "corpus", root / "warcs", operator="测试组\r\nx", max_file_bytes=9000)
    import_warc([root / "warcs"], root / "again")
    return root


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.warc.gz"))


def records_of(folder: Path) -> list[WarcFound]:
    found = [item for path in files_of(folder) for item in read_warc(path)]
    assert all(isinstance(item, WarcFound) for item in found)
    return found


def test_records_and_rows_come_back_equal(places: Path) -> None:
    before, after = Corpus.open(places / "corpus"), Corpus.open(places / "again")
    rows = list(before.pages())
    assert len(rows) == 24 + len(ODD_RECORDS)
    assert list(after.pages()) == rows
    assert [after.read(row) for row in rows] == [before.read(row) for row in rows]
    assert list(after.duplicates()) == [
        dataclasses.replace(row, links=row.links) for row in before.duplicates()
    ]
    assert len(next(after.duplicates()).links) == 5
    assert sorted(map(str, after.redirects())) == sorted(map(str, before.redirects()))
    assert list(verify(places / "again")) == list(verify(places / "corpus"))


def test_page_dat_files_are_the_same_bytes(places: Path) -> None:
    for number, host, path in stored_files(places / "corpus"):
        again = places / "again" / f"data_{number}" / path.parent.name / "page.dat"
        assert again.read_bytes() == path.read_bytes(), host


@pytest.mark.full
def test_processes_make_the_same_corpus(places: Path, tmp_path: Path) -> None:
    alone = import_warc([places / "warcs"], tmp_path / "alone")
    report = import_warc([places / "warcs"], tmp_path / "out", pool=PoolOptions(workers=2))
    assert dataclasses.replace(report, out=alone.out) == alone
    assert not report.failures
    for kind in ("pages", "duplicates", "redirects", "drops"):
        rows = getattr(Corpus.open(places / "again"), kind)()
        assert list(getattr(Corpus.open(tmp_path / "out"), kind)()) == list(rows)
    for _, _, path in stored_files(places / "again"):
        name = path.relative_to(places / "again")
        assert (tmp_path / "out" / name).read_bytes() == path.read_bytes()


def test_fastwarc_verifies_every_digest(places: Path) -> None:
    kinds = []
    with_payload = 0
    for path in files_of(places / "warcs"):
        for record in ArchiveIterator(str(path), parse_http=False):
            assert record.verify_block_digest()
            kinds.append(str(record.record_type))
        for record in ArchiveIterator(str(path), record_types=WarcRecordType.response):
            if record.headers.get("WARC-Payload-Digest"):
                assert record.verify_payload_digest()
                with_payload += 1
    assert with_payload == 24 + 3 + 2  # pages and redirects, but for those without a CR LF head
    assert len(kinds) == len(records_of(places / "warcs"))
    assert {"warcinfo", "response", "resource", "revisit", "metadata"} == set(kinds)


def test_warcio_verifies_every_digest(places: Path) -> None:
    n_checked = 0
    for path in files_of(places / "warcs"):
        with path.open("rb") as file:
            for record in WarcioIterator(file, check_digests=True):
                record.content_stream().read()
                assert record.digest_checker.problems == []
                if record.rec_type != "revisit":
                    assert record.digest_checker.passed
                    n_checked += 1
    assert n_checked == len([x for x in records_of(places / "warcs") if x.kind != "revisit"])


def test_a_wrong_digest_is_seen_by_both(places: Path, tmp_path: Path) -> None:
    """The two tests above could fail."""
    data = gzip.decompress(files_of(places / "warcs")[0].read_bytes()).replace(b"<p>", b"<q>", 1)
    path = tmp_path / "bad.warc"
    path.write_bytes(data)
    assert not all(r.verify_block_digest() for r in ArchiveIterator(str(path), parse_http=False))
    with path.open("rb") as file:
        problems = [
            bool(record.content_stream().read() and record.digest_checker.problems)
            for record in WarcioIterator(file, check_digests=True)
        ]
    assert any(problems)


def test_a_gzip_member_a_record(places: Path) -> None:
    for path in files_of(places / "warcs"):
        data = path.read_bytes()
        found = list(read_warc(path))
        for item in found:
            member = gzip.decompress(data[item.offset : item.offset + item.length])
            assert member.startswith(b"WARC/1.1\r\n")
            assert member.count(b"\r\nWARC-Record-ID: <urn:uuid:") == 1
        positions = [record.stream_pos for record in ArchiveIterator(str(path), parse_http=False)]
        assert positions == [item.offset for item in found]


def test_every_file_begins_with_its_warcinfo(places: Path) -> None:
    paths = files_of(places / "warcs")
    assert len(paths) > 3
    for path in paths:
        first, *rest = read_warc(path)
        assert (first.kind, first.get("warc-filename")) == ("warcinfo", path.name)
        assert "operator: 测试组 x\r\n" in first.block.decode()
        assert {item.get("warc-warcinfo-id") for item in rest} == {first.get("warc-record-id")}


def test_ids_are_unique_and_references_lead_somewhere(places: Path) -> None:
    records = records_of(places / "warcs")
    ids = [item.get("warc-record-id") for item in records]
    assert len(set(ids)) == len(ids)
    by_id = dict(zip(ids, records, strict=True))
    revisits = [item for item in records if item.kind == "revisit"]
    assert len(revisits) == 2
    for item in revisits:
        original = by_id[item.get("warc-refers-to")]
        assert original.url == item.get("warc-refers-to-target-uri")
        assert original.get("warc-date") == item.get("warc-refers-to-date")
        assert original.get("warc-payload-digest") == item.get("warc-payload-digest") != ""
        assert item.block == b""
    via = [item for item in records if item.kind == "metadata"]
    assert len(via) == 5
    for item in via:
        assert by_id[item.get("warc-concurrent-to")].url == item.url
        assert item.block.decode().startswith("via: http://x.cn/")


def test_redirects_say_that_their_reply_is_made_up(places: Path) -> None:
    found = [x for x in records_of(places / "warcs") if x.get("warc-truncated")]
    assert [x.block.split(b"\r\n")[0] for x in found] == [
        b"HTTP/1.1 302 Found", b"HTTP/1.1 308 Permanent Redirect",
    ]  # fmt: skip
    assert b"Location: http://h3.cn/p3.html\r\n" in found[0].block


def test_a_second_export_gives_the_same_records(places: Path, tmp_path: Path) -> None:
    export_warc(places / "corpus", tmp_path / "warcs", max_file_bytes=9000)
    first, second = (
        [
            (x.get("warc-record-id"), x.block)
            for x in records_of(root / "warcs")
            if x.kind != "warcinfo"
        ]
        for root in (places, tmp_path)
    )
    assert first == second


def test_what_is_there_is_never_overwritten(places: Path, tmp_path: Path) -> None:
    for job, sources in ((export_warc, places / "corpus"), (import_warc, [places / "warcs"])):
        with pytest.raises(InputError, match="is there already"):
            job(sources, places / "again")
    with pytest.raises(ConfigError):
        export_warc(places / "corpus", tmp_path / "w", prefix="../x")
    (tmp_path / "w.exporting").mkdir()
    (tmp_path / "w.exporting" / "mine.txt").touch()
    with pytest.raises(StoreError, match="in the way"):
        export_warc(places / "corpus", tmp_path / "w")
    assert (tmp_path / "w.exporting" / "mine.txt").exists()
    with pytest.raises(InputError, match="no such file"):
        import_warc([tmp_path / "none.warc"], tmp_path / "c")
    with pytest.raises(InputError, match="holds no WARC file"):
        import_warc([tmp_path], tmp_path / "c")


KILLED = """
import os, signal, sys
from quarkcrawl.corpus import export_warc, import_warc
from quarkcrawl.store import CorpusWriter
from quarkcrawl.store.warc.writer import WarcFolder
calls = 0
def deadly(method):
    def run(*arguments):
        global calls
        calls += 1
        if calls == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*arguments)
    return run
WarcFolder.add = deadly(WarcFolder.add)
CorpusWriter.append_stored = deadly(CorpusWriter.append_stored)
root, warcs, corpus = sys.argv[1:]
export_warc(root, warcs, max_file_bytes=9000) if root else import_warc([warcs], corpus)
"""


@pytest.mark.full
def test_a_killed_run_leaves_nothing_under_the_name(places: Path, tmp_path: Path) -> None:
    """Export and import, each killed by SIGKILL in its middle and then started again."""
    warcs, corpus = tmp_path / "w", tmp_path / "c"
    for root, out in ((places / "corpus", warcs), ("", corpus)):
        command = [sys.executable, "-c", KILLED, str(root), str(warcs), str(corpus)]
        done = subprocess.run(command, cwd=PROJECT, check=False, capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not out.exists()
        assert any(path.name.startswith(out.name + ".") for path in tmp_path.iterdir())
        if root:
            export_warc(root, warcs)
        else:
            import_warc([warcs], corpus)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "w"]
    assert list(Corpus.open(corpus).pages()) == list(Corpus.open(places / "corpus").pages())


def test_leftovers_of_a_killed_run_are_replaced(places: Path, tmp_path: Path) -> None:
    shutil.copytree(places / "warcs", tmp_path / "w.exporting")
    (tmp_path / "w.exporting" / "torn.warc.gz.open").write_bytes(b"\x1f\x8b")
    shutil.copytree(places / "again", tmp_path / "c.importing")
    export_warc(places / "corpus", tmp_path / "w")
    import_warc([tmp_path / "w"], tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "w"]
    names = sorted(path.name for path in (tmp_path / "w").iterdir())
    assert names == ["quarkcrawl-00000.cdxj", "quarkcrawl-00000.warc.gz"]
    assert list(Corpus.open(tmp_path / "c").pages()) == list(Corpus.open(places / "again").pages())


def test_a_damaged_page_is_listed_and_its_duplicate_still_exported(
    places: Path, tmp_path: Path
) -> None:
    shutil.copytree(places / "corpus", tmp_path / "corpus")
    row = next(
        row for row in Corpus.open(tmp_path / "corpus").pages() if row.url.endswith("/p0.html")
    )
    path = next(p for _, host, p in stored_files(tmp_path / "corpus") if host == row.host)
    data = bytearray(path.read_bytes())
    data[row.offset + row.length - 40 : row.offset + row.length - 20] = bytes(20)
    path.write_bytes(data)
    report = export_warc(tmp_path / "corpus", tmp_path / "w")
    assert report.pages == 24 + len(ODD_RECORDS) - 1
    (problem,) = report.problems
    assert (problem.reason, problem.url, problem.where) == (
        "damaged",
        row.url,
        f"{path}@{row.offset}",
    )
    assert report.revisits == 2
    done = import_warc([tmp_path / "w"], tmp_path / "c")
    assert done.duplicates == 2
    assert {r.md5 for r in Corpus.open(tmp_path / "c").duplicates()} == {
        r.md5 for r in Corpus.open(places / "corpus").duplicates()
    }


def test_a_lost_page_dat_is_listed_page_by_page(places: Path, tmp_path: Path) -> None:
    shutil.copytree(places / "corpus", tmp_path / "corpus")
    next(p for _, host, p in stored_files(tmp_path / "corpus") if host == "h1.cn").unlink()
    report = export_warc(tmp_path / "corpus", tmp_path / "w")
    assert {problem.reason for problem in report.problems} == {"damaged"}
    assert len(report.problems) == 5


def test_a_page_dat_without_a_corpus(places: Path, tmp_path: Path) -> None:
    path = next(p for _, host, p in stored_files(places / "corpus") if host == "odd.cn")
    (tmp_path / "page.dat").write_bytes(path.read_bytes() + b"version: 1.0\nurl: cut")
    report = export_warc(tmp_path / "page.dat", tmp_path / "w")
    assert (report.pages, len(report.problems)) == (len(ODD_RECORDS), 1)
    import_warc([tmp_path / "w"], tmp_path / "c")
    again = next(p for _, host, p in stored_files(tmp_path / "c"))
    assert again.read_bytes() == path.read_bytes()


def test_a_full_disk(places: Path, small_disk: Path) -> None:  # noqa: F811
    (small_disk / "ballast").write_bytes(bytes(480 * 1024))
    for job, source in ((export_warc, places / "corpus"), (import_warc, [places / "warcs"])):
        with pytest.raises(StorageFullError, match="no room"):
            job(source, small_disk / "out")
        assert [path.name for path in small_disk.iterdir()] == ["ballast"]


texts = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp")), min_size=1
)


@settings(max_examples=examples(80))
@given(
    st.builds(
        TianwangRecord,
        url=st.builds("http://a.cn/{}".format, texts),
        date=st.integers(0, 4_000_000_000),
        ip=st.sampled_from(["", "0.0.0.0", "1.2.3.4", "2001:db8::1", "www.a.cn"]),
        data=st.binary(max_size=200) | st.binary(max_size=99).map(lambda b: b"HTTP/1.1 200 OK\r\n" + b),
        origin=st.none() | texts,
        docno=st.none() | texts,
        extra=st.lists(st.tuples(st.sampled_from(["offset", "x"]), texts), max_size=2).map(tuple),
    ),
    st.integers(0, 9), st.floats(0, 1e10), st.lists(texts, max_size=2),
)  # fmt: skip
def test_any_record_comes_back(tmp_path_factory, record, level, fetched_at, marks) -> None:
    row = {"level": level, "hops": 1, "fetched_at": fetched_at, "marks": marks}
    path = tmp_path_factory.getbasetemp() / "one.warc.gz"
    path.write_bytes(encode_entry(page_entries(record, row)[0], "urn:uuid:1"))
    (found,) = read_warc(path)
    capture = read_capture(found, (), 1000)
    assert isinstance(capture, PageCapture)
    assert capture.record == record
    assert (capture.level, capture.hops, capture.fetched_at) == (level, 1, fetched_at)
    assert list(capture.flags) == marks
    assert capture.md5 == hashlib.md5(split_reply(record.data).body).digest()


@pytest.mark.full
def test_the_commands(places: Path, tmp_path: Path, capsys) -> None:
    corpus, warcs, again = str(places / "corpus"), str(tmp_path / "w"), str(tmp_path / "c")
    assert main(["corpus", "export-warc", corpus, "--out", warcs, "--prefix", "demo"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["pages"], report["redirects"], report["revisits"]) == (29, 2, 2)
    assert report["files"] == ["demo-00000.warc.gz"]
    assert report["written_bytes"] == (tmp_path / "w" / "demo-00000.warc.gz").stat().st_size
    with (tmp_path / "w" / "demo-00000.warc.gz").open("ab") as file:
        file.write(b"torn")
    assert main(["corpus", "import-warc", warcs, "--out", again]) == 0
    out = capsys.readouterr()
    report = json.loads(out.out)
    assert (report["pages"], report["damages"][0]["kind"]) == (29, "junk")
    assert "1 damaged places" in out.err
    assert main(["corpus", "import-warc", warcs, "--out", again]) == 2
