"""Contents that a crawl has stored, without what their hosts repeat, as people taught.

When a page is crawled, nothing is known of the pages that follow, so its columns cannot say what
its host repeats. The tables of a crawl are never changed: after its end, the pages of hosts that
repeat something, or about which ``rules.toml`` in the corpus says something, get a row in a table
of their own, ``analysis/cleaned/METHOD``, which has the columns of `extract_corpus`. A page without
a row there has the content that its own row has.
"""

from __future__ import annotations

import logging
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus.extraction.job import extract_corpus, extractions
from quarkcrawl.corpus.extraction.page import ExtractionOptions
from quarkcrawl.errors import ConfigError, QuarkError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow.dataset as ds

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.corpus.extraction.job import ExtractionReport


logger = logging.getLogger(__name__)

_FOLDER: Final = Path("analysis", "cleaned")


def clean_corpus(
    root: Path | str, options: ExtractionOptions, pool: PoolOptions | None = None
) -> ExtractionReport:
    """Extract the pages again whose hosts repeat something or have rules, without that, by these.

    What was cleaned before stays, unless it was made with other options.

    Args:
        root: the corpus.
        options: as the crawl extracted them.
        pool: number and bounds of the processes.

    Raises:
        CorpusLockedError: another process is cleaning this corpus.
        StoreError: the folder is no corpus, or the rows cannot be read or written.
    """
    out = Path(root) / _FOLDER
    try:
        return extract_corpus(root, options, out=out, pool=pool, only_sites=True)
    except ConfigError:
        return extract_corpus(root, options, out=out, pool=pool, only_sites=True, restart=True)


def cleaned_contents(root: Path | str, method: str = "default") -> ds.Dataset:
    """The cleaned rows of a corpus as a pyarrow dataset.

    Args:
        root: the corpus.
        method: extraction method of the crawl.

    Raises:
        StoreError: the folder is no corpus, or no crawl by this method has cleaned it.
    """
    return extractions(root, method, out=Path(root) / _FOLDER)


def clean_crawl(config: CrawlConfig) -> ExtractionReport | None:
    """Clean the corpus of a crawl that has ended; a failure is logged and harms no corpus.

    Args:
        config: settings of the crawl.

    Returns:
        What was done, None after a failure.

    Raises:
        KeyboardInterrupt: it was stopped; it goes on when it is called again.
    """
    options = ExtractionOptions(
        config.content_method,
        spans=config.analysis_spans,
        items=config.analysis_items,
        site_pages=config.site_pages,
    )
    pool = PoolOptions(
        config.workers, config.page_timeout_s, config.page_memory_bytes, config.in_process
    )
    try:
        with _interruptible():
            return clean_corpus(config.out, options, pool)
    except QuarkError as error:
        logger.warning("contents were not cleaned: %s", error)
        return None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C and SIGTERM raise again: Scrapy's handlers stop a crawl, and that has ended."""
    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
