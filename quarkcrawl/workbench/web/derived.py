"""What is made of the tables of a corpus in one go, in a thread, when somebody asks for it.

It is made again when the tables have changed, at most a sixth of the time; the old answer stands
until the new one is ready. Files of it lie in a temporary folder.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import EngineError
from quarkcrawl.workbench.web.http import PendingError

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")

_PATIENCE_S: Final = 0.7
_REST: Final = 5
_MEMORY_BYTES: Final = 1 << 30


class Derived(Generic[T]):
    """A value that is made in a thread.

    Args:
        name: what is being made, for who has to wait.
        state: what it is made of, at this moment; another state makes another value.
        make: makes it with an engine; files of it go into the folder, what is only needed on the
            way into the folder ``work`` in it.
    """

    def __init__(
        self, name: str, state: Callable[[], object], make: Callable[[DuckEngine, Path], T]
    ) -> None:
        self._name = name
        self._state = state
        self._make = make
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="quarkcrawl-made-"))
        self._number = 0
        self._seen: object = None
        self._next_at = 0.0
        self._made: T | None = None
        self._failure: EngineError | None = None
        self._thread: threading.Thread | None = None

    def value(self) -> T:
        """The value, made of what the tables hold or held a little while ago.

        Raises:
            PendingError: it is being made.
            EngineError: it cannot be made.
        """
        with self._lock:
            thread = self._look()
        if thread is not None and self._made is None:
            thread.join(_PATIENCE_S)
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._made is None:
                raise PendingError(f"{self._name} is being read")
            return self._made

    def _look(self) -> threading.Thread | None:
        """Begin to make it anew if something has changed; the thread that does it, if any."""
        if self._thread is not None or time.monotonic() < self._next_at:
            return self._thread
        seen = self._state()
        if seen != self._seen:
            self._seen = seen
            self._number += 1
            self._thread = threading.Thread(target=self._work, args=(self._number,), daemon=True)
            self._thread.start()
        return self._thread

    def _work(self, number: int) -> None:
        start = time.monotonic()
        folder = self._folder / str(number)
        value: T | None = None
        failure: EngineError | None = None
        try:
            with DuckEngine(memory_bytes=_MEMORY_BYTES, threads=2) as engine:
                value = self._make(engine, folder)
        except Exception as error:  # noqa: BLE001 - told to whoever asks
            failure = EngineError(str(error) or type(error).__name__)
        shutil.rmtree(folder / "work", ignore_errors=True)
        with self._lock:
            self._made, self._failure = value or self._made, failure
            self._next_at = time.monotonic() + _REST * (time.monotonic() - start)
            self._thread = None
        if value is not None:  # the one before may be read at this moment
            shutil.rmtree(self._folder / str(number - 2), ignore_errors=True)

    def close(self) -> None:
        """Remove the files."""
        if (thread := self._thread) is not None:
            thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)
