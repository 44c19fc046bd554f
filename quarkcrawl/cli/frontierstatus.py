"""What ``quarkcrawl frontier status`` shows.

The state is not what was ordered but what is: a campaign runs if a worker holds its corpus (the
kernel knows) or has reported to its server within half a minute.
"""

from __future__ import annotations

import dataclasses
import heapq
import json
import shutil
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

from quarkcrawl.cli.options import harmless, human_bytes, printable
from quarkcrawl.errors import InputError
from quarkcrawl.frontier import SqliteFrontier, open_shared
from quarkcrawl.frontier.redis import AddressList, is_redis_url
from quarkcrawl.store import is_locked

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.frontier import Frontier, HostState, RedisFrontier, SharedFrontier


FRONTIER_FILE = "frontier.sqlite"
_STALE_S = 30.0
_LEAST_FREE = 0.05
_LEAST_FREE_BYTES = 1 << 30
_MANY_ERRORS = 0.2
_LEAST_ENDED = 50
_LISTED_LOST = 10


class WatchedCampaign:
    """A campaign to look at and to steer: its frontier is on a server, or a file in its corpus.

    Args:
        where: the corpus, or the ``redis://`` URL.
        create: begin a campaign on a server that has none of this name.

    Raises:
        InputError: there is no frontier.
    """

    def __init__(self, where: str, *, create: bool = False) -> None:
        self._shared = shared_frontier(where, create=create)
        self._root = Path() if self._shared is not None else corpus_with_frontier(where)

    def status(self, n_hosts: int, first_host: int = 0) -> dict[str, Any]:
        """Everything there is to know, as JSON values.

        Args:
            n_hosts: hosts to list, those with most to do first.
            first_host: how many of these are passed over.
        """
        shown = range(first_host, first_host + n_hosts)
        if self._shared is not None:
            return _of_servers(self._shared, shown)
        return _of_file(self._root, shown)

    def steer(self, state: str) -> None:
        """Put it into a state: running, paused, draining."""
        if self._shared is not None:
            self._shared.set_state(state)
            return
        from quarkcrawl.crawl.campaign import write_state  # noqa: PLC0415

        write_state(self._root, state)

    def add(self, seeds: Counter[str]) -> dict[str, Any]:
        """Give it more seeds, also while it runs; what becomes of them, as JSON values.

        Args:
            seeds: canonical URLs with the number of lines that mean each.
        """
        from quarkcrawl.crawl.campaign import leave_seeds, seed_candidates  # noqa: PLC0415

        if self._shared is None:
            return dataclasses.asdict(leave_seeds(self._root, seeds))
        new = sum(self._shared.push(seed_candidates(seeds)))
        duplicates = seeds.total() - len(seeds)
        return {"offered": len(seeds), "duplicates": duplicates, "new": new}

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


def _of_file(root: Path, shown: range) -> dict[str, Any]:
    """A crawl by one process."""
    from quarkcrawl.crawl.campaign import (  # noqa: PLC0415 - Scrapy is slow to import
        read_report,
        read_state,
    )

    report, is_held = read_report(root), is_locked(root)
    with closing(SqliteFrontier(root / FRONTIER_FILE, readonly=True)) as file:
        common = _common(file, shown)
    has_ended = "ended_at" in report
    worker = _worker(str(report.get("host_name", "")), report, common["leased"], time.time())
    worker["alive"] &= is_held
    heard_at = report.get("seen_at") or _last_change(root)
    workers = [worker] if report and not has_ended else []
    standing = _standing(common, read_state(root), workers, heard_at)
    if is_held and not workers:
        standing["state"] = "busy"  # a crawl that starts, or a job that holds the corpus
    failure = str(report["failure"]) if report.get("failure") else None
    status = {
        "frontier": str(root), **standing, "failure": failure, **common, "workers": workers,
    }  # fmt: skip
    usage = shutil.disk_usage(root)
    return status | {"alerts": alerts(status, usage.free, usage.total)}


def _last_change(root: Path) -> float:
    """When a crawl that left no report wrote last."""
    paths = [root / name for name in (FRONTIER_FILE, f"{FRONTIER_FILE}-wal")]
    return max(path.stat().st_mtime for path in paths if path.exists())


def _standing(
    common: dict[str, Any], order: str, workers: Sequence[dict[str, Any]], heard_at: float | None
) -> dict[str, Any]:
    """What a campaign does, since when nothing was heard of it, and how long it will take.

    ``eta_s`` is for what waits now: at the mean rate, but no less than its slowest host needs.
    """
    alive = [worker for worker in workers if worker["alive"]]
    left = common["pending"] + common["leased"]
    if alive:
        state = order
    elif not left and common["seen"]:
        state = "finished"
    elif workers:
        state = "silent"
    else:
        state = "stopped" if common["ended"] else "new"
    per_s = sum(worker["endings_per_s"] for worker in alive)
    slowest = common["slowest_host"]
    eta_s = None
    if alive and per_s and order != "paused":
        eta_s = round(max(left / per_s, slowest["takes_s"] if slowest else 0.0), 1)
    return {
        "state": state, "order": order, "left": left, "heard_at": heard_at, "eta_s": eta_s,
        "pages_per_s": round(sum(worker["pages_per_s"] for worker in alive), 2),
    }  # fmt: skip


