"""64-bit keys of URLs.

A key is 16 bits of the URL's authority and 48 bits of the whole URL. The shared front makes the
keys of one host neighbors in the B-tree: the links of a page, nearly all to its own host, touch
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
    from collections.abc import Iterable


AUTHORITIES_KEPT: Final = 1 << 16


class UrlKeys:
    """Computes keys.

    Args:
        secret: 16 to 64 random bytes, the same over the life of a file.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._empty = hashlib.blake2b(digest_size=6, key=secret)
        self._fronts: dict[bytes, bytes] = {}

    def many(self, urls: Iterable[str]) -> list[int]:
        """Keys of URLs, as signed 64-bit integers."""
        parts: list[bytes] = []
        # The links of a page nearly all begin as the one before: one comparison instead of a split.
        start, front = b"\xff", b""
        for url in map(pack, urls):
            if not url.startswith(start):
                pieces = url.split(b"/", 3)
                front = self._front(pieces[2] if len(pieces) > 2 else b"")
                start = b"/".join((*pieces[:3], b"")) if len(pieces) > 3 else b"\xff"
            digest = self._empty.copy()
            digest.update(url)
            parts += (front, digest.digest())
        return list(struct.unpack(f">{len(parts) // 2}q", b"".join(parts)))

    def of_digest(self, namespace: str, digest: bytes) -> int:
        """Key of a digest within its namespace, as a signed 64-bit integer."""
        key = hashlib.blake2b(pack(namespace) + b"\0" + digest, digest_size=8, key=self._secret)
        return int.from_bytes(key.digest(), "big", signed=True)

    def _front(self, authority: bytes) -> bytes:
        front = self._fronts.get(authority)
        if front is None:
            if len(self._fronts) >= AUTHORITIES_KEPT:
                self._fronts.clear()
            digest = self._empty.copy()
            digest.update(authority)
            front = self._fronts[authority] = digest.digest()[:2]
        return front


def pack(text: str) -> bytes:
    """Encode a text for storage; never fails: a lone surrogate is three bytes."""
    return text.encode("utf-8", "surrogatepass")
