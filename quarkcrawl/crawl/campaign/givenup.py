"""URLs of a corpus that ended without a page, to be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.frontier import Candidate
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import iter_batches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path


_COLUMNS: Final = ("url", "host", "reason", "level", "at")


def given_up(
    roots: Iterable[Path],
    *,
    reasons: Collection[str] = (),
    hosts: Collection[str] = (),
    urls: Collection[str] = (),
) -> list[tuple[Candidate, str]]:
    """URLs that ended without a page, each with the reason of the last time.

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
    endings: dict[str, tuple[float, Candidate, str]] = {}
    for shard in shards:
        for batch in iter_batches(shard, "drop", _COLUMNS):
            for row in batch.to_pylist():
                url, at = row["url"], row["at"]
                if (urls and url not in urls) or (url in endings and endings[url][0] > at):
                    continue
                candidate = Candidate(url, row["host"], max(row["level"], 1))
                endings[url] = at, candidate, row["reason"]
    wanted = {
        url: (candidate, reason)
        for url, (_, candidate, reason) in endings.items()
        if (not reasons or reason in reasons) and (not hosts or candidate.host in hosts)
    }
    for shard in shards:
        for kind in ("page", "duplicate", "redirect") if wanted else ():
            for batch in iter_batches(shard, kind, ("url",)):
                for url in wanted.keys() & set(batch.column("url").to_pylist()):
                    del wanted[url]
    return list(wanted.values())