def _of_servers(frontier: SharedFrontier, shown: range) -> dict[str, Any]:
    common = _common(frontier, shown)
    workers = _workers(frontier)
    heard = [worker["seen_at"] for worker in workers if worker["seen_at"] is not None]
    servers = [_of_server(part) for part in frontier.parts]
    status = {
        "frontier": str(frontier.address),
        **_standing(common, frontier.state(), workers, max(heard, default=None)),
        "failure": None,
        **common,
        "server_memory_bytes": sum(server["memory_bytes"] for server in servers),
        "servers": servers,
        "workers": workers,
    }
    return status | {"alerts": alerts(status)}


def alerts(
    status: dict[str, Any], free_bytes: int | None = None, disk_bytes: int = 0
) -> list[dict[str, Any]]:
    """What somebody should look at: each with its ``kind`` and figures.

    Args:
        status: what `WatchedCampaign.status` says.
        free_bytes: room that is left on the disk of the corpus; None: not known here.
        disk_bytes: size of that disk.

    >>> status = {"state": "silent", "heard_at": 5.0, "failure": None, "hosts_given_up": 0,
    ...          "ended": {"stored": 40, "timeout": 20, "robots": 40}}
    >>> alerts(status, 1 << 30, 100 << 30)  # doctest: +NORMALIZE_WHITESPACE
    [{'kind': 'silent', 'at': 5.0}, {'kind': 'disk', 'free_bytes': 1073741824, 'share': 0.01},
     {'kind': 'errors', 'n': 20, 'all': 100, 'share': 0.2, 'reason': 'timeout'}]
    """
    from quarkcrawl.crawl.campaign import PASSING  # noqa: PLC0415 - Scrapy is slow to import

    rows: list[dict[str, Any]] = []
    if status["state"] == "silent":
        rows.append({"kind": "silent", "at": status["heard_at"]})
    if status["failure"]:
        rows.append({"kind": "failed", "text": status["failure"]})
    if free_bytes is not None and free_bytes < max(_LEAST_FREE_BYTES, _LEAST_FREE * disk_bytes):
        share = round(free_bytes / disk_bytes, 4) if disk_bytes else 0.0
        rows.append({"kind": "disk", "free_bytes": free_bytes, "share": share})
    n_all = sum(status["ended"].values())
    errors = {reason: n for reason, n in status["ended"].items() if reason in PASSING}
    n_errors = sum(errors.values())
    if n_all >= _LEAST_ENDED and n_errors >= _MANY_ERRORS * n_all:
        most = max(errors, key=lambda reason: errors[reason])
        share = round(n_errors / n_all, 4)
        rows.append({"kind": "errors", "n": n_errors, "all": n_all, "share": share, "reason": most})
    if status["hosts_given_up"]:
        shown = status["given_up_listed"]
        rows.append({"kind": "given_up", "n": status["hosts_given_up"], "hosts": shown})
    return rows


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


def _common(frontier: Frontier, shown: range) -> dict[str, Any]:
    counts = frontier.counts()
    totals = dataclasses.asdict(counts)
    stored = counts.ended.get("stored", 0)
    totals |= {"stored": stored, "dropped": sum(counts.ended.values()) - stored}
    lost = _Lost()
    listed, slowest = _hosts(lost.passed(frontier.hosts() if shown else ()), shown)
    return {
        **totals,
        "options": dataclasses.asdict(frontier.options),
        "slowest_host": slowest,
        "hosts_listed": listed,
        "hosts_given_up": lost.n_hosts,
        "given_up_listed": lost.listed,
    }


class _Lost:
    """Counts the hosts that were given up among those that go by, and lists some."""

    def __init__(self) -> None:
        self.n_hosts = 0
        self.listed: list[dict[str, str]] = []

    def passed(self, states: Iterable[HostState]) -> Iterator[HostState]:
        from quarkcrawl.crawl.campaign import HOST_FAULTS, PASSING  # noqa: PLC0415 - slow

        for state in states:
            if state.closed in HOST_FAULTS or state.closed in PASSING:
                self.n_hosts += 1
                if len(self.listed) < _LISTED_LOST:
                    self.listed.append({"host": state.host, "reason": str(state.closed)})
            yield state


