"""A page that a word on the command line names: a file, standard input, or an address."""

from __future__ import annotations

import sys
from pathlib import Path

from quarkcrawl.cli.options.sources import NamedPage, is_binary, is_url
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page

MAX_BYTES = 64 << 20
"""Larger files are refused; replies are cut at the crawler's ``max_body_bytes``."""


def read_source(word: str, *, url: str = "") -> NamedPage:
    """Read a page.

    Args:
        word: a URL, the path of a file, or ``-`` for standard input.
        url: address of the page, where it is no URL itself.

    Raises:
        InputError: the file cannot be read or is too large.
        FetchError: the URL cannot be fetched.
    """
    if is_url(word):
        from quarkcrawl.cli.options.fetching import fetch  # noqa: PLC0415 - a file needs no TLS

        return fetch(word)
    if word == "-":
        return NamedPage(
            "-", Page.from_bytes(_bounded(sys.stdin.buffer.read(MAX_BYTES + 1), "-"), url)
        )
    path = Path(word)
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=word) from error
    return NamedPage(
        word, Page.from_bytes(_bounded(body, word), url), path.suffix.lower() == ".txt"
    )


def _bounded(body: bytes, word: str) -> bytes:
    if len(body) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES >> 20} MiB, which no page is", where=word)
    if is_binary(body) and not body.startswith(b"%PDF"):
        raise InputError("binary data, no page; give an HTML, text or PDF file", where=word)
    return body
