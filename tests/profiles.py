"""How many examples a property is tried on: few while one works, more in CI, many over night.

``QUARKCRAWL_TEST_PROFILE`` names the profile; ``make test`` takes quick, ``make test-all`` and ``make test-slow`` ci
(long is for whoever has a night). Only long draws by chance: what quick and ci try is the same each time, so
that a change is not refused for what another one broke.
"""

import os

from hypothesis import HealthCheck, settings

_SHARES = {"quick": 0.25, "ci": 1.0, "long": 20.0}
PROFILE = os.environ.get("QUARKCRAWL_TEST_PROFILE") or "quick"


def examples(number: int) -> int:
    """Examples for a property that CI tries on so many."""
    return max(5, round(number * _SHARES[PROFILE]))


def load() -> None:
    """Make the profile that of all properties that say nothing themselves."""
    # How long an example takes is the machine's affair: two cores, and other work beside.
    settings.register_profile(
        PROFILE,
        max_examples=examples(100),
        deadline=None,
        derandomize=PROFILE != "long",
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile(PROFILE)
