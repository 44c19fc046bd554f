"""Extraction straight from an archive: every whole record, every damage, nothing else read."""

from __future__ import annotations

import gzip
import shutil
from collections import Counter

import pyarrow.parquet as pq
import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import (
    ExtractionOptions,
    export_warc,
    extract_corpus,
    extractions,
    import_warc,
)
from quarkcrawl.corpus.archive import (
    RecordFilter,
    archive_extractions,
    archive_failures,
    extract_archive,
    job,
)
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.store import StoragePath, storagepath
from quarkcrawl.store.warc import WarcDamage, read_warc_at
from tests.corpus.corpora import add_pages

from . import toys
from .commoncrawl import make_archive

QUARK = ExtractionOptions("quark", site_pages=0)
HERE = PoolOptions(in_process=True)
WANTED_TYPES = {"text/html", "application/xhtml+xml", "text/plain"}
KIND_BY_INDEX = {
    "bad gzip": {"bad stream"}, "cut short": {"truncated"}, "wrong length": {"bad length"},
    "garbage header": {"junk"}, "end of file": {"truncated"},
}  # fmt: skip


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """5 files, 500 pages, 1 in 10 of them damaged."""
    return make_archive(tmp_path_factory.mktemp("cc") / "cc", damaged_every=10, n_hosts=20)


@pytest.fixture(scope="module")
def whole(archive, tmp_path_factory):
    """The rows of all files, without an index, by worker processes."""
    out = tmp_path_factory.mktemp("whole")
    report = extract_archive(
        [str(archive.paths)], out, QUARK, base=str(archive.root), pool=PoolOptions(workers=2)
    )
    return out, report


def rows_of(out) -> dict[str, dict]:
    rows = archive_extractions(out, "quark").to_table().to_pylist()
    assert [url for url, n in Counter(row["url"] for row in rows).items() if n > 1] == []
    return {row["url"]: row for row in rows}


def pages_of(archive) -> dict[str, dict]:
    """Index rows of whole records that are pages."""
    return {
        row["url"]: row
        for row in archive.rows
        if row["url"] not in archive.damaged
        and row["fetch_status"] == 200
        and row["content_mime_type"] in WANTED_TYPES
    }


def place_of(row):
    return row["warc_filename"], row["warc_record_offset"], row["warc_record_length"]


def test_every_whole_record_has_a_row_and_every_damage_is_listed(archive, whole):
    out, report = whole
    rows, pages = rows_of(out), pages_of(archive)
    assert rows.keys() == pages.keys()
    assert len(archive.damaged) == 51
    for url, row in rows.items():
        assert (row["warc_filename"], row["offset"], row["length"]) == place_of(pages[url])
        assert row["failure"] is None
    assert sum(bool(row["content_text"]) for row in rows.values()) > 0.9 * len(rows)
    assert (report.files, report.unreadable) == (5, {})
    damages = list(archive_failures(out, "quark"))
    assert len(damages) == sum(report.counts.damages.values())
    damaged = {place_of(row)[:2] for row in archive.rows if row["url"] in archive.damaged}
    # A member that is cut short takes the begin of the next one with it: two stretches, one record.
    assert damaged <= {(one["warc_filename"], one["offset"]) for one in damages}
    assert {one["kind"] for one in damages} == {"bad stream", "bad length", "junk", "truncated"}
    assert report.counts.skipped["request"] == 500


@pytest.mark.full
def test_an_index_gives_the_same_rows_and_the_kind_of_each_damage(archive, whole, tmp_path):
    report = extract_archive(
        [str(archive.index)], tmp_path, QUARK, base=str(archive.root), pool=HERE
    )
    assert rows_of(tmp_path) == rows_of(whole[0])
    assert report.chosen == report.records == 500
    kinds = {one["url"]: one["kind"] for one in archive_failures(tmp_path, "quark")}
    assert kinds.keys() == archive.damaged.keys()
    assert [
        url for url, kind in kinds.items() if kind not in KIND_BY_INDEX[archive.damaged[url]]
    ] == []
    assert report.counts.damages == Counter(kinds.values())
    n_others = report.counts.drops["mime"] + report.counts.drops["http_404"]
    assert report.counts.pages + n_others + len(kinds) == 500


