"""Public lists of spam, adult, gambling and malware sites as patterns of a `SpamList`.

Such lists come in a handful of forms, often several in one file, so each line is read by itself:

| form | a line |
|---|---|
| hosts file | ``0.0.0.0 spam.example www.spam.example`` |
| domains | ``spam.example``, ``*.spam.example``, ``.spam.example`` |
| ad blocker | ``||spam.example^``, ``||spam.example^$document``; ``@@||good.example^`` takes out |
| dnsmasq | ``address=/spam.example/0.0.0.0``, ``server=/…/``, ``local=/…/`` |
| response policy zone | ``spam.example CNAME .`` |
| URLs | ``http://spam.example/a``, or CSV with a URL in a column |

A list of URLs names pages, often pages that somebody broke into: only the host that stands there
is taken, and what the user wants to keep is never taken.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from quarkcrawl.select.hostnames import PLAIN_HOST, site_of
from quarkcrawl.select.linebatches import opened
from quarkcrawl.select.validity import name_reason, service_reason, without_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.select.spam import SpamList


_LINE_BYTES: Final = 1 << 16
_MOST_SHOWN: Final = 10

_COMMENT: Final = re.compile(r"\s*(?:#|!|;|//|\[adblock|\$ttl|@\s|$)", re.IGNORECASE)
_COSMETIC: Final = re.compile(r"#[@?$%]*#")
_BLOCKER: Final = re.compile(r"(@@)?\|\|([^\s^/$|*]+)\^?(\|?)(\$\S+)?\Z")
_WHOLE_PAGES: Final = frozenset(("all", "document", "doc", "important", "popup"))
"""Options of a rule that do not limit it to parts of pages of others."""
_DNSMASQ: Final = re.compile(r"(?:address|server|local)=/([^\s]*)/[^/\s]*\Z")
_ZONE: Final = re.compile(r"(\S+?)\.?\s+(?:\d+\s+)?(?:IN\s+)?CNAME\s+\S+\Z", re.IGNORECASE)
_ADDRESS: Final = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f:.]*(?:%\w+)?", re.IGNORECASE
)
_PLAIN: Final = re.compile(rf"(?=.{{1,63}}\Z){PLAIN_HOST}")
_URL: Final = re.compile(r"(?:https?|ftp|hxxps?)://", re.IGNORECASE)
_OWN_NAMES: Final = frozenset(("localhost", "localhost.localdomain", "local", "broadcasthost"))
"""Names of the machine itself in a hosts file, beside those that begin with ``ip6-``."""


@dataclass(slots=True)
class BlockListCount:
    """What the lines of one list were.

    Args:
        path: the list.
        lines: lines in all.
        counts: how many lines or names of each kind: ``comment``, ``name`` (taken), ``kept``,
            ``exception``, ``address`` (an IP address), ``suffix`` (all of com.cn, say), ``partial``
            (rules for parts of pages) and ``unreadable``.
        unreadable: the first of these, each with its number.
    """

    path: str
    lines: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    unreadable: list[tuple[int, str]] = field(default_factory=list)


class BlockList:
    """Domains of public lists, gathered.

    Args:
        keep: hosts and domains that are never taken, whatever lists say.
    """

    def __init__(self, keep: SpamList) -> None:
        self._keep = keep
        self._names: set[str] = set()
        self._exceptions: set[str] = set()
        self.lists: list[BlockListCount] = []

    def read(self, path: Path) -> BlockListCount:
        """Take a list in.

        Args:
            path: the file, plain or compressed by gzip or zstd; ``-`` is standard input.

        Raises:
            InputError: it cannot be read to its end.
        """
        count = BlockListCount(str(path))
        columns: list[str] = []
        with opened(path) as file:
            for raw in iter(lambda: file.readline(_LINE_BYTES), b""):
                count.lines += 1
                line = _decoded(raw).strip().removeprefix("\ufeff")
                columns = _columns(line) or columns
                self._take(line, columns, count)
        self.lists.append(count)
        return count

    def _take(self, line: str, columns: list[str], count: BlockListCount) -> None:
        if _COMMENT.match(line):
            count.counts["comment"] += 1
            return
        if _COSMETIC.search(line):
            count.counts["partial"] += 1
            return
        for kind, name in _entries(line, columns):
            if kind == "name":
                self._add(name, count)
            else:
                if kind == "exception":
                    self._exceptions.add(name)
                count.counts[kind] += 1
                if kind == "unreadable" and len(count.unreadable) < _MOST_SHOWN:
                    count.unreadable.append((count.lines, line[:80]))

    def _add(self, name: str, count: BlockListCount) -> None:
        if service_reason(name):
            count.counts["address"] += 1
        elif name_reason(name) == "bare_suffix":
            count.counts["suffix"] += 1
        elif self._keep.match(name) is not None:
            count.counts["kept"] += 1
        else:
            count.counts["name"] += 1
            self._names.add(name)

    def domains(self) -> list[str]:
        """Patterns, sorted; a name below another one that is listed is left out."""
        names = self._names - self._exceptions
        return sorted(name for name in names if not any(up in names for up in _above(name)))

    @property
    def n_names(self) -> int:
        """Names that were taken, each once."""
        return len(self._names)

    @property
    def n_excepted(self) -> int:
        """Names that a list took out again."""
        return len(self._names & self._exceptions)


def _entries(line: str, columns: list[str]) -> Iterator[tuple[str, str]]:
    """Kinds and names of a line that is no comment."""
    if match := _BLOCKER.match(line):
        yield _rule(match)
    elif match := _DNSMASQ.match(line):
        yield from map(_named, match[1].split("/"))
    elif match := _ZONE.match(line):
        yield _named(match[1])
    elif line.startswith(("|", "@@")):
        yield "partial", ""
    elif _URL.search(line) or ("," in line and columns):
        yield _of_url(_url_of(line, columns))
    else:
        yield from _of_words(re.split(r"\s#", line, maxsplit=1)[0].split())


def _of_words(words: list[str]) -> Iterator[tuple[str, str]]:
    """A line of a hosts file, or one name."""
    if len(words) > 1 and _ADDRESS.fullmatch(words[0]):
        names = [name for name in words[1:] if not _is_own(name.lower())]
        if not names:
            yield "comment", ""
        yield from map(_named, names)
    elif len(words) == 1:
        yield _named(words[0])
    else:
        yield "unreadable", ""


def _is_own(name: str) -> bool:
    return name in _OWN_NAMES or name.startswith("ip6-") or _ADDRESS.fullmatch(name) is not None


def _rule(match: re.Match[str]) -> tuple[str, str]:
    """A rule of an ad blocker, if it is about a whole site."""
    options = set((match[4] or "$")[1:].lower().split(",")) - {""}
    kind, name = _named(match[2])
    if kind == "name" and options - _WHOLE_PAGES:
        return "partial", ""
    return ("exception", name) if kind == "name" and match[1] else (kind, name)


def _of_url(url: str) -> tuple[str, str]:
    plain = re.sub(r"^hxxp", "http", url.strip(), flags=re.IGNORECASE).replace("[.]", ".")
    return _named(re.sub(r"^ftp", "http", plain, flags=re.IGNORECASE))


def _url_of(line: str, columns: list[str]) -> str:
    """The URL of a line, which may be one of CSV."""
    if "," not in line and '"' not in line:
        return line
    try:
        fields = next(csv.reader([line]))
    except (csv.Error, StopIteration):
        return ""
    for name in ("url", "host", "domain"):
        if name in columns and columns.index(name) < len(fields):
            return fields[columns.index(name)]
    return next((value for value in fields if _URL.match(value.strip())), "")


def _columns(line: str) -> list[str]:
    """Names of columns, if the line says them, perhaps as a comment."""
    if "," not in line or _URL.search(line):
        return []
    names = [word.strip(' "').lower() for word in line.lstrip("#; ").split(",")]
    return names if {"url", "host", "domain"} & set(names) else []


def _named(text: str) -> tuple[str, str]:
    """A name in canonical form."""
    name = text.strip().removeprefix("*.").strip(".")
    if not _PLAIN.fullmatch(name):
        site = site_of(name)
        if site is None:
            return "unreadable", ""
        name = without_port(site[1])
    is_name = name_reason(name) in {None, "bare_suffix"}
    return ("name", name) if is_name else ("unreadable", "")


def _above(name: str) -> Iterable[str]:
    """The domains that a name stands below."""
    while "." in name:
        name = name.partition(".")[2]
        yield name


def _decoded(raw: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")
