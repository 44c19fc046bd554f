"""64-bit keys of URLs, and the set of keys already seen.

A key is 16 bits of the URL's authority and 48 bits of the whole URL. The shared front makes the
keys of one host neighbours in the B-tree: the links of a page, nearly all to its own host, touch
one or two leaves and not fifty. Two URLs can only be mistaken for each other within one front;
of a million URLs on one host, .002 are expected to be.

Both parts are BLAKE2b keyed with a secret of the file, so that no page can be written whose links
collide on purpose.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.frontier.sqlite import Database


AUTHORITIES_KEPT: Final = 1 << 16


class UrlKeys:
    """Computes keys.

    Args:
        secret: 16 to 64 random bytes, the same over the life of a file.
    """

    def __init__(self, secret: bytes) -> None:
        self._empty = hashlib.blake2b(digest_size=6, key=secret)
        self._fronts: dict[bytes, bytes] = {}

    def many(self, urls: Iterable[bytes]) -> list[int]:
        """Keys of encoded URLs, as signed 64-bit integers."""
        parts: list[bytes] = []
        for url in urls:
            digest = self._empty.copy()
            digest.update(url)
            parts += (self._front(url), digest.digest())
        return list(struct.unpack(f">{len(parts) // 2}q", b"".join(parts)))

    def _front(self, url: bytes) -> bytes:
        pieces = url.split(b"/", 3)
        authority = pieces[2] if len(pieces) > 2 else b""
        front = self._fronts.get(authority)
        if front is None:
            if len(self._fronts) >= AUTHORITIES_KEPT:
                self._fronts.clear()
            digest = self._empty.copy()
            digest.update(authority)
            front = self._fronts[authority] = digest.digest()[:2]
        return front


class SeenSet:
    """The keys in the file."""

    # The number of placeholders is rounded up to one of these, by repeating a key: SQLite
    # compiles five statements in all, and one statement adds up to 256 keys.
    SIZES: Final = (1, 4, 16, 64, 256)

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = {
            size: f"INSERT OR IGNORE INTO seen VALUES {','.join(['(?)'] * size)} RETURNING key"  # noqa: S608
            for size in self.SIZES
        }

    def add(self, keys: Sequence[int]) -> set[int]:
        """Add keys and return those that were new."""
        new: set[int] = set()
        largest = self.SIZES[-1]
        for start in range(0, len(keys), largest):
            chunk = list(keys[start : start + largest])
            size = next(size for size in self.SIZES if size >= len(chunk))
            chunk += chunk[-1:] * (size - len(chunk))
            new.update(key for (key,) in self._database.rows(self._insert[size], chunk))
        return new
