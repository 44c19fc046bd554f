"""One campaign on a server: its identity, and the script that does every operation.

All operations of a batch run in one call of one Lua script, so a batch is one round trip and
atomic: workers on any number of machines see each batch done or not begun.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import asdict, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.protocol import FrontierOptions
from quarkcrawl.frontier.redis.codec import dump, text
from quarkcrawl.frontier.redis.server import (
    RedisAddress,
    connect,
    patiently,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


Operation = list[Any]
"""Name of an operation and its arguments."""


class OurTime(NamedTuple):
    """An argument: epoch seconds of our clock, sent as the server's; 0 means never and stays."""

    at: float


SCHEMA: Final = 3
ALIVE_S: Final = 30.0
"""Age of a worker's last report up to which it is held to be at work."""
_EARLIER: Final = (b"1", b"2")
_OLDEST: Final = (6, 2)
_LATER_RULES: Final = frozenset({"domain_delay_s", "address_concurrency", "late_tries", "strict"})
"""Rules that earlier versions had not."""
_CHANGING: Final = b"changing"
_WHOLE: Final = "whole"
_CREW: Final = re.compile(r"[0-9a-f]{8} (host|domain-[0-9a-f]{8})")
_PART: Final = re.compile(rf"[0-9]{{1,4}}/[0-9]{{1,4}} {_CREW.pattern}")
_META_BYTES: Final = 65536
_BUSY_S: Final = 60.0
_PARTING_S: Final = 2.0
_QUIET_S: Final = 30.0
"""Silence after which the time is asked first; of twice that the campaign knows nothing."""
_DRIFT_S: Final = 1.0
"""What the offset may be wrong by: changed at every answer, no time would be the same twice."""
_TIMEOUTS: Final = ("socket_timeout", "socket_connect_timeout")
_PARTS: Final = ("state", "domains", "walk", "leases", "addresses", "calls")


@cache
def script_text() -> str:
    """The Lua script, from its parts."""
    folder = files(__package__)
    return "\n".join((folder / f"{part}.lua").read_text("utf-8") for part in _PARTS)


