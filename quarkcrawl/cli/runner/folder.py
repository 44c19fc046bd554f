"""Campaigns as folders, and the processes that run them.

    FOLDER/NAME/campaign.toml   what `quarkcrawl campaign` runs
    FOLDER/NAME/seeds.txt       hosts, if the file names them
    FOLDER/NAME/LOCK            held by the process that runs it
    FOLDER/NAME/process.json    its number, and since when
    FOLDER/NAME/log.txt         what it said
    FOLDER/NAME/steps/          what its steps did, see `quarkcrawl.cli.campaign`

The process needs nobody: it goes on when whoever has started it ends, and is found again by the
lock, which the kernel drops with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.cli.campaign import noted_step
from quarkcrawl.cli.campaign_file import load_campaign
from quarkcrawl.cli.options import printable
from quarkcrawl.errors import CorpusLockedError, InputError, StoreError, without_credentials
from quarkcrawl.store import CorpusLock, is_locked, storage_errors
from quarkcrawl.workbench.web import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.cli.campaign_file import CampaignFile, Step


NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
FILE: Final = "campaign.toml"
SEEDS: Final = "seeds.txt"
MOST_NAMES: Final = 200
"""Campaigns that are listed; those that were changed last come first."""

_RESERVED: Final = "new"  # the address of the form
_LOG: Final = "log.txt"
_PROCESS: Final = "process.json"
_MOST_LOG_BYTES: Final = 16 << 20
_TAIL_BYTES: Final = 64 << 10
_TAIL_LINES: Final = 200
_LINE_CHARS: Final = 400
_PROGRAM: Final = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from quarkcrawl.cli import main; sys.exit(main())"
)
"""The command; it hears Ctrl-C also where the workbench, as a job in the background, does not."""

_COLORS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class CampaignFolder:
    """Campaigns below a folder.

    Args:
        folder: made when something is first written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder).resolve()
        self._writing = threading.Lock()
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def names(self) -> list[str]:
        """The campaigns that are there, the latest first."""
        changed: dict[str, float] = {}
        with suppress(OSError):
            for path in self.folder.iterdir():
                with suppress(OSError):
                    if NAME.fullmatch(path.name) and not path.is_symlink():
                        changed[path.name] = (path / FILE).stat().st_mtime
        return sorted(changed, key=lambda name: (-changed[name], name))[:MOST_NAMES]

    def place(self, name: str, *, is_new: bool = False) -> Path:
        """The folder of a campaign.

        Raises:
            InputError: that cannot be the name of a new one.
            ApiError: there is none, or it is to be new and is there.
        """
        if not NAME.fullmatch(name) or name == _RESERVED:
            if is_new:
                raise InputError(f"no name: {name!r} (letters, digits, - and _)")
            raise ApiError(404, f"there is no {name}")
        path = self.folder / name
        if is_new and os.path.lexists(path):
            raise ApiError(409, f"{name} is there already")
        if not is_new and (path.is_symlink() or not (path / FILE).is_file()):
            raise ApiError(404, f"there is no {name}")
        return path

    def load(self, name: str) -> CampaignFile:
        """The campaign as its file says.

        Raises:
            ConfigError: the file was changed by hand, and is wrong.
        """
        return load_campaign(self.place(name) / FILE)

    # -- files ---------------------------------------------------------------------------------

    def files(self, name: str) -> dict[str, str]:
        """The texts of a campaign, and their ``version``.

        Raises:
            StoreError: they cannot be read.
        """
        path = self.place(name)
        texts = {"toml": _text(path / FILE), "seeds": _text(path / SEEDS)}
        return texts | {"version": _version(texts)}

    def create(self, name: str, toml: str, seeds: str) -> None:
        """Write the files of a campaign that is new.

        Raises:
            ApiError: it is there.
            StoreError: the folder cannot be written.
        """
        with self._writing:
            path = self.place(name, is_new=True)
            with storage_errors(path):
                self.folder.mkdir(parents=True, exist_ok=True)
                try:
                    path.mkdir()
                except FileExistsError:  # by another workbench, a moment ago
                    raise ApiError(409, f"{name} is there already") from None
                if seeds:
                    _write(path / SEEDS, seeds)
                _write(path / FILE, toml)

    def change(self, name: str, toml: str, seeds: str, version: str) -> str:
        """Write the files of a campaign that is there; returns their new version.

        What was done with seeds of before is to be done again, and all after it.

        Raises:
            ApiError: they are not those of the version any more.
            StoreError: the folder cannot be written.
        """
        with self._writing:
            files = self.files(name)
            if files["version"] != version:
                raise ApiError(409, "the files were changed meanwhile: load the form again")
            path = self.place(name)
            with storage_errors(path):
                if seeds != files["seeds"]:
                    self.forget_crawl(name)
                    _write(path / SEEDS, seeds)
                if toml != files["toml"]:
                    _write(path / FILE, toml)
        return _version({"toml": toml, "seeds": seeds})

    def forget_crawl(self, name: str) -> None:
        """Let the crawl be run again at the next start, and all that follows it."""
        with storage_errors(self.folder / name):
            (self.load(name).out / "steps" / "crawl.json").unlink(missing_ok=True)

    # -- the process ---------------------------------------------------------------------------

    def is_running(self, name: str) -> bool:
        """Whether a process runs the campaign at this moment."""
        started = self._started.get(name)
        if started is not None and started.poll() is not None:
            del self._started[name]
        return is_locked(self.place(name))

    def start(self, name: str) -> None:
        """Run the campaign, or what is left of it, in a process that needs us no more.

        Raises:
            ApiError: it runs.
            ConfigError: its file is wrong.
            StoreError: its folder cannot be written.
        """
        path = self.place(name)
        self.load(name)
        try:
            lock = CorpusLock(path)
        except CorpusLockedError:
            raise ApiError(409, f"{name} runs already") from None
        with lock, storage_errors(path):
            log = path / _LOG
            if log.exists() and log.stat().st_size > _MOST_LOG_BYTES:
                log.replace(path / f"{_LOG}.old")
            environment = {**os.environ, "NO_COLOR": "1", "PYTHONSAFEPATH": "1"}
            environment.pop("QUARKCRAWL_TOKEN", None)
            with log.open("ab") as said:
                process = subprocess.Popen(  # noqa: S603 - our own program
                    [sys.executable, "-c", _PROGRAM, "campaign", str(path / FILE)],
                    cwd=path, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                    start_new_session=True, pass_fds=(lock.descriptor,),
                )  # fmt: skip
            self._started[name] = process
            note = {"pid": process.pid, "started_at": round(time.time(), 3)}
            _write(path / _PROCESS, json.dumps(note) + "\n")

    def stop(self, name: str) -> None:
        """What Ctrl-C does: once, what is out is finished; twice, it ends at once.

        Raises:
            ApiError: it does not run.
        """
        pid = self.process(name).get("pid")
        if not self.is_running(name) or not isinstance(pid, int) or pid <= 1:
            raise ApiError(409, f"{name} does not run")
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGINT)  # a session of its own: its number is that of its group

    def process(self, name: str) -> dict[str, Any]:
        """Number of the process that was started last, and when; empty if there was none."""
        try:
            record = json.loads((self.place(name) / _PROCESS).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    # -- what is known of it -------------------------------------------------------------------

    def log(self, name: str) -> list[str]:
        """The last lines of what the process said, without what steers a terminal."""
        try:
            with (self.place(name) / _LOG).open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _TAIL_BYTES))
                data = file.read(_TAIL_BYTES)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"cannot be read ({error.strerror})", where=_LOG) from error
        lines = data.decode("utf-8", "replace").splitlines()
        if size > _TAIL_BYTES:
            del lines[:1]  # a part of one
        return [_shown(line) for line in lines[-_TAIL_LINES:]]

    def steps(self, name: str) -> list[dict[str, Any]]:
        """The steps that are not left out: name, command, state, seconds, report.

        A step is ``done``, ``running``, ``failed`` (or was stopped), or ``waiting``.
        """
        campaign = self.load(name)
        is_running, has_begun = self.is_running(name), bool(self.process(name))
        shown: list[dict[str, Any]] = []
        is_next = True  # of the steps that are not done, the first is at work
        for step in campaign.steps():
            if step.is_skipped:
                continue
            noted = noted_step(campaign, step)
            state = "done"
            if noted is None:
                state = "waiting"
                if is_next and has_begun:
                    state = "running" if is_running else "failed"
                is_next = False
            shown.append({
                "name": step.name, "command": shown_command(step),
                "state": state, "elapsed_s": (noted or {}).get("elapsed_s"),
                "report": (noted or {}).get("report"),
            })  # fmt: skip
        return shown


