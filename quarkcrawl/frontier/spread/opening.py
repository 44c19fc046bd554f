"""Opening the frontier of a campaign, on one server or on several.

Each of several servers keeps what it is: the second of three, of which campaign, and what places a
host. All of them are looked at before anything is written, so that a worker that names them in
another order, or another number of them, or one of another campaign, changes nothing. Of workers
that begin a campaign at once the first to reach the first server names it. Once all servers have
it each is told so: one that has nothing from then on was emptied, and no worker takes it for new.
"""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import ConfigError, FrontierError
from quarkcrawl.frontier.redis import (
    AddressList,
    BatchedFrontier,
    RedisFrontier,
    StartList,
    agreed_crew,
    start_candidate,
    stored_part,
    was_whole,
)
from quarkcrawl.frontier.spread.batched import SpreadBatched
from quarkcrawl.frontier.spread.direct import SpreadFrontier
from quarkcrawl.frontier.spread.placement import BY_HOST, Placement, by_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from quarkcrawl.frontier.protocol import Candidate, FrontierOptions
    from quarkcrawl.frontier.redis import RedisAddress


SharedFrontier = RedisFrontier | SpreadFrontier
CollectingFrontier = BatchedFrontier | SpreadBatched


def open_shared(
    where: str,
    options: FrontierOptions | None = None,
    *,
    with_domains: bool = False,
    refill: bool = False,
    **more: Any,
) -> SharedFrontier:
    """Open a campaign for one worker.

    Args:
        where: URL of the server and ``#CAMPAIGN``; of several servers with commas between.
        options: rules of the campaign from now on; None: those it has.
        with_domains: whether hosts of one registered domain are to be on one server, should the
            campaign be new; with ``domain_delay_s`` they are.
        refill: whether a server that was emptied is begun anew, for who enters again what it had.
        more: as `RedisFrontier` takes it.

    Raises:
        FrontierError: no such server or campaign, the servers are not those of one campaign, or
            one of them was emptied.
        ConfigError: the address cannot be understood, or the rules do not fit the campaign.
    """
    address = AddressList.parse(where)
    if len(address.servers) == 1:
        return RedisFrontier(address.servers[0], options, **more)
    with_domains = with_domains or (options is not None and options.domain_delay_s > 0)
    crew = _crew(address, with_domains=with_domains, refill=refill, **more)
    kind = crew.partition(" ")[2]
    if kind != BY_HOST and kind != by_domain():
        message = "places hosts by another list of public suffixes (of another tldextract)"
        raise FrontierError(message, where=address)
    n_servers = len(address.servers)
    parts: list[RedisFrontier] = []
    try:
        for number, server in enumerate(address.servers, 1):
            own = server.with_part(f"{number}/{n_servers} {crew}")
            parts.append(RedisFrontier(own, **_named(more, parts)))
        frontier = SpreadFrontier(address, parts, Placement(n_servers, kind))
        for part in parts if more.get("create", True) else ():
            part.server.note_whole()
        if options is not None:
            frontier.set_rules(options)
    except BaseException:
        for part in parts:
            with contextlib.suppress(FrontierError):
                part.close()
        raise
    return frontier


def agree_on_rules(
    frontier: SharedFrontier,
    options: FrontierOptions,
    max_pages: int = 0,
    *,
    settings: Mapping[str, str],
) -> None:
    """Set the rules of a campaign at which nobody works; else they must be the same.

    Args:
        frontier: the campaign.
        options: rules of this worker.
        max_pages: bound on the pages of all hosts; 0: none.
        settings: by which rules are set, where they are called otherwise.

    Raises:
        ConfigError: other workers are at work by other rules.
    """
    ours = _rules(options, max_pages, settings)
    stored = [_rules(part.options, part.max_campaign_pages, settings) for part in frontier.parts]
    unlike = [rules for rules in stored if rules != ours]
    if not unlike and not any(part.is_between_rules for part in frontier.parts):
        return
    if unlike and frontier.others_at_work():
        theirs = unlike[0]
        words = [f"{n}={theirs[n]} (not {ours[n]})" for n in ours if ours[n] != theirs[n]]
        message = f"the campaign's workers go by {', '.join(words)}"
        raise ConfigError(message, where=frontier.address)
    frontier.set_rules(options, max_pages)


