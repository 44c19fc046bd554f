"""One process that answers one question after the other, and may be killed by any of them."""

from __future__ import annotations

from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis import Task, WorkerHandle

if TYPE_CHECKING:
    from quarkcrawl.analysis import WorkerSettings


START_S: Final = 60.0
"""How long a process may take to start, on a machine with other work."""


class AnsweringProcess:
    """A process that is started when it is asked first, and anew after it has died.

    Args:
        settings: what it does, and its limits.

    Attributes:
        worker: the process, if it lives.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self.worker: WorkerHandle | None = None
        self._settings = settings
        self._n_asked = 0

    def answer(self, question: Any) -> tuple[Any, str | None]:
        """What the function of the settings gives for a question; or None, and why there is none.

        Args:
            question: its argument; only one thread asks at a time.
        """
        self._n_asked += 1
        task = Task(self._n_asked, question)
        if self.worker is None:
            self._settings.preload()
            self.worker = WorkerHandle(self._settings, [task])
        else:
            self.worker.give([task])
        patience_s = (self._settings.patience_s or START_S) + START_S
        try:
            while wait([self.worker.connection], patience_s):
                answer = self.worker.receive()
                if answer is not None:
                    return answer[1], answer[2]
        except EOFError:
            return None, self.end()
        self.worker.kill()
        self.end()
        return None, "timeout"

    def end(self) -> str:
        """End the process; what it died of."""
        worker, self.worker = self.worker, None
        return worker.end() if worker is not None else ""