def _hosts(
    states: Iterable[HostState], shown: range
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Some of the hosts with most to do, and the one whose delays take longest."""
    slowest: HostState | None = None

    def passed() -> Iterator[HostState]:
        nonlocal slowest
        for state in states:
            if slowest is None or _takes_s(state) > _takes_s(slowest):
                slowest = state
            yield state

    busiest = heapq.nlargest(shown.stop, passed(), key=lambda one: (one.pending, one.stored))
    listed = [
        {**dataclasses.asdict(state), "robots": None if state.robots is None else len(state.robots)}
        for state in busiest[shown.start :]
    ]
    if slowest is None or not slowest.pending:
        return listed, None
    return listed, {"host": slowest.host, "takes_s": round(_takes_s(slowest), 1)}


def _takes_s(state: HostState) -> float:
    """How long the URLs of a host take if each is asked for as soon as its delay allows it."""
    return state.pending * state.delay_s


def _workers(frontier: SharedFrontier) -> list[dict[str, Any]]:
    """Last report of each worker, and what it has out."""
    leases = frontier.leases_of_workers()
    now = time.time()
    reports = frontier.reports()
    return [
        _worker(name, reports.get(name, {}), leases.get(name, (0, 0.0))[0], now)
        for name in sorted({*reports, *leases})
    ]


def _worker(name: str, report: dict[str, Any], n_leases: int, now: float) -> dict[str, Any]:
    seen_at = report.get("seen_at")
    seen_at = seen_at if isinstance(seen_at, int | float) else None
    pages, per_s = _number(report.get("pages")), _number(report.get("pages_per_s"))
    endings, uptime_s = report.get("endings"), _number(report.get("uptime_s"))
    has_endings = isinstance(endings, int) and uptime_s > 0  # other workers tell their pages only
    return {
        "worker": name,
        "alive": seen_at is not None and now - seen_at < _STALE_S,
        "seen_at": seen_at,
        "silent_s": None if seen_at is None else round(now - seen_at, 1),
        "leases": n_leases,
        "pages": pages,
        "pages_per_s": per_s,
        "endings": endings if has_endings else pages,
        "endings_per_s": round(_number(endings) / uptime_s, 3) if has_endings else per_s,
        "host_name": str(report.get("host_name", "")),
        "pid": _number(report.get("pid")),
        "shard": str(report.get("shard", "")),
    }


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


def _tables(status: dict[str, Any]) -> Group:
    head = Text(f"{status['frontier']}  {harmless(state_words(status))}", style="bold")
    parts: list[Any] = [head, *_alert_lines(status["alerts"]), _totals(status)]
    if len(status.get("servers", ())) > 1:
        parts.append(_server_table(status["servers"]))
    if status["workers"]:
        parts.append(_worker_table(status["workers"]))
    if status["hosts_listed"]:
        parts.append(_host_table(status["hosts_listed"]))
    return Group(*parts)


def state_words(status: dict[str, Any]) -> str:
    """What a campaign does, in a line: ``stopped with 12 left; last heard of 2026-11-27 …``.

    Args:
        status: what `WatchedCampaign.status` says.
    """
    left, heard_at = f"{status['left']:,} left", status["heard_at"]
    heard = "" if heard_at is None else time.strftime(" %Y-%m-%d %H:%M:%SZ", time.gmtime(heard_at))
    words = {
        "finished": "finished",
        "stopped": f"stopped with {left}",
        "silent": f"no worker heard since{heard or ' the start'}; {left}",
        "new": f"not started; {left}",
        "busy": f"another process holds the corpus; {left}",
    }.get(status["state"], f"{status['state']}; {left}")
    if status["state"] in {"finished", "stopped"} and heard:
        words += f"; last heard of{heard}"
    if status["state"] != status["order"] != "running":
        words += f"; ordered: {status['order']}"
    return words + (f"; {status['failure']}" if status["failure"] else "")


def _alert_lines(rows: Iterable[dict[str, Any]]) -> Iterator[Text]:
    """A line for each alert that the head does not tell already."""
    for row in rows:
        if row["kind"] == "disk":
            words = f"the disk is nearly full: {human_bytes(row['free_bytes'])} left"
        elif row["kind"] == "errors":
            words = f"{row['n']:,} of {row['all']:,} URLs failed, most by {row['reason']}"
        elif row["kind"] == "given_up":
            hosts = ", ".join(f"{one['host']} ({one['reason']})" for one in row["hosts"])
            words = f"{row['n']:,} hosts were given up: {hosts}"
        else:
            continue
        yield Text(f"! {printable(words)}", style="red")


def _totals(status: dict[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name in ("seen", "pending", "leased", "hosts", "hosts_open", "stored", "dropped"):
        table.add_row(name.replace("_", " "), f"{status[name]:,}")
    if any(worker["alive"] for worker in status["workers"]):
        table.add_row("pages per s", f"{status['pages_per_s']:,} (mean of the run)")
    if status["eta_s"] is not None:
        table.add_row("takes", f"{_span(status['eta_s'])} more, if nothing new is found")
    if slowest := status["slowest_host"]:
        words = f"{harmless(slowest['host'])}, {_span(slowest['takes_s'])} by its delay"
        table.add_row("slowest", words)
    for name in ("ended", "retried"):
        shown = "  ".join(f"{harmless(reason)} {n:,}" for reason, n in status[name].items())
        table.add_row(name, shown or "none")
    return table


def _span(seconds: float) -> str:
    """A length of time as people read it, such as ``2 h 05 min``."""
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 48:
        return f"{hours / 24:,.1f} days"
    if hours >= 1:
        return f"{int(hours)} h {int(minutes) % 60:02} min"
    return f"{minutes:.0f} min" if minutes >= 2 else f"{seconds:.0f} s"


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
