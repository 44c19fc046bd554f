"""What a page says to robots about itself: X-Robots-Tag lines and ``meta`` elements.

Both are read before the page is parsed, from the header and the first bytes of the body, in one
pass that takes no page more time than its length. A directive holds if it is said to all robots
or to ours; said to another, it does not. Where several are said, all hold.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.page import HeaderLine


_READ_BYTES: Final = 1 << 18
"""A ``meta`` element further behind is not looked for."""

_WITH_VALUE: Final = frozenset(
    ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
)
"""Directives that a colon stands in; before another stands the name of a robot, or an hour."""

_NAME: Final = re.compile(r"(?:\*|[0-9._-]*+[a-z][a-z0-9._-]*+)?")
"""A robot's name has no space and not digits alone: both stand in dates after a comma."""

_MEANS: Final = {"none": ("noindex", "nofollow")}

# What is not read as markup goes first; what is never closed goes to the end, so that no start of
# it is looked at twice.
_PIECES: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(script|style|textarea|title|xmp|iframe|noframes)\b.*?(?:</\1|\Z)"
    rb"|<meta\b((?>(?:[^>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}')*))",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(
    r"([^\s=/>\"']++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))"
)


class RobotsTags:
    """Reads directives of pages for one crawl.

    Args:
        config: the settings ``robots_meta``, ``obey_nofollow`` and ``user_agent``, whose first
            word, without its version, is the name of our robot.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._name = re.split(r"[/\s(]", config.user_agent.strip().lower(), maxsplit=1)[0]
        self._mode = config.robots_meta
        self._obeys_nofollow = config.obeys_nofollow

    def refusal(self, header_lines: Iterable[HeaderLine], body: bytes) -> str | None:
        """Reason code for which a page may not be stored, or None.

        Args:
            header_lines: what its reply begins with.
            body: what follows them.
        """
        if self._mode not in {"noindex", "obey"}:
            return None
        said = self.directives(header_lines, body)
        if "noindex" in said:
            return "noindex"
        return "noarchive" if self._mode == "obey" and "noarchive" in said else None

    def forbids_links(self, header_lines: Iterable[HeaderLine], body: bytes) -> bool:
        """Whether the links of a page are not to be followed.

        Args:
            header_lines: what its reply begins with.
            body: what follows them.
        """
        return self._obeys_nofollow and "nofollow" in self.directives(header_lines, body)

    def directives(self, header_lines: Iterable[HeaderLine], body: bytes) -> set[str]:
        """All that is said to our robot, in lower case.

        Args:
            header_lines: what a reply begins with.
            body: what follows them.
        """
        words: set[str] = set()
        for name, value in header_lines:
            if name.lower() == b"x-robots-tag":
                words.update(self._of_line(value.decode("latin-1")))
        for robot, text in _metas(body):
            if robot in {"robots", self._name}:
                words.update(word.strip() for word in re.split(r"[,;]", text.lower()))
        for word in words & _MEANS.keys():
            words.update(_MEANS[word])
        return words - {""}

    def _of_line(self, line: str) -> Iterator[str]:
        """Directives of one line for our robot: a name holds up to the next name."""
        is_ours = True
        for part in line.lower().split(","):
            before, colon, behind = part.partition(":")
            directive = part
            name = before.strip()
            if colon and name not in _WITH_VALUE and (name == self._name or _NAME.fullmatch(name)):
                is_ours, directive = name in {"*", self._name}, behind
            if is_ours:
                yield directive.strip()


def _metas(body: bytes) -> Iterator[tuple[str, str]]:
    """Name and content of ``meta`` elements that name a robot, or anything else."""
    start = body[:_READ_BYTES]
    if start.count(b"\0") > len(start) // 4:  # UTF-16: what is looked for is ASCII
        start = start.replace(b"\0", b"")
    for match in _PIECES.finditer(start):
        if match[2] is None:
            continue
        attrs: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(match[2].decode("latin-1")):
            attrs.setdefault(name.lower(), unescape("".join(values)))
        if "name" in attrs and "content" in attrs:
            yield attrs["name"].strip().lower(), attrs["content"]
