"""One S3-speaking server for the tests of a process, and a bucket for each test."""

from __future__ import annotations

from itertools import count

import pytest

from quarkcrawl.store import StoragePath
from tests.s3.server import ObjectServer

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def object_server(tmp_path_factory):
    server = ObjectServer(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def bucket(object_server, monkeypatch, tmp_path) -> StoragePath:
    """A bucket of its own; the environment names the server, and work folders are in tmp_path."""
    for name, value in object_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    name = f"bucket-{next(_NUMBERS)}"
    (object_server.folder / name).mkdir()
    return StoragePath(f"s3://{name}")
