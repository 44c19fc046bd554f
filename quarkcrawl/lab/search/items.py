"""Pages of a corpus as they are searched, and queries with one right answer each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from quarkcrawl.analysis import map_pages
from quarkcrawl.classify import WHOLE_PAGE, page_text, text_words
from quarkcrawl.content import extract
from quarkcrawl.corpus import link_batches
from quarkcrawl.errors import StoreError
from quarkcrawl.page import Page
from quarkcrawl.store import Corpus, split_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path


QueryKind = Literal["title", "anchor"]
SearchText = Literal["whole", "content"]
TEXTS: Final[tuple[SearchText, ...]] = ("whole", "content")
"""What of a page is searched."""

_LEAST_WORDS: Final = 2
"""A query of one word ("Home", "2019") names no page."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A stored page as a search engine reads it.

    Args:
        url: its address.
        host: the site that it is counted for.
        title: headline by the extraction method.
        whole: headline and all that it shows.
        content: headline and content blocks.
    """

    url: str
    host: str
    title: str
    whole: str
    content: str


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query with the one page that it is about.

    Args:
        kind: whether the query is the page's headline, or the text of links to it.
        text: the query.
        page: position of the page among the pages searched.
    """

    kind: QueryKind
    text: str
    page: int


def search_pages(
    root: Path,
    method: str = "default",
    *,
    workers: int = 0,
    timeout_s: float = 30.0,
    tick: Callable[[], None] = lambda: None,
) -> tuple[list[SearchPage], dict[str, str]]:
    """The pages of a corpus as texts, and those that could not be read, with the reason.

    Args:
        root: the corpus.
        method: extraction method that tells which blocks are content.
        workers: number of processes; 0: one per core.
        timeout_s: longest time for a page.
        tick: called after each page.

    Raises:
        StoreError: there is no corpus.
    """
    pages: list[SearchPage] = []
    failures: dict[str, str] = {}
    stored = [(row.url, row.host) for row in Corpus.open(root).pages()]
    bodies = _bodies(root, failures)
    outcomes = map_pages(partial(_read, method), bodies, workers=workers, timeout_s=timeout_s)
    for (url, host), outcome in zip(stored, outcomes, strict=True):
        tick()
        if outcome.value is None:
            failures.setdefault(url, outcome.failure or "failed")
        elif url not in failures:
            title, whole, content = outcome.value
            pages.append(SearchPage(url, host, title, whole, content))
    return pages, failures


def _bodies(root: Path, failures: dict[str, str]) -> Iterator[tuple[str, bytes, str | None]]:
    corpus = Corpus.open(root)
    for row in corpus.pages():
        try:
            reply = split_reply(corpus.read(row).data)
        except StoreError as error:
            failures[row.url] = str(error)
            yield row.url, b"", None
        else:
            yield row.url, reply.body, reply.content_type


def _read(method: str, stored: tuple[str, bytes, str | None]) -> tuple[str, str, str]:
    url, body, content_type = stored
    page = Page.from_bytes(body, url, content_type)
    title = extract(page, method=method).title
    # the headline in front of both, so that they differ by what surrounds the content only
    return title, f"{title}\n{page_text(page, WHOLE_PAGE)}", page_text(page, method)


def known_items(root: Path, pages: Sequence[SearchPage]) -> list[KnownItem]:
    """Queries that are about one page of the corpus, at most two a page.

    The headline of a page is a query if no other page has a headline of the same words. The text
    of links is one if all links of these words lead to one page, from others, and if it neither is
    a headline nor holds that of its page ("Next: …"); of several texts for a page the one of most
    links is taken. Numbers are no words here: they are dates and counts for the most part.

    Args:
        root: the corpus, whose links are read.
        pages: what `search_pages` gave.
    """
    titles = _titles(pages)
    headlines = {tuple(text_words(page.title)) for page in pages}
    anchors = _anchors(root, pages, headlines)
    return [*titles, *anchors]


def _titles(pages: Sequence[SearchPage]) -> list[KnownItem]:
    named: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        named[tuple(text_words(page.title))].append(number)
    return [
        KnownItem("title", " ".join(pages[numbers[0]].title.split()), numbers[0])
        for form, numbers in named.items()
        if len(numbers) == 1 and len(form) >= _LEAST_WORDS
    ]


def _anchors(
    root: Path, pages: Sequence[SearchPage], headlines: set[tuple[str, ...]]
) -> list[KnownItem]:
    numbers = {page.url: number for number, page in enumerate(pages)}
    forms: dict[str, tuple[str, ...]] = {}
    targets: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    texts: dict[tuple[str, ...], str] = {}
    for source, target, text in _links(root):
        if source == target:
            continue
        form = forms.setdefault(text, tuple(text_words(text)))
        targets[form][target] += 1
        texts[form] = min(texts.get(form, text), text)
    best: dict[int, tuple[int, tuple[str, ...]]] = {}
    for form, counts in targets.items():
        if len(counts) > 1 or len(form) < _LEAST_WORDS or form in headlines:
            continue
        ((target, count),) = counts.items()
        number = numbers.get(target)
        if number is None:
            continue
        headline = set(text_words(pages[number].title))
        if headline and headline <= set(form):
            continue
        if (-count, form) < best.get(number, (0, ())):
            best[number] = (-count, form)
    return [KnownItem("anchor", texts[form], number) for number, (_, form) in sorted(best.items())]


def _links(root: Path) -> Iterable[tuple[str, str, str]]:
    for batch in link_batches(root):
        columns = (batch.column(name).to_pylist() for name in ("source", "target", "text"))
        for source, target, text in zip(*columns, strict=True):
            yield source, target.partition("#")[0], " ".join((text or "").split())
