"""HOSTS files: one host or URL a line, ``#`` starts a comment."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError
from quarkcrawl.page import canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_hosts(path: str | Path) -> list[str]:
    """Read seed URLs from a file; ``-`` is standard input.

    Args:
        path: the file.

    Raises:
        InputError: the file cannot be read, a line is no host, or there is none at all.
    """
    return list(read_host_counts(path))


def read_host_counts(path: str | Path) -> Counter[str]:
    """The same, each URL with the number of lines that mean it."""
    source = "<stdin>" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if source == "<stdin>" else Path(path).read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=source) from error
    return count_hosts(lines, source=source)


def parse_hosts(lines: Iterable[str], *, source: str = "hosts") -> list[str]:
    """Turn lines into canonical seed URLs, each once, in order.

    >>> parse_hosts(["# universities", "WWW.pku.edu.cn", "https://a.cn/bbs/  # forum"])
    ['http://www.pku.edu.cn/', 'https://a.cn/bbs/']

    Args:
        lines: hosts or URLs, with comments.
        source: what errors call them.

    Raises:
        InputError: a line is neither a host nor an http(s) URL (file and line named).
    """
    return list(count_hosts(lines, source=source))


def count_hosts(lines: Iterable[str], *, source: str = "hosts") -> Counter[str]:
    """The same, each URL with the number of lines that mean it.

    >>> count_hosts(["a.cn", "b.cn", "http://A.cn/"])
    Counter({'http://a.cn/': 2, 'http://b.cn/': 1})

    Args:
        lines: hosts or URLs, with comments.
        source: what errors call them.

    Raises:
        InputError: as `parse_hosts`.
    """
    seeds: Counter[str] = Counter()
    for number, raw in enumerate(lines, 1):
        line = raw.split(" #", 1)[0].strip()
        if line and not line.startswith("#"):
            seeds[_seed(line, f"{source}:{number}")] += 1
    if not seeds:
        raise InputError("no hosts in it", where=source)
    return seeds


def _seed(line: str, where: str) -> str:
    given = line if "://" in line else f"http://{line}"
    plausible = not any(c.isspace() or ord(c) < 32 for c in line)
    url = canonicalize(given) if plausible else None
    authority = "" if url is None else url.partition("://")[2].partition("/")[0]
    if url is None or not ("." in authority or authority.startswith("[")):
        raise InputError(f"neither a host nor an http(s) URL: {line[:80]!r}", where=where)
    return url
