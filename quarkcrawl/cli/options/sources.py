"""What was given on the command line: single pages, or one corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quarkcrawl.cli.options.outputs import complain
from quarkcrawl.errors import ConfigError, InputError, QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from quarkcrawl.page import Page


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page and the word on the command line that named it."""

    name: str
    page: Page
    is_plain: bool = False


def is_url(word: str) -> bool:
    """Whether a word on the command line is an address rather than a path."""
    return word.lower().startswith(("http://", "https://"))


def corpus_of(words: Sequence[str]) -> str | None:
    """The corpus that a command was given; None for pages.

    Args:
        words: one corpus, or pages.

    Raises:
        ConfigError: a corpus among other things.
    """
    roots = [word for word in words if word != "-" and (Path(word).is_dir() or _is_stored(word))]
    if roots and len(words) > 1:
        raise ConfigError("a corpus cannot be given together with anything else", where=roots[0])
    return roots[0] if roots else None


_SHIFTS = b"\x0e\x0f\x1a\x1b"  # by which some encodings change their tables
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r", *_SHIFTS})
_LOOKED_AT_BYTES = 1 << 16
_MOST_CONTROLS = 0.05
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


def is_binary(body: bytes) -> bool:
    """Whether bytes are no text in any encoding of pages: many are control characters.

    >>> is_binary(b"\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR"), is_binary("中文".encode("utf-16"))
    (True, False)
    """
    head = body[:_LOOKED_AT_BYTES]
    if head.startswith(_WIDE):  # UTF-16 and UTF-32 are full of zeros
        return False
    n_controls = len(head) - len(head.translate(None, _CONTROLS))
    return n_controls > _MOST_CONTROLS * len(head)


def refuse_binary(paths: Iterable[str | Path], what: str) -> None:
    """See that files of this machine are text or are compressed.

    Args:
        paths: words of the command line; what is no file is passed over.
        what: what they should be.

    Raises:
        InputError: one is binary.
    """
    for path in map(Path, paths):
        if not path.is_file():
            continue
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT_BYTES)
        if is_binary(head) and not head.startswith(_COMPRESSED):
            raise InputError(f"binary data, no {what}; see what its format is", where=path)


_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"PAR1")


def _is_stored(word: str) -> bool:
    """Whether a word names something in an object store: no page is read from there."""
    return "://" in word and not is_url(word)


def print_each(words: Iterable[str], text_of: Callable[[str], str]) -> int:
    """Print a text for each page; one that fails is told, and the others are printed all the same.

    Args:
        words: what names the pages.
        text_of: what is printed of one of them.

    Returns:
        The exit code.
    """
    code = 0
    given = list(words)
    for word in given:
        try:
            typer.echo(text_of(word))
        except QuarkError as error:
            if len(given) == 1:
                raise
            complain(error.message, where=error.where or word)
            code = error.exit_code
    return code


def say_unsettled(root: Path) -> None:
    """Say it in a line if pages that changed have several rows, as after a kill or in a watch.

    Raises:
        StoreError: no corpus is there, or a table of it cannot be read.
    """
    from quarkcrawl.store import shard_roots  # noqa: PLC0415 - help needs no Arrow
    from quarkcrawl.store.tables import count_unsettled  # noqa: PLC0415

    n_rows = sum(map(count_unsettled, shard_roots(root)))
    if n_rows:
        typer.echo(
            f"{root}: {n_rows} earlier versions of pages count as pages until the crawl ends, or "
            f"`quarkcrawl corpus settle {root}`",
            err=True,
        )
