"""Our own methods as systems of the SEWM2008 tasks: their runs over a set of gold pages."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from quarkcrawl.analysis import map_pages
from quarkcrawl.content import Content
from quarkcrawl.lab.baselines import SITE_BASELINES
from quarkcrawl.lab.evaluate.extractors import content_method, topic_method
from quarkcrawl.lab.evaluate.sewm2008.runfile import ContentRun, TopicRun
from quarkcrawl.lab.gold import without_marks
from quarkcrawl.page import Page, host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarkcrawl.lab.evaluate.sewm2008.places import Unit
    from quarkcrawl.lab.gold import GoldPage


_T = TypeVar("_T")

_MOST_OTHERS: Final = 20
"""Pages of a site that a method of `SITE_BASELINES` is given beside the page at most."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as a system is given it.

    Args:
        number: document number.
        body: its bytes, without marks.
        url: its address, "" if unknown.
    """

    number: str
    body: bytes
    url: str = ""

    def page(self) -> Page:
        """The page, read from the bytes."""
        return Page.from_bytes(self.body, self.url)


def stored_page(gold: GoldPage) -> StoredPage:
    """A gold page as a system is given it; marks are taken out if there are any.

    Args:
        gold: a page with the right answer.
    """
    page = gold.page()
    body = without_marks(page, gold.where).body if gold.is_topic is None else gold.body
    return StoredPage(gold.number, body, gold.url)


def find_spans(page: Page, method: str, unit: Unit) -> tuple[tuple[int, int], ...]:
    """Spans of the content of a page, as a method of ours or a baseline sees it.

    Returns:
        (start, length) pairs; in bytes without what has no exact place there.
    """
    return _spans(content_method(method)(page), unit)


def _spans(content: Content, unit: Unit) -> tuple[tuple[int, int], ...]:
    spans = content.spans
    if unit == "chars":
        return tuple((span.start, span.end - span.start) for span in spans)
    located = (span for span in spans if span.byte_start >= 0)
    return tuple((span.byte_start, span.byte_end - span.byte_start) for span in located)


def _spans_job(method: str, unit: Unit, stored: StoredPage) -> tuple[tuple[int, int], ...]:
    return find_spans(stored.page(), method, unit)


class _SitePage(NamedTuple):
    """A page and others of its host."""

    page: StoredPage
    others: tuple[StoredPage, ...]


def _with_others(pages: Mapping[str, StoredPage]) -> dict[str, _SitePage]:
    """Each page with those of its host that come next, the first ones after the last."""
    by_host: defaultdict[str, list[StoredPage]] = defaultdict(list)
    for page in pages.values():
        by_host[host_key(page.url) or page.number].append(page)
    site_pages = {}
    for host_pages in by_host.values():
        for place, page in enumerate(host_pages):
            others = host_pages[place + 1 :] + host_pages[:place]
            site_pages[page.number] = _SitePage(page, tuple(others[:_MOST_OTHERS]))
    return {number: site_pages[number] for number in pages}


def _site_job(method: str, unit: Unit, stored: _SitePage) -> tuple[tuple[int, int], ...]:
    others = [other.page() for other in stored.others]
    return _spans(Content(SITE_BASELINES[method](stored.page.page(), others)), unit)


def _topic_job(method: str, stored: StoredPage) -> bool:
    return topic_method(method)(stored.page())


def _apply(
    job: Callable[[_T], Any],
    pages: Mapping[str, _T],
    workers: int,
    timeout_s: float,
    tick: Callable[[], None],
) -> tuple[dict[str, Any], dict[str, str]]:
    """What a job gave, by document; and why it failed on which."""
    values: dict[str, Any] = {}
    failures: dict[str, str] = {}
    outcomes = map_pages(job, pages.values(), workers=workers, timeout_s=timeout_s)
    for number, outcome in zip(pages, outcomes, strict=True):
        tick()
        if outcome.failure:
            failures[number] = outcome.failure
        elif outcome.value:
            values[number] = outcome.value
    return values, failures


def find_content(
    method: str,
    pages: Mapping[str, StoredPage],
    unit: Unit = "bytes",
    *,
    workers: int = 0,
    timeout_s: float = 30.0,
    tick: Callable[[], None] = lambda: None,
) -> tuple[ContentRun, dict[str, str]]:
    """Run of a method over pages, for task 2.

    Args:
        method: an extraction method of ours, or a baseline; those of several pages of a site are
            given up to twenty others of the host among the pages.
        pages: stored pages by document number.
        unit: whether places count bytes of the stored body or characters of the text.
        workers: number of processes; 0: one per core.
        timeout_s: longest time for a page.
        tick: called after each page.

    Returns:
        The run, and why the method failed on which pages. A page without content is not in it.

    Raises:
        InputError: if there is no such method.
    """
    if method in SITE_BASELINES:
        job = partial(_site_job, method, unit)
        spans, failures = _apply(job, _with_others(pages), workers, timeout_s, tick)
        return ContentRun(method, spans), failures
    content_method(method)  # a wrong name is no failure of a page
    spans, failures = _apply(partial(_spans_job, method, unit), pages, workers, timeout_s, tick)
    return ContentRun(method, spans), failures


def find_topics(
    method: str,
    pages: Mapping[str, StoredPage],
    *,
    workers: int = 0,
    timeout_s: float = 30.0,
    tick: Callable[[], None] = lambda: None,
) -> tuple[TopicRun, dict[str, str]]:
    """Run of a topic decision over pages, for task 1.

    Args:
        method: a way to tell topic pages, by its name in `quarkcrawl.content.topic`.
        pages: stored pages by document number.
        workers: number of processes; 0: one per core.
        timeout_s: longest time for a page.
        tick: called after each page.

    Returns:
        The run, and why the method failed on which pages.

    Raises:
        InputError: if there is no such method.
    """
    topic_method(method)  # a wrong name is no failure of a page
    topics, failures = _apply(partial(_topic_job, method), pages, workers, timeout_s, tick)
    return TopicRun(method, frozenset(topics)), failures
