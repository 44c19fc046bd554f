"""One extractor on one page, in a process of its own pool: text, score and CPU time."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import time
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.evaluate.extractors.extractors import extractor
from quarkcrawl.lab.evaluate.extractors.plaintext import compose, score_text
from quarkcrawl.lab.evaluate.extractors.source import Source
from quarkcrawl.lab.gold import NOTHING, Score

if TYPE_CHECKING:
    from quarkcrawl.lab.evaluate.extractors.source import Extract
    from quarkcrawl.lab.gold import GoldPage


_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_KEPT_BYTES: Final = 256 << 20

_WARM_UP_HTML: Final = "<title>天网</title>" + 2 * (
    f"<div><p>{'北京大学网络实验室，搜索引擎。' * 20}</p></div>"
)
"""Two blocks of content: dictionaries that are loaded only to compare blocks are loaded, too."""

_WARM_UP: Final = Source(
    _WARM_UP_HTML.encode(), _WARM_UP_HTML, "http://localhost/", "zh", wants_title=True
)


@dataclass(frozen=True, slots=True)
class Job:
    """A page to be measured.

    Args:
        set_name: the set it belongs to.
        page: the page; it has a gold text.
        with_title: whether the gold text includes the headline.
    """

    set_name: str
    page: GoldPage
    with_title: bool


@dataclass(frozen=True, slots=True)
class Measurement:
    """What an extractor did on a page.

    Args:
        score: against the gold text.
        cpu_s: time of the extraction alone.
        is_empty: whether it found no text.
        failure: ``"timeout"``, ``"crash …"`` or ``"error: …"``; the score is then 0.
    """

    score: Score = NOTHING
    cpu_s: float = 0.0
    is_empty: bool = True
    failure: str | None = None


def measure(name: str, job: Job) -> Measurement:
    """Run an extractor on a page and score what it finds.

    Decoding for extractors that take text, and scoring, are not timed.

    Raises:
        Exception: whatever the extractor raises.
    """
    run, gives_title = _ready(name)
    page = job.page
    wants_title = gives_title and job.with_title
    source = Source(page.body, page.text, page.url, page.lang, wants_title)
    start = time.process_time()
    title, text = run(source)
    cpu_s = time.process_time() - start
    extracted = compose(title, text, with_title=wants_title)
    return Measurement(score_text(extracted, page.gold_text or ""), cpu_s, not extracted.strip())


@cache
def _ready(name: str) -> tuple[Extract, bool]:
    """Import and warm up the extractor, once in a process."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    _keep_memory()
    entry = extractor(name)
    run = entry.make()
    with contextlib.suppress(Exception):  # it may fail here and not on the pages
        run(_WARM_UP)
    return run, entry.gives_title


def _keep_memory() -> None:
    """The same allocator for all: freed memory is kept, not given back and asked for again.

    Extractors that build large trees otherwise spend up to half of their time on page faults.
    """
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        libc.mallopt(_M_MMAP_THRESHOLD, _KEPT_BYTES)
    except (OSError, AttributeError):
        return  # another C library than glibc: nothing to set, for anybody
