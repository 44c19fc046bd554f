"""What the contract's tests are written with."""

from __future__ import annotations

from collections.abc import Callable

from quarkcrawl.frontier import Candidate, Ending, Frontier, Lease

__all__ = ["Make", "end", "page", "urls", "walk"]

Make = Callable[..., Frontier]


def page(number: int | str, level: int = 1, host: str = "a.cn", **more: object) -> Candidate:
    return Candidate(f"http://{host}/{number}", host, level, **more)


def urls(leases: list[Lease]) -> list[str]:
    return [lease.url for lease in leases]


def end(frontier: Frontier, leases: list[Lease], reason: str = "stored") -> list[bool]:
    return frontier.acknowledge([Ending(lease.token, reason) for lease in leases])


def walk(frontier: Frontier, now: float = 0.0) -> list[list[str]]:
    """Lease and acknowledge all; the URLs of each round, sorted."""
    rounds = []
    while (ready := frontier.next_ready(now=now)) is not None:
        now = max(now, ready)
        leases = frontier.lease(1000, now=now)
        assert leases, "next_ready promised a lease"
        rounds.append(sorted(urls(leases)))
        end(frontier, leases)
    return rounds
