"""Messages that come before Spark starts are tested where Spark is not installed, too."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil

import pytest


@pytest.fixture
def spark_is_present(monkeypatch, tmp_path):
    """What of pyspark and Java is missing here is taken to be there."""
    find_spec = importlib.util.find_spec
    if find_spec("pyspark") is None:
        stand_in = importlib.machinery.ModuleSpec("pyspark", None)
        monkeypatch.setattr(
            "importlib.util.find_spec",
            lambda name, *more: stand_in if name == "pyspark" else find_spec(name, *more),
        )
    if shutil.which("java") is None:
        java = tmp_path / "jdk" / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.touch()
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
