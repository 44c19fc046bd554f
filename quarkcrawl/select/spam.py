"""The spam-domain list: patterns over host names (CWT200g thesis, 3.3).

One pattern a line. A plain domain matches the domain and everything below it; a line that
begins with ``re:`` is a regular expression searched in the host name. ``#`` starts a comment.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError, read_failure
from quarkcrawl.select.expressions import any_found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\Z")


class SpamList:
    """Compiled spam patterns; matching costs one dictionary look-up per label of the host.

    ``sources`` are the files that they were read from.

    >>> spam = SpamList.parse(["spam.example", "re:^bbs[0-9]{4,}[.]"])
    >>> spam.match("a.spam.example"), spam.match("bbs20061.net"), spam.match("pku.edu.cn")
    ('spam.example', 're:^bbs[0-9]{4,}[.]', None)
    """

    __slots__ = ("_domains", "_expressions", "sources")

    def __init__(
        self,
        domains: frozenset[str],
        expressions: tuple[re.Pattern[str], ...],
        sources: tuple[str, ...] = (),
    ) -> None:
        self._domains = domains
        self._expressions = expressions
        self.sources = sources

    @classmethod
    def parse(cls, lines: Iterable[str], *, source: str = "spam list") -> SpamList:
        """Compile patterns, one a line.

        Args:
            lines: patterns and comments.
            source: what errors call them.

        Raises:
            InputError: a line is neither a domain nor a valid expression (file and line named).
        """
        domains: set[str] = set()
        expressions: list[re.Pattern[str]] = []
        for number, raw in enumerate(lines, 1):
            line = raw.split(" #", 1)[0].strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("re:"):
                expressions.append(_compile(line[3:], f"{source}:{number}"))
            elif _DOMAIN.match(line):
                domains.add(line.lower().rstrip("."))
            else:
                raise InputError(f"not a domain: {line!r}", where=f"{source}:{number}")
        return cls(frozenset(domains), tuple(expressions))

    @classmethod
    def load(cls, path: str | Path) -> SpamList:
        """Read a pattern file (UTF-8, with or without a byte order mark).

        Args:
            path: the file.

        Raises:
            InputError: the file cannot be read or a line is malformed.
        """
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {read_failure(error)}", where=path) from error
        spam = cls.parse(lines, source=str(path))
        spam.sources = (str(Path(path).resolve()),)
        return spam

    @classmethod
    def merged(cls, lists: Iterable[SpamList]) -> SpamList:
        """One list with the patterns of several.

        Args:
            lists: a pattern that several have counts once; without lists, no host matches.
        """
        domains: frozenset[str] = frozenset()
        expressions: dict[str, re.Pattern[str]] = {}
        sources: dict[str, None] = {}
        for one in lists:
            domains |= one._domains  # noqa: SLF001 - of this class
            expressions |= {e.pattern: e for e in one._expressions}  # noqa: SLF001
            sources |= dict.fromkeys(one.sources)
        return cls(domains, tuple(expressions.values()), tuple(sources))

    def match(self, host: str) -> str | None:
        """Return the pattern that ``host`` (without port) matches, or None.

        Args:
            host: name of a host, lower case.
        """
        name = host.partition(":")[0].lower()
        domain = self._domain_of(name)
        if domain is not None:
            return domain
        for expression in self._expressions:
            if expression.search(name):
                return "re:" + expression.pattern
        return None

    def _domain_of(self, name: str) -> str | None:
        rest = name
        while rest:
            if rest in self._domains:
                return rest
            rest = rest.partition(".")[2]
        return None

    def match_all(self, hosts: Sequence[str]) -> list[str | None]:
        """`match` for many hosts: all expressions in one pass over the names.

        The names that some expression is found in are sorted out by automata of all expressions
        together (`quarkcrawl.select.expressions`); only these are asked one by one.

        Args:
            hosts: names of hosts, lower case.
        """
        names = [host.partition(":")[0].lower() for host in hosts]
        may_match = (
            any_found(self._expressions, names) if self._expressions else [False] * len(names)
        )
        return [
            self.match(name) if may else self._domain_of(name)
            for name, may in zip(names, may_match, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._domains) + len(self._expressions)


def _compile(pattern: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InputError(f"not a regular expression: {error}", where=where) from error
