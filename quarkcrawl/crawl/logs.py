"""Log lines of a campaign: none per page (they cost 9–20 % of a crawl); counts are kept instead."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter, LogFormatterResult

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response
    from twisted.python.failure import Failure

__all__ = ["QuietLogFormatter"]


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
