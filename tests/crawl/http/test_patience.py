"""How long a reply is waited for: its head, silence, a body that comes slowly, all of it."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import ConfigError
from tests.crawl.harness import crawl

HOST = "www.slow.example"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
PAGE = b"<title>slow</title><p>" + b"x" * 60_000
PART = 2000


def answer(conversation: socket.socket, behave) -> None:
    with conversation:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += conversation.recv(65536)
        try:
            if b"/robots.txt" in asked.split(b"\r\n")[0]:
                conversation.sendall(HEAD % 0)
            else:
                behave(conversation.sendall)
        except OSError:
            return


@contextmanager
def serving(behave):
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:

        def accept() -> None:
            while True:
                try:
                    conversation, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(conversation, behave), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        port = listener.getsockname()[1]
        yield SimpleNamespace(
            info=SimpleNamespace(address="127.0.0.1", http_port=port, https_port=port)
        )
        listener.shutdown(socket.SHUT_RDWR)


def slowly(send, pause_s: float) -> None:
    send(HEAD % len(PAGE))
    for start in range(0, len(PAGE), PART):
        send(PAGE[start : start + PART])
        time.sleep(pause_s)


def byte_by_byte(send) -> None:
    send(HEAD % len(PAGE))
    for at in range(len(PAGE)):
        send(PAGE[at : at + 1])
        time.sleep(0.1)


def falls_silent(send) -> None:
    send(HEAD % len(PAGE) + PAGE[:30_000])
    time.sleep(100)


def headers_for_ever(send) -> None:
    send(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        send(b"x")
        time.sleep(0.1)


def run(tmp_path, behave, **rules: str):
    patient = {"timeout_s": "2", "max_tries": "1", "late_tries": "0", **rules}
    with serving(behave) as server:
        return crawl(tmp_path, server, [HOST], **patient)


@pytest.mark.full
def test_a_slow_body_that_keeps_coming_is_stored_whole(tmp_path) -> None:
    """It takes six seconds, three times the bound on silence."""
    done = run(tmp_path, lambda send: slowly(send, 0.2))
    assert done.bodies() == {f"http://{HOST}/": PAGE}
    assert [row.flags for row in done.pages().values()] == [()]


@pytest.mark.full
def test_what_has_come_in_all_the_time_there_is_is_stored_and_marked(tmp_path) -> None:
    done = run(tmp_path, lambda send: slowly(send, 0.2), total_timeout_s="3")
    (body,) = done.bodies().values()
    assert PAGE.startswith(body)
    assert PART <= len(body) < len(PAGE)
    assert [row.flags for row in done.pages().values()] == [("truncated",)]


@pytest.mark.full
@pytest.mark.parametrize("behave", [byte_by_byte, falls_silent, headers_for_ever])
def test_what_hardly_comes_is_given_up(tmp_path, behave) -> None:
    done = run(tmp_path, behave)
    assert done.drops() == {f"http://{HOST}/": "timeout"}


AS_IT_COMES = {"timeout_s": f"{CrawlConfig().timeout_s}"}


def at_20_kb_a_second(send) -> None:
    send(HEAD % len(LARGE))
    for start in range(0, len(LARGE), 4000):
        send(LARGE[start : start + 4000])
        time.sleep(0.2)


def at_a_byte_a_second(send) -> None:
    send(HEAD % len(LARGE))
    for at in range(len(LARGE)):
        send(LARGE[at : at + 1])
        time.sleep(1)


LARGE = PAGE + b"y" * (2_000_000 - len(PAGE))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_megabytes_at_twenty_kilobytes_a_second_are_stored(tmp_path) -> None:
    """By the limits that a crawl has by itself; a hundred seconds."""
    done = run(tmp_path, at_20_kb_a_second, **AS_IT_COMES)
    assert done.bodies() == {f"http://{HOST}/": LARGE}
    assert [row.flags for row in done.pages().values()] == [()]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_body_of_a_byte_a_second_is_not(tmp_path) -> None:
    done = run(tmp_path, at_a_byte_a_second, **AS_IT_COMES)
    assert done.drops() == {f"http://{HOST}/": "timeout"}


def hangs_behind(head: bytes):
    def behave(send) -> None:
        send(head)
        time.sleep(100)

    return behave


@pytest.mark.full
def test_the_head_of_an_error_or_a_redirect_is_enough(tmp_path) -> None:
    for number, status in enumerate([b"404 Not Found", b"302 Found"]):
        head = b"HTTP/1.1 %s\r\nLocation: http://else.example/\r\nContent-Length: 9\r\n\r\n"
        folder = tmp_path / str(number)
        folder.mkdir()
        done = run(folder, hangs_behind(head % status))
        assert done.reasons == ({"redirect": 1} if number else {"http_404": 1})


def test_a_request_ends_before_its_lease() -> None:
    assert CrawlConfig().fetch_s == 180
    assert CrawlConfig(lease_s=100, timeout_s=30).fetch_s == 70
    assert CrawlConfig(lease_s=1.1, timeout_s=1).fetch_s == 1
    with pytest.raises(ConfigError, match="least_bytes_per_s"):
        CrawlConfig.from_mapping({"least_bytes_per_s": "0"})
