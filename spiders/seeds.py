"""The seed spider: from URL lists to seed sites (CWT200g thesis, 3.2 and 3.3).

scrapy crawl seeds -a lists=urls1.txt.gz,urls2.parquet -a work=seeds-work -O seeds.jsonl
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy

from quarkcrawl.crawl import CHECK_SETTINGS, HomePages, spam_list
from quarkcrawl.errors import ConfigError, QuarkError
from quarkcrawl.select import SelectionOptions, SelectionWork

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

logger = logging.getLogger(__name__)


class SeedsSpider(scrapy.Spider):
    """Counts the hosts of URL lists, asks for their home pages, yields the sites to crawl.

    Args:
        lists: URL lists, separated by commas; none: the work folder has counts already.
        work: folder of the tables. A run that was stopped goes on when started again.
        until: ``filter``, or ``check`` to end when all hosts were asked.
        drop_undecided: ``1`` to drop proposed spam families that nobody decided on.
    """

    name = "seeds"
    custom_settings = CHECK_SETTINGS

    def __init__(
        self,
        lists: str = "",
        work: str = "seeds-work",
        until: str = "filter",
        drop_undecided: str = "0",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if until not in {"check", "filter"}:
            raise ConfigError(f"until must be check or filter, not {until!r}")
        self.lists = [path.strip() for path in lists.split(",") if path.strip()]
        self.work = SelectionWork(Path(work))
        self.until = until
        self.drop_undecided = drop_undecided == "1"
        self.failure: QuarkError | None = None

    async def start(self) -> AsyncIterator[Any]:
        """Count, check, filter; the seed sites come as items at the end."""
        try:
            async for result in self._steps():
                yield result
        except QuarkError as error:
            self.failure = error
            logger.error("%s", error)

    async def _steps(self) -> AsyncIterator[Any]:
        if self.lists:
            await asyncio.to_thread(self.work.count, self.lists)
        with self.work.probe_file() as file:
            pages = HomePages(self.crawler, self.work.to_check(), file)
            async for request in pages.requests():
                yield request
        if pages.failure is not None:
            raise pages.failure
        if self.until == "filter":
            spam = spam_list(self.crawler.settings)
            options = SelectionOptions(spam=spam, drop_undecided=self.drop_undecided)
            selection = await asyncio.to_thread(self.work.filter, options)
            for site in selection.seeds:
                yield site