def shown_command(step: Step) -> str:
    """The command of a step as one types it, without passwords; "" if it is none."""
    words = shlex.join(without_credentials(str(word)) for word in step.words)
    return f"quarkcrawl {words}" if words else ""


def last_error(lines: list[str]) -> str:
    """What a process said last, if that is an error; ""."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return last if last.startswith(("quarkcrawl: ", "error: ")) else ""


def is_below(path: str | Path, folder: Path) -> bool:
    """Whether a path, links followed, is in a folder or is that folder."""
    return Path(path).resolve().is_relative_to(folder.resolve())


def toml_value(value: str | float | list[str] | tuple[str, ...]) -> str:
    """A text, number or list of texts as TOML: JSON, but for one character that TOML escapes.

    >>> toml_value(["天网", 'a "b"'])
    '["天网", "a \\\\"b\\\\""]'
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables as a TOML file."""
    lines: list[str] = []
    for table, values in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in values.items()]
        lines.append("")
    return "\n".join(lines)


def _shown(line: str) -> str:
    text = printable(_COLORS.sub("", line))
    return text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…"


def _version(texts: dict[str, str]) -> str:
    data = "\0".join((texts["toml"], texts["seeds"])).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", where=path) from error


def _write(path: Path, text: str) -> None:
    """The whole file or none of it."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8", newline="")
    new.replace(path)
