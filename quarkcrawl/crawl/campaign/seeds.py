"""Seeds of a crawl and the spam list that applies to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl.options import config_of
from quarkcrawl.crawl.project import project_folder
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key
from quarkcrawl.select import SpamList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings


def seed_candidates(urls: Iterable[str]) -> list[Candidate]:
    """Seeds as candidates of level 1.

    Args:
        urls: canonical URLs.
    """
    return [Candidate(url, host_key(url), 1) for url in urls]


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