def _rules(options: FrontierOptions, max_pages: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """By the names of the settings."""
    rules = {settings.get(name, name): value for name, value in asdict(options).items()}
    return {**rules, "max_campaign_pages": max_pages}


def _named(more: Mapping[str, Any], parts: Sequence[RedisFrontier]) -> dict[str, Any]:
    """A worker has one name on all servers."""
    return {**more, "worker": parts[0].worker} if parts else dict(more)


def _crew(
    address: AddressList,
    *,
    with_domains: bool,
    refill: bool,
    create: bool = True,
    wait_s: float = 0.0,
    **_more: object,
) -> str:
    """What the servers know each other by, and how they place hosts."""
    stored, crew = _stored(address, wait_s)
    may_begin = create and not refill and None in stored
    if may_begin and _was_whole(address, stored, wait_s=wait_s):
        # Another worker may have begun the campaign meanwhile; what is missing now is gone.
        stored, crew = _stored(address, wait_s)
        if crew and None in stored:
            emptied = address.servers[stored.index(None)]
            raise FrontierError(_emptied(_first(address, stored)), where=emptied)
    kind = by_domain() if with_domains else BY_HOST
    proposal = crew or f"{secrets.token_hex(4)} {kind}"
    if create and None in stored:
        return agreed_crew(address.servers[0], proposal, wait_s=wait_s)
    return proposal


def _stored(address: AddressList, wait_s: float) -> tuple[list[str | None], str]:
    """What each server is, and what they know each other by; "" if none has the campaign."""
    stored = [stored_part(server, wait_s=wait_s) for server in address.servers]
    crew = ""
    for number, (server, part) in enumerate(zip(address.servers, stored, strict=True), 1):
        if part is None:
            continue
        place, _, rest = part.partition(" ")
        expected = f"{number}/{len(address.servers)}"
        if place != expected:
            raise FrontierError(_misplaced(place, expected), where=server)
        if crew and rest != crew:
            message = f"is of another campaign of this name than {_first(address, stored)}"
            raise FrontierError(message, where=server)
        crew = rest
    return stored, crew


def _was_whole(address: AddressList, stored: list[str | None], *, wait_s: float) -> bool:
    """Whether one of the servers that have the campaign knows that all had it."""
    return any(
        was_whole(server, wait_s=wait_s)
        for server, part in zip(address.servers, stored, strict=True)
        if part is not None
    )


def _emptied(other: RedisAddress) -> str:
    return (
        f"has nothing of the campaign that {other} has: if it was emptied, quarkcrawl frontier "
        "recover fills it again; if it is another server than before, name that one, or give "
        "another #CAMPAIGN"
    )


def _first(address: AddressList, stored: list[str | None]) -> RedisAddress:
    return next(s for s, part in zip(address.servers, stored, strict=True) if part is not None)


def _misplaced(place: str, expected: str) -> str:
    if not place:
        return "has the campaign by itself, and not as one of several servers"
    return (
        f"is server {place} of the campaign, not {expected}: name all of them, in their order, or "
        "give another #CAMPAIGN if it was begun by mistake"
    )


def collecting(
    frontier: SharedFrontier,
    *,
    wait_s: float = 3600.0,
    starts: str = "",
    read_start: Callable[[bytes], Candidate | None] = start_candidate,
) -> CollectingFrontier:
    """The frontier of a worker that crawls: in few round trips, never in the event loop's way.

    Args:
        frontier: the campaign.
        wait_s: longest absence of a server before the run is given up.
        starts: key of a start list to be taken in, on any of the servers.
        read_start: an entry of it as a URL to be queued; None if it is none.
    """
    if isinstance(frontier, SpreadFrontier):
        return SpreadBatched(frontier, wait_s=wait_s, starts=starts, read_start=read_start)
    entries = StartList(starts, read=read_start) if starts else None
    return BatchedFrontier(frontier, wait_s=wait_s, starts=entries)
