"""Seeds of a crawl, those that come later, and the spam list that applies to it."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.control import add_hosts, revive_urls
from quarkcrawl.crawl.campaign.givenup import given_up
from quarkcrawl.crawl.campaign.reasons import PASSING, is_failure
from quarkcrawl.crawl.options import config_of
from quarkcrawl.crawl.project import project_folder
from quarkcrawl.frontier import Candidate, SqliteFrontier
from quarkcrawl.page import host_key
from quarkcrawl.select import SpamList

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy.settings import BaseSettings


def seed_candidates(urls: Iterable[str]) -> list[Candidate]:
    """Seeds as candidates of level 1.

    Args:
        urls: canonical URLs.
    """
    return [Candidate(url, host_key(url), 1) for url in urls]


@dataclass(frozen=True, slots=True)
class OfferedSeeds:
    """What becomes of seeds that were left for a crawl by one process.

    Args:
        offered: different URLs.
        duplicates: lines that mean a URL of an earlier line.
        new: those that the crawl has not seen yet.
        tried_again: URLs that had ended without a page and wait again.
        refused: URLs of hosts that take none any more, by the reason for which they were closed.
    """

    offered: int
    duplicates: int
    new: int
    tried_again: int
    refused: dict[str, int] = field(default_factory=dict)


def leave_seeds(root: Path, seeds: Counter[str]) -> OfferedSeeds:
    """Leave seeds for a crawl by one process: it takes them in a second, or at its next start.

    Those that ended without a page, for a failure, are tried again; hosts that were given up for
    what may pass are opened. What is counted is so as of the last commit of the crawl.

    Args:
        root: folder of the corpus, with its frontier.
        seeds: canonical URLs with the number of lines that mean each, see `count_hosts`.

    Raises:
        FrontierError: the frontier cannot be read.
        StoreError: the folder cannot be written; nothing was left then.
    """
    candidates = seed_candidates(seeds)
    with closing(SqliteFrontier(root / "frontier.sqlite", readonly=True)) as frontier:
        states = [frontier.host(host) for host in {one.host for one in candidates}]
        is_new = frontier.unseen([one.url for one in candidates])
    closed = {state.host: state.closed for state in states if state and state.closed is not None}
    passing = {host for host, reason in closed.items() if reason in PASSING}
    endings = [one for one in given_up([root], urls=set(seeds)) if is_failure(one[1])]
    if passing:
        endings += given_up([root], hosts=passing, reasons=PASSING)
    by_url = {candidate.url: (candidate, reason) for candidate, reason in endings}
    shut = {host: reason for host, reason in closed.items() if host not in passing}
    revive_urls(root, by_url.values())
    add_hosts(root, seeds)
    return OfferedSeeds(
        offered=len(seeds),
        duplicates=seeds.total() - len(seeds),
        new=sum(new and one.host not in shut for one, new in zip(candidates, is_new, strict=True)),
        tried_again=len(by_url),
        refused=dict(Counter(shut[one.host] for one in candidates if one.host in shut)),
    )


def spam_list(settings: BaseSettings) -> SpamList:
    """The list named by ``spam_list``, else ``seeds/spam_domains.txt`` of the project.

    Args:
        settings: settings of the crawler.

    Raises:
        InputError: the named list cannot be read or is malformed.
    """
    named = config_of(settings).spam_list
    if named:
        return SpamList.load(named)
    default = project_folder() / "seeds" / "spam_domains.txt"
    return SpamList.load(default) if default.is_file() else SpamList.parse([])
