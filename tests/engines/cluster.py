"""A standalone Spark cluster on loopback: one master, two workers, each a process of its own.

    def test_something(spark_cluster):  # a fixture that tests/conftest.py makes known to all
        with spark_session(spark_cluster.url) as spark: ...

One cluster serves all tests of a pytest process. A worker may be killed (`SparkCluster.kill`); the
fixture replaces it before the next test.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest

__all__ = ["SparkCluster", "cluster_process", "spark_cluster", "spark_here"]

_DEPLOY = "org.apache.spark.deploy"
_LAUNCH = "from pyspark.find_spark_home import _find_spark_home; print(_find_spark_home())"


class SparkCluster:
    """Processes of a standalone cluster; a context manager."""

    def __init__(self, folder: Path, *, n_workers: int = 2, worker_memory: str = "1g") -> None:
        self.folder = folder
        self.port = _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.home = _spark_home()
        self.n_workers = n_workers
        self.worker_memory = worker_memory
        self.workers: list[subprocess.Popen] = []
        self._n_started = 0
        self._master = self._start("master", "--port", str(self.port), "--webui-port", "0")

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen:
        self._n_started += 1
        name = f"{kind}-{self._n_started}"
        work = self.folder / name
        work.mkdir(parents=True)
        environment = os.environ | {
            "SPARK_HOME": self.home,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(work),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        command = [f"{self.home}/bin/spark-class", f"{_DEPLOY}.{kind}.{kind.title()}"]
        command += ["--host", "127.0.0.1", *arguments]
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=work,
                env=environment,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - calls nothing that takes a lock
            )

    def add_worker(self) -> None:
        """Start one more worker: one core, 1 GiB unless it was said."""
        number = self._n_started + 1
        work = self.folder / f"work-{number}"
        options = [
            "--webui-port",
            "0",
            "--cores",
            "1",
            "--memory",
            self.worker_memory,
            "--work-dir",
            str(work),
        ]
        self.workers.append(self._start("worker", *options, self.url))

    def ready(self, timeout_s: float = 300.0) -> None:
        """Have all workers that are due, and wait until the master knows them."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < self.n_workers:
            self.add_worker()
        deadline = time.monotonic() + timeout_s
        while self._registered() < self._n_started - 1:
            if self._master.poll() is not None or time.monotonic() > deadline:
                logs = [path.read_text()[-2000:] for path in self.folder.glob("*.log")]
                raise RuntimeError("the Spark cluster does not start:\n" + "\n".join(logs))
            time.sleep(0.1)

    def _registered(self) -> int:
        """Workers that have registered since the master started, dead ones among them."""
        text = (self.folder / "master-1.log").read_text()
        return len(re.findall(r"Registering worker", text))

    def kill(self, index: int) -> None:
        """Kill a worker and its executors, without a word to anyone."""
        os.killpg(self.workers[index].pid, signal.SIGKILL)
        self.workers[index].wait()

    def __enter__(self) -> Self:
        self._await_port()
        self.ready()
        return self

    def _await_port(self, timeout_s: float = 300.0) -> None:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError((self.folder / "master-1.log").read_text()[-2000:])

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, self._master]:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _die_with_parent() -> None:
    """A pytest that is killed leaves no cluster behind (Linux)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def _spark_home() -> str:
    command = [sys.executable, "-c", _LAUNCH]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def spark_here():
    """Skips where Spark or Java is missing (in CI that is a failure)."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed (extra spark)")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs Java 17")


@pytest.fixture(scope="session")
def cluster_process(spark_here, tmp_path_factory):
    """The processes."""
    with SparkCluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture
def spark_cluster(cluster_process):
    """The cluster with all its workers."""
    cluster_process.ready()
    return cluster_process
