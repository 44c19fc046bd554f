"""How right a seed selection is, step by step, where the truth was planted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.select import STEPS, registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quarkcrawl.lab.mockweb.selection.plan import SimHost
    from quarkcrawl.select import Selection


_KINDS: Final = {
    "names": {"malformed"},
    "services": {"port", "address"},
    "spam": {"listed"},
    "digits": {"digit"},
}


@dataclass(frozen=True, slots=True)
class StepScore:
    """One step against the truth.

    Args:
        wrong: hosts that should be dropped here, among those that came to the step.
        dropped: hosts that were.
        right: hosts that were rightly dropped.
    """

    step: str
    wrong: int
    dropped: int
    right: int

    @property
    def precision(self) -> float:
        """Share of the dropped that are rightly dropped."""
        return self.right / self.dropped if self.dropped else 1.0

    @property
    def recall(self) -> float:
        """Share of those that should be dropped that are."""
        return self.right / self.wrong if self.wrong else 1.0


def score_selection(
    plan: Sequence[SimHost],
    selection: Selection,
    pages: Mapping[str, int],
    *,
    least_pages: int = 10,
    dead: Iterable[str] = ("dead",),
) -> dict[str, StepScore]:
    """Precision and recall of each step.

    Of spam families the proposals are scored, before a person looks at them. Of aliases any name
    may be kept: each group must lose all but one.
    Hosts with fewer than ``least_pages`` pages are those that the step ``pages`` should drop.
    """
    scores: dict[str, StepScore] = {}
    left = list(plan)
    for step in STEPS:
        drops = selection.drops
        dropped = {
            host.host for host in left if host.host in drops and drops[host.host].step == step
        }
        if step == "aliases":
            scores[step] = _alias_score(left, dropped)
        elif step == "outliers":
            domains = {one.domain for one in selection.proposals}
            proposed = {h.host for h in left if registered_domain(h.host) in domains}
            scores[step] = _score(step, {h.host for h in left if h.kind == "family"}, proposed)
        else:
            scores[step] = _score(step, _wrong(step, left, pages, least_pages, set(dead)), dropped)
        left = [host for host in left if host.host not in dropped]
    return scores


def _wrong(
    step: str, left: Iterable[SimHost], pages: Mapping[str, int], least_pages: int, dead: set[str]
) -> set[str]:
    if step == "pages":
        return {host.host for host in left if pages[host.host] < least_pages}
    kinds = dead if step == "check" else _KINDS[step]
    return {host.host for host in left if host.kind in kinds}


def _score(step: str, wrong: set[str], dropped: set[str]) -> StepScore:
    return StepScore(step, len(wrong), len(dropped), len(wrong & dropped))


def _alias_score(left: Iterable[SimHost], dropped: set[str]) -> StepScore:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for host in left:
        groups[host.of if host.kind == "alias" else host.host].append(host.host)
    wrong = right = 0
    for names in groups.values():
        wrong += len(names) - 1
        right += min(sum(name in dropped for name in names), len(names) - 1)
    return StepScore("aliases", wrong, len(dropped), right)
