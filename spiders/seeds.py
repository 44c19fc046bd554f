"""The seed spider: from URL lists to seed sites (CWT200g thesis, 3.2 and 3.3).

scrapy crawl seeds -a lists=urls1.txt.gz,urls2.parquet -a work=seeds-work -O seeds.jsonl
scrapy crawl seeds -a work=seeds-work -s SELECT_ALIASES=md5 -s SELECT_MIN_PAGES=20 -O seeds.jsonl

The options of ``quarkcrawl select`` are settings: ``SELECT_`` and their names in capitals; those of
its check ``QUARKCRAWL_`` and their names.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy

from quarkcrawl.config import byte_count
from quarkcrawl.crawl import CHECK_SETTINGS, HomePages, spam_list
from quarkcrawl.errors import ConfigError, QuarkError
from quarkcrawl.progress import no_progress
from quarkcrawl.select import METHODS as ALIAS_METHODS
from quarkcrawl.select import OUTLIER_METHODS, STEPS, SelectionOptions, SelectionWork, SpamList

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from quarkcrawl.progress import Progress

logger = logging.getLogger(__name__)

_PREFIX = "SELECT_"
_CHOICES = {"ALIASES": ALIAS_METHODS, "OUTLIERS": OUTLIER_METHODS, "SKIP": STEPS}
_OTHERS = {
    "COLUMN", "DROP_UNDECIDED", "LISTS", "MEMORY", "MIN_PAGES", "SPAM_LIST", "UNCHECKED", "WORK",
}  # fmt: skip
_OLD_NAMES = {"LEAST_PAGES": "MIN_PAGES", "MEMORY_MB": "MEMORY"}
"""Names of 0.1, accepted with a notice in this version."""

OPTIONS = frozenset(f"{_PREFIX}{name}" for name in (*_CHOICES, *_OTHERS))
"""Settings of this spider alone."""


class SeedsSpider(scrapy.Spider):
    """Counts the hosts of URL lists, asks for their home pages, yields the sites to crawl.

    Args:
        lists: URL lists, separated by commas; none: the work folder has counts already.
        work: folder of the tables. A run that was stopped goes on when started again.
        until: ``filter``, or ``check`` to end when all hosts were asked.
        drop_undecided: ``1`` to drop proposed spam families that nobody decided on.
        on_progress: is told of each host that was asked; for `quarkcrawl.crawl.run_check`.
    """

    name = "seeds"
    custom_settings = CHECK_SETTINGS

    def __init__(
        self,
        lists: str = "",
        work: str = "seeds-work",
        until: str = "filter",
        drop_undecided: str = "0",
        on_progress: Progress = no_progress,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if until not in {"check", "filter"}:
            raise ConfigError(f"until must be check or filter, not {until!r}")
        self.lists = [path.strip() for path in lists.split(",") if path.strip()]
        self.work = SelectionWork(Path(work))
        self.until = until
        self._on_progress = on_progress
        self.drop_undecided = drop_undecided == "1"
        self.failure: QuarkError | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build for a crawler; lists and work folder may also be settings."""
        settings = crawler.settings
        given = {
            "lists": ",".join(settings.getlist("SELECT_LISTS")),
            "work": settings["SELECT_WORK"],
        }
        kwargs = {name: value for name, value in given.items() if value} | kwargs
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Any]:
        """Count, check, filter; the seed sites come as items at the end."""
        try:
            async for result in self._steps():
                yield result
        except QuarkError as error:
            self.failure = error
            logger.error("%s", error)

    async def _steps(self) -> AsyncIterator[Any]:
        _check(self.settings)
        if self.lists:
            column = self.settings.get("SELECT_COLUMN", "url")
            await asyncio.to_thread(
                self.work.count,
                self.lists,
                column=column,
                memory_bytes=max(_memory_bytes(self.settings), 64 << 20),
            )
        is_checked = self.until == "check" or not self.settings.getbool("SELECT_UNCHECKED")
        if is_checked:
            with self.work.probe_file() as file:
                pages = HomePages(self.crawler, self.work.to_check(), file, self._on_progress)
                async for request in pages.requests():
                    yield request
            if pages.failure is not None:
                raise pages.failure
        if self.until == "filter":
            selection = await asyncio.to_thread(
                self.work.filter, self._options(), checked=is_checked
            )
            for site in selection.seeds:
                yield site

    def _options(self) -> SelectionOptions:
        settings = self.settings
        lists = settings.getlist("SELECT_SPAM_LIST")
        own = SpamList.merged(SpamList.load(path) for path in lists)
        return SelectionOptions(
            least_pages=settings.getint(
                "SELECT_MIN_PAGES", settings.getint("SELECT_LEAST_PAGES", 10)
            ),
            aliases=settings.get("SELECT_ALIASES", "default"),
            outliers=settings.get("SELECT_OUTLIERS", "default"),
            spam=own if lists else spam_list(settings),
            drop_undecided=self.drop_undecided or settings.getbool("SELECT_DROP_UNDECIDED"),
            skip=frozenset(settings.getlist("SELECT_SKIP")),
        )


def _memory_bytes(settings: BaseSettings) -> int:
    """How much the count of hosts may hold, from the setting or from that of 0.1 in MiB."""
    old = f"{settings.getint('SELECT_MEMORY_MB', 2048)} MiB"
    return byte_count(settings.get("SELECT_MEMORY", old), source="SELECT_MEMORY")


def _check(settings: BaseSettings) -> None:
    """Refuse settings that nobody knows, before anything is fetched."""
    for setting in settings:
        if not setting.startswith(_PREFIX):
            continue
        name = setting.removeprefix(_PREFIX)
        if name in _OLD_NAMES:
            logger.warning("%s is an old name; write %s%s", setting, _PREFIX, _OLD_NAMES[name])
            continue
        if name not in _CHOICES and name not in _OTHERS:
            known = ", ".join(sorted([*_CHOICES, *_OTHERS]))
            raise ConfigError(f"no setting {setting}; there are {_PREFIX}: {known}")
        for value in settings.getlist(setting) if name in _CHOICES else ():
            if value not in _CHOICES[name]:
                raise ConfigError(f"{setting}: {value!r} is none of {', '.join(_CHOICES[name])}")
