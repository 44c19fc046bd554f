"""Model files: NumPy archives without pickles, so that reading one runs no code of its maker."""

from __future__ import annotations

import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


MAX_BYTES: Final = 1 << 30
"""Arrays of a model together; a small archive may unfold to more than the memory holds."""


@contextmanager
def model_arrays(path: Path, what: str) -> Iterator[dict[str, NDArray[Any]]]:
    """Read a model file; whatever goes wrong before the block ends is the fault of the file.

    Args:
        path: an ``.npz`` archive.
        what: what the file should be, such as "model of page classes".

    Raises:
        InputError: the file is missing, damaged or too large, or the block cannot make a model of
            its arrays.
    """
    try:
        yield _read(path)
    except InputError:
        raise
    except Exception as error:  # damage shows in zip, zlib, NumPy, JSON and the arrays themselves
        raise InputError(f"no {what} ({error})", where=path) from error


def _read(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise ValueError("too large")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
