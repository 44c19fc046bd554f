"""What was given on the command line: single pages, or one corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quarkcrawl.errors import ConfigError, QuarkError

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
    for word in words:
        try:
            typer.echo(text_of(word))
        except QuarkError as error:
            typer.echo(f"error: {error}", err=True)
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
