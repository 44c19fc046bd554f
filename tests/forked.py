"""Commands in processes that are forked from one that has loaded the library.

Loading it takes longer than most crawls of the tests. What runs is a process all the same, with a
folder, an environment, streams and an exit code of its own; only what starting costs, or what
Python does before ``main``, cannot be seen here: those tests take `subprocess`.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AHEAD = "QUARKCRAWL_TESTS_AHEAD_S"
"""In the environment of a command: seconds by which its clock is ahead of ours."""

_LOADED = [
    "aiohttp.web",
    "duckdb",
    "pyarrow.compute",
    "pyarrow.dataset",
    "quarkcrawl.cli",
    "quarkcrawl.analysis.stages",
    "quarkcrawl.corpus",
    "quarkcrawl.crawl.http.download",
    "quarkcrawl.crawl.components.metrics",
    "quarkcrawl.crawl.components.progress",
    "quarkcrawl.crawl.components.rendering",
    "quarkcrawl.crawl.http.resolver",
    "quarkcrawl.crawl.components.scheduler",
    "quarkcrawl.crawl.components.settings",
    "quarkcrawl.lab.mockweb",
    "quarkcrawl.rank",
    "quarkcrawl.select",
    "quarkcrawl.template",
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.downloadermiddlewares.redirect",
    "scrapy.downloadermiddlewares.robotstxt",
    "scrapy.downloadermiddlewares.retry",
    "scrapy.extensions.telnet",
    "tldextract",
    "twisted.web.client",
]
"""None of them may install Twisted's reactor: each crawl has its own."""


def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    return context


_CONTEXT = _context()


def _command(module: str, words: list[str], folder: str, env: dict[str, str], out: str) -> None:
    """What ``python -m MODULE WORDS…`` does, in the process that was forked."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        target = os.open(f"{out}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, descriptor)
        os.close(target)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    if ahead_s := float(env.get(AHEAD, 0)):
        clock = time.time
        time.time = lambda: clock() + ahead_s
    sys.path.insert(0, folder)
    sys.argv = [module, *words]
    if module == "scrapy":
        importlib.import_module("scrapy.cmdline").execute()
    sys.exit(importlib.import_module(f"{module}.cli").main(words))


class Command:
    """A running command: as much of `subprocess.Popen` as tests need."""

    def __init__(self, words: list[str], cwd: Path | str, env: dict[str, str]) -> None:
        python, dash, module, *arguments = words
        assert (python, dash) == (sys.executable, "-m"), words
        self.args = words
        self._out = tempfile.TemporaryDirectory(prefix="command-")
        self._process = _CONTEXT.Process(
            target=_command, args=(module, arguments, str(cwd), env, self._out.name)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def poll(self) -> int | None:
        """Exit code; None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send one, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def read(self, name: str) -> str:
        """What is written so far to ``"stdout"`` or ``"stderr"``."""
        path = Path(self._out.name, name)
        return path.read_text("utf-8", errors="replace") if path.exists() else ""

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; what it wrote."""
        self._process.join(timeout)
        if self.poll() is None:
            said = self.read("stdout"), self.read("stderr")
            raise subprocess.TimeoutExpired(self.args, timeout or 0, *said)
        return self.read("stdout"), self.read("stderr")

    def close(self) -> None:
        """Kill it if it runs, and forget what it wrote."""
        if self.poll() is None:
            self._process.kill()
            self._process.join()
        self._out.cleanup()


def run(
    words: list[str], *, cwd: Path | str, env: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` for ``[sys.executable, "-m", "quarkcrawl" or "scrapy", …]``."""
    command = Command(words, cwd, env)
    try:
        stdout, stderr = command.communicate(timeout)
        return subprocess.CompletedProcess(words, command.poll(), stdout, stderr)
    finally:
        command.close()
