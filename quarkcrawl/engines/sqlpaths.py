"""Paths within the SQL that DuckDB runs."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def target_path(path: Path | str) -> str:
    """A path within an SQL string, of a file to be written.

    Args:
        path: the file.
    """
    return str(path).replace("'", "''")


def source_path(path: Path | str) -> str:
    """A path within an SQL string, of a file to be read: no brackets and stars are a pattern.

    Args:
        path: the file.
    """
    return target_path(glob.escape(str(path)))
