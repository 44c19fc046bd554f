"""The end of a crawl for people: what was stored, why not, how fast, what next."""

from __future__ import annotations

import shlex
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from quarkcrawl.cli.options import harmless, human_bytes
from quarkcrawl.crawl.campaign import KEPT, REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_MOST_REASONS: Final = 15
_MOST_URLS: Final = 5
_MOST_HOSTS: Final = 5
_STATES: Final = {
    "shutdown": "stopped before its end",
    "storage_failed": "ended: the storage failed",
}


def crawl_tables(summary: Mapping[str, Any]) -> Group:
    """Tables of a run's summary.

    Args:
        summary: what ``runs/run-TIME.json`` holds, with ``summary``, the path of that file.
    """
    parts: list[Any] = [_head(summary), _totals(summary), _endings(summary["reasons"])]
    if summary["given_up"]["urls"]:
        parts.append(_given_up(summary["given_up"]))
    if poorest := _poorest_hosts(summary["hosts"]):
        parts.append(poorest)
    parts += [Text(f"warning: {text}", style="yellow") for text in summary["warnings"]]
    parts.append(_next(summary))
    return Group(*parts)


def _head(summary: Mapping[str, Any]) -> Text:
    state = _STATES.get(summary["finish_reason"], "")
    if not state:
        is_finished = summary["finish_reason"] == "finished"
        state = "complete" if summary["complete"] else "at its end, not complete"
        state = state if is_finished else f"ended: {summary['finish_reason']}"
    style = "bold green" if summary["complete"] else "bold yellow"
    return Text(f"{summary['corpus']}: {state}", style=style)


def _totals(summary: Mapping[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    minutes, seconds = divmod(round(summary["elapsed_s"]), 60)
    table.add_row("pages stored", f"{summary['pages']:,} in this run")
    if summary["frontier"] is not None:
        ended = summary["frontier"]["ended"]
        table.add_row("", f"{sum(ended.get(reason, 0) for reason in KEPT):,} in all")
    table.add_row(
        "size",
        f"{human_bytes(summary['body_bytes'])}, on disk {human_bytes(summary['stored_bytes'])}",
    )
    table.add_row("time", f"{minutes}:{seconds:02} min, {summary['pages_per_s']:,} pages a second")
    table.add_row("hosts", f"{len(summary['hosts']):,} with an ending in this run")
    table.add_row("tried again", f"{summary['retries']:,} times")
    if summary["left"] is not None:
        table.add_row("still waiting", f"{summary['left']:,}")
    return table


def _endings(reasons: Mapping[str, int]) -> Table:
    table = Table(title="how URLs ended", title_justify="left", box=None, pad_edge=False)
    for name in ("reason", "URLs", "meaning"):
        table.add_column(name, justify="right" if name == "URLs" else "left")
    ranked = sorted(reasons.items(), key=lambda pair: -pair[1])
    for reason, count in ranked[:_MOST_REASONS]:
        table.add_row(harmless(reason), f"{count:,}", harmless(_meaning(reason)))
    if rest := ranked[_MOST_REASONS:]:
        table.add_row("others", f"{sum(n for _, n in rest):,}", f"{len(rest)} reasons")
    return table


def _meaning(reason: str) -> str:
    if reason.startswith("http_"):
        number = reason.removeprefix("http_")
        is_standard = number.isdecimal() and int(number) in set(HTTPStatus)
        return (
            f"HTTP {number} {HTTPStatus(int(number)).phrase}" if is_standard else f"HTTP {number}"
        )
    return REASONS.get(reason, "")


def _given_up(given_up: Mapping[str, Any]) -> Table:
    table = Table(
        title="given up, though it may pass", title_justify="left", box=None, pad_edge=False
    )
    table.add_column("reason")
    table.add_column("URL")
    listed = list(given_up["listed"].items())
    for url, reason in listed[:_MOST_URLS]:
        table.add_row(harmless(reason), harmless(url))
    if more := given_up["urls"] - min(len(listed), _MOST_URLS):
        table.add_row("", f"{more:,} more")
    return table


def _poorest_hosts(hosts: Mapping[str, Mapping[str, int]]) -> Table | None:
    """Hosts of which nothing was stored in this run."""
    empty = [
        (host, counts) for host, counts in hosts.items() if counts and not KEPT & counts.keys()
    ]
    if not empty:
        return None
    table = Table(
        title="hosts without a page in this run", title_justify="left", box=None, pad_edge=False
    )
    table.add_column("host")
    table.add_column("ended")
    for host, counts in empty[:_MOST_HOSTS]:
        shown = "  ".join(f"{reason} {n:,}" for reason, n in list(counts.items())[:4])
        table.add_row(harmless(host), harmless(shown))
    if len(empty) > _MOST_HOSTS:
        table.add_row(f"{len(empty) - _MOST_HOSTS:,} more", "")
    return table


def _next(summary: Mapping[str, Any]) -> Table:
    table = Table(title="what next", title_justify="left", box=None, pad_edge=False)
    for what, command in _commands(summary):
        table.add_row(what, harmless(command))
    return table


def _commands(summary: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    corpus = shlex.quote(summary["corpus"])
    server, out = summary["config"]["redis"], shlex.quote(summary["config"]["out"])
    if summary["finish_reason"] != "finished" or summary["left"] or summary["frontier"] is None:
        yield "go on", "the same command"
    if summary["given_up"]["urls"]:
        where = f"{shlex.quote(server)} {out}" if server else corpus
        yield "try again", f"quarkcrawl frontier retry {where}, then the same command"
    if server:
        yield "of all workers", f"quarkcrawl frontier status {shlex.quote(server)}"
        yield "one corpus", f"quarkcrawl corpus merge {out} --out MERGED"
    elif summary["pages"] or summary["frontier"]:
        yield "contents", f"quarkcrawl extract {corpus}"
        yield "look at it", f"quarkcrawl serve {corpus}"
    yield "all of this", f"{summary['summary']} (or --json)"
