"""What a bad behavior is: a name, a host of its own, a function that misbehaves, an expectation.

A behavior answers at ``http://NAME.hostile.example/`` (``https`` where it is one of TLS). All
that is said of it, here and in docs/hostile.md, comes from its one registration.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

DOMAIN = "hostile.example"

WHOLE = "stored"

BESIDE, BESIDE_PATHS = "beside-", ("/", "/one", "/two")
"""Beside a bad host a good one, and its pages."""


@dataclass(frozen=True)
class Behavior:
    """One row of the table.

    Args:
        name: host label; ``says`` describes it in a few words.
        expect: path → how its URL ends: a reason code, with ``+mark`` for marks of a stored page.
            Alternatives are parted by ``|``. ``"*"`` stands for any further URLs; its value is the
            set of reasons they have, each at least once.
        why: what decides between alternatives.
        text: what the title of the home page must read as.
        most_requests: bound on what the server was asked, robots.txt among it.
        most_stored_bytes: bound on the body of any stored page.
    """

    name: str
    group: str
    says: str
    act: Callable[[Conn], bool | None]
    expect: Mapping[str, str | frozenset[str]]
    scheme: str = "http"
    why: str = ""
    text: str | None = None
    most_requests: int = 12
    most_stored_bytes: int = 1 << 20
    hello: Callable[[socket.socket], bool] | None = field(default=None)

    @property
    def host(self) -> str:
        return f"{self.name}.{DOMAIN}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}/"


TABLE: dict[str, Behavior] = {}


def behavior(group: str, says: str, home: str = WHOLE, **more):
    """Register a function as a behavior; its name gives the host, ``home`` how ``/`` ends."""

    def register(act):
        name = act.__name__.replace("_", "-")
        assert name not in TABLE, name
        expect = {"/": home} | more.pop("also", {})
        TABLE[name] = Behavior(name, group, says, act, expect, **more)
        return act

    return register


class Conn:
    """One request on a connection, as a behavior sees it.

    Args:
        sock: the connection; `send` writes to it.
        path: target of the request line.
        host: of the Host header.
        visit: how often this host was asked before.
    """

    def __init__(self, sock: socket.socket, host: str, path: str, visit: int) -> None:
        self.sock = sock
        self.host = host
        self.path = path
        self.visit = visit

    def send(self, data: bytes | str) -> None:
        self.sock.sendall(data.encode() if isinstance(data, str) else data)

    def head(self, *lines: str | bytes, status: str = "200 OK") -> None:
        """Status line and header lines as given, and the empty line."""
        raw = [line.encode() if isinstance(line, str) else line for line in lines]
        self.send(b"\r\n".join([f"HTTP/1.1 {status}".encode(), *raw, b"", b""]))

    def reply(
        self,
        body: bytes | str,
        *lines: str | bytes,
        status: str = "200 OK",
        kind: str | None = "text/html",
    ) -> bool:
        """A proper reply; the connection lives on."""
        raw = body.encode() if isinstance(body, str) else body
        kinds = [f"Content-Type: {kind}"] if kind else []
        self.head(*kinds, f"Content-Length: {len(raw)}", *lines, status=status)
        self.send(raw)
        return True

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def page(self, *hrefs: str, title: str = "", body: str = "") -> str:
        """An HTML text that is unlike that of any other host and path."""
        links = "".join(f'<p><a href="{h}">下一页</a>' for h in hrefs)
        where = f"{self.host}{self.path}"
        head = f"<html><head><title>{title or where}</title></head>"
        return f"{head}<body><p>这一页在{where}。{body}{links}</body></html>"
