"""The register of hostile habits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.quirks import failures as quirks_failures
from quarkcrawl.lab.mockweb.site.quirks import pages as quirks_pages
from quarkcrawl.lab.mockweb.site.quirks import traps as quirks_traps

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.hosts import HostPlan
    from quarkcrawl.lab.mockweb.site.quirks.quirk import Quirk


REGISTER: dict[str, Quirk] = {
    "idle": quirks_pages.IDLE,
    "errors": quirks_failures.ERRORS,
    "redirects": quirks_failures.REDIRECTS,
    "calendar": quirks_traps.CALENDAR,
    "robots": quirks_pages.PRIVATE,
    "types": quirks_pages.TYPES,
    "defaults": quirks_pages.DEFAULTS,
    "nofollow": quirks_pages.NOFOLLOW,
    "repeat": quirks_traps.REPEAT,
    "base": quirks_pages.BASE,
    "oversize": quirks_pages.OVERSIZE,
    "session": quirks_traps.SESSION,
    "long": quirks_traps.LONG,
    "deep": quirks_traps.DEEP,
    "chinese": quirks_pages.CHINESE,
}
"""By name; ``alias`` has no pages of its own."""


def quirks_of(plan: HostPlan) -> tuple[Quirk, ...]:
    """The quirks of a host, in the order of the register."""
    return tuple(quirk for name, quirk in REGISTER.items() if name in plan.quirks)
