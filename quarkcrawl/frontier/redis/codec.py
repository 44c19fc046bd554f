"""What goes over the wire, and back: candidates, leases, host states.

Operations are JSON; answers are Redis arrays of byte strings. The text of a URL is encoded here
once and stays as it is: a *tail*. It leaves out what the server knows, the host: ``/path`` is a URL
of ``http://host``, ``s/path`` one of ``https://host``, ``=URL`` any other; behind a line feed may
follow its origin in the same form. A URL with a line feed, and what earlier versions left there,
is the JSON list of URL and origin. Lone surrogates, which a poor page may put into a URL, travel as
the three bytes that ``surrogatepass`` gives them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.protocol import (
    UNNAMED,
    Candidate,
    FrontierCounts,
    HostState,
    Lease,
    level_of,
    robots_url,
)
from quarkcrawl.page.urls import registered_domain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.frontier.keys import UrlKeys


MORE: Final = b"more"
"""Answer of who looked at many entries and came to none that counts: ask again."""

LISTED: Final = b"listed"
"""Answer of ``find`` for a URL that waits in a list, where `seek` finds it."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def dump(value: object) -> bytes:
    """JSON that keeps every character, lone surrogates too."""
    return _encode(value).encode("utf-8", "surrogatepass")


def text(raw: bytes) -> str:
    """The reverse for a single string; never fails."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def short(url: str, host: str) -> str:
    """A URL without what is known of its host."""
    start = f"//{host}/"
    if url.startswith(start, 5) and url.startswith("http:"):
        return url[len(start) + 4 :]
    if url.startswith(start, 6) and url.startswith("https:"):
        return "s" + url[len(start) + 5 :]
    return "=" + url


def _long(shortened: str, host: str) -> str:
    if shortened.startswith("/"):
        return f"http://{host}{shortened}"
    if shortened.startswith("s"):
        return f"https://{host}{shortened[1:]}"
    if shortened.startswith("="):
        return shortened[1:]
    raise ValueError("a row is not what it must be")


def tail(url: str, host: str, origin: str | None) -> str:
    """URL and origin as the server keeps them."""
    if "\n" in url or (origin is not None and "\n" in origin):
        return _encode([url, origin])
    return short(url, host) if origin is None else f"{short(url, host)}\n{short(origin, host)}"


def known_by(key: str, url: str) -> list[str]:
    """What the server knows a URL by: key, host, and each way in which its tail may begin."""
    parts = url.split("/", 3)
    host = parts[2] if len(parts) > 3 else ""
    return [key, host, short(url, host), "=" + url, _encode([url])[:-1] + ","]


def _parted(raw: bytes, host: str) -> tuple[str, str | None]:
    if not raw.startswith(b"["):
        url, mark, origin = text(raw).partition("\n")
        return _long(url, host), _long(origin, host) if mark else None
    value = json.loads(text(raw))
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)):
        raise ValueError("a row is not what it must be")
    url, origin = value
    return url, origin if isinstance(origin, str) else None


def keys_of(keys: UrlKeys, urls: Sequence[str]) -> list[tuple[str, int]]:
    """Key of each URL as the server takes it: decimal, and its low 32 bits."""
    return [(str(key), key & 0xFFFFFFFF) for key in keys.many(urls)]


def items_of(
    keys: UrlKeys, candidates: Sequence[Candidate], *, with_domains: bool
) -> list[list[Any]]:
    """Candidates as the operation ``push`` takes them; with the domains if hosts share delays."""
    url_keys = keys_of(keys, [candidate.url for candidate in candidates])
    items: list[list[Any]] = [
        [c.host, c.level, c.hops, key, low, tail(c.url, c.host, c.origin)]
        for c, (key, low) in zip(candidates, url_keys, strict=True)
    ]
    if with_domains:
        for item in items:
            item.append(registered_domain(item[0]))
    return items


def candidate_of(host: bytes, level: bytes, hops: bytes, row: bytes) -> Candidate:
    """A waiting URL."""
    name = text(host)
    url, origin = _parted(row, name)
    return Candidate(url, name, level_of(int(level)), origin, int(hops))


def drained_of(raws: Sequence[Any]) -> list[tuple[Candidate, str]]:
    """URLs that waited on closed hosts, with the reasons; none if the server only says `MORE`."""
    return [(candidate_of(*raw[:4]), text(raw[4])) for raw in raws if raw != MORE]


def waiting_of(raw: Sequence[Any]) -> tuple[str, list[tuple[Candidate, int, str]]]:
    """An answer of ``waiting``: the next cursor; URLs with their tries and where they are."""
    cursor, rows = raw
    return text(cursor), [(candidate_of(*row[:4]), int(row[4]), text(row[5])) for row in rows]


def lease_of(raw: Sequence[bytes], offset_s: float) -> Lease:
    """A lease as handed out; ``offset_s`` is the server's clock minus ours."""
    token, kind, host, level, hops, tries, deadline, row = raw[:8]
    name = text(host)
    url, origin = _parted(row, name)
    robots = kind == b"robots"
    return Lease(
        token=int(token),
        url=robots_url(url) if robots else url,
        host=name,
        level=level_of(int(level)),
        origin=None if robots else origin,
        hops=int(hops),
        tries=int(tries),
        deadline=float(deadline) - offset_s,
        kind="robots" if robots else "page",
        deaths=int(raw[11]) if len(raw) > 11 else 0,
    )


def sought_of(raw: Sequence[Any]) -> tuple[str, list[Sequence[bytes] | None]]:
    """An answer of ``seek``: the next cursor, and what was found of each URL."""
    cursor, entries = raw
    return text(cursor), entries


def owner_of(raw: Sequence[bytes], asker: str) -> str:
    """An answer of ``claim``: the asker, a name that an earlier version kept, or `UNNAMED`."""
    kind, name = raw
    if kind == b"taken":
        return UNNAMED
    return text(name) or asker


def found_of(raw: Sequence[bytes] | None, offset_s: float) -> Lease | Candidate | None:
    """An answer of ``find``."""
    if raw is None:
        return None
    state, host, level, hops, row = raw[:5]
    candidate = candidate_of(host, level, hops, row)
    if state == b"waiting":
        return candidate
    return lease_of([raw[5], b"page", host, level, hops, raw[6], raw[7], row], offset_s)


def host_of(raw: Sequence[Any], offset_s: float) -> HostState:
    """A host's state."""
    name, delay_s, concurrency, next_time, pending, leased, stored, failures = raw[:8]
    robots, robots_time, closed = raw[8:]
    return HostState(
        host=text(name),
        delay_s=float(delay_s),
        concurrency=int(float(concurrency)),
        next_time=_moved(next_time, offset_s),
        pending=int(pending),
        leased=int(leased),
        stored=int(stored),
        failures=int(failures),
        robots=None if robots is None else text(robots),
        robots_time=_moved(robots_time, offset_s),
        closed=None if closed is None else text(closed),
    )


def _moved(raw: bytes, offset_s: float) -> float:
    """A time by our clock; 0 means never and stays."""
    value = float(raw)
    return value - offset_s if value else 0.0


def counts_of(raw: Sequence[Any]) -> FrontierCounts:
    """Totals."""
    seen, pending, leased, hosts, hosts_open, ended, retried = raw[:7]
    totals = int(seen), int(pending), leased, hosts, hosts_open
    return FrontierCounts(*totals, _numbers(ended), _numbers(retried))


def _numbers(flat: Sequence[bytes]) -> dict[str, int]:
    return {text(flat[at]): int(flat[at + 1]) for at in range(0, len(flat), 2)}
