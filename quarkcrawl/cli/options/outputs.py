"""Files that commands write: a place that cannot be written to is the user's error, not a crash."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_output(*paths: Path | None) -> None:
    """Refuse files that cannot be written, before the work that fills them.

    Args:
        paths: the files; None and ``-``, standard output, are passed over.

    Raises:
        StoreError: a path is a folder, or its folder is missing.
    """
    for path in paths:
        if path is None or path == Path("-"):
            continue
        if path.is_dir():
            raise StoreError("cannot be written (it is a folder)", where=path)
        if not path.parent.is_dir():
            raise StoreError("cannot be written (its folder is missing)", where=path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell which file cannot be written.

    Args:
        path: the file that the block writes.

    Raises:
        StoreError: for an `OSError` within the block.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=path) from error
