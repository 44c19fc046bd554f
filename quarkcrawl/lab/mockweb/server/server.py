"""The server: all hosts of a web on loopback, http on one port and https on another.

Runs in its own process (`quarkcrawl.lab.mockweb.server.process`), so that a crawler under test and
the web it crawls never share an interpreter. It announces itself by one JSON line on its standard
output and ends on SIGTERM, on SIGINT, or when its standard input (a pipe) is closed, which the
system does even for a parent that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import resource
import signal
import stat
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from quarkcrawl.lab.mockweb.server.certificate import server_context
from quarkcrawl.lab.mockweb.server.connection import Connection, Desk

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.web import Web


ADDRESS = "127.0.0.1"
_BACKLOG = 4096


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Where a running web is, and which names it answers for.

    Args:
        address: address of both ports.
        http_port: plain HTTP.
        https_port: HTTP over TLS, self-signed certificate, any server name.
        hosts: names that are served; ``*.name`` stands for all names below ``name``.
        pid: process id of the server.
    """

    address: str
    http_port: int
    https_port: int
    hosts: tuple[str, ...]
    pid: int = 0

    def crawl_settings(self) -> dict[str, Any]:
        """Settings of a crawl of this web: nobody is to be spared but our own server."""
        return {
            "host_map": f"{self.address}:{self.http_port}:{self.https_port}",
            "delay_s": 0.0,
            "host_concurrency": 8,
            "retry_delay_s": 0.5,
        }

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> ServerInfo:
        """Read what `to_json` wrote.

        Args:
            line: a line of JSON.
        """
        fields = json.loads(line)
        fields["hosts"] = tuple(fields["hosts"])
        return cls(**fields)

    def port(self, scheme: str) -> int:
        """The port for ``http`` or ``https``.

        Args:
            scheme: ``http`` or ``https``.
        """
        return self.https_port if scheme == "https" else self.http_port


def serve(web: Web, *, http_port: int = 0, https_port: int = 0, log_fd: int | None = None) -> None:
    """Serve a web until told to stop; announces itself on standard output.

    Args:
        web: what to serve.
        http_port: port for http; 0 takes a free one.
        https_port: port for https; 0 takes a free one.
        log_fd: descriptor to which one JSON line a request is written.
    """
    _raise_file_limit()
    desk = Desk(web, log_fd)
    asyncio.run(_serve(desk, http_port, https_port))


async def _serve(desk: Desk, http_port: int, https_port: int) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_quiet)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    _watch_stdin(loop, stop)
    plain = await loop.create_server(
        lambda: Connection(desk, "http"), ADDRESS, http_port, backlog=_BACKLOG
    )
    tls = await loop.create_server(
        lambda: Connection(desk, "https"),
        ADDRESS,
        https_port,
        backlog=_BACKLOG,
        ssl=server_context(),
        ssl_handshake_timeout=20,
    )
    _announce(desk.web, _port(plain), _port(tls))
    await stop.wait()
    plain.close()
    tls.close()


def _announce(web: Web, http_port: int, https_port: int) -> None:
    info = ServerInfo(ADDRESS, http_port, https_port, tuple(web.hosts()), os.getpid())
    gc.collect()
    gc.freeze()  # the web's index is for life; later collections need not walk it
    sys.stdout.write(info.to_json() + "\n")
    sys.stdout.flush()


def _port(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Stop at the end of standard input, if that is a pipe or socket that someone holds."""
    with contextlib.suppress(OSError, ValueError):
        fd = sys.stdin.fileno()
        mode = os.fstat(fd).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            return

        def read() -> None:
            if not os.read(fd, 4096):
                loop.remove_reader(fd)
                stop.set()

        loop.add_reader(fd, read)


def _quiet(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Clients may break off as they like; everything else is reported."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 1 << 20), hard))
