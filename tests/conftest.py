"""In CI nothing may be skipped: what a test needs is there, or the run fails."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from tests.demo import demo_run  # noqa: F401 - fixture for all
from tests.engines.cluster import cluster_process, spark_cluster  # noqa: F401 - fixtures for all

# How long an example takes is the machine's affair: two cores, and other work beside.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


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


def pytest_make_parametrize_id(val, argname):
    """Packed bytes differ from second to second (gzip writes the time), and the workers of
    pytest-xdist must give a test the same name."""
    return argname if isinstance(val, bytes) and b"\0" in val else None


@pytest.fixture
def without_gc():
    """For tests that compare CPU times: a collection walks what all tests before have loaded."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
