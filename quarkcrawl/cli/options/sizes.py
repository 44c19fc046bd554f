"""Sizes for people."""

from __future__ import annotations


def human_bytes(count: float) -> str:
    """A size with a binary unit.

    >>> human_bytes(1536), human_bytes(12)
    ('1.5 KiB', '12 B')
    """
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
