"""Steps of a worker over Redis: lease, store, wait."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import count, islice

from quarkcrawl.frontier import (
    BatchedFrontier,
    Ending,
    FrontierOptions,
    RedisFrontier,
    collecting,
    open_shared,
)
from quarkcrawl.frontier.spread import Placement

__all__ = [
    "OPTIONS",
    "PLACES",
    "batched",
    "digest_on",
    "hosts_on",
    "some",
    "store",
    "until",
    "worker",
]

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=64, robots=False, lease_s=60.0)

PLACES = Placement(3)


def hosts_on(number: int, how_many: int) -> list[str]:
    """Names of hosts that one of three servers has."""
    names = (f"h{n}.cn" for n in count())
    return list(islice((name for name in names if PLACES.of_host(name) == number), how_many))


def digest_on(number: int, seed: int = 0) -> bytes:
    """A digest that one of three servers keeps."""
    digests = (bytes([seed, n % 256, n // 256]) + b"0" * 13 for n in count())
    return next(digest for digest in digests if PLACES.of_digest(digest) == number)


def batched(url: str, **options: object) -> BatchedFrontier:
    rules = {name: getattr(OPTIONS, name) for name in FrontierOptions.__slots__}
    return BatchedFrontier(RedisFrontier(url, FrontierOptions(**{**rules, **options})))


async def some(frontier: BatchedFrontier, number: int) -> list:
    """Leases, once they are there."""
    found: list = []
    async with asyncio.timeout(20):
        while len(found) < number:
            found += frontier.lease(number - len(found), now=time.time())
            await asyncio.sleep(0.005)
    return found


async def until(check) -> None:
    async with asyncio.timeout(20):
        while not check():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)


async def store(frontier: BatchedFrontier, lease, links=()) -> None:
    """What a crawl does with a page."""
    frontier.push(links)
    owners = await frontier.claim_page(lease.token, [("md5", lease.url.encode()[-16:], lease.url)])
    assert owners == [lease.url]
    frontier.settle([lease.token])
    frontier.acknowledge([Ending(lease.token, "stored")])


def worker(where: str, **options: object):
    """A worker of a campaign, by the rules of the tests but for some."""
    return collecting(open_shared(where, replace(OPTIONS, **options)))