class CampaignServer:
    """Connection to one campaign.

    Args:
        address: server and campaign.
        worker: name of this worker in the campaign.
        create: make the campaign if it is not there.
        server_clock: let the server's clock rule; else times are the caller's (tests).
        wait_s: longest absence of the server before a call that waits for its answer fails.

    Raises:
        FrontierError: no server, too old, or what is there is not a campaign of this version.
    """

    def __init__(
        self,
        address: RedisAddress,
        *,
        worker: str,
        create: bool = True,
        server_clock: bool = True,
        wait_s: float = 0.0,
    ) -> None:
        self.wait_s = wait_s
        self.address = address
        self.worker = worker
        self.round_trips = 0
        self.offset_s = 0.0
        self._told_at = 0.0
        self.options = FrontierOptions()
        self.max_campaign_pages = 0
        self._server_clock = server_clock
        self.connections = 0
        self._client = connect(address, on_connect=self._connected)
        self._script = self._client.register_script(script_text())
        self._meta = f"{address.prefix}meta"
        self._schema = _schema_of(address)
        self._rules = b"{}"
        self._is_opening = True
        self.guarded(lambda: self._open(create=create))
        self._is_opening = False

    def _connected(self) -> None:
        self.connections += 1

    def guarded(self, action: Any) -> Any:
        """Run something that talks to the server; its errors become ours.

        A server that is away is waited for, and one that reads its file again while the campaign
        is opened in any case; then the action is run again.
        """
        self.round_trips += 1
        busy_s = _BUSY_S if self._is_opening else 0.0
        return patiently(action, self.address, wait_s=self.wait_s, busy_s=busy_s)

    def _open(self, *, create: bool) -> None:
        version = str(self._info("redis_version"))
        if tuple(map(int, version.split(".")[:2])) < _OLDEST:
            raise FrontierError(f"Redis {version} is too old (6.2)", where=self.address)
        if self._client.type(self._meta) not in {b"hash", b"none"}:
            raise FrontierError("not a campaign of quarkcrawl", where=self.address)
        if create and not self._client.hexists(self._meta, "schema"):
            self._create()
        schema = self._meta_value("schema")
        if schema in _EARLIER and not self.address.part:
            if not create:  # one who only looks on must not lock out workers that are at work
                message = "was made by an earlier version; a worker of this one takes it over"
                raise FrontierError(message, where=self.address)
            schema = self._adopt(schema)
        if schema is None:
            raise FrontierError("no such campaign", where=self.address)
        if schema != self._schema:
            raise FrontierError(_unlike(schema, self.address), where=self.address)
        self.has_old_claims = self._meta_value("had_schema") is not None
        self.secret = self._meta_value("secret") or b""
        if len(self.secret) != 16:
            raise FrontierError("damaged: its secret cannot be read", where=self.address)
        self.max_campaign_pages = self._stored_budget()
        self.is_between_rules = self._meta_value("domains") == _CHANGING
        self.use_options(self._stored_options())
        self._set_offset()

    def _info(self, name: str) -> Any:
        info: Any = self._client.info("server")
        if name not in info:  # of a cluster: one answer a node
            info = next(iter(info.values()))
        return info[name]

    def _create(self) -> None:
        """Enter the campaign; of several workers that do so at once the first one wins."""
        client, meta = self._client, self._meta
        client.hsetnx(meta, "secret", os.urandom(16))
        client.hsetnx(meta, "created", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        client.hsetnx(meta, "options", dump(asdict(FrontierOptions())))
        client.hsetnx(meta, "schema", self._schema)

    def _adopt(self, earlier: bytes) -> bytes:
        """Take over a campaign of an earlier schema: all is read where it lies."""
        now, _ = self._client.time()
        reports: Any = self._client.hgetall(f"{self.address.prefix}workers")
        if any(now - seen_at(_report_of(report)) < ALIVE_S for report in reports.values()):
            message = "workers of an earlier version were at work within the last half minute"
            raise FrontierError(message, where=self.address)
        schema = str(SCHEMA).encode()
        if earlier == b"1":  # its claims are kept by the digests themselves
            self._client.hset(self._meta, "had_schema", "1")
        self._client.hset(self._meta, "schema", schema)
        return schema

    def _meta_value(self, name: str) -> bytes | None:
        if int(self._client.hstrlen(self._meta, name)) > _META_BYTES:
            raise FrontierError(f"damaged: its {name} is too large", where=self.address)
        value = self._client.hget(self._meta, name)
        return value if isinstance(value, bytes) else None

    def _stored_options(self) -> FrontierOptions:
        try:
            return _options_of(json.loads(self._meta_value("options") or b""))
        except (ValueError, TypeError, AttributeError, RecursionError):
            message = "damaged: its options cannot be read"
            raise FrontierError(message, where=self.address) from None

    def _stored_budget(self) -> int:
        raw = self._meta_value("max_campaign_pages") or b"0"
        if not raw.isdigit():
            raise FrontierError("damaged: its budget cannot be read", where=self.address)
        return int(raw)

    def use_options(self, options: FrontierOptions) -> None:
        """Work by these rules; they are not stored."""
        self.options = options
        rules = {name: value for name, value in asdict(options).items() if value is not None}
        if self.max_campaign_pages:
            rules["max_campaign_pages"] = self.max_campaign_pages
        self._rules = dump(rules)

    def hasten(self) -> None:
        """Wait no longer for answers than a server that is well takes: it may hang."""
        pool = getattr(self._client, "connection_pool", None)  # a cluster has one for each node
        if pool is not None:
            pool.connection_kwargs |= dict.fromkeys(_TIMEOUTS, _PARTING_S)
            pool.disconnect()

    def note_whole(self) -> None:
        """Note that all of several servers have the campaign."""
        self.guarded(lambda: self._client.hsetnx(self._meta, _WHOLE, "1"))

    def begin_change(self) -> None:
        """Note that hosts are being given domains, or lose them, until rules are stored."""
        self.guarded(lambda: self._client.hset(self._meta, "domains", _CHANGING))
        self.is_between_rules = True

    def save_options(self, options: FrontierOptions, max_campaign_pages: int = 0) -> None:
        """Make these the rules of the campaign."""
        self.max_campaign_pages = max_campaign_pages
        self.use_options(options)
        values: dict[Any, Any] = {
            "options": dump(asdict(options)),
            "max_campaign_pages": max_campaign_pages,
        }
        if self.is_between_rules:
            values["domains"] = "settled"
        self.guarded(lambda: self._client.hset(self._meta, mapping=values))
        self.is_between_rules = False

    def workers(self) -> dict[str, dict[str, Any]]:
        """Last report of each worker that has not left."""
        raw: Any = self.guarded(lambda: self._client.hgetall(f"{self.address.prefix}workers"))
        return {text(name): _report_of(report) for name, report in raw.items()}

    def _set_offset(self) -> None:
        if not self._server_clock:
            return
        self._run([])  # which sees whether the server's clock was set while nobody was here
        skew_s = float(self._meta_value("skew") or 0.0)
        best_s = float("inf")
        for _ in range(3):
            before = steady_time()
            seconds, micros = self._client.time()
            after = steady_time()
            if after - before < best_s:
                best_s = after - before
                self.offset_s = seconds + micros / 1e6 + skew_s - (before + after) / 2

    def call(self, operations: Sequence[Operation], *, now: float | None = None) -> list[Any]:
        """Do a batch of operations in order; returns the answer of each.

        Raises:
            FrontierError: the server cannot be reached or the campaign is damaged.
        """
        return self.guarded(lambda: self.call_raw(operations, now=now))  # type: ignore[no-any-return]

    def call_raw(self, operations: Sequence[Operation], *, now: float | None = None) -> list[Any]:
        """The same with the client's own errors, for who wants to try again."""
        if self._server_clock and steady_time() - self._told_at > _QUIET_S:
            self._run([])  # or times would be sent by what the offset was before
        return self._run(operations, now=now)

    def _run(self, operations: Sequence[Operation], *, now: float | None = None) -> list[Any]:
        """Have the script run; it also tells the campaign's time, which the offset follows."""
        clock = "" if self._server_clock or now is None else repr(now)
        given = [[self._sent(part) for part in each] for each in [*operations, ["time"]]]
        arguments = (clock, dump(given), self._rules, self._schema, self.worker)
        answers: list[Any]
        before = steady_time()
        *answers, server_time = self._script(keys=[self.address.prefix], args=arguments)
        if self._server_clock:
            self._follow(float(server_time), before, steady_time())
        return answers

    def _sent(self, part: Any) -> Any:
        """An argument as the script takes it: null is a value, false is "not given"."""
        if isinstance(part, OurTime):
            return part.at + self.offset_s if part.at else 0.0
        return False if part is None else part

    def _follow(self, server_time: float, before: float, after: float) -> None:
        """Take the offset anew if it cannot be what the server told between two times.

        A long silence goes into the campaign's skew as if its clock had been set; and clocks drift.
        """
        if not server_time - after - _DRIFT_S <= self.offset_s <= server_time - before + _DRIFT_S:
            self.offset_s = server_time - (before + after) / 2
        self._told_at = after

    def pop_starts(self, key: str, limit: int) -> tuple[list[bytes], Any]:
        """First entries of a start list of scrapy-redis, and what removes them once queued."""
        return self.guarded(lambda: _starts(self._client, key, limit))  # type: ignore[no-any-return]

    def erase(self) -> int:
        """Delete the campaign; returns the number of keys."""
        return int(self.guarded(lambda: _erase(self._client, self.address.prefix)))

    def memory_bytes(self) -> int:
        """Memory in use on the server, all campaigns and what else it holds."""
        info: Any = self.guarded(lambda: self._client.info("memory"))
        return int(info.get("used_memory", 0))

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


def _schema_of(address: RedisAddress) -> bytes:
    """What a campaign has as its schema: a server of several also says which one it is.

    Every call compares it, so that no worker takes one server for another.
    """
    return f"{SCHEMA} {address.part}".strip().encode()


def stored_part(address: RedisAddress, *, wait_s: float) -> str | None:
    """What a server is among several; "" if it is alone, None if the campaign is not there.

    Raises:
        FrontierError: what is there is not a campaign of this version.
    """
    schema = _look(address, "schema", wait_s=wait_s)
    if schema is None or schema in {*_EARLIER, str(SCHEMA).encode()}:
        return None if schema is None else ""
    part = _part_of(schema)
    if part is None:
        raise FrontierError(_unlike(schema, address), where=address)
    return part


def was_whole(address: RedisAddress, *, wait_s: float) -> bool:
    """Whether a server knows that all of several had the campaign.

    Raises:
        FrontierError: what is there is not a campaign.
    """
    return _look(address, _WHOLE, wait_s=wait_s) is not None


def agreed_crew(address: RedisAddress, proposal: str, *, wait_s: float) -> str:
    """What the servers of a campaign know each other by: the first proposal wins.

    Raises:
        FrontierError: what is there is none.
    """
    crew = text(_look(address, "crew", wait_s=wait_s, proposal=proposal) or b"")
    if not _CREW.fullmatch(crew):
        raise FrontierError("damaged: the name of its servers cannot be read", where=address)
    return crew


def _look(address: RedisAddress, name: str, *, wait_s: float, proposal: str = "") -> bytes | None:
    """A value of a campaign that is not opened; the proposal is entered if there is none."""
    client, meta = connect(address), f"{address.prefix}meta"

    def look() -> Any:
        if client.type(meta) not in {b"hash", b"none"}:
            raise FrontierError("not a campaign of quarkcrawl", where=address)
        if proposal:
            client.hsetnx(meta, name, proposal)
        is_long = int(client.hstrlen(meta, name)) > _META_BYTES
        return b"" if is_long else client.hget(meta, name)

    try:
        value: bytes | None = patiently(look, address, wait_s=wait_s, busy_s=_BUSY_S)
    finally:
        client.close()
    return value


def _part_of(schema: bytes) -> str | None:
    """What a server of several is; None if that cannot be read."""
    version, _, part = text(schema[:200]).partition(" ")
    return part if version == str(SCHEMA) and _PART.fullmatch(part) else None


def _unlike(schema: bytes, address: RedisAddress) -> str:
    """Why a campaign is not the one that is meant."""
    if schema == str(SCHEMA).encode():
        return "has the campaign by itself, and not as one of several servers"
    part = _part_of(schema)
    if part is None:
        return f"schema {schema[:40]!r}, not {SCHEMA}"
    place, ours = part.partition(" ")[0], address.part.partition(" ")[0]
    if not ours:
        return f"is server {place} of a campaign over several: name all of them, in their order"
    if place != ours:
        return f"is server {place} of the campaign, not {ours}: name all of them, in their order"
    return "is of another campaign of this name than the other servers"


def _report_of(raw: bytes) -> dict[str, Any]:
    """What a worker told of itself, empty if that cannot be read."""
    try:
        value = json.loads(raw) if len(raw) < _META_BYTES else {}
    except (ValueError, RecursionError):
        value = {}
    return value if isinstance(value, dict) else {}


def seen_at(report: dict[str, Any]) -> float:
    """When a worker reported, by the server's clock; 0 if it does not say so."""
    value = report.get("seen_at")
    return float(value) if isinstance(value, int | float) else 0.0


def _options_of(value: dict[str, Any]) -> FrontierOptions:
    names = {each.name for each in fields(FrontierOptions)}
    if not names - _LATER_RULES <= value.keys() <= names:
        raise ValueError("unknown rules")
    times = dict.fromkeys(("delay_s", "lease_s", "robots_ttl_s", "domain_delay_s"), float)
    kinds = {**times, "robots": bool, "strict": bool}
    rules: dict[str, Any] = {
        name: kinds.get(name, int)(given) for name, given in value.items() if given is not None
    }
    return FrontierOptions(**rules)


def _starts(client: Any, key: str, limit: int) -> tuple[list[bytes], Any]:
    kind = client.type(key)
    if kind == b"list":
        entries = client.lrange(key, 0, limit - 1)
        return entries, lambda: _remove_each(client, key, entries)
    if kind == b"set":
        entries = client.srandmember(key, limit)
        return entries, lambda: entries and client.srem(key, *entries)
    if kind == b"zset":
        entries = client.zrevrange(key, 0, limit - 1)
        return entries, lambda: entries and client.zrem(key, *entries)
    return [], lambda: None


def _remove_each(client: Any, key: str, entries: list[bytes]) -> None:
    """By value: meanwhile others may have put entries in front, or removed these."""
    pipeline = client.pipeline(transaction=False)
    for entry in entries:
        pipeline.lrem(key, 1, entry)
    pipeline.execute()


def _erase(client: Any, prefix: str) -> int:
    pattern = prefix.replace("[", "\\[").replace("*", "\\*") + "*"
    count = 0
    for key in client.scan_iter(match=pattern, count=1000):
        count += client.unlink(key)
    return count
