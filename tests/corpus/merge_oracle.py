"""Merging with everything in memory, as it was before it sorted on disk: for whole records only."""

from __future__ import annotations

from pathlib import Path

from quarkcrawl.store import Corpus, shard_roots

__all__ = ["merged_rows", "rows_of"]


def rows_of(root: Path) -> dict[str, dict[str, tuple]]:
    """What a corpus says of each URL, kind by kind, with the links and the body."""
    corpus = Corpus.open(root)
    found = {
        "page": {row.url: (*_facts(row), corpus.page(row).body) for row in corpus.pages()},
        "duplicate": {row.url: (*_facts(row), row.duplicate_of) for row in corpus.duplicates()},
        "redirect": {row.url: (row.target, row.fetched_at) for row in corpus.redirects()},
        "drop": {row.url: (row.reason, row.host, row.at) for row in corpus.drops()},
    }
    n_rows = sum(1 for kind in found for _ in getattr(corpus, f"{kind}s")())
    assert n_rows == sum(map(len, found.values())), "a URL twice"
    return found


def _facts(row) -> tuple:
    return row.md5, row.level, row.fetched_at, tuple(link.url for link in row.links)


def _version(row) -> int:
    return row.analysis.get("version") or 1


def merged_rows(root: Path) -> dict[str, dict[str, tuple]]:
    """What `rows_of` should say of the merged shards."""
    corpora = [Corpus.open(shard) for shard in shard_roots(root)]
    pages = [(row, corpus) for corpus in corpora for row in corpus.pages()]
    kept: dict[bytes, int] = {}
    urls = set()
    by_age = sorted(range(len(pages)), key=lambda n: (pages[n][0].fetched_at, n))
    firsts = set()
    for n in sorted(by_age, key=lambda n: -_version(pages[n][0])):
        if pages[n][0].url not in urls:
            firsts.add(n)
        urls.add(pages[n][0].url)
    for n in by_age:
        if n in firsts:
            kept.setdefault(pages[n][0].md5, n)
    owners = {md5: pages[n][0].url for md5, n in kept.items()}
    known = set(owners.values())
    found: dict[str, dict[str, tuple]] = {
        "page": {
            row.url: (*_facts(row), corpus.page(row).body)
            for row, corpus in (pages[n] for n in kept.values())
        },
        "duplicate": {},
        "redirect": {},
        "drop": {},
    }
    for row, _ in sorted(pages, key=lambda page: -_version(page[0])):
        if row.url not in known and row.md5 in owners:
            known.add(row.url)
            found["duplicate"][row.url] = (*_facts(row), owners[row.md5])
    for corpus in corpora:
        for row in corpus.duplicates():
            if row.url not in known:
                known.add(row.url)
                owner = owners.get(row.md5, row.duplicate_of)
                found["duplicate"][row.url] = (*_facts(row), owner)
    for corpus in corpora:
        for redirect in corpus.redirects():
            if redirect.url not in known:
                known.add(redirect.url)
                found["redirect"][redirect.url] = (redirect.target, redirect.fetched_at)
    for corpus in corpora:
        for drop in corpus.drops():
            if drop.url not in known:
                known.add(drop.url)
                found["drop"][drop.url] = (drop.reason, drop.host, drop.at)
    return found
