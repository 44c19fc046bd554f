"""What came of asking each host for its home page, kept so that a check can go on.

One JSON line a host, appended in synced groups; a run that is killed loses at most the last group,
and a line that was cut off by the kill is cut away when the file is opened again.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from quarkcrawl.errors import InputError
from quarkcrawl.store import AppendFile, storage_errors

if TYPE_CHECKING:
    from pathlib import Path


_GROUP_PROBES = 200


@dataclass(frozen=True, slots=True)
class Probe:
    """The answer of one host.

    Args:
        host: host key.
        url: home page that was asked for.
        reason: "" if there is a page, else the reason code of the last try.
        status: HTTP status of the last reply, 0 if there was none.
        md5: hexadecimal MD5 of the body as stored; "" without a page.
        body_bytes: size of the body.
        final_url: where redirects led.
        hops: redirects that were followed.
        tries: requests that were made for the first URL.
        checked_at: epoch seconds of the end.
    """

    host: str
    url: str
    reason: str
    status: int = 0
    md5: str = ""
    body_bytes: int = 0
    final_url: str = ""
    hops: int = 0
    tries: int = 1
    checked_at: float = 0.0

    @property
    def is_alive(self) -> bool:
        """Whether there is a home page."""
        return not self.reason

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        """Build from a parsed line; keys of other versions are passed over.

        Args:
            row: keys and values of the line.

        Raises:
            TypeError: a needed key is missing.
        """
        names = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in row.items() if key in names})


class ProbeFile(AbstractContextManager["ProbeFile"]):
    """The file of a check, open for appending; a context manager.

    Args:
        path: made if it is not there.

    Raises:
        InputError: the file is damaged within, or cannot be read.
        StoreError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        done, end = _read(path)
        self.done = frozenset(probe.host for probe in done)
        self._file = AppendFile(path)
        self._file.take_back(end)
        self._group: list[bytes] = []

    def add(self, probe: Probe) -> None:
        """Note a probe; it is on disk when its group is full or the file closed.

        Args:
            probe: answer of a host.

        Raises:
            StorageFullError: no room; what was noted before is safe.
        """
        self._group.append(json.dumps(asdict(probe), ensure_ascii=False).encode() + b"\n")
        if len(self._group) >= _GROUP_PROBES:
            self.sync()

    def sync(self) -> None:
        """Bring everything to disk.

        Raises:
            StorageFullError: no room.
        """
        group, self._group = self._group, []
        if group:
            self._file.append(b"".join(group))
            self._file.sync()

    def close(self) -> None:
        """Bring everything to disk and close the file."""
        try:
            self.sync()
        finally:
            self._file.release()

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def read_probes(path: Path) -> list[Probe]:
    """The probes of a file, the last one of each host.

    Args:
        path: the file.

    Raises:
        InputError: the file is missing or damaged within.
    """
    if not path.exists():
        raise InputError("is not there; run the step before", where=path)
    return list({probe.host: probe for probe in _read(path)[0]}.values())


def read_probe(path: Path, host: str) -> Probe | None:
    """The probe of one host, the last one; of the others' lines none is parsed.

    Args:
        path: the file.
        host: host key.

    Raises:
        InputError: the file cannot be read, or a line of the host is damaged.
    """
    key = json.dumps(host, ensure_ascii=False).encode()
    probe = None
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if key in line and line.endswith(b"\n"):
                    probe = _parsed(line, f"{path}:{number}", host) or probe
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    return probe


def _parsed(line: bytes, where: str, host: str = "") -> Probe | None:
    """A line's probe; None if it is of another host than the one that is wanted."""
    try:
        probe = Probe.from_row(json.loads(line))
    except (ValueError, TypeError, AttributeError):
        raise InputError("not a line of a check", where=where) from None
    return probe if host in {"", probe.host} else None


def _read(path: Path) -> tuple[list[Probe], int]:
    """Probes, and the end of the last whole line."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    end = data.rfind(b"\n") + 1
    probes = []
    for number, line in enumerate(data[:end].split(b"\n")[:-1], 1):
        probe = _parsed(line, f"{path}:{number}")
        if probe is not None:
            probes.append(probe)
    return probes, end
