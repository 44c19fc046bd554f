"""Spark sessions on a real cluster, and the words for those that cannot start."""

from __future__ import annotations

import socket

import pytest

from quarkcrawl.engines import check_spark, spark_session
from quarkcrawl.errors import ConfigError, EngineError

pytestmark = [
    pytest.mark.timeout(900),  # five Java processes on what may be a busy machine
]


@pytest.mark.full
def test_two_workers_share_a_job(spark_cluster):
    with spark_session(spark_cluster.url) as spark:
        seen = spark.range(0, 1000, 1, 4).selectExpr("sum(id) s").collect()[0]["s"]
        assert seen == 499500
        executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
        assert executors >= 1


@pytest.mark.usefixtures("spark_is_present")
def test_an_unreachable_master_is_told():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        with pytest.raises(EngineError, match="cannot be reached") as caught:
            check_spark(f"spark://127.0.0.1:{port}")
    assert str(port) in str(caught.value)


def test_no_master():
    with pytest.raises(ConfigError, match="no Spark master"):
        check_spark("http://a.cn")


@pytest.mark.usefixtures("spark_is_present")
def test_missing_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="Java 17"):
        check_spark("local[1]")


def test_missing_pyspark(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"pip install 'quarkcrawl\[spark\]'"):
        check_spark("local[1]")
