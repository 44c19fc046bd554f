"""A real S3-speaking server for tests that keeps its objects on disk, from npm (see Makefile)."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from quarkcrawl.store import StoragePath
from tests.redis.server import free_port

__all__ = ["ObjectServer", "get_folder", "put_folder", "server_folder"]

_HERE = Path(__file__).parent
_KEY = "S3RVER"  # the only one the server knows


def server_folder() -> Path:
    """Where ``make s3-server`` has put the package; the test is skipped where it is not."""
    named = os.environ.get("QUARKCRAWL_S3_SERVER")
    folder = Path(named) if named else _HERE.parents[1] / "build" / "s3server"
    if shutil.which("node") is None or not (folder / "node_modules").is_dir():
        pytest.skip("no S3 server: make s3-server (needs node and npm)")
    return folder


class ObjectServer:
    """Started on a free port, with objects in a folder of its own; can be killed and restarted."""

    start_s = 60.0

    def __init__(self, folder: Path) -> None:
        self._package = server_folder()
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs; nothing else is asked for credentials."""
        return {
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": _KEY,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",  # it knows no newer checksums
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    def start(self) -> None:
        # The server encrypts the names of further pages of a listing by an algorithm that OpenSSL
        # has put aside.
        command = ["node", "--openssl-legacy-provider", str(_HERE / "serve.js")]
        self.process = subprocess.Popen(
            [*command, str(self._package), str(self.folder), str(self.port)],
            stdin=subprocess.PIPE,  # its end tells the server that nobody needs it
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + self.start_s
        while not self.answers():
            assert self.process.poll() is None, "the S3 server does not start"
            assert time.monotonic() < deadline, "the S3 server does not answer"
            time.sleep(0.02)

    def answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def kill(self) -> None:
        """SIGKILL: no clean-up of any kind."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def restart(self) -> None:
        """Kill it; the next one finds port and objects as they are."""
        self.kill()
        self.start()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.kill()


def put_folder(folder: Path, target: StoragePath) -> None:
    """Copy what is below a folder of this machine."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "LOCK":
            (target / path.relative_to(folder).as_posix()).put(path)


def get_folder(source: StoragePath, folder: Path) -> None:
    """Copy what is below a folder of the server."""
    for name in source.sizes():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).fetch(folder / name)
