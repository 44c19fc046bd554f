"""Compiled loops over arrays: numba, with a cache where the installation can be written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiled"]

_Function = TypeVar("_Function", bound="Callable[..., object]")


def compiled(function: _Function) -> _Function:
    """Compile a function of arrays on its first call; it runs without the interpreter's lock.

    The machine code is kept beside the module, and where that folder cannot be written to the
    function is compiled anew in each process (numba itself would raise at import).
    """
    try:
        return njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba finds no folder for its cache
        return njit(nogil=True)(function)  # type: ignore[no-any-return]
