"""Connections that break, and TLS that is none."""

from __future__ import annotations

import socket
import time

from .behavior import Conn, behavior

G, T = "connection", "TLS"


@behavior(G, "closes before the reply", "connection_lost")
def closes_at_once(c: Conn):
    return None


@behavior(G, "RST before the reply", "connection_lost")
def resets_at_once(c: Conn):
    c.reset()


@behavior(G, "RST within the status line", "connection_lost")
def resets_in_status(c: Conn):
    c.send("HTTP/1.1 2")
    time.sleep(0.05)
    c.reset()


@behavior(G, "closes within the headers", "connection_lost")
def closes_in_headers(c: Conn):
    c.send("HTTP/1.1 200 OK\r\nContent-Ty")


@behavior(G, "RST within the headers", "connection_lost")
def resets_in_headers(c: Conn):
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-")
    time.sleep(0.05)
    c.reset()


@behavior(G, "RST within the body", "data_loss")
def resets_in_body(c: Conn):
    c.head("Content-Type: text/html", "Content-Length: 100000")
    c.send(c.page())
    time.sleep(0.05)
    c.reset()


@behavior(G, "RST within a chunk", "data_loss")
def resets_in_chunk(c: Conn):
    c.head("Content-Type: text/html", "Transfer-Encoding: chunked")
    c.send(b"ffff\r\nhello")
    time.sleep(0.05)
    c.reset()


@behavior(G, "RST right behind a whole reply")
def resets_after_reply(c: Conn):
    c.reply(c.page())
    time.sleep(0.2)
    c.reset()


@behavior(G, "says keep-alive and closes", also={"/1": "stored", "/2": "stored", "/3": "stored"})
def keep_alive_lies(c: Conn):
    c.reply(c.page("/1", "/2", "/3"), "Connection: keep-alive", "Keep-Alive: timeout=60")


@behavior(G, "breaks the first try, answers the second")
def recovers(c: Conn):
    if c.visit < 1:
        c.reset()
        return None
    return c.reply(c.page())


@behavior(G, "503 with Retry-After of a thousand years, then a page")
def retry_after_ages(c: Conn):
    if c.visit < 1:
        return c.reply("busy", "Retry-After: 31536000000", status="503 Busy")
    return c.reply(c.page())


@behavior(G, "503 with a Retry-After that is no date, for ever", "http_503")
def retry_after_garbage(c: Conn):
    return c.reply("busy", "Retry-After: Mon, 99 Foo 99999 25:61:61", status="503 Busy")


def _plain(sock: socket.socket) -> bool:
    sock.recv(65536)
    sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    sock.close()
    return False


def _reset(sock: socket.socket) -> bool:
    Conn(sock, "", "", 0).reset()
    return False


def _silent(sock: socket.socket) -> bool:
    time.sleep(60)
    return False


def _garbage(sock: socket.socket) -> bool:
    sock.recv(65536)
    sock.sendall(b"\x16\x03\x03\x40\x00" + bytes(range(256)) * 64)
    time.sleep(0.2)
    sock.close()
    return False


def _alert(sock: socket.socket) -> bool:
    sock.recv(65536)
    sock.sendall(b"\x15\x03\x03\x00\x02\x02\x28")  # fatal: handshake failure
    sock.close()
    return False


def _secure(name: str, says: str, home: str, hello=None, why: str = "") -> None:
    def act(c: Conn):
        return c.reply(c.page())

    act.__name__ = name
    behavior(T, says, home, scheme="https", hello=hello, why=why)(act)


_secure("tls_plain_http", "plain HTTP at the TLS port", "tls", _plain)
_secure("tls_reset", "RST at the greeting", "tls", _reset)
_secure("tls_silent", "never answers the greeting", "timeout", _silent)
_secure("tls_garbage", "garbage instead of a greeting", "tls", _garbage)
_secure("tls_alert", "a fatal alert instead of a greeting", "tls", _alert)
_secure("tls_foreign_name", "a self-signed certificate of another name", "stored")
_secure("tls_expired", "a certificate that expired in 2001", "stored")
_secure("tls_1_0", "TLS 1.0 only", "stored|tls", why="OpenSSL may be built without TLS 1.0")


@behavior(T, "cut off within the TLS stream, without a farewell", "data_loss", scheme="https")
def tls_cut(c: Conn):
    c.head("Content-Type: text/html", "Content-Length: 100000")
    c.send(c.page())
