"""URLs of a corpus that ended without a page, to be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import iter_batches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path


_COLUMNS: Final = ("url", "host", "reason", "level", "at", "detail")


class _Ending(NamedTuple):
    at: float
    candidate: Candidate
    reason: str


def given_up(
    roots: Iterable[Path],
    *,
    reasons: Collection[str] = (),
    hosts: Collection[str] = (),
    urls: Collection[str] = (),
) -> list[tuple[Candidate, str]]:
    """URLs that ended without a page, each with the reason of the last time; the latest first.

    What was stored later, or is a duplicate or a redirect, is left out.

    Args:
        roots: corpora; shards below them count too.
        reasons: only these; empty: all.
        hosts: only these; empty: all.
        urls: only these; empty: all.

    Raises:
        StoreError: a folder is no corpus, or a table of it cannot be read.
    """
    shards = [shard for root in roots for shard in shard_roots(root)]
    endings_by_url: dict[str, _Ending] = {}
    for row in _drops(shards):
        is_wanted = (
            (not reasons or row["reason"] in reasons)
            and (not hosts or row["host"] in hosts)
            and (not urls or row["url"] in urls)
        )
        ending = endings_by_url.get(row["url"])
        if is_wanted and (ending is None or row["at"] >= ending.at):
            mark = ListMark.parse(row["detail"])
            origin = None if mark is None else str(mark)
            candidate = Candidate(row["url"], row["host"], max(row["level"], 1), origin)
            endings_by_url[row["url"]] = _Ending(row["at"], candidate, row["reason"])
    if reasons and endings_by_url:  # else the last of all was taken
        for row in _drops(shards):
            ending = endings_by_url.get(row["url"])
            if ending is not None and row["at"] > ending.at and row["reason"] not in reasons:
                del endings_by_url[row["url"]]
    for shard in shards:
        for kind in ("page", "duplicate", "redirect") if endings_by_url else ():
            for batch in iter_batches(shard, kind, ("url",)):
                for url in endings_by_url.keys() & set(batch.column("url").to_pylist()):
                    del endings_by_url[url]
    latest = sorted(endings_by_url.values(), key=lambda ending: ending.at, reverse=True)
    return [(ending.candidate, ending.reason) for ending in latest]


def _drops(shards: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for shard in shards:
        for batch in iter_batches(shard, "drop", _COLUMNS):
            yield from batch.to_pylist()
