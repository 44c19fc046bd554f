"""Opening a Spark session: every way in which it cannot start has its one-line message.

    with spark_session("spark://127.0.0.1:7077", app="dedup") as spark:
        spark.read.parquet("…").count()

Spark is an extra (``pip install 'quarkcrawl[spark]'``) and needs a Java runtime, 17 or newer. A
master that cannot be reached is found by a plain connection before any JVM starts: Spark itself
would try for a minute and then fail with a stack trace.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import ConfigError, EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession


CONNECT_TIMEOUT_S: Final = 3.0
_PORT: Final = 7077
_MASTER = re.compile(r"local(\[[^\]]*\])?$|local-cluster\[.*\]$|spark://.+|yarn$|k8s://.+")
_LOOPBACK = ("127.", "localhost", "[::1]")

_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Of compressed files, which the driver holds unpacked: with 10 MiB a million URLs filled 1 GiB.
    "spark.sql.autoBroadcastJoinThreshold": "1m",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.log.level": "ERROR",
    "spark.cleaner.periodicGC.interval": "5min",
}


def check_spark(master: str, *, timeout_s: float = CONNECT_TIMEOUT_S) -> None:
    """Find out, without starting anything, whether a session could start.

    Args:
        master: a Spark master URL: ``spark://host:port`` (several hosts by commas), ``local[2]``,
            ``yarn``, ``k8s://…``.
        timeout_s: for the connection to each standalone master.

    Raises:
        ConfigError: this is no master URL.
        EngineError: pyspark or Java is missing, or no master answers.
    """
    if not _MASTER.match(master):
        message = f"no Spark master: {master!r} (spark://HOST:PORT, local[N], yarn or k8s://…)"
        raise ConfigError(message, where="--spark-master")
    if importlib.util.find_spec("pyspark") is None:
        raise EngineError("Spark is not installed: pip install 'quarkcrawl[spark]'", where=master)
    if _java() is None:
        message = "Spark needs Java 17: apt-get install openjdk-17-jre-headless, or set JAVA_HOME"
        raise EngineError(message, where=master)
    if master.startswith("spark://"):
        _reach(master, timeout_s)


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home:
        path = Path(home) / "bin" / "java"
        return str(path) if path.is_file() else None
    return shutil.which("java")


def _reach(master: str, timeout_s: float) -> None:
    """Connect to one of the masters."""
    failures = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit():
            host, port = place, str(_PORT)
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=timeout_s):
                return
        except (OSError, OverflowError) as error:
            failures.append(f"{host}:{port}: {error}")
    raise EngineError(f"the Spark master cannot be reached ({'; '.join(failures)})", where=master)


@contextmanager
def spark_session(
    master: str,
    *,
    app: str = "quarkcrawl",
    settings: Mapping[str, str] | None = None,
    log_level: str = "ERROR",
) -> Iterator[SparkSession]:
    """A Spark session that is stopped at the end of the block.

    The Python of the workers is this one unless ``PYSPARK_PYTHON`` names another; paths must mean
    the same on all machines.

    Args:
        master: a Spark master URL, see `check_spark`.
        app: name that the cluster shows.
        settings: Spark settings over ours.
        log_level: least level of what Spark writes to standard error, by Spark's names.

    Raises:
        ConfigError: this is no master URL.
        EngineError: the session cannot start.
    """
    check_spark(master)
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra, and slow
    from pyspark.errors import PySparkException  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName(app)
    for name, value in {**_SETTINGS, **_places(master), **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        raise EngineError(f"the Spark session does not start ({error})", where=master) from error
    session.sparkContext.setLogLevel(log_level)
    try:
        yield session
    finally:
        session.stop()


def _places(master: str) -> dict[str, str]:
    """With everything on this machine, nothing listens on other interfaces."""
    if master.startswith("local") or master.removeprefix("spark://").startswith(_LOOPBACK):
        return {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return {}
