"""Jobs over an object store whose server is killed and restarted in the middle: as on this disk."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus, extraction_failures, extractions
from quarkcrawl.corpus.archive import archive_extractions, extract_archive
from quarkcrawl.corpus.warc import export_warc, import_warc
from quarkcrawl.dataset import ExportOptions, export_dataset
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import CorpusLockedError, InputError, StorageUnreachableError, StoreError
from quarkcrawl.refine import RefineOptions, label_table, refine_corpus, repeat_table
from quarkcrawl.store import (
    Corpus,
    StoragePath,
    collect_info,
    corpus_places,
    working_copy,
    workingcopy,
)
from tests.corpus.archive.commoncrawl import make_archive
from tests.refine.corpora import add, body, make_corpus
from tests.s3.server import get_folder, put_folder

OPTIONS = ExtractionOptions(site_pages=16)
POOL = PoolOptions(workers=2)
COPY = "http://copy.lab.cn/0.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A corpus on this disk."""
    root = tmp_path_factory.mktemp("made") / "corpus"
    make_corpus(root, 60)
    add(root, {COPY: body(0), "http://empty.lab.cn/": b"<html></html>"})
    return root


@pytest.fixture(scope="module")
def local(made, tmp_path_factory) -> Path:
    """The same with all that jobs make of it."""
    folder = tmp_path_factory.mktemp("local")
    root = shutil.copytree(made, folder / "corpus")
    extract_corpus(root, OPTIONS, pool=POOL)
    refine(root)
    export(root, folder / "texts")
    return root


def refine(root: Path | str):
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        return refine_corpus(engine, root, RefineOptions(), pool=POOL)


def export(root: Path | str, out: Path | str, **how):
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        return export_dataset(engine, root, out, ExportOptions(name="texts"), **how)


