"""The server as a child process: started, watched and always ended.

    with ServerProcess.for_replay(["sites/"]) as server:
        crawl(server.info)
        print(server.counts())

The child holds the reading end of a pipe and stops when the writing end is gone, so it cannot
outlive its parent, whatever kills that. The request log is an unlinked file that both share.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.lab.mockweb.server.server import ServerInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quarkcrawl.lab.mockweb.listed import ListedWeb
    from quarkcrawl.lab.mockweb.site import MiniWeb

    Answer = str | bytes | Mapping[str, Any]


_STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One request as the server saw it.

    Args:
        time: epoch seconds at which the request had arrived.
        scheme: ``http`` or ``https``.
        host: host asked for.
        target: path and query.
        method: request method.
        status: status of the answer.
        connection: number of the connection, counted from 1.
        visit: how often this URL had been asked for then.
        fault: name of the fault with which it was answered, if any.
    """

    time: float
    scheme: str
    host: str
    target: str
    method: str
    status: int
    connection: int
    visit: int
    fault: str | None

    @property
    def url(self) -> str:
        """The absolute URL."""
        return f"{self.scheme}://{self.host}{self.target}"


class ServerProcess:
    """A miniweb server in its own process; a context manager.

    Args:
        arguments: command line of ``python -m quarkcrawl.lab.mockweb``.
        start_s: longest time to wait for the server to be ready.

    Raises:
        InputError: the server cannot use a file or value.
        QuarkError: the server does not start.
    """

    info: ServerInfo

    def __init__(self, arguments: Sequence[str], *, start_s: float = 120.0) -> None:
        self._log = tempfile.TemporaryFile(prefix="quarkcrawl-log-")  # noqa: SIM115
        fd = self._log.fileno()
        command = [
            sys.executable,
            "-P",
            "-m",
            "quarkcrawl.lab.mockweb",
            *arguments,
            "--log-fd",
            str(fd),
        ]
        self._child = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(fd,),
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the crawler; the server ends after it
        )
        try:
            self.info = _announcement(self._child, start_s)
        except BaseException:
            self.stop()
            raise

    @classmethod
    def for_replay(
        cls, paths: Iterable[str | Path], *, upgrade_http: bool = False, start_s: float = 300.0
    ) -> Self:
        """Serve stored pages: see `quarkcrawl.lab.mockweb.server.Replay`.

        Args:
            paths: files, folders and corpora.
            upgrade_http: redirect http to https where only that is stored.
            start_s: longest time to wait until it is ready.
        """
        arguments = [word for path in paths for word in ("--replay", str(path))]
        if upgrade_http:
            arguments.append("--upgrade-http")
        return cls(arguments, start_s=start_s)

    @classmethod
    def for_web(cls, web: MiniWeb | ListedWeb) -> Self:
        """Serve a generated web; the child makes its own from the same arguments.

        Args:
            web: the web to serve.
        """
        return cls(web.arguments())

    @classmethod
    def for_pages(cls, pages: Mapping[str, Answer | list[Answer]]) -> Self:
        """Serve a handful of pages given in the test itself.

        Args:
            pages: for each URL its HTML text, its body bytes, or a row as `reply_from_row`
                reads it (status, headers, html, delay_s, fault, …); a list of these answers the
                first, second … visit.
        """
        with tempfile.TemporaryDirectory(prefix="quarkcrawl-") as folder:
            path = Path(folder, "pages.jsonl")
            path.write_text("".join(json.dumps(row) + "\n" for row in _rows(pages)))
            return cls.for_replay([path])

    def log(self) -> list[LogEntry]:
        """All requests so far, in order of arrival."""
        whole, _, _ = self._log_bytes().rpartition(b"\n")  # what follows is still being written
        return [LogEntry(**json.loads(line)) for line in whole.splitlines()]

    def counts(self) -> Counter[str]:
        """Number of requests for each URL."""
        return Counter(entry.url for entry in self.log())

    def log_size_bytes(self) -> int:
        """Size of the request log: a cheap measure of how far a run is."""
        return len(self._last_log) if self._log.closed else os.fstat(self._log.fileno()).st_size

    def _log_bytes(self) -> bytes:
        if self._log.closed:
            return self._last_log
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0)

    def stop(self) -> None:
        """End the server; may be called twice. The log can still be read afterwards."""
        self._child.terminate()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self._child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if not self._log.closed:
            self._last_log = self._log_bytes()
            self._log.close()

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._child.poll() is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()


def _environment() -> dict[str, str]:
    """The child must find this very package, also when it is not installed."""
    root = str(Path(__file__).resolve().parents[4])
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{path}" if path else root}


def _announcement(child: subprocess.Popen[bytes], start_s: float) -> ServerInfo:
    assert child.stdout is not None
    line = _first_line(child.stdout, start_s)
    if line is None:
        raise QuarkError(f"did not start within {start_s:g} s", where="miniweb server")
    if not line:
        raise QuarkError(f"ended with {child.wait(_STOP_S)}", where="miniweb server")
    row = json.loads(line)
    if "error" in row:
        raise InputError(row["error"], where=row["where"])
    return ServerInfo.from_json(line.decode())


def _first_line(stream: IO[bytes], start_s: float) -> bytes | None:
    """The first line, b"" at the end of the stream, None if nothing comes in time."""
    ready, _, _ = select.select([stream], [], [], start_s)
    return stream.readline() if ready else None


def _rows(pages: Mapping[str, Answer | list[Answer]]) -> Iterable[dict[str, Any]]:
    for url, answers in pages.items():
        for visit, answer in enumerate(answers if isinstance(answers, list) else [answers], 1):
            yield {"url": url, "from_visit": visit, **_row(answer)}


def _row(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, str):
        return {"html": answer}
    if isinstance(answer, bytes):
        return {"body_b64": base64.b64encode(answer).decode()}
    return dict(answer)
