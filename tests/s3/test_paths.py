"""Files of an object store: read by range, listed, written whole, while its server dies."""

from __future__ import annotations

import os
import threading
import time

import pytest

from quarkcrawl.errors import InputError, StorageUnreachableError, StoreError
from quarkcrawl.store import StoragePath


@pytest.mark.full
def test_a_large_file_comes_back_and_is_read_by_range(bucket, tmp_path):
    data = os.urandom(23 << 20)  # several parts of an upload
    (tmp_path / "big").write_bytes(data)
    path = bucket / "folder/big 中.gz"
    path.put(tmp_path / "big")
    file = path.open()
    assert file.size == len(data)
    assert file.read_at(12 << 20, 1000) == data[12 << 20 :][:1000]
    assert file.read_at(len(data) - 5, 100) == data[-5:]
    assert file.read_at(len(data), 100) == b""
    file.close()
    path.fetch(tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == data


def test_names_are_listed_however_many_and_deleted(bucket, object_server):
    names = [f"d{n % 3}/deep/{n:04}" for n in range(1030)]  # more than a page of a listing
    folder = object_server.folder / bucket.name / "many"
    for name in names[:-1]:
        path = folder / f"{name}._S3rver_object"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    (bucket / "many" / names[-1]).put(b"")
    assert list((bucket / "many").sizes()) == sorted(names)
    assert (bucket / "many").sizes()[names[-1]] == 0
    assert [path.text for path in (bucket / "many/d1").files()] == [
        f"{bucket}/many/{name}" for name in names[1::3]
    ]
    gone = bucket / "many" / names[0]
    assert gone.exists()
    gone.delete()
    assert not gone.exists()
    gone.delete()  # again
    assert (bucket / "nothing").sizes() == {}


def test_what_is_not_there_is_said_in_one_line(bucket):
    with pytest.raises(StoreError, match="No such file") as caught:
        (bucket / "none.warc").open()
    assert str(caught.value).startswith(f"{bucket}/none.warc: ")
    assert "\n" not in str(caught.value)
    with pytest.raises(StoreError, match="no-such-bucket/x: cannot write"):
        StoragePath("s3://no-such-bucket/x").put(b"1")


def test_credentials_in_a_path_are_refused_and_not_printed(bucket):
    path = StoragePath("s3://key:GEHEIM@bucket/a") / "b"
    with pytest.raises(InputError) as caught:
        path.open()
    assert "GEHEIM" not in str(caught.value)
    assert "***@bucket/a/b" in str(caught.value)


def test_the_server_may_be_named_in_the_path(bucket, object_server, monkeypatch):
    (bucket / "a").put(b"here")
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    options = f"?endpoint_override=127.0.0.1:{object_server.port}&scheme=http&region=us-east-1"
    named = StoragePath(bucket.text + options) / "a"
    assert named.read_bytes() == b"here"
    with pytest.raises(InputError, match="no option endpoint;"):
        StoragePath(f"{bucket}/a?endpoint=x").read_bytes()


def test_a_wrong_key_is_told_at_once(bucket, monkeypatch):
    (bucket / "a").put(b"here")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_ENDPOINT_URL", os.environ["AWS_ENDPOINT_URL"] + "/")  # another client
    from quarkcrawl.store import storagepath

    storagepath._s3_file_system.cache_clear()
    with pytest.raises(StoreError) as caught:
        (bucket / "a").open()
    storagepath._s3_file_system.cache_clear()
    assert not isinstance(caught.value, StorageUnreachableError)


@pytest.mark.full
def test_a_server_that_comes_back_costs_nothing_but_time(bucket, object_server, tmp_path):
    data = os.urandom(11 << 20)
    (bucket / "a").put(data)
    file = (bucket / "a").open()
    object_server.kill()
    thread = threading.Timer(1.0, object_server.start)
    thread.start()
    try:
        assert file.read_at(5, 9 << 20) == data[5 : 5 + (9 << 20)]
    finally:
        thread.join()
        file.close()
    object_server.kill()
    thread = threading.Timer(1.0, object_server.start)
    thread.start()
    try:
        (bucket / "b").put(data)
    finally:
        thread.join()
    assert (bucket / "b").read_bytes() == data


@pytest.mark.full
def test_a_server_that_stays_away_is_named_by_the_path(bucket, object_server, monkeypatch):
    (bucket / "a").put(b"1")
    monkeypatch.setenv("QUARKCRAWL_STORAGE_PATIENCE_S", "1")
    object_server.kill()
    try:
        for call in (
            (bucket / "a").read_bytes,
            (bucket / "a").exists,
            bucket.sizes,
            (bucket / "a").delete,
            lambda: (bucket / "a").put(b"2"),
        ):
            with pytest.raises(StorageUnreachableError, match="does not answer") as caught:
                call()
            assert str(caught.value).startswith(bucket.text)
            assert "\n" not in str(caught.value)
    finally:
        object_server.start()
    assert (bucket / "a").read_bytes() == b"1"


@pytest.mark.full
def test_kills_during_uploads_leave_no_half_object_for_a_whole_one(bucket, object_server):
    """The server is killed while objects are written; each is whole in the end."""
    written = {}
    writing = threading.Event()

    def kill_some_times():
        for _ in range(4):
            writing.wait()
            writing.clear()
            time.sleep(0.02)
            object_server.restart()

    thread = threading.Thread(target=kill_some_times)
    thread.start()
    while thread.is_alive() or len(written) < 6:
        data = os.urandom(6 << 20)
        writing.set()
        (bucket / f"o{len(written)}").put(data)
        written[f"o{len(written)}"] = data
    thread.join()
    assert {name: (bucket / name).read_bytes() == data for name, data in written.items()} == (
        dict.fromkeys(written, True)
    )
