"""Compiled loops over arrays: numba, with a cache where the installation can be written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

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
        return cast("_Function", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # numba finds no folder for its cache
        return cast("_Function", njit(nogil=True)(function))
