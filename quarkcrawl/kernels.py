"""Compiled loops over arrays: numba, with a cache where the installation can be written to."""

from __future__ import annotations

import contextlib
import fcntl
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable


_Function = TypeVar("_Function", bound="Callable[..., object]")


def compiled(function: _Function) -> _Function:
    """Compile a function of arrays on its first call; it runs without the interpreter's lock.

    The machine code is kept beside the module, and where that folder cannot be written to the
    function is compiled anew in each process (numba itself would raise at import). Of several
    processes that need it at once, one compiles and the others wait for the code that it stores.
    """
    return cast("_Function", _Loop(function))


class _Loop:
    """A function that numba takes over at its first call.

    Loading numba takes most of a second and 70 MiB, which a process without pages need not pay.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any) -> Any:
        return self.dispatcher(*args)

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        return _dispatcher(self._function)

    @property
    def _numba_type_(self) -> Any:
        """What numba sees when another loop calls this one."""
        return self.dispatcher._numba_type_


def _dispatcher(function: Callable[..., object]) -> Any:
    from numba import njit  # noqa: PLC0415  (see `_Loop`)
    from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415

    try:
        dispatcher: Any = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba finds no folder for its cache
        return njit(nogil=True)(function)
    if not hasattr(dispatcher, "stats"):  # NUMBA_DISABLE_JIT: the function itself
        return function
    folder = Path(dispatcher.stats.cache_path)
    lock = folder / f"{function.__module__}.{function.__name__}.lock"
    module = function.__module__.rpartition(".")[2]
    compile_or_load = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        # The thread's lock first: it is also taken inside, and the other order could deadlock.
        with global_compiler_lock, contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # without a lock the code is the same
                lock.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(lock.open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)
            try:
                return compile_or_load(signature)
            except (AttributeError, ImportError, EOFError):
                # The index of an earlier version may name a class that is gone.
                for index in folder.glob(f"{module}.{function.__name__}-*.nbi"):
                    index.unlink(missing_ok=True)
                return compile_or_load(signature)

    dispatcher.compile = compile_once
    return dispatcher
