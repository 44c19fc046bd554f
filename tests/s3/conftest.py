"""One S3-speaking server for the tests of a process, and a bucket for each test."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from quarkcrawl.store import StoragePath, patiently, storagepath
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
    monkeypatch.setenv("QUARKCRAWL_STORAGE_PATIENCE_S", "300")  # a busy machine starts it slowly
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    name = f"bucket-{next(_NUMBERS)}"
    (object_server.folder / name).mkdir()
    return StoragePath(f"s3://{name}")


class Faults:
    """Kills the server in the middle of a job: at every nth call on it, and starts it again."""

    def __init__(self, server: ObjectServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._start: threading.Timer | None = None
        self._every = 0
        self._n_calls = self.kills = 0

    def at_every(self, n: int) -> None:
        """From now on at every nth call of this process."""
        self._every, self._n_calls, self.kills = n, 0, 0

    def patiently(self, call, where):
        """In place of the real one, which it calls."""
        with self._lock:
            self._n_calls += 1
            if self._every and self._n_calls % self._every == 0 and self.kills < 5:
                self.kill()
        return patiently(call, where)

    def kill(self) -> None:
        """SIGKILL now; half a second later the server is there again."""
        self.finish()
        self._server.kill()
        self.kills += 1
        self._start = threading.Timer(0.5, self._server.start)
        self._start.start()

    def finish(self) -> None:
        if self._start is not None:
            self._start.join()
            self._start = None


@pytest.fixture
def faults(object_server, monkeypatch):
    made = Faults(object_server)
    monkeypatch.setattr(storagepath, "patiently", made.patiently)
    yield made
    made.finish()
