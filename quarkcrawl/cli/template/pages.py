"""Pages for ``quarkcrawl template``: files, folders, JSON lines, a corpus."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.cli.options import read_records
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.template import StoredPages, prepare, prepare_stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.progress import Progress
    from quarkcrawl.template.structure import FilterOptions, SequenceOptions, TagSequence


_SUFFIXES = (".jsonl", ".jsonl.gz")


class Pages:
    """Pages and, where they are known, their classes.

    Args:
        pages: the pages; those of a corpus are read when they are asked for.
        classes: class of each page, "" where none is given.
    """

    def __init__(self, pages: Sequence[Page], classes: Sequence[str] = ()) -> None:
        self.pages = pages
        self.classes = classes or [""] * len(pages)

    @property
    def urls(self) -> list[str]:
        """Address of each page."""
        if isinstance(self.pages, StoredPages):
            return [place.url for place in self.pages.places]
        return [page.url for page in self.pages]


def read_pages(words: Sequence[str], truth: str = "template_label") -> Pages:
    """Read what the command line names.

    Args:
        words: one corpus; or HTML files, URLs, and JSON lines with ``url`` and ``html``.
        truth: key of the class of a page in JSON lines.

    Raises:
        InputError: a file cannot be read.
    """
    if len(words) == 1 and Path(words[0]).is_dir():
        return Pages(StoredPages(words[0]))
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415

    pages: list[Page] = []
    classes: list[str] = []
    for word in words:
        if word.endswith(_SUFFIXES):
            for where, record in read_records(Path(word)):
                if not isinstance(record.get("html"), str):
                    raise InputError("no object with html", where=where)
                pages.append(Page.from_html(record["html"], str(record.get("url", ""))))
                classes.append(str(record.get(truth, "")))
        else:
            source = read_source(word, url=word)
            pages.append(source.page)
            classes.append("")
    return Pages(pages, classes)


def prepared(
    pages: Pages,
    options: SequenceOptions,
    workers: int = 0,
    filters: FilterOptions | None = None,
    on_progress: Progress = no_progress,
) -> list[TagSequence | str]:
    """The sequence of each page, or why it has none.

    Args:
        pages: the pages; those of a corpus are prepared in processes of their own.
        options: how.
        workers: processes; 0: one per core.
        filters: which pages are left out; None: none.
        on_progress: is told of each page.
    """
    step, n_pages = "pages", len(pages.pages)
    if not isinstance(pages.pages, StoredPages):
        read = reported(pages.pages, step, on_progress, total=n_pages)
        return [prepare(page, options, filters) for page in read]
    from quarkcrawl.analysis import map_pages  # noqa: PLC0415 - starts processes

    function = partial(prepare_stored, root=pages.pages.root, options=options, filters=filters)
    outcomes = map_pages(function, pages.pages.places, workers=workers, chunk_pages=64)
    # Not `value or reason`: a sequence without elements is false.
    return [
        one.reason if one.value is None else one.value
        for one in reported(outcomes, step, on_progress, total=n_pages)
    ]