@pytest.mark.full
def test_rows_are_those_of_a_corpus_made_of_the_same_files(archive, whole, tmp_path):
    import_warc(archive.warcs, tmp_path / "corpus")
    extract_corpus(tmp_path / "corpus", QUARK, pool=HERE)
    table = extractions(tmp_path / "corpus", "quark").to_table()
    stored = {row["url"]: row for row in table.to_pylist()}
    rows = rows_of(whole[0])
    assert stored.keys() == rows.keys()
    columns = [name for name in table.column_names if name not in {"offset", "bucket"}]
    assert "content_text" in columns
    for url, row in rows.items():
        assert [row[name] for name in columns] == [stored[url][name] for name in columns]


@pytest.mark.full
@pytest.mark.parametrize(
    ("wanted", "test"),
    [
        (RecordFilter(hosts=("www.site3.cn",)), lambda row: row["url_host_name"] == "www.site3.cn"),
        (RecordFilter(domains=("site3.cn", "site5.cn")), lambda row: row["url_host_registered_domain"] in {"site3.cn", "site5.cn"}),
        (RecordFilter(languages=("eng",)), lambda row: "eng" in (row["content_languages"] or "")),
        (RecordFilter(statuses=(404,)), lambda row: row["fetch_status"] == 404),
        (RecordFilter(mime_types=("application/pdf",)), lambda row: row["content_mime_detected"] == "application/pdf"),
        (RecordFilter(languages=("zho", "deu"), statuses=(200,), mime_types=("text/html",)),
         lambda row: row["content_languages"] not in {None, "eng"} and row["fetch_status"] == 200 and row["content_mime_type"] == "text/html"),
    ],
    ids=["host", "domains", "language", "status", "mime", "all"],
)  # fmt: skip
def test_only_the_bytes_of_chosen_records_are_read(archive, wanted, test, tmp_path, monkeypatch):
    ranges = []
    read = storagepath._LocalFile.read_at

    def noted(file, offset, length):
        ranges.append((offset, length))
        return read(file, offset, length)

    index = [str(path) for path in sorted(archive.index.rglob("*.parquet"))]
    with monkeypatch.context() as patch:
        patch.setattr(storagepath._LocalFile, "read_at", noted)
        report = extract_archive(
            index, tmp_path, QUARK, base=str(archive.root), record_filter=wanted, pool=HERE
        )
    chosen = [row for row in archive.rows if test(row)]
    assert 3 < len(chosen) < 500
    sizes = {
        row["warc_filename"]: (archive.root / row["warc_filename"]).stat().st_size for row in chosen
    }
    expected = [place_of(row) for row in chosen]
    within = [(at, length) for name, at, length in sorted(expected) if at < sizes[name]]
    assert ranges == within
    assert report.chosen == len(chosen)
    pages = {
        row["url"]
        for row in chosen
        if row["url"] not in archive.damaged and row["fetch_status"] == 200
    }
    if not wanted.mime_types:
        pages &= pages_of(archive).keys()
    assert rows_of(tmp_path).keys() == pages


@pytest.mark.full
@pytest.mark.parametrize(
    "wanted",
    [
        RecordFilter(hosts=("news.site1.cn",), statuses=(200,)),
        RecordFilter(domains=("site1.cn",), mime_types=("text/plain", "text/html")),
    ],
)
def test_files_without_an_index_are_filtered_by_what_records_say(archive, wanted, tmp_path):
    sources = [str(path) for path in archive.warcs]
    report = extract_archive(sources, tmp_path / "scan", QUARK, record_filter=wanted, pool=HERE)
    index = [str(archive.index)]
    extract_archive(
        index, tmp_path / "index", QUARK, base=str(archive.root), record_filter=wanted, pool=HERE
    )
    assert rows_of(tmp_path / "scan").keys() == rows_of(tmp_path / "index").keys() != set()
    assert report.counts.skipped["not chosen"] > 300


