"""What ``quarkcrawl frontier status`` shows."""

from __future__ import annotations

import dataclasses
import heapq
import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from quarkcrawl.cli.options import harmless
from quarkcrawl.errors import InputError
from quarkcrawl.frontier import SqliteFrontier, open_shared
from quarkcrawl.frontier.redis import AddressList, is_redis_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from quarkcrawl.frontier import Frontier, HostState, RedisFrontier, SharedFrontier


FRONTIER_FILE = "frontier.sqlite"
_STALE_S = 30.0


class WatchedCampaign:
    """A campaign to look at and to steer: its frontier is on a server, or a file in its corpus.

    Raises:
        InputError: there is no frontier.
    """

    def __init__(self, where: str) -> None:
        self._shared = shared_frontier(where)
        self._root = Path() if self._shared is not None else corpus_with_frontier(where)

    def status(self, n_hosts: int) -> dict[str, Any]:
        """Everything there is to know, as JSON values."""
        if self._shared is not None:
            return _of_servers(self._shared, n_hosts)
        from quarkcrawl.crawl.campaign import read_state  # noqa: PLC0415 - Scrapy is slow to import

        with closing(SqliteFrontier(self._root / FRONTIER_FILE, readonly=True)) as file:
            found = _common(file, n_hosts)
        state = read_state(self._root)
        return {"frontier": str(self._root), "state": state, **found, "workers": []}

    def steer(self, state: str) -> None:
        """Put it into a state: running, paused, draining."""
        if self._shared is not None:
            self._shared.set_state(state)
            return
        from quarkcrawl.crawl.campaign import write_state  # noqa: PLC0415

        write_state(self._root, state)

    def close(self) -> None:
        """Let go of the server."""
        if self._shared is not None:
            self._shared.close()


def show_job(where: str, *, as_json: bool) -> bool:
    """Show the job of a Scrapy project in a folder; False if there is none."""
    from quarkcrawl.crawl.jobs import JOB_FILE, job_status  # noqa: PLC0415 - Scrapy is slow

    if is_redis_url(where) or not (Path(where) / JOB_FILE).is_file():
        return False
    status = job_status(Path(where))
    if as_json:
        typer.echo(json.dumps(status, ensure_ascii=False))
        return True
    console = Console()
    state = "finished" if status["finished"] else "not finished: the same command goes on"
    console.print(harmless(f"{where}: {state}; {status['done']} done, {status['waiting']} wait"))
    for name in ("not_durable", "lost"):
        for request in status[name]:
            words = f"{name.replace('_', ' ')} ({request['attribute']})"
            console.print(harmless(f"  {words}: {request['method']} {request['url']}"))
    return True


def shared_frontier(
    where: str, *, create: bool = False, refill: bool = False
) -> SharedFrontier | None:
    """The frontier on a server or several, if such are meant."""
    return open_shared(where, create=create, refill=refill) if is_redis_url(where) else None


def shown_address(where: str) -> str:
    """A corpus, or servers without passwords."""
    return str(AddressList.parse(where)) if is_redis_url(where) else where


def corpus_with_frontier(where: str) -> Path:
    """Folder of a corpus with a frontier file.

    Raises:
        InputError: there is none.
    """
    path = Path(where)
    root = path.parent if path.name == FRONTIER_FILE else path
    if not (root / FRONTIER_FILE).is_file():
        raise InputError("no frontier.sqlite here, and no redis:// URL", where=where)
    return root


def _of_servers(frontier: SharedFrontier, n_hosts: int) -> dict[str, Any]:
    found = _common(frontier, n_hosts)
    workers = _workers(frontier)
    alive = [worker for worker in workers if worker["alive"]]
    servers = [_of_server(part) for part in frontier.parts]
    return {
        "frontier": str(frontier.address),
        "state": frontier.state(),
        **found,
        "pages_per_s": round(sum(worker["pages_per_s"] for worker in alive), 2),
        "server_memory_bytes": sum(server["memory_bytes"] for server in servers),
        "servers": servers,
        "workers": workers,
    }


def _of_server(part: RedisFrontier) -> dict[str, Any]:
    """What one server has of a campaign."""
    counts = part.counts()
    return {
        "server": part.server.address.server,
        "state": part.state(),
        "seen": counts.seen,
        "pending": counts.pending,
        "leased": counts.leased,
        "hosts": counts.hosts,
        "stored": counts.ended.get("stored", 0),
        "memory_bytes": part.memory_bytes(),
    }


def _common(frontier: Frontier, n_hosts: int) -> dict[str, Any]:
    counts = frontier.counts()
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


def _workers(frontier: SharedFrontier) -> list[dict[str, Any]]:
    """Last report of each worker, and what it has out."""
    leases = frontier.leases_of_workers()
    now = time.time()
    reports = frontier.reports()
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


def show(look: Callable[[], dict[str, Any]], *, live: bool) -> None:
    """Print once, or every second until Ctrl-C."""
    if not live:
        Console(file=sys.stdout, width=None if sys.stdout.isatty() else 110).print(_tables(look()))
        return
    with Live(_tables(look()), auto_refresh=False) as shown:
        while True:
            time.sleep(1)
            shown.update(_tables(look()), refresh=True)


def _tables(found: dict[str, Any]) -> Group:
    head = Text(f"{found['frontier']}  {found['state']}", style="bold")
    parts: list[Any] = [head, _totals(found)]
    if len(found.get("servers", ())) > 1:
        parts.append(_server_table(found["servers"]))
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


def _server_table(servers: list[dict[str, Any]]) -> Table:
    table = Table(title="servers", title_justify="left", box=None, pad_edge=False)
    names = ("server", "state", "seen", "pending", "leased", "hosts", "stored")
    for name in (*names, "MiB"):
        table.add_column(name, justify="left" if name in {"server", "state"} else "right")
    for one in servers:
        cells = [str(one[n]) if n in {"server", "state"} else f"{one[n]:,}" for n in names]
        table.add_row(*map(harmless, cells), f"{one['memory_bytes'] / 2**20:,.0f}")
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
