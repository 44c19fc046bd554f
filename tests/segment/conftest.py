from __future__ import annotations

import pytest

from quarkcrawl.page import page
from quarkcrawl.segment.quark import recognizer


@pytest.fixture(autouse=True)
def array_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are read and cut by array operations, whatever a test before has asked this process for."""
    monkeypatch.setattr(recognizer, "_in_loops", None)
    monkeypatch.setattr(page, "_prepare", None)