@pytest.mark.parametrize(("mime", "n_rows"), [("text/html", 6), ("text/plain", 0)])
def test_media_types_are_chosen_in_our_own_exports_too(mime, n_rows, tmp_path):
    add_pages(tmp_path / "corpus", range(6))
    export_warc(tmp_path / "corpus", tmp_path / "warcs")
    report = extract_archive(
        [str(tmp_path / "warcs")],
        tmp_path / "rows",
        QUARK,
        record_filter=RecordFilter(mime_types=(mime,)),
        pool=HERE,
    )
    assert (report.counts.pages, report.counts.drops) == (
        n_rows,
        {"mime": 6 - n_rows} if n_rows < 6 else {},
    )
    assert len(rows_of(tmp_path / "rows")) == n_rows


@pytest.mark.full
def test_a_run_that_was_stopped_goes_on_with_the_next_file(archive, whole, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(report):
        if report.records > 250:
            raise StoppedError

    given = {"base": str(archive.root), "pool": HERE}
    with pytest.raises(StoppedError):
        extract_archive([str(archive.paths)], tmp_path, QUARK, on_progress=stop, **given)
    folder = tmp_path / "quark"
    parts = {path: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
    assert 1 <= len(parts) < 5
    assert list(folder.glob(".*")) == []
    (folder / ".half.parquet.tmp").write_bytes(b"PAR1 of a run that was killed")
    report = extract_archive([str(archive.paths)], tmp_path, QUARK, **given)
    assert report.done_before == sum(pq.read_metadata(path).num_rows for path in parts) > 0
    assert {path: path.stat().st_mtime_ns for path in parts} == parts
    assert list(folder.glob(".*")) == []
    assert rows_of(tmp_path) == rows_of(whole[0])
    assert report.counts == whole[1].counts
    assert list(archive_failures(tmp_path, "quark")) == list(archive_failures(whole[0], "quark"))


def test_a_missing_file_is_told_and_tried_again(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=3, n_pages=6)
    hidden = made.warcs[1]
    away = hidden.rename(tmp_path / "away")
    given = {"base": str(made.root), "pool": HERE}
    report = extract_archive([str(made.paths)], tmp_path / "out", QUARK, **given)
    name = str(hidden.relative_to(made.root))
    assert report.unreadable == {name: "cannot read (No such file or directory)"}
    assert report.files == 2
    away.rename(hidden)
    report = extract_archive([str(made.paths)], tmp_path / "out", QUARK, **given)
    assert (report.files, report.unreadable) == (3, {})
    assert rows_of(tmp_path / "out").keys() == pages_of(made).keys()


@pytest.mark.full
def test_uris_lists_and_folders_give_the_same_rows(archive, whole, tmp_path):
    lists = archive.paths.with_name("cc-index-table.paths.gz").as_uri()
    extract_archive([lists], tmp_path / "uri", QUARK, base=archive.root.as_uri(), pool=HERE)
    assert rows_of(tmp_path / "uri") == rows_of(whole[0])
    folder = archive.index.parent.as_uri()
    wanted = RecordFilter(hosts=("www.site3.cn",))
    extract_archive([folder], tmp_path / "folder", QUARK, base=archive.root.as_uri() + "/", record_filter=wanted, pool=HERE)  # fmt: skip
    expected = {url: row for url, row in rows_of(whole[0]).items() if row["host"] == "www.site3.cn"}
    assert rows_of(tmp_path / "folder") == expected != {}


def test_files_of_the_same_name_have_parts_of_their_own(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=1, n_pages=4)
    other = make_archive(tmp_path / "other", n_files=2, n_pages=4)
    second = other.warcs[1]
    second.rename(second.with_name(made.warcs[0].name))
    sources = [str(made.warcs[0]), str(second.with_name(made.warcs[0].name))]
    extract_archive(sources, tmp_path / "out", QUARK, pool=HERE)
    assert rows_of(tmp_path / "out").keys() == pages_of(other).keys()


def test_failed_files_are_done_again_if_asked(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=2, n_pages=10)
    path = made.warcs[1]
    good = path.read_bytes()
    row = made.rows[15]
    at = row["warc_record_offset"] + 40
    path.write_bytes(good[:at] + bytes(30) + good[at + 30 :])
    given = {"base": str(made.root), "pool": HERE}
    report = extract_archive([str(made.paths)], tmp_path / "out", QUARK, **given)
    assert sum(report.counts.damages.values()) >= 1
    path.write_bytes(good)
    report = extract_archive([str(made.paths)], tmp_path / "out", QUARK, **given)
    assert sum(report.counts.damages.values()) >= 1
    report = extract_archive([str(made.paths)], tmp_path / "out", QUARK, retry_failed=True, **given)
    assert report.counts.damages == {}
    assert list(archive_failures(tmp_path / "out", "quark")) == []
    assert rows_of(tmp_path / "out").keys() == pages_of(made).keys()


def test_rows_stay_until_there_are_others(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=2, n_pages=10)
    path = made.warcs[1]
    good = path.read_bytes()
    at = made.rows[15]["warc_record_offset"] + 40
    bad = good[:at] + bytes(30) + good[at + 30 :]
    path.write_bytes(bad)
    given = {"base": str(made.root), "pool": HERE}
    sources, out = [str(made.paths)], tmp_path / "out"
    first = extract_archive(sources, out, QUARK, **given)
    rows, failures = rows_of(out), list(archive_failures(out, "quark"))
    assert failures
    path.unlink()
    report = extract_archive(sources, out, QUARK, retry_failed=True, **given)
    assert list(report.unreadable) == [path.relative_to(made.root).as_posix()]
    assert (report.files, report.counts) == (2, first.counts)
    assert rows_of(out) == rows
    assert list(archive_failures(out, "quark")) == failures

    path.write_bytes(bad)

    def stop(report):
        if report.records > 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract_archive(sources, out, QUARK, retry_failed=True, on_progress=stop, **given)
    assert rows_of(out) == rows
    assert list(archive_failures(out, "quark")) == failures
    # A run that was killed between the part and its list of damages.
    path.write_bytes(good)
    (listed,) = (out / "quark" / "_damages").iterdir()
    noted = listed.read_bytes()
    extract_archive(sources, out, QUARK, retry_failed=True, **given)
    assert not listed.exists()
    listed.write_bytes(noted)
    extract_archive(sources, out, QUARK, **given)
    assert list(archive_failures(out, "quark")) == []
    assert rows_of(out).keys() == pages_of(made).keys()


@pytest.mark.full
@pytest.mark.parametrize("source", ["index", "warcs"])
def test_a_page_that_kills_its_process_costs_no_other(tmp_path, source, monkeypatch):
    made = make_archive(tmp_path / "cc", n_files=2, n_pages=15)
    monkeypatch.setattr(job, "extract_record", toys.unlucky_record)
    monkeypatch.setattr(job, "extract_records", toys.unlucky_records)
    sources = [str(made.index)] if source == "index" else [str(made.paths)]
    given = {"base": str(made.root)}
    pool = PoolOptions(2, timeout_s=3)
    report = extract_archive(sources, tmp_path / "out", QUARK, pool=pool, **given)
    assert report.counts.failures == {"crash": 1, "timeout": 1, "error": 1}
    rows = rows_of(tmp_path / "out")
    assert rows.keys() >= pages_of(made).keys()
    failed = {url.rpartition("/")[2]: row["detail"] for url, row in rows.items() if row["failure"]}
    assert failed == {
        "p3.html": "crash: SIGSEGV", "p5.html": "timeout", "p11.html": "error: ValueError: 坏",
    }  # fmt: skip
    assert len(list(archive_failures(tmp_path / "out", "quark"))) == 3
    monkeypatch.undo()
    extract_archive(sources, tmp_path / "out", QUARK, pool=HERE, retry_failed=True, **given)
    rows = rows_of(tmp_path / "out")
    assert rows.keys() == pages_of(made).keys()
    assert not any(row["failure"] for row in rows.values())


def test_an_index_that_leads_astray_is_damage(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=1, n_pages=5)
    path = min(made.index.rglob("*.parquet"))
    table = pq.read_table(path, partitioning=None)
    urls = table["url"].to_pylist()
    astray = table.set_column(
        table.column_names.index("warc_record_offset"), "warc_record_offset",
        [[*table["warc_record_offset"].to_pylist()[:1], 3, 10**9, *table["warc_record_offset"].to_pylist()[3:]]],
    )  # fmt: skip
    pq.write_table(astray, path)
    out = tmp_path / "out"
    extract_archive([str(path)], out, QUARK, base=str(made.root), pool=HERE)
    kinds = {one["url"]: one["kind"] for one in archive_failures(out, "quark")}
    assert kinds == {urls[1]: "junk", urls[2]: "truncated"}


def test_a_record_of_another_page_is_no_page(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=1, n_pages=2)
    first, second = made.rows
    table = pq.read_table(min(made.index.rglob("*.parquet")), partitioning=None)
    rows = [{**first, **{key: second[key] for key in ("warc_record_offset", "warc_record_length")}}]
    path = tmp_path / "index.parquet"
    pq.write_table(type(table).from_pylist(rows, table.schema), path)
    extract_archive([str(path)], tmp_path / "out", QUARK, base=str(made.root), pool=HERE)
    (damage,) = archive_failures(tmp_path / "out", "quark")
    assert (damage["kind"], damage["url"]) == ("wrong record", first["url"])
    assert second["url"] in damage["detail"]


def test_plain_warc_files_are_read_by_range_too(tmp_path):
    made = make_archive(tmp_path / "cc", n_files=1, n_pages=2)
    row = made.rows[1]
    data = made.warcs[0].read_bytes()[row["warc_record_offset"] :][: row["warc_record_length"]]
    plain = tmp_path / "plain.warc"
    record = gzip.decompress(data)
    plain.write_bytes(b"x" * 100 + record)
    file = StoragePath(str(plain)).open()
    found = read_warc_at(file, 100, len(record))
    assert (found.url, found.offset, found.length) == (row["url"], 100, len(record))
    assert isinstance(read_warc_at(file, 100, len(record) - 9), WarcDamage)
    assert read_warc_at(file, 101, len(record) - 1).kind == "junk"
    assert read_warc_at(file, -5, 10).kind == read_warc_at(file, 5, 0).kind == "truncated"
    file.close()


def test_what_cannot_be_read_is_one_clear_line(archive, tmp_path):
    out, base = tmp_path / "out", str(archive.root)
    index = min(archive.index.rglob("*.parquet"))
    table = pq.read_table(index, partitioning=None)
    pq.write_table(table.drop_columns(["warc_filename"]), tmp_path / "other.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    (tmp_path / "x.paths.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"other\.parquet: is no index of records.*warc_filename"):
        extract_archive([str(tmp_path / "other.parquet")], out, QUARK, base=base)
    with pytest.raises(InputError, match=r"broken\.parquet: is no index"):
        extract_archive([str(tmp_path / "broken.parquet")], tmp_path / "o2", QUARK, base=base)
    with pytest.raises(InputError, match="is no list of paths"):
        extract_archive([str(tmp_path / "x.paths.gz")], tmp_path / "o3", QUARK)
    with pytest.raises(StoreError, match="No such file or directory"):
        extract_archive([str(tmp_path / "gone.paths.gz")], tmp_path / "o4", QUARK)
    with pytest.raises(ConfigError, match="not both"):
        extract_archive([str(archive.warcs[0]), str(index)], tmp_path / "o5", QUARK)
    with pytest.raises(ConfigError, match="do not tell their language"):
        extract_archive([str(archive.warcs[0])], tmp_path / "o6", QUARK, record_filter=RecordFilter(languages=("zho",)))  # fmt: skip
    with pytest.raises(ConfigError, match="three letters"):
        extract_archive([str(index)], tmp_path / "o7", QUARK, record_filter=RecordFilter(languages=("zh",)))  # fmt: skip
    with pytest.raises(ConfigError, match="site_pages must be 0"):
        extract_archive([str(index)], tmp_path / "o8", ExtractionOptions("quark"))


def test_rows_of_another_archive_are_not_mixed_in(archive, whole, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(whole[0], out)
    with pytest.raises(ConfigError, match="--restart"):
        extract_archive([str(archive.warcs[0])], out, QUARK, pool=HERE)
    report = extract_archive([str(archive.warcs[0])], out, QUARK, pool=HERE, restart=True)
    assert report.files == 1
    assert len(rows_of(out)) == report.counts.pages < 100
    with pytest.raises(StoreError, match="no extraction from an archive"):
        archive_extractions(tmp_path, "default")