def by_url(table: ds.Dataset) -> dict[str, dict]:
    rows = table.to_table().to_pylist()
    found = {row["url"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def label_rows(root: Path) -> dict[str, dict]:
    tables = (label_table(root), repeat_table(root))
    return {
        str(table.path.name): by_url(ds.dataset([str(path) for path in table.files()]))
        for table in tables
    }


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "_results.json"
    }


def listed(place: StoragePath) -> set[str]:
    """What the list of results names; all of it is there, and nobody is writing."""
    noted = json.loads((place / "_results.json").read_bytes())
    sizes = place.sizes()
    assert noted["is_whole"]
    assert {name: sizes[name] for name in noted["files"]} == {
        name: one["size"] for name, one in noted["files"].items()
    }
    assert "_writer.json" not in sizes
    return set(noted["files"])


@pytest.mark.full
def test_a_corpus_is_read_where_it_lies(made, bucket):
    put_folder(made, bucket / "corpus")
    corpus, stored = Corpus.open(made), Corpus.open(f"{bucket}/corpus")
    rows = list(corpus.pages())
    assert list(stored.pages()) == rows
    assert list(stored.hosts()) == list(corpus.hosts())
    assert stored.info() == corpus.info()
    assert [stored.read(row).data for row in rows] == [corpus.read(row).data for row in rows]
    assert stored.page(rows[0]).html == corpus.page(rows[0]).html
    assert not list(stored.root.rglob("page.dat"))
    with working_copy(f"{bucket}/corpus") as job:
        assert collect_info(job.path) == collect_info(made)


def test_what_is_no_corpus_says_so(bucket):
    (bucket / "folder/x").put(b"1")
    with pytest.raises(StoreError, match=r"folder: the folder is no corpus \(corpus.json is miss"):
        Corpus.open(f"{bucket}/folder")


@pytest.mark.full
def test_extract_refine_and_export_with_a_server_that_is_killed(
    local, made, bucket, faults, tmp_path
):
    put_folder(made, bucket / "corpus")
    root, texts = f"{bucket}/corpus", f"{bucket}/texts"
    pages = []

    def kill_in_the_middle(report) -> None:
        pages.append(report.extracted)
        if len(pages) in {5, 30}:
            faults.kill()

    faults.at_every(11)
    report = extract_corpus(root, OPTIONS, pool=POOL, on_progress=kill_in_the_middle)
    assert faults.kills >= 3
    assert (report.corpus, report.extracted, report.failures) == (root, len(pages), {})
    assert report.folder == f"{root}/analysis/extractions/default"
    faults.at_every(13)
    assert refine(root).failures == {}
    assert faults.kills >= 3
    faults.at_every(13)
    exported = export(root, texts)
    assert faults.kills >= 3
    assert (exported.corpus, exported.out) == (root, texts)
    faults.at_every(0)
    faults.finish()
    get_folder(bucket / "corpus", tmp_path / "back")
    assert by_url(extractions(tmp_path / "back")) == by_url(extractions(local))
    assert label_rows(tmp_path / "back") == label_rows(local)
    assert listed(bucket / "corpus") == {
        name for name in digests(tmp_path / "back") if is_of_jobs(name)
    }
    get_folder(bucket / "texts", tmp_path / "texts")
    assert digests(tmp_path / "texts") == digests(local.parent / "texts")
    assert listed(bucket / "texts") == digests(local.parent / "texts").keys()
    assert not list(tmp_path.glob("quarkcrawl-*/*"))  # nothing is left of the jobs here


def is_of_jobs(name: str) -> bool:
    folders = ("extractions", "labels", "dedup", "near")
    return name.startswith(tuple(f"analysis/{folder}/" for folder in folders))


@pytest.mark.full
def test_archives_of_the_store_with_a_server_that_is_killed(bucket, faults, tmp_path):
    made = make_archive(tmp_path / "cc", n_files=3, n_pages=40, damaged_every=25)
    put_folder(tmp_path / "cc", bucket / "cc")
    options = ExtractionOptions(site_pages=0)
    index = made.index.relative_to(tmp_path / "cc")
    extract_archive([str(made.index)], tmp_path / "rows", options, base=str(made.root), pool=POOL)
    report = extract_archive([str(made.paths)], tmp_path / "all", options, base=str(made.root))
    faults.at_every(9)
    extract_archive(
        [f"{bucket}/cc/{index}"], f"{bucket}/rows", options, base=f"{bucket}/cc", pool=POOL
    )
    assert faults.kills >= 3
    faults.at_every(5)
    listing = f"{bucket}/cc/{made.paths.relative_to(tmp_path / 'cc')}"
    stored = extract_archive([listing], f"{bucket}/all", options, base=f"{bucket}/cc", pool=POOL)
    assert faults.kills >= 3
    faults.at_every(0)
    assert stored.folder == f"{bucket}/all/default"
    assert stored.counts == report.counts
    for name in ("rows", "all"):
        get_folder(bucket / name, tmp_path / "back" / name)
        expected, found = (
            by_url(archive_extractions(folder))
            for folder in (tmp_path / name, tmp_path / "back" / name)
        )
        assert found == expected
        assert listed(bucket / name)


@pytest.mark.full
def test_import_warc_with_a_server_that_is_killed(made, bucket, faults, tmp_path):
    export_warc(made, tmp_path / "warcs", max_file_bytes=30_000)
    put_folder(tmp_path / "warcs", bucket / "warcs")
    import_warc([tmp_path / "warcs"], tmp_path / "local")
    faults.at_every(3)
    report = import_warc([f"{bucket}/warcs"], tmp_path / "stored", pool=POOL)
    assert faults.kills >= 2
    assert report.damages == []
    assert report.files == len(list((tmp_path / "warcs").glob("*.warc.gz"))) > 2
    expected, found = Corpus.open(tmp_path / "local"), Corpus.open(tmp_path / "stored")
    assert list(found.pages()) == list(expected.pages())
    assert [found.read(row) for row in found.pages()] == [
        expected.read(row) for row in expected.pages()
    ]
    with pytest.raises(StoreError, match=r"nothing: cannot read \(No such file"):
        import_warc([f"{bucket}/nothing"], tmp_path / "no")


@pytest.mark.full
def test_a_server_that_stays_away_stops_a_job_which_goes_on_later(
    made, bucket, object_server, monkeypatch, tmp_path
):
    """What is done is not lost, no page counts as failed, and nobody sees half of it."""
    put_folder(made, bucket / "corpus")
    monkeypatch.setattr(workingcopy, "PUBLISH_EVERY_S", 1e9)
    monkeypatch.setenv("QUARKCRAWL_STORAGE_PATIENCE_S", "1")
    root, out = f"{bucket}/corpus", f"{bucket}/rows"
    options = ExtractionOptions(site_pages=0)
    pool = PoolOptions(workers=1, in_process=True)

    def kill(report) -> None:
        if report.extracted == 20:
            object_server.kill()

    with pytest.raises(StorageUnreachableError, match="does not answer") as caught:
        extract_corpus(root, options, out=out, pool=pool, on_progress=kill)
    assert str(caught.value).startswith("s3://")
    assert "\n" not in str(caught.value)
    object_server.start()
    assert listed_unless_claimed(bucket / "rows") == set()
    monkeypatch.setenv("QUARKCRAWL_STORAGE_PATIENCE_S", "300")
    report = extract_corpus(root, options, out=out, pool=pool)
    assert report.done_before >= 20
    assert report.failures == {}
    assert list(extraction_failures(root, out=out)) == []
    get_folder(bucket / "rows", tmp_path / "back")
    extract_corpus(made, options, out=tmp_path / "local", pool=pool)
    expected, found = (
        by_url(extractions(made, out=folder)) for folder in (tmp_path / "local", tmp_path / "back")
    )
    assert found == expected
    assert listed(bucket / "rows")


def listed_unless_claimed(place: StoragePath) -> set[str]:
    return set(json.loads((place / "_results.json").read_bytes())["files"])


@pytest.mark.full
def test_a_second_writer_is_refused_and_a_dead_one_is_not(made, bucket):
    put_folder(made, bucket / "corpus")
    out, options = f"{bucket}/rows", ExtractionOptions(site_pages=0)
    pool = PoolOptions(workers=1, in_process=True)
    holder = {"pid": 1, "host_name": "other", "started": "2026", "command": "x", "token": "t"}
    (bucket / "rows/_writer.json").put(json.dumps(holder).encode())
    with pytest.raises(CorpusLockedError, match="in use by process 1 on other since 2026") as error:
        extract_corpus(made, options, out=out, pool=pool)
    assert error.value.where == f"{bucket}/rows/_writer.json"
    (bucket / "rows/_writer.json").delete()

    def take_over(report) -> None:
        if report.extracted == 3:
            (bucket / "rows/_writer.json").put(json.dumps(holder).encode())

    with pytest.raises(CorpusLockedError, match="in use by process 1 on other"):
        extract_corpus(made, options, out=out, pool=pool, on_progress=take_over)
    assert listed_unless_claimed(bucket / "rows") == set()


@pytest.mark.full
def test_what_is_finished_is_published_while_a_job_runs(made, bucket, monkeypatch):
    put_folder(made, bucket / "corpus")
    monkeypatch.setattr(workingcopy, "PUBLISH_EVERY_S", 0.0)
    seen = []

    def look(report) -> None:
        seen.append(len(listed_unless_claimed(bucket / "corpus")))

    pool = PoolOptions(workers=1, in_process=True)
    extract_corpus(f"{bucket}/corpus", ExtractionOptions(site_pages=0), pool=pool, on_progress=look)
    assert sorted(seen) == seen
    assert len(set(seen)) > 2


@pytest.mark.full
def test_a_data_set_is_replaced_as_a_whole_and_leftovers_are_not_believed(local, bucket, tmp_path):
    texts = f"{bucket}/texts"
    (bucket / "texts/data/train-00000.parquet").put(b"half an upload")
    noted = {"files": {}, "is_whole": True, "coming": ["data/train-00000.parquet"]}
    (bucket / "texts/_results.json").put(json.dumps(noted).encode())
    export(local, texts)
    get_folder(bucket / "texts", tmp_path / "texts")
    assert digests(tmp_path / "texts") == digests(local.parent / "texts")
    with pytest.raises(InputError, match=r"s3://.*/texts: is there; --replace"):
        export(local, texts)
    (bucket / "texts/data/train-old.parquet").put(b"of an earlier version")
    noted = json.loads((bucket / "texts/_results.json").read_bytes())
    noted["files"]["data/train-old.parquet"] = {"size": 21, "digest": None}
    noted["is_whole"] = False  # a writer was killed
    (bucket / "texts/_results.json").put(json.dumps(noted).encode())
    export(local, texts, replace=True)
    assert listed(bucket / "texts") == digests(local.parent / "texts").keys()
    assert not (bucket / "texts/data/train-old.parquet").exists()


@pytest.mark.full
def test_results_that_were_damaged_are_not_taken(local, bucket):
    put_folder(local, bucket / "corpus")
    name = next(n for n in (bucket / "corpus").sizes() if "extractions/default/bucket=" in n)
    with working_copy(f"{bucket}/corpus", ["extractions/default"], writes=True):
        pass  # makes the list
    data = (bucket / "corpus" / name).read_bytes()
    (bucket / "corpus" / name).put(data[:-1])
    with pytest.raises(StoreError, match="is not what the list of results says") as caught:
        list(extraction_failures(f"{bucket}/corpus"))
    assert caught.value.where == f"{bucket}/corpus/{name}"


def test_a_folder_of_others_is_not_taken_for_a_data_set(local, bucket):
    (bucket / "theirs/letter.txt").put(b"dear")
    for replace in (False, True):
        with pytest.raises(InputError, match="theirs: is there and no data set"):
            export(local, f"{bucket}/theirs", replace=replace)
    assert list((bucket / "theirs").sizes()) == ["letter.txt"]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "quarkcrawl", *words]


