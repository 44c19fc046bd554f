"""What tells the URL of a sitemap or a feed from that of a page, wherever a frontier keeps it.

A URL waits with the URL whose redirect led to it. In its place a list has a mark, which is no URL:
so no frontier needs another column, and those of earlier versions can be gone on with. A mark also
stands at the beginning of the detail of a list's row among the drops, from where the list can be
asked again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Self

_MARK: Final = re.compile(r"#(sitemap|guess|feed):([0-9]{1,3}):(\S+)")


@dataclass(frozen=True, slots=True)
class ListMark:
    """The mark of a list.

    Args:
        source: ``"sitemap"`` (robots.txt or an index names it), ``"guess"`` (a well-known place) or
            ``"feed"`` (a page names it).
        depth: how many indexes led to it.
        host: key of the host that named it, whose URLs are taken from it.
    """

    source: str
    depth: int
    host: str

    def __str__(self) -> str:
        return f"#{self.source}:{self.depth}:{self.host}"

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """The mark at the beginning of an origin or a detail; None if there is none.

        >>> ListMark.parse("#feed:0:www.pku.edu.cn 12 URLs"), ListMark.parse("http://a.cn/")
        (ListMark(source='feed', depth=0, host='www.pku.edu.cn'), None)
        """
        match = _MARK.match(text) if text else None
        return cls(match[1], int(match[2]), match[3]) if match else None

    @property
    def is_guess(self) -> bool:
        """Whether nobody but us said that there is a list."""
        return self.source == "guess"

    def deeper(self) -> ListMark:
        """The mark of what an index names."""
        return replace(self, source="sitemap", depth=self.depth + 1)


def with_mark(origin: str | None, detail: str) -> str:
    """The detail of a row, after the mark of the URL if it is that of a list."""
    mark = ListMark.parse(origin)
    return detail if mark is None else f"{mark} {detail}".rstrip()
