"""What ``quarkcrawl serve`` connects to for the workbench."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from quarkcrawl.cli.guard import guarded_fetch
from quarkcrawl.cli.serve import selection_here
from quarkcrawl.crawl.http import guards
from quarkcrawl.errors import FetchError


def names(monkeypatch, *addresses: str) -> None:
    """Every host name has these addresses."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 0)) for one in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """Addresses that were connected to; nobody answers."""
    seen = []

    def refuse(address, *_):
        seen.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", refuse)
    return seen


def test_the_next_address_is_tried_when_one_does_not_answer(monkeypatch, asked):
    names(monkeypatch, "8.8.4.4", "8.8.8.8")
    with pytest.raises(FetchError) as caught:
        guarded_fetch("http://www.example.cn/")
    assert (caught.value.reason, asked) == ("connection_refused", ["8.8.4.4", "8.8.8.8"])


def test_a_name_with_one_private_address_is_not_connected_to_at_all(monkeypatch, asked):
    names(monkeypatch, "8.8.4.4", "10.0.0.1")
    with pytest.raises(FetchError) as caught:
        guarded_fetch("http://www.example.cn/")
    assert (caught.value.reason, asked) == ("private_address", [])
    assert guards.address_is_public("8.8.4.4")


def test_without_a_corpus_the_selection_of_the_current_folder_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("seeds-work", "seeds"):
        (tmp_path / name).mkdir()
        assert selection_here() == (None if name == "seeds-work" else Path("seeds-work"))
        (tmp_path / name / "counts.parquet").touch()
        assert selection_here() == Path(name)
