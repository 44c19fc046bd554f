"""Log lines of a campaign: none per page (they cost 9–20 % of a crawl); counts are kept instead."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter, LogFormatterResult

from quarkcrawl.page import PageItem

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response
    from twisted.python.failure import Failure


def install_log_handler(level: str) -> None:
    """Log to stderr; of Scrapy only warnings, for its start-up lines alone fill a page."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    handler.setLevel(level)
    handler.addFilter(_not_scrapys_chatter)
    logging.root.addHandler(handler)
    logging.root.setLevel(level)


def _not_scrapys_chatter(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or not record.name.startswith("scrapy")


class QuietLogFormatter(LogFormatter):
    """Says nothing for what went well or has a reason code; errors in code stay errors."""

    def crawled(self, request: Request, response: Response, spider: Spider) -> Any:
        """No line for a fetched page."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> Any:
        """No line for a stored page."""

    def dropped(
        self,
        item: Any,
        exception: BaseException,
        response: Response | Failure | None,
        spider: Spider,
    ) -> Any:
        """No line for a dropped page: it is in the drops table."""

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        """A failed request is counted; its line is for debugging."""
        result = super().download_error(failure, request, spider, errmsg)
        result["level"] = logging.DEBUG
        return result

    def item_error(
        self,
        item: Any,
        exception: BaseException,
        response: Response | Failure | None,
        spider: Spider,
    ) -> LogFormatterResult:
        """A page that ends in an error is named, not printed with its whole body."""
        result = super().item_error(item, exception, response, spider)
        if isinstance(item, PageItem):
            result["args"] = {"item": item.url}
        return result
