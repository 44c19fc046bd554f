from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from quarkcrawl.errors import CorpusLockedError, StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.lock import CorpusLock, is_locked
from quarkcrawl.store.repair.salvage.salvage import salvage
from quarkcrawl.store.shards import open_shard
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import make_item

PROJECT = Path(__file__).parents[2]
HOLD = (
    "import sys, time\n"
    "from quarkcrawl.store import CorpusWriter\n"
    "writer = CorpusWriter(sys.argv[1])\n"
    "print('held', flush=True)\n"
    "time.sleep(60)\n"
)


def test_another_process_holds_the_corpus(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        for use in (CorpusWriter, salvage):
            with pytest.raises(CorpusLockedError) as caught:
                use(tmp_path)
            assert f"process {process.pid}" in str(caught.value)
            assert str(tmp_path / "LOCK") in str(caught.value)
        assert list(Corpus.open(tmp_path).pages()) == []  # readers need no lock
        process.send_signal(signal.SIGKILL)
        process.wait()
    with CorpusWriter(tmp_path) as writer:  # a dead holder leaves nothing behind
        writer.append_page(make_item(1))


def test_two_writers_in_one_process(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path), pytest.raises(CorpusLockedError):
        CorpusWriter(tmp_path)
    CorpusWriter(tmp_path).close()


def test_what_the_file_says(tmp_path: Path) -> None:
    with CorpusLock(tmp_path) as lock:
        about = json.loads(lock.path.read_bytes())
        assert about["pid"] == os.getpid()
        assert set(about) == {"pid", "host_name", "started", "command"}
    lock.release()
    lock.path.write_bytes(b"nonsense")
    with CorpusLock(tmp_path):
        os.pwrite(os.open(lock.path, os.O_WRONLY), b"{}", 0)


def test_no_place_for_a_lock(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot write"):
        CorpusLock(tmp_path / "missing")


def test_a_failed_start_lets_go_of_the_lock(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(make_item(1))
    (tmp_path / "salvage-in-progress").touch()
    for _ in range(2):
        with pytest.raises(StoreError, match="interrupted"):
            CorpusWriter(tmp_path)
    salvage(tmp_path)
    CorpusWriter(tmp_path).close()


def _writes_a_shard(out, barrier, places):
    barrier.wait()
    with open_shard(out) as writer:
        places.put(writer.root.name)
        barrier.wait()


@pytest.mark.full
def test_workers_that_start_at_once_get_a_shard_each(tmp_path):
    context = multiprocessing.get_context("fork")
    for turn in range(20):
        barrier, places = context.Barrier(4), context.Queue()
        given = tmp_path / str(turn), barrier, places
        workers = [context.Process(target=_writes_a_shard, args=given) for _ in range(4)]
        for worker in workers:
            worker.start()
        names = sorted(places.get(timeout=60) for _ in workers)
        for worker in workers:
            worker.join(60)
        assert [worker.exitcode for worker in workers] == [0] * 4
        assert len(set(names)) == 4


def test_whoever_looks_sees_the_lock_and_keeps_nobody_out(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    with CorpusLock(tmp_path):
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            is_locked(tmp_path)
            time.sleep(0.0005)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(200):
            CorpusLock(tmp_path).release()
    finally:
        stop.set()
        for looker in lookers:
            looker.join()


def test_the_lock_of_a_killed_writer_is_seen_to_be_free(tmp_path: Path) -> None:
    code = f"from quarkcrawl.store import CorpusLock as L; l = L({str(tmp_path)!r}); print(flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert is_locked(tmp_path)
    process.kill()
    process.communicate()
    assert not is_locked(tmp_path)
