"""Power cuts and failing devices under the store: acknowledged pages are always there.

The workloads run once; hypothesis picks the moment of the power cut and what had reached the disk.
"""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.repair.recovery import recover
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.rows import DropRow
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.writer import CorpusWriter
from tests.profiles import examples
from tests.store.samples import make_item

from .filelayer import Event, Fault, FileLayer
from .powercut import after_power_cut, notes_before

N_PAGES = 90


def page(number: int):
    return make_item(number, host=f"h{number % 4}.cn", body=body(number))


def body(number: int) -> bytes:
    return f"<title>{number}</title><p>{'天网' * (number * 37 % 400)}".encode("gb18030")


def work(root: Path, layer: FileLayer, seed: int, *, start: int = 0) -> None:
    """Store pages; after each group note the number below which all are acknowledged."""
    rng = random.Random(seed)
    writer = CorpusWriter(root, rotate_bytes=9_000, max_open_files=3)
    try:
        number = start
        while number < start + N_PAGES:
            for _ in range(rng.randrange(1, 9)):
                writer.append_page(page(number))
                if rng.random() < 0.3:
                    url = f"http://x.cn/{number}"
                    writer.append_row(DropRow(url, "x.cn", "http_404", "", 2, 1.0))
                number += 1
            group = writer.sync()
            layer.note(number)
            if rng.random() < 0.8:
                group.acknowledged()
    finally:
        writer.close()


class Recording:
    """Not a dataclass: hypothesis would print its events."""

    def __init__(self, events: list[Event], root_inode: int) -> None:
        self.events = events
        self.root_inode = root_inode


def record(root: Path, seed: int) -> Recording:
    root.mkdir()
    layer = FileLayer(root)
    with layer.wrapped():
        work(root, layer, seed)
    return Recording(layer.events, root.stat().st_ino)


@pytest.fixture(scope="module")
def recordings(tmp_path_factory) -> list[Recording]:
    folder = tmp_path_factory.mktemp("recorded")
    return [record(folder / f"corpus{seed}", seed) for seed in range(3)]


def check(root: Path, acknowledged: int) -> None:
    """Every acknowledged page is there and whole; others are absent or whole; no page is twice."""
    with CorpusLock(root):
        recover(root)
    assert list(verify(root)) == []
    corpus = Corpus.open(root)
    rows = list(iter_rows(root, "page"))
    urls = [row.url for row in rows]
    assert len(urls) == len(set(urls))
    bodies = {row.url: corpus.page(row).body for row in rows}
    missing = [n for n in range(acknowledged) if page(n).url not in bodies]
    assert not missing
    for number in range(N_PAGES + 10):
        assert bodies.get(page(number).url, body(number)) == body(number)


def goes_on(root: Path) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(10_000, host="later.cn"))
    assert list(verify(root)) == []


QUICK = settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=1500, suppress_health_check=list(HealthCheck))
MOMENTS = (st.integers(0, 2), st.floats(0, 1), st.integers(0, 2**32))


@QUICK
@given(*MOMENTS)
def test_a_power_cut_at_any_moment(recordings, tmp_path_factory, which, moment, seed):
    cut_power(recordings, tmp_path_factory, which, moment, seed)


@pytest.mark.slow
@LONG
@given(*MOMENTS)
def test_a_power_cut_at_many_moments(recordings, tmp_path_factory, which, moment, seed):
    cut_power(recordings, tmp_path_factory, which, moment, seed)


def cut_power(recordings, tmp_path_factory, which, moment, seed):
    recording = recordings[which]
    cut = int(moment * len(recording.events))
    root = tmp_path_factory.mktemp("cut") / "corpus"
    acknowledged = max(notes_before(recording.events, cut), default=0)
    rng = random.Random(seed)
    after_power_cut(recording.events, cut, root, recording.root_inode, rng)
    if acknowledged or (root / "corpus.json").exists():
        check(root, acknowledged)
        goes_on(root)
    shutil.rmtree(root.parent)


def test_the_model_loses_what_was_not_synced(recordings, tmp_path):
    """Else the test above could not fail."""
    recording = recordings[0]
    unsynced = [e for e in recording.events if e.kind not in ("sync", "note")]
    lost = 0
    for seed in range(10):
        root = tmp_path / str(seed)
        after_power_cut(unsynced, len(unsynced), root, recording.root_inode, random.Random(seed))
        try:
            check(root, N_PAGES)
        except (AssertionError, StoreError, OSError):
            lost += 1
    assert lost == 10


def test_the_model_keeps_what_was_synced(recordings, tmp_path):
    """The whole recording, everything on disk: the corpus is as the writer left it."""
    recording = recordings[1]
    root = tmp_path / "whole"
    after_power_cut(
        recording.events, len(recording.events), root, recording.root_inode, _Everything()
    )
    check(root, N_PAGES)


class _Everything(random.Random):
    def random(self) -> float:
        return 0.0


CODES = st.sampled_from([errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS])
CALLS = st.sampled_from(["write", "sync", "open", "mkdir", "rename", "unlink", "cut"])


FAULTS = (CALLS, st.integers(1, 60), CODES, st.booleans(), st.booleans(), st.integers(0, 2**32))


@pytest.mark.full
@QUICK
@given(*FAULTS)
def test_a_device_that_fails_at_any_call(tmp_path_factory, call, nth, code, lasts, short, seed):
    fail_device(tmp_path_factory, call, nth, code, lasts, short, seed)


@pytest.mark.slow
@LONG
@given(*FAULTS)
def test_a_device_that_fails_often(tmp_path_factory, call, nth, code, lasts, short, seed):
    fail_device(tmp_path_factory, call, nth, code, lasts, short, seed)


def test_a_compaction_that_failed_is_made_up_in_order(tmp_path):
    """Found by the property above: later journal files must wait, or readers lose their rows."""
    layer = FileLayer(tmp_path, Fault("rename", 14))
    with layer.wrapped():
        work(tmp_path, layer, 2)
    check(tmp_path, max(notes_before(layer.events, len(layer.events))))


@pytest.mark.parametrize(
    "seed", [0, 15, *(pytest.param(seed, marks=pytest.mark.full) for seed in (18, 33))]
)
def test_what_was_taken_back_is_gone_after_a_power_cut(tmp_path_factory, seed):
    """Found by the property above: a full disk, the row fails, the page goes, the writer closes."""
    fail_device(tmp_path_factory, "write", 38, errno.EDQUOT, False, False, seed)


def fail_device(tmp_path_factory, call, nth, code, lasts, short, seed):
    """Once or from then on; then the process ends, or the power goes too."""
    root = tmp_path_factory.mktemp("fault") / "corpus"
    root.mkdir()
    inode = root.stat().st_ino
    layer = FileLayer(root, Fault(call, nth, code, lasts=lasts, short=short and call == "write"))
    with layer.wrapped():
        try:
            work(root, layer, seed % 3)
        except StoreError as error:
            assert error.where is not None
        layer.fault = None
    acknowledged = max(notes_before(layer.events, len(layer.events)), default=0)
    if acknowledged or (root / "corpus.json").exists():
        check(root, acknowledged)
        goes_on(root)
    after = root.parent / "after"
    after_power_cut(layer.events, len(layer.events), after, inode, random.Random(seed))
    if acknowledged or (after / "corpus.json").exists():
        check(after, acknowledged)
    shutil.rmtree(root.parent)
