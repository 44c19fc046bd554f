"""Hosts that a person keeps whatever a step says: a list to edit, read by every later run.

``keep.txt`` has one host a line, and behind ``#`` a note::

    www.lab.cn  # three pages, but good ones
    10.1.2.3:8080
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import InputError
from quarkcrawl.select.worktables import one_writer, write_text

if TYPE_CHECKING:
    from pathlib import Path


_HEAD: Final = """\
# Hosts that are kept whatever a step says, one a line; what stands behind # is a note.
# "quarkcrawl select filter" reads this list.
"""


def read_keep_list(path: Path) -> dict[str, str]:
    """Host → note; empty if there is no list.

    Args:
        path: the list.

    Raises:
        InputError: it cannot be read, or a line is no host (file and line named).
    """
    hosts = {}
    for number, line in enumerate(_lines(path), 1):
        host, note = _parsed(line)
        if len(host.split()) > 1:
            raise InputError(f"no host: {host[:60]!r}", where=f"{path}:{number}")
        if host:
            hosts[host] = note
    return hosts


def change_keep_list(path: Path, host: str, note: str | None) -> bool:
    """Add a host with a note, or with None take it off; all other lines stay as they are.

    Args:
        path: the list; made if it is not there.
        host: host key, as in the tables.
        note: why it is kept, "" if there is nothing to say.

    Returns:
        Whether the list has changed.

    Raises:
        InputError: the list cannot be read, or the host is none.
        StoreError: it cannot be written; the old one stays.
    """
    if not host or host != "".join(host.split()) or "#" in host:
        raise InputError(f"no host: {host[:60]!r}", where=path)
    with one_writer(path.parent):
        lines = _lines(path)
        others = [line for line in lines if _parsed(line)[0] != host.lower()]
        if note is not None:
            words = " ".join(note.split())
            others.append(f"{host.lower()}  # {words}" if words else host.lower())
        if others == lines:
            return False
        head = "" if lines else _HEAD
        write_text(path, head + "".join(f"{line}\n" for line in others))
    return True


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


def _parsed(line: str) -> tuple[str, str]:
    """Host in lower case and note; both empty for a comment."""
    host, _, note = line.partition("#")
    return host.strip().lower(), note.strip()
