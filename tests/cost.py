"""Bounds on CPU time that hold on slow machines: what a test may take is told for this one."""

import time

_REFERENCE_S = 0.05
_SLACK = 4.0


def _loop_s() -> float:
    """CPU that counting to a million takes; on the machine of the bounds a twentieth of a second."""
    started = time.process_time()
    for _ in range(1_000_000):
        pass
    return time.process_time() - started


def allowed_cpu_s(seconds: float) -> float:
    """CPU that a test may take where a quick machine takes at most ``seconds`` for it."""
    return seconds * _SLACK * max(1.0, _loop_s() / _REFERENCE_S)
