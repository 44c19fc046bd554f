"""What ``quarkcrawl frontier status`` shows."""

from __future__ import annotations

import dataclasses
import heapq
import sys
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from quarkcrawl.cli.options import harmless
from quarkcrawl.frontier import FrontierCounts, SqliteFrontier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from quarkcrawl.frontier import Frontier, HostState, RedisFrontier


_STALE_S = 30.0


def status_of(frontier: RedisFrontier | None, root: Path | None, n_hosts: int) -> dict[str, Any]:
    """Everything there is to know, as JSON values."""
    if frontier is not None:
        return _of_server(frontier, n_hosts)
    from quarkcrawl.crawl.campaign import read_state  # noqa: PLC0415

    assert root is not None
    file = SqliteFrontier(root / "frontier.sqlite", readonly=True)
    try:
        found = _common(file, file.counts(), n_hosts)
        return {"frontier": str(root), "state": read_state(root), **found, "workers": []}
    finally:
        file.close()


def _of_server(frontier: RedisFrontier, n_hosts: int) -> dict[str, Any]:
    found = _common(frontier, frontier.counts(), n_hosts)
    workers = _workers(frontier)
    alive = [worker for worker in workers if worker["alive"]]
    return {
        "frontier": str(frontier.server.address),
        "state": frontier.state(),
        **found,
        "pages_per_s": round(sum(worker["pages_per_s"] for worker in alive), 2),
        "server_memory_bytes": frontier.server.memory_bytes(),
        "workers": workers,
    }


def _common(frontier: Frontier, counts: FrontierCounts, n_hosts: int) -> dict[str, Any]:
    found = dataclasses.asdict(counts)
    stored = counts.ended.get("stored", 0)
    found |= {"stored": stored, "dropped": sum(counts.ended.values()) - stored}
    return {**found, "options": dataclasses.asdict(frontier.options), "hosts_listed": _hosts(
        frontier.hosts() if n_hosts else (), n_hosts
    )}  # fmt: skip


def _hosts(states: Iterable[HostState], number: int) -> list[dict[str, Any]]:
    """The hosts with most to do."""
    busiest = heapq.nlargest(number, states, key=lambda state: (state.pending, state.stored))
    return [
        {**dataclasses.asdict(state), "robots": None if state.robots is None else len(state.robots)}
        for state in busiest
    ]


def _workers(frontier: RedisFrontier) -> list[dict[str, Any]]:
    """Last report of each worker, and what it has out."""
    leases = frontier.leases_of_workers()
    now = frontier.server_time(time.time())
    reports = frontier.server.workers()
    found = []
    for name in sorted({*reports, *leases}):
        report = reports.get(name, {})
        seen_at = report.get("seen_at")
        silent_s = now - seen_at if isinstance(seen_at, int | float) else None
        found.append(
            {
                "worker": name,
                "alive": silent_s is not None and silent_s < _STALE_S,
                "silent_s": None if silent_s is None else round(silent_s, 1),
                "leases": leases.get(name, (0, 0.0))[0],
                "pages": _number(report.get("pages")),
                "pages_per_s": _number(report.get("pages_per_s")),
                "host_name": str(report.get("host_name", "")),
                "pid": _number(report.get("pid")),
                "shard": str(report.get("shard", "")),
            }
        )
    return found


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def show_tables(found: dict[str, Any]) -> None:
    """Print once."""
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 110).print(_tables(found))


def show_live(look: Callable[[], dict[str, Any]]) -> None:
    """Show until Ctrl-C."""
    with Live(_tables(look()), auto_refresh=False) as live:
        while True:
            time.sleep(1)
            live.update(_tables(look()), refresh=True)


def _tables(found: dict[str, Any]) -> Group:
    head = Text(f"{found['frontier']}  {found['state']}", style="bold")
    parts: list[Any] = [head, _totals(found)]
    if found["workers"]:
        parts.append(_worker_table(found["workers"]))
    if found["hosts_listed"]:
        parts.append(_host_table(found["hosts_listed"]))
    return Group(*parts)


def _totals(found: dict[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name in ("seen", "pending", "leased", "hosts", "hosts_open", "stored", "dropped"):
        table.add_row(name.replace("_", " "), f"{found[name]:,}")
    if "pages_per_s" in found:
        table.add_row("pages per s", f"{found['pages_per_s']:,}")
    for name in ("ended", "retried"):
        shown = "  ".join(f"{harmless(reason)} {n:,}" for reason, n in found[name].items())
        table.add_row(name, shown or "none")
    return table


def _worker_table(workers: list[dict[str, Any]]) -> Table:
    table = Table(title="workers", title_justify="left", box=None, pad_edge=False)
    for name in ("worker", "alive", "silent s", "leases", "pages", "pages/s", "pid"):
        table.add_column(name, justify="left" if name == "worker" else "right")
    for one in workers:
        table.add_row(
            harmless(one["worker"]),
            "yes" if one["alive"] else "no",
            "" if one["silent_s"] is None else f"{one['silent_s']:.1f}",
            f"{one['leases']:,}",
            f"{one['pages']:,}",
            f"{one['pages_per_s']:.1f}",
            f"{one['pid']:.0f}",
        )
    return table


def _host_table(hosts: list[dict[str, Any]]) -> Table:
    table = Table(title="hosts", title_justify="left", box=None, pad_edge=False)
    for name in ("host", "waiting", "out", "stored", "failures", "delay s", "closed"):
        table.add_column(name, justify="left" if name in {"host", "closed"} else "right")
    for one in hosts:
        table.add_row(
            harmless(one["host"]),
            f"{one['pending']:,}",
            f"{one['leased']:,}",
            f"{one['stored']:,}",
            f"{one['failures']:,}",
            f"{one['delay_s']:g}",
            harmless(one["closed"] or ""),
        )
    return table
