"""Ray as the cluster: numbered tasks on its workers.

Files are read and written by the workers, so paths must mean the same on all machines, and
quarkcrawl has to be installed there. Ray is an extra (``pip install 'quarkcrawl[ray]'``).
"""

from __future__ import annotations

import importlib.util
import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import EngineError, QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_LOCAL: Final = "local"
_TRIES: Final = 8  # of a task whose worker dies; what it has finished by then is not done again


class RayCluster(AbstractContextManager["RayCluster"]):
    """Runs numbered tasks on Ray.

    Args:
        address: where a cluster runs, such as ``auto`` or ``ray://HOST:10001``; ``local`` starts
            one on this machine for as long as the block lasts.
        n_cores: cores of a local cluster; 0: all.

    Raises:
        EngineError: Ray is not installed, or no cluster answers.
    """

    def __init__(self, address: str = _LOCAL, *, n_cores: int = 0) -> None:
        if importlib.util.find_spec("ray") is None:
            raise EngineError("Ray is not installed: pip install 'quarkcrawl[ray]'", where=address)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
        import ray  # noqa: PLC0415 - an extra, and slow

        self._ray: Any = ray
        settings: dict[str, Any] = {"log_to_driver": False}
        if address == _LOCAL:
            settings |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            settings |= {"num_cpus": n_cores} if n_cores else {}
        try:
            ray.init(address=address, **settings)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise EngineError(f"Ray does not start ({error})", where=address) from error

    @property
    def n_cores(self) -> int:
        """See `Cluster.n_cores`."""
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def each(self, function: Callable[[int], str], numbers: Sequence[int]) -> Iterator[str]:
        """See `Cluster.each`: a task of Ray for each number."""
        ray = self._ray
        task = ray.remote(num_cpus=1, max_retries=_TRIES)(_call)
        shared = ray.put(function)
        waiting = [task.remote(shared, number) for number in numbers]
        try:
            while waiting:
                done, waiting = ray.wait(waiting)
                yield from ray.get(done)
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, QuarkError):  # of the task itself, not of Ray
                raise cause from error
            reason = str(cause or error).strip().rpartition("\n")[2]
            raise EngineError(f"Ray gave up ({reason})", where="tasks") from error

    def close(self) -> None:
        """Leave the cluster; safe to call twice."""
        self._ray.shutdown()

    def __exit__(self, *_: object) -> None:
        self.close()


def _call(function: Callable[[int], str], number: int) -> str:
    """What a worker does."""
    return function(number)
