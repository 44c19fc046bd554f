"""Where chains of URLs end, by jumps of doubling length; see `quarkcrawl.rank.graph.aliases`."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.engines import SparkStages


_ON_THE_WAY = """
SELECT count(*) AS rows, count(DISTINCT j.next) AS places
FROM {jumps} AS j SEMI JOIN {first} AS f ON j.next = f.url
"""
_ON_A_CIRCLE = """
SELECT DISTINCT j.next AS url FROM {jumps} AS j SEMI JOIN {first} AS f ON j.next = f.url
"""
_BROKEN = "SELECT f.* FROM {first} AS f ANTI JOIN {circle} AS c ON f.url = c.url"
_JUMPED = """
SELECT a.url, coalesce(b.next, a.next) AS next
FROM {jumps} AS a LEFT JOIN {jumps} AS b ON a.next = b.url
"""


def chain_ends(stages: SparkStages, first: str) -> str:
    """Where each chain ends; what lies on a circle is an end itself.

    ``first`` is a table of ``url``, each once, and ``next``, another URL. After m jumps those on
    the way are the starts of paths of more than m steps. A path of 2m steps holds shorter ones of
    all lengths, so that if m more jumps leave as many starts and places, all that is left goes
    round in circles, and the places are what lies on them.

    Returns:
        The name of a table of ``url`` and ``next``, its end.
    """
    jumps, before = first, None
    for number in count():
        state = stages.row(_ON_THE_WAY.format(jumps=jumps, first=first))
        if not state["rows"]:
            return jumps
        if state == before:
            names = {"jumps": jumps, "first": first, "circle": f"{first}_circle"}
            stages.keep(names["circle"], _ON_A_CIRCLE.format(**names))
            stages.keep(f"{first}_broken", _BROKEN.format(**names))
            return chain_ends(stages, f"{first}_broken")
        before = state
        stages.keep(f"{first}_jumps_{number}", _JUMPED.format(jumps=jumps))
        jumps = f"{first}_jumps_{number}"
    raise AssertionError
