"""The register of hostile habits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.hosts import QUIRKS
from quarkcrawl.lab.mockweb.site.quirks.failures import FAILURES
from quarkcrawl.lab.mockweb.site.quirks.pages import PAGES
from quarkcrawl.lab.mockweb.site.quirks.traps import TRAPS

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.hosts import HostPlan
    from quarkcrawl.lab.mockweb.site.quirks.quirk import Quirk


_KNOWN: dict[str, Quirk] = FAILURES | PAGES | TRAPS
REGISTER = {name: _KNOWN[name] for name in QUIRKS if name in _KNOWN}
"""By name, in the order of the habits; ``alias`` has no pages of its own."""


def quirks_of(plan: HostPlan) -> tuple[Quirk, ...]:
    """The quirks of a host, in the order of the register."""
    return tuple(quirk for name, quirk in REGISTER.items() if name in plan.quirks)
