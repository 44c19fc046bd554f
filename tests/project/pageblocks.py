"""Blocks of code in the documentation: found, and run one after the other as a reader would.

Commands of quarkcrawl run in this process, which costs a tenth of a new one; crawls, servers and
all other lines run in a shell. What a block needs and this machine has under another name (a Redis
server, a web) is put in by `Session.instead`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from quarkcrawl.cli import main
from tests.crawl.harness import environment

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RUNNABLE", "Block", "Session", "blocks"]

RUNNABLE = ("sh", "python", "toml", "sql")
_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- not run: ((?:(?!-->).)+) -->\s*\Z", re.DOTALL)
_SAVED = re.compile(r"(?:Save|Write) this\s+as\s+`([^`]+)`[^`]*\s*\Z")
_OWN_PROCESS = re.compile(r"quarkcrawl (crawl|campaign|demo|select check|--\w+-completion)")
_CRAWL = re.compile(r"quarkcrawl crawl (\S+) --out (\S+)(.*)")
_SHELL = re.compile(r"[|;&$()]|^(?!quarkcrawl )")


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Args:
        kind: the word after the fence.
        text: what stands in it.
        line: line of the fence, from 1.
        not_run: why nobody runs it, from a comment before the fence ("slow: …" for what only
            ``make test-slow`` runs).
        saved_as: file that the reader is told to make of it.
    """

    kind: str
    text: str
    line: int
    not_run: str = ""
    saved_as: str = ""


def blocks(path: Path) -> list[Block]:
    text = path.read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        mark, saved = _MARK.search(before), _SAVED.search(before)
        found.append(Block(match[2], match[3], before.count("\n") + 1, mark[1] if mark else "",
                           saved[1] if saved else ""))  # fmt: skip
    return found


@dataclass
class Session:
    """A folder in which blocks run in order; Python blocks of a page share their names.

    Args:
        folder: where they run; the caller has made it the current folder.
        instead: pairs of a pattern and what is written in its place before a block runs.
        kept: what crawls of earlier pages left, by their command; one that ran is not run again.
        names: names of the Python blocks.
        said: what each command wrote.
    """

    folder: Path
    instead: list[tuple[str, str | Callable[[re.Match[str]], str]]] = field(default_factory=list)
    kept: dict[tuple[str, ...], Path] = field(default_factory=dict)
    names: dict[str, object] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def run(self, block: Block) -> None:
        text = block.text if block.kind == "sh" else self._here_named(block.text)
        if block.saved_as:
            (self.folder / block.saved_as).write_text(text, encoding="utf-8")
        elif block.kind == "toml":
            tomllib.loads(text)
        elif block.kind == "sql":
            assert duckdb.sql(text).fetchall()
        elif block.kind == "python":
            exec(compile(text, f"line {block.line}", "exec"), self.names)
        else:
            for line in text.replace("\\\n", " ").splitlines():
                if command := line.split(" #")[0].strip():
                    self.command(command)

    def _here_named(self, text: str) -> str:
        for pattern, other in self.instead:
            text = re.sub(pattern, other, text, flags=re.MULTILINE)
        return text

    def command(self, line: str) -> None:
        line = self._here_named(line)
        if line.startswith("cd "):
            self.folder = self.folder / line.split()[1]
        elif crawl := _CRAWL.match(line):
            self._crawl(line, *crawl.groups())
        elif line.startswith("quarkcrawl serve"):
            self.said.append(_serve(line, self.folder))
        elif _SHELL.search(line) or _OWN_PROCESS.match(line):
            self.said.append(_in_a_shell(line, self.folder))
        else:
            self.said.append(self._here(line))

    def _crawl(self, line: str, hosts: str, out: str, options: str) -> None:
        left = self.kept.get((hosts, options))
        if left:
            shutil.copytree(left, self.folder / out)
            return
        self.said.append(_in_a_shell(line, self.folder))
        self.kept[hosts, options] = self.folder / out

    def _here(self, line: str) -> str:
        command, _, target = line.partition(" > ")
        words = [w for word in shlex.split(command)[1:] for w in _expanded(word)]
        with contextlib.chdir(self.folder), Path(target.strip() or "said.txt").open("w+") as out:
            with contextlib.redirect_stdout(out):
                assert main(words) == 0, line
            out.seek(0)
            return out.read()


def _expanded(word: str) -> list[str]:
    return sorted(map(str, Path().glob(word))) or [word] if "*" in word else [word]


def _in_a_shell(line: str, folder: Path) -> str:
    """With the installed scripts, as in an activated environment; they do not look in `folder`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(["sh", "-e", "-c", line], cwd=folder, env=environment(PATH=path),
                          capture_output=True, text=True, check=False, timeout=900)  # fmt: skip
    assert done.returncode == 0, line + "\n" + done.stderr
    return done.stdout + done.stderr


def _serve(line: str, folder: Path) -> str:
    """Start the workbench, look at it as its announcement says, and stop it with Ctrl-C."""
    words = [sys.executable, "-m", *shlex.split(line), "--port", "0"]
    child = subprocess.Popen(words, cwd=folder, env=environment(), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    try:
        said = ""
        while not (url := re.search(r"http://\S+", said)):
            more = child.stdout.readline()
            assert more, said
            said += more
        with urllib.request.urlopen(url[0], timeout=300) as reply:
            assert reply.status // 100 == 2
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=300)
    return said
