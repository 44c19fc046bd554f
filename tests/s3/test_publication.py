"""Lists of results: what is stopped half-way is gone on with, and nobody takes a part for all."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path
from threading import Lock

import pytest

from quarkcrawl.errors import StorageUnreachableError, StoreError
from quarkcrawl.store import Corpus, read_results, results_folder
from quarkcrawl.store.publication import Manifest, Publication
from tests.s3.server import put_folder
from tests.store.test_corpus import fill


def write(folder: Path, **texts: str) -> None:
    (folder / "d").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "d" / name).write_text(text)


def published(out: str) -> dict[str, str]:
    with read_results(out, "d") as job:
        return {path.name: path.read_text() for path in (job.path / "d").iterdir()}


def names(manifest: Manifest) -> list[str]:
    return sorted(name.removeprefix("d/") for name in manifest.files)


def stopped_at(n_lists: int, out: str, change, server, monkeypatch) -> str:
    """Change results; the server dies when the list was put so often. What the job says."""
    put, n_put = Publication._put, 0

    def kill_then(self, manifest):
        nonlocal n_put
        put(self, manifest)
        n_put += 1
        if n_put == n_lists:
            server.kill()

    def run() -> None:
        with results_folder(out) as job:
            change(job.path)
            patch.setenv("QUARKCRAWL_STORAGE_PATIENCE_S", "1")

    try:
        with monkeypatch.context() as patch:
            patch.setattr(Publication, "_put", kill_then)
            with pytest.raises(StorageUnreachableError) as caught:
                run()
    finally:
        if not server.answers():
            server.start()
    assert n_put == n_lists
    return str(caught.value)


@pytest.mark.full
@pytest.mark.parametrize("n_lists", [1, 2])
def test_a_change_outlives_a_server_that_goes_away_in_the_middle(
    bucket, object_server, monkeypatch, n_lists
):
    """Killed after the list without the changed files, and after the one that has them anew."""
    out = f"{bucket}/rows"
    with results_folder(out) as job:
        write(job.path, a="1", b="1", c="1")

    def change(folder: Path) -> None:
        write(folder, a="2", new="2")
        (folder / "d/c").unlink()

    told = stopped_at(n_lists, out, change, object_server, monkeypatch)
    assert "the next run publishes it" in told
    with results_folder(out) as job:
        there = {path.name: path.read_text() for path in (job.path / "d").iterdir()}
        assert there == {"a": "2", "b": "1", "new": "2"}
    assert published(out) == there


@pytest.mark.full
def test_another_machine_that_has_published_meanwhile_is_believed(
    bucket, object_server, monkeypatch, tmp_path
):
    out = f"{bucket}/rows"
    with results_folder(out) as job:
        write(job.path, a="1")
    stopped_at(1, out, lambda folder: write(folder, a="2"), object_server, monkeypatch)
    (bucket / "rows/_writer.json").delete()
    (tmp_path / "other").mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path / "other"))
        patch.setattr("tempfile.tempdir", None)
        with results_folder(out) as job:
            write(job.path, a="3")
    with results_folder(out) as job:
        assert (job.path / "d/a").read_text() == "3"


def test_what_others_have_brought_stays_in_the_list(bucket, monkeypatch, tmp_path):
    write(tmp_path / "brought", a="1", b="1")
    put_folder(tmp_path / "brought", bucket / "rows")
    out, lists, sent = f"{bucket}/rows", [], []
    put, upload = Publication._put, Publication._upload
    monkeypatch.setattr(
        Publication, "_put", lambda self, one: (lists.append(names(one)), put(self, one))
    )
    monkeypatch.setattr(
        Publication, "_upload", lambda self, name: (sent.append(name), upload(self, name))
    )
    with results_folder(out) as job:
        noted = json.loads((bucket / "rows/_results.json").read_bytes())["files"]
        assert all(one["digest"] for one in noted.values())
        write(job.path, new="2")
    assert lists == [["a", "b"], ["a", "b"], ["a", "b"], ["a", "b", "new"]]
    assert sent == ["d/new"]
    assert published(out) == {"a": "1", "b": "1", "new": "2"}


def meanwhile(monkeypatch, write_something) -> None:
    """Once a reader has read the list, and no file, a writer changes what is there."""
    fetch, lock, todo = Publication._fetch, Lock(), [write_something]

    def fetch_then(publication: Publication, entry):
        with lock:
            while todo:
                todo.pop()(publication)
        return fetch(publication, entry)

    monkeypatch.setattr(Publication, "_fetch", fetch_then)


def test_half_a_list_is_not_taken_for_all(bucket, monkeypatch):
    out = f"{bucket}/rows"
    with results_folder(out) as job:
        write(job.path, a="1", b="1")

    def begin(publication):
        left = {"d/b": publication.manifest().files["d/b"]}
        publication._put(Manifest(left, is_whole=False, coming=["d/a"]))
        (bucket / "rows/d/a").put(b"2")

    meanwhile(monkeypatch, begin)
    with pytest.raises(StoreError, match="its results are being written"):
        published(out)


def test_files_of_an_earlier_list_are_not_kept(bucket, monkeypatch):
    out = f"{bucket}/rows"
    with results_folder(out) as job:
        write(job.path, a="1", b="1")
    with results_folder(f"{bucket}/later") as job:
        write(job.path, a="2")
    later = json.loads((bucket / "later/_results.json").read_bytes())

    def replace(publication):
        (bucket / "rows/d/a").put(b"2")  # b is no more in the list, but not yet deleted
        (bucket / "rows/_results.json").put(json.dumps(later).encode())

    meanwhile(monkeypatch, replace)
    assert published(out) == {"a": "2"}


def test_a_writer_that_fails_at_once_lets_the_next_one_in(bucket, monkeypatch):
    out = f"{bucket}/rows"

    def fail(self, manifest):
        raise StoreError("cannot write", where=self.place)

    with monkeypatch.context() as patch:
        patch.setattr(Publication, "_put", fail)  # the claim is made then
        with pytest.raises(StoreError, match="cannot write"), results_folder(out):
            pytest.fail("has the place")
    assert not (bucket / "rows/_writer.json").exists()
    (bucket / "rows/_results.json").put(b"[]")
    with pytest.raises(StoreError, match="is no list of results"), results_folder(out):
        pytest.fail("has the place")
    assert not (bucket / "rows/_writer.json").exists()


@pytest.mark.full
def test_rows_hold_the_copy_of_their_corpus(bucket, tmp_path):
    fill(tmp_path / "corpus", close=True).close()
    put_folder(tmp_path / "corpus", bucket / "corpus")
    uri, local = f"{bucket}/corpus", Corpus.open(tmp_path / "corpus")
    assert list(Corpus.open(uri).pages()) == list(local.pages()) != []
    assert list(Corpus.open(uri).duplicates()) == list(local.duplicates()) != []
    assert list(Corpus.open(uri).redirects()) == list(local.redirects()) != []
    assert list(Corpus.open(uri).drops()) == list(local.drops()) != []
    corpus = Corpus.open(uri)
    copy = corpus.root
    del corpus
    gc.collect()
    assert not copy.exists()
    dataset = Corpus.open(uri).table()
    gc.collect()
    assert dataset.count_rows() == local.table().count_rows() > 0


@pytest.mark.full
def test_the_copy_goes_when_the_program_ends(bucket, tmp_path):
    fill(tmp_path / "corpus", close=True).close()
    put_folder(tmp_path / "corpus", bucket / "corpus")
    script = (
        "import sys; from quarkcrawl.store import Corpus; corpus = Corpus.open(sys.argv[1]);"
        "print(corpus.table().count_rows(), corpus.root)"
    )
    words = [sys.executable, "-c", script, f"{bucket}/corpus"]
    told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert told[0] == "7"
    assert not Path(told[1]).exists()


def test_a_stopped_job_does_not_take_away_what_another_has_published(bucket):
    out = f"{bucket}/rows"
    with results_folder(out, "other") as job:
        (job.path / "other").mkdir()
        (job.path / "other/file").write_text("1")

    def stop() -> None:
        with results_folder(out, "d") as job:
            write(job.path, a="1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    with results_folder(out, "other") as job:
        assert (job.path / "other/file").read_text() == "1"
    assert published(out) == {"a": "1"}
    assert (bucket / "rows/other/file").read_bytes() == b"1"
