from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.errors import StorageFullError, StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.journal import replay
from quarkcrawl.store.tables.rows import DropRow
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import make_body, make_item

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    place = tmp_path / "small"
    place.mkdir()
    command = [str(mount), "-t", "tmpfs", "-o", "size=512k", "none", str(place)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        yield place
    finally:
        subprocess.run([str(umount), "--lazy", str(place)], check=True)


def item(number: int):
    host = f"h{number % 4}.cn"
    return make_item(number, host=host, body=make_body(number, n_words=1500))


def fill(writer: CorpusWriter) -> list[str]:
    """Append until the disk is full; returns the URLs stored."""
    stored = []
    with pytest.raises(StorageFullError) as caught:  # noqa: PT012
        for number in range(10_000):
            row = writer.append_page(item(number))
            stored.append(row.url)
    assert caught.value.where is not None
    assert Path(caught.value.where).exists()  # names the file, or the folder it could not make
    return stored


def test_a_full_disk(small_disk: Path) -> None:
    root = small_disk / "corpus"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(220_000))  # room to compact in, once it is gone
    writer = CorpusWriter(root)
    stored = fill(writer)
    assert len(stored) > 5
    for _ in range(3):  # full is full, but nothing is torn
        with pytest.raises(StorageFullError):
            writer.append_page(item(len(stored)))
    assert [row.url for row in replay(root)] == stored
    assert list(verify(root)) == []
    group = writer.sync()
    assert group.synced
    with pytest.raises(StorageFullError, match="compaction failed, the next run makes it up"):
        writer.close()  # no room to compact: the rows stay in the journal
    assert sorted(row.url for row in iter_rows(root, "page")) == sorted(stored)
    assert list(verify(root)) == []
    ballast.unlink()
    with CorpusWriter(root) as writer:
        assert writer.recovery.nothing_done
        writer.append_page(item(len(stored)))
        writer.append_row(DropRow("http://a.cn/", "a.cn", "r", "", 1, 0.0))
    assert Corpus.open(root).info().pages == len(stored) + 1
    assert list((root / "journal").iterdir()) == []
    assert list(verify(root)) == []


def test_going_on_as_soon_as_there_is_room(small_disk: Path) -> None:
    root = small_disk / "corpus"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(200_000))
    with CorpusWriter(root) as writer:
        stored = fill(writer)
        ballast.unlink()
        for number in range(len(stored), len(stored) + 5):
            stored.append(writer.append_page(item(number)).url)
        writer.sync().acknowledged()
    assert sorted(row.url for row in iter_rows(root, "page")) == sorted(stored)
    assert list(verify(root)) == []


def test_a_disk_too_full_to_begin(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(512 * 1024))
    with pytest.raises(StoreError):
        CorpusWriter(small_disk / "corpus")


@pytest.mark.full
@pytest.mark.parametrize("n_hosts", [1, 100])
def test_a_limit_on_file_size(tmp_path: Path, n_hosts: int) -> None:
    """EFBIG, as with RLIMIT_FSIZE or a quota on a file, in a process of its own.

    With one host its page.dat is full first; with a hundred the journal, after the page's record
    has been written.
    """
    script = (
        "import sys\n"
        "from tests.store.test_full_disk import limited\n"
        "limited(sys.argv[1], int(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(n_hosts)]
    done = subprocess.run(command, cwd=PROJECT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    n_stored, where = done.stdout.split()
    assert int(n_stored) > 5
    assert Path(where).name == ("page.dat" if n_hosts == 1 else "rows-000001.jsonl")
    assert list(verify(tmp_path)) == []
    with CorpusWriter(tmp_path) as writer:
        assert writer.recovery.nothing_done
        writer.append_page(make_item(int(n_stored), host="new.cn"))
    assert Corpus.open(tmp_path).info().pages == int(n_stored) + 1
    assert list(verify(tmp_path)) == []


def limited(root: str, n_hosts: int) -> None:
    """Fill a corpus whose files may not exceed 60,000 bytes; says how far it came, and where."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    writer = CorpusWriter(root)
    for number in range(10_000):
        body = make_body(number, n_words=1500)
        try:
            writer.append_page(make_item(number, host=f"h{number % n_hosts}.cn", body=body))
        except StorageFullError as error:
            sys.stdout.write(f"{number} {error.where}")
            break
    writer.close()


def test_an_unwritable_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match=r"cannot|no corpus"):
            CorpusWriter(place)
    if os.geteuid() == 0:
        with pytest.raises(StoreError):
            CorpusWriter("/proc/corpus")