def is_killed_in_the_middle(words: list[str], folder: Path, name: str) -> bool:
    """Run a command and kill it once it has finished a part; False: it was done before."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    parts = f"quarkcrawl-*/{name}-*/files/{name}/default/bucket=*/part-*.parquet"
    deadline = time.monotonic() + 600
    while process.poll() is None and not list(folder.glob(parts)):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return process.returncode == -signal.SIGKILL


@pytest.mark.full
def test_a_command_that_is_killed_goes_on_where_it_was(made, bucket, tmp_path):
    put_folder(made, bucket / "corpus")
    root = f"{bucket}/corpus"
    for number in range(5):  # on a busy machine it may be done before the signal comes
        out = f"{bucket}/rows{number}"
        words = command("extract", root, "--out", out, "--site-pages", "0", "--workers", "1")
        if is_killed_in_the_middle(words, tmp_path, f"rows{number}"):
            break
    else:
        pytest.fail("always ended before it could be killed")
    place = StoragePath(out)
    sizes = place.sizes()
    noted = json.loads((place / "_results.json").read_bytes())["files"]
    assert {name: sizes[name] for name in noted} == {n: one["size"] for n, one in noted.items()}
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["done_before"] > 0
    assert report["done_before"] + report["extracted"] == report["pages"] == 63
    assert (report["corpus"], report["folder"]) == (root, f"{out}/default")
    get_folder(place, tmp_path / "back")
    extract_corpus(made, ExtractionOptions(site_pages=0), out=tmp_path / "local", pool=POOL)
    expected, found = (
        by_url(extractions(made, out=folder)) for folder in (tmp_path / "local", tmp_path / "back")
    )
    assert found == expected
    assert listed(place)


@pytest.mark.full
def test_the_commands_take_uris(local, bucket, tmp_path):
    put_folder(local, bucket / "corpus")
    root = f"{bucket}/corpus"

    def run(*words: str) -> str:
        return subprocess.run(
            command(*words), stdout=subprocess.PIPE, text=True, check=True, cwd=tmp_path
        ).stdout

    assert json.loads(run("corpus", "info", root, "--json"))["pages"] == 63
    assert json.loads(run("refine", root, "--workers", "1"))["labelled"] == 0  # all are done
    told = json.loads(run("export", root, "--out", f"{bucket}/texts"))
    assert told["out"] == f"{bucket}/texts"
    assert listed(bucket / "texts") == digests(local.parent / "texts").keys()
    assert run("extract", root, "--failures") == ""
    wrong = subprocess.run(
        command("corpus", "verify", root), capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "reads folders of this machine only" in wrong.stderr


@pytest.mark.full
def test_shards_are_read_as_one(bucket, tmp_path):
    root, stored = tmp_path / "crawl", f"{bucket}/crawl"
    for number in (1, 2):
        add(root / f"workers/00{number}", {f"http://h{number}.cn/{k}": body(k) for k in range(9)})
    put_folder(root, StoragePath(stored))
    assert corpus_places(stored) == [f"{stored}/workers/001", f"{stored}/workers/002"]
    options, pool = ExtractionOptions(site_pages=0), PoolOptions(workers=1, in_process=True)
    for place in (*corpus_places(root), *corpus_places(stored)):
        assert extract_corpus(place, options, pool=pool).extracted == 9
    with working_copy(stored) as job:
        assert collect_info(job.path) == collect_info(root)
    refine(root)
    refine(stored)
    get_folder(StoragePath(stored), tmp_path / "back")
    assert label_rows(tmp_path / "back") == label_rows(root)
    extract_corpus(f"{stored}/workers/002", options, pool=pool, restart=True)
    assert refine(stored).labelled == 0  # the same texts
