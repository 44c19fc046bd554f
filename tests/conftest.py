"""In CI nothing may be skipped: what a test needs is there, or the run fails."""

import gc
import os
import signal
import sys
import sysconfig
import tempfile
from collections import Counter
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests import profiles
from tests.demo import demo_run  # noqa: F401 - fixture for all
from tests.engines.cluster import (  # noqa: F401 - fixtures for all
    cluster_process,
    spark_cluster,
    spark_here,
)

profiles.load()

# Both look into the user's home as they are imported, and fail where there is none.
os.environ.setdefault("IR_DATASETS_HOME", f"{tempfile.gettempdir()}/quarkcrawl-tests-{os.getuid()}")
sys.modules.setdefault("reportlab_mods", ModuleType("reportlab_mods"))

# A shell's background jobs ignore Ctrl-C, and so would every process that tests start and stop.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if (
        report.skipped
        and os.environ.get("QUARKCRAWL_REQUIRE_ALL")
        and not hasattr(report, "wasxfail")
    ):
        report.outcome = "failed"
        report.longrepr = (
            f"{item.nodeid} was skipped where everything is required: {report.longrepr}"
        )


def pytest_configure(config):
    """Loops that were changed and not compiled since would be tested as they were before."""
    root = config.rootpath
    for source in root.glob("quarkcrawl/**/*.pxd"):
        compiled = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
        changed = max(source.stat().st_mtime, source.with_suffix(".py").stat().st_mtime)
        if compiled.exists() and compiled.stat().st_mtime < changed:
            raise pytest.UsageError(f"{source} is newer than its compiled loops: make loops")


_COSTLY_FIXTURES = ("demo", "spark_here")


def pytest_collection_modifyitems(items):
    """Tests that share a crawl of the mock web or Spark come first: they stand together then, so
    that one process of pytest-xdist makes for all of them what they share."""
    items.sort(key=lambda item: not set(_COSTLY_FIXTURES) & set(getattr(item, "fixturenames", ())))


def pytest_terminal_summary(terminalreporter):
    """How long each folder took, as the table in tests/README.md has it."""
    seconds = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.split("/")[1]] += report.duration
    terminalreporter.section("seconds by folder")
    terminalreporter.line(", ".join(f"{name} {s:.0f}" for name, s in seconds.most_common()))


def pytest_make_parametrize_id(val, argname):
    """Packed bytes differ from second to second (gzip writes the time), and the workers of
    pytest-xdist must give a test the same name."""
    return argname if isinstance(val, bytes) and b"\0" in val else None


@pytest.fixture(scope="session", autouse=True)
def no_python_files_for_arrow():
    """Arrow's threads may outlive the interpreter, and abort if they then hold a file of Python.

    That is rare, so it is the cause that is looked for (see `quarkcrawl.store.tables.compaction`).
    """
    opened = pq.ParquetFile.__init__
    read = pq.read_table

    def checked_open(self, source, *args, **kwargs):
        assert isinstance(source, (str, os.PathLike, pa.NativeFile)), "take open_part"
        return opened(self, source, *args, **kwargs)

    def checked_read(source, *args, **kwargs):
        assert isinstance(source, (str, os.PathLike, pa.NativeFile)), "take open_part"
        return read(source, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pq.ParquetFile, "__init__", checked_open)
        patch.setattr(pq, "read_table", checked_read)
        yield


@pytest.fixture
def without_gc():
    """For tests that compare CPU times: a collection walks what all tests before have loaded."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
