"""Run the check of a selection from Python: start Scrapy on the project's spider ``seeds``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import CrawlerProcess

from quarkcrawl.crawl.run import run_settings
from quarkcrawl.errors import QuarkError
from quarkcrawl.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twisted.python.failure import Failure

    from quarkcrawl.progress import Progress
    from quarkcrawl.select import SelectionWork


def run_check(
    work: SelectionWork,
    config: Mapping[str, object],
    *,
    log_level: str = "INFO",
    on_progress: Progress = no_progress,
) -> dict[str, Any]:
    """Ask the hosts of a work folder for their home pages. Once per process (Twisted).

    Args:
        work: with counts; hosts that were asked in an earlier run are not asked again.
        config: fields of `CrawlConfig` that differ from the spider's (``timeout_s``, …).
        log_level: least level of messages that go to stderr, by Python's names.
        on_progress: is told of each host.

    Returns:
        The numbers of `SelectionWork.check_summary`.

    Raises:
        QuarkError: the check could not be done to its end.
    """
    settings = run_settings(config, log_level)
    work.to_check()  # what is missing shows before anything starts
    process = CrawlerProcess(settings)
    crawler = process.create_crawler("seeds")
    failures: list[Failure] = []
    given: dict[str, Any] = {"work": str(work.root), "until": "check", "on_progress": on_progress}
    process.crawl(crawler, **given).addErrback(failures.append)
    process.start()
    if failures:
        failures[0].raiseException()
    failure = getattr(crawler.spider, "failure", None)
    if isinstance(failure, QuarkError):
        raise failure
    return work.check_summary()
