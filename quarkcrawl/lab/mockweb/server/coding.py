"""Content codings of replies: gzip, deflate (both kinds) and Brotli, as the client accepts."""

from __future__ import annotations

import zlib

import brotli
from isal import isal_zlib

from quarkcrawl.lab.mockweb.web import Coding

_TOKENS = {Coding.RAW_DEFLATE: "deflate"}


def accepted(accept_encoding: str) -> frozenset[str]:
    """Coding names that an Accept-Encoding value allows; ``q=0`` forbids.

    >>> sorted(accepted("gzip, br;q=0, deflate;q=0.5"))
    ['deflate', 'gzip']
    """
    names = set()
    for item in accept_encoding.lower().split(","):
        name, _, parameter = item.partition(";")
        if parameter.replace(" ", "") not in {"q=0", "q=0.0"}:
            names.add(name.strip())
    return frozenset(names)


def choose(coding: Coding | None, accept_encoding: str) -> Coding | None:
    """The coding to apply: the wanted one, else gzip, else None."""
    if coding is None or not accept_encoding:
        return None
    names = accepted(accept_encoding)
    if _TOKENS.get(coding, coding.value) in names:
        return coding
    return Coding.GZIP if "gzip" in names else None


def encode(body: bytes, coding: Coding) -> tuple[str, bytes]:
    """Apply a coding; returns the Content-Encoding value and the coded bytes."""
    if coding is Coding.BROTLI:
        coded = brotli.compress(body, quality=3)
    elif coding is Coding.RAW_DEFLATE:
        packer = zlib.compressobj(1, zlib.DEFLATED, -15)
        coded = packer.compress(body) + packer.flush()
    else:
        coded = isal_zlib.compress(body, 1, 31 if coding is Coding.GZIP else 15)
    return _TOKENS.get(coding, coding.value), coded
