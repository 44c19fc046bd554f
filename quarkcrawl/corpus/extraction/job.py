"""Extraction over a stored corpus: every page once, whatever happens on the way.

Bucket by bucket, the pages of the corpus are compared with the rows that are there. Pages without
a row go through the pool of processes; the rows become Parquet parts. A run that was killed goes
on where its last part ended; pages that were crawled since are added by the next run; rows whose
page was moved or taken out by a salvage leave the table, and so do those whose host is known to
repeat something else than when they were made. So the rows depend on the stored pages alone.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pyarrow.compute as pc

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.content import extract
from quarkcrawl.corpus.extraction.page import (
    ExtractionOptions,
    SitePage,
    extract_stored,
    lines_of_stored,
)
from quarkcrawl.corpus.extraction.results import ResultFolder
from quarkcrawl.corpus.extraction.sites import LEAST_SITE_PAGES, PageOnDisk, SiteEvidence
from quarkcrawl.errors import StorageUnreachableError, StoreError
from quarkcrawl.store import (
    MARKER,
    N_BUCKETS,
    Corpus,
    CorpusLock,
    bucket,
    read_results,
    results_folder,
    working_copy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
    from typing import TypeAlias

    import pyarrow.dataset as ds

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.corpus.extraction.results import DoneRow

    Rows: TypeAlias = Generator[Outcome[SitePage, dict[str, Any]], None, None]
    RunPages: TypeAlias = Callable[[Callable[[SitePage], dict[str, Any]], Iterator[SitePage]], Rows]


_PART_ROWS: Final = 2048
_PART_CHARS: Final = 16 << 20
_TRIES: Final = 100
_T = TypeVar("_T")


@dataclass(slots=True)
class ExtractionReport:
    """What a run did.

    Args:
        corpus: path of the corpus that was read.
        folder: where the rows are.
        method: extraction method.
        pages: pages of the corpus when the run began, or those of them that are flagged.
        done_before: pages that had their row already.
        extracted: pages that got a row in this run, failures included.
        failures: how many of these failed, by reason: ``damaged`` or ``unreadable`` records,
            ``timeout``, ``crash``, ``error``.
        removed: rows that left because their page has moved or is gone, or to be done again.
        site_pages_read: pages that were read before, to find what their hosts repeat.
        shortened: pages extracted in this run that lost something which their host repeats.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    method: str
    pages: int = 0
    done_before: int = 0
    extracted: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    removed: int = 0
    site_pages_read: int = 0
    shortened: int = 0
    elapsed_s: float = 0.0


def extract_corpus(  # noqa: PLR0913 - options of a command
    root: Path | str,
    options: ExtractionOptions | None = None,
    *,
    out: Path | str | None = None,
    pool: PoolOptions | None = None,
    restart: bool = False,
    retry_failed: bool = False,
    only_flagged: bool = False,
    only_sites: bool = False,
    on_progress: Callable[[ExtractionReport], None] | None = None,
    run_pages: RunPages | None = None,
) -> ExtractionReport:
    """Extract the content of all pages of a corpus that have no row yet.

    Args:
        root: the corpus, also in an object store; a crawl may be writing to one that is here.
        options: what to extract.
        out: where the rows go, for a corpus that can only be read; None: into the corpus.
        pool: number and bounds of the processes.
        restart: do all pages anew.
        retry_failed: do pages again whose row tells of a failure.
        only_flagged: do no pages but those whose analysis failed in the crawl (flags
            ``failed:…``), again if they have failed here, too; rows of others stay as they are.
        only_sites: do no pages but those of hosts that repeat something, and none that the crawl
            has rendered, whose columns are of another page than the one that is stored.
        on_progress: called after each page with the report so far.
        run_pages: applies the extraction to pages; None: `map_pages` on this machine.

    Raises:
        InputError: there is no such method.
        ConfigError: the rows that are there were made with other options.
        CorpusLockedError: another extraction is running on this corpus.
        StoreError: the folder is no corpus, or the rows cannot be read or written.
    """
    options = options or ExtractionOptions()
    extract("", method=options.method)  # an unknown method is refused before anything is written
    own = (f"extractions/{options.method}",) if out is None else ()
    with ExitStack() as stack:
        source = stack.enter_context(working_copy(root, own, writes=out is None))
        rows = source if out is None else stack.enter_context(results_folder(out, options.method))
        report = _extract(
            source.path,
            options,
            out=None if out is None else rows.path,
            restart=restart,
            chosen=_Chosen(retry_failed or only_flagged, only_flagged, only_sites),
            run_pages=run_pages or partial(map_pages, **asdict(pool or PoolOptions())),
            on_progress=rows.followed(on_progress) or (lambda _: None),
        )
    report.corpus, report.folder = source.named(report.corpus), rows.named(report.folder)
    return report


def _extract(
    root: Path,
    options: ExtractionOptions,
    *,
    out: Path | None,
    restart: bool,
    chosen: _Chosen,
    run_pages: RunPages,
    on_progress: Callable[[ExtractionReport], None],
) -> ExtractionReport:
    """See `extract_corpus`; all folders are here."""
    corpus = Corpus.open(root)
    folder = _base(corpus.root, out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "" if out is not None else "; --out puts the rows elsewhere"
        raise StoreError(f"cannot write ({error.strerror}){hint}", where=folder) from error
    with CorpusLock(folder):
        results = ResultFolder(folder / options.method)
        results.open({**asdict(options), "corpus": _identity(corpus.root)}, restart=restart)
        return _Run(corpus, results, options, chosen).run(run_pages, on_progress)


def _base(root: Path, out: Path | str | None) -> Path:
    return root / "analysis" / "extractions" if out is None else Path(out)


def _identity(root: Path) -> str:
    """What tells this corpus from another whose results might go to the same folder."""
    return (root / MARKER).read_text(encoding="utf-8").strip()


class _Chosen(NamedTuple):
    """Which pages are done, see `extract_corpus`."""

    retry_failed: bool
    only_flagged: bool
    only_sites: bool


class _Run:
    """One run."""

    def __init__(
        self, corpus: Corpus, results: ResultFolder, options: ExtractionOptions, chosen: _Chosen
    ) -> None:
        self._corpus = corpus
        self._pages = corpus.table("page")
        self._results = results
        self._options = options
        self._chosen = chosen
        self._sites = SiteEvidence(results.sites, options.site_pages)
        self._report = ExtractionReport(str(corpus.root), str(results.path), options.method)
        self._bucket = -1
        self._rows: list[dict[str, Any]] = []  # of this bucket, not in a part yet
        self._n_chars = 0

    def run(
        self, run_pages: RunPages, on_progress: Callable[[ExtractionReport], None]
    ) -> ExtractionReport:
        """Do it."""
        started = time.monotonic()
        if not (self._chosen.only_flagged or self._chosen.only_sites):
            self._report.pages = self._read(lambda pages: pages.count_rows())
        root, options = str(self._corpus.root), self._options
        buckets: Collection[int] = self._large_buckets() if options.site_pages else ()
        if buckets:
            read = partial(lines_of_stored, root=root, method=options.method)
            self._learn(run_pages, read, buckets)
        function = partial(extract_stored, root=root, plan=options.plan)
        try:
            with closing(run_pages(function, self._todo(buckets))) as outcomes:
                for outcome in outcomes:
                    self._take(outcome)
                    on_progress(self._report)
            self._flush()
        except (KeyboardInterrupt, StorageUnreachableError):
            self._flush()  # what is done is done
            raise
        self._report.elapsed_s = round(time.monotonic() - started, 3)
        return self._report

    # What hosts repeat

    def _large_buckets(self) -> set[int]:
        """Buckets with hosts that may have enough pages; most have none, and are not looked at."""
        n_of: Counter[str] = Counter()

        def count(pages: ds.Dataset) -> None:
            n_of.clear()
            for batch in pages.to_batches(columns=["host"]):
                for entry in batch.column("host").value_counts().to_pylist():
                    n_of[entry["values"]] += entry["counts"]

        self._read(count)
        return {bucket(host) for host, n in n_of.items() if n >= LEAST_SITE_PAGES}

    def _learn(
        self,
        run_pages: RunPages,
        function: Callable[[SitePage], dict[str, Any]],
        buckets: Collection[int],
    ) -> None:
        """Find what hosts repeat, where that is not known yet."""
        pages = (
            page
            for number in sorted(buckets)
            for page in self._sites.to_read(number, self._sampled(self._stored(number).values()))
        )
        with closing(run_pages(function, pages)) as outcomes:
            for outcome in outcomes:
                _check_reached(outcome.value)
                self._sites.take(outcome)
        self._sites.finish()
        self._report.site_pages_read = self._sites.n_read

    def _sampled(self, stored: Iterable[PageOnDisk]) -> Iterable[PageOnDisk]:
        """Pages of the hosts that are of interest."""
        if not self._chosen.only_flagged:
            return stored
        pages = list(stored)
        hosts = {page.place.host for page in pages if page.is_flagged}
        return [page for page in pages if page.place.host in hosts]

    # Pages

    def _todo(self, large: Collection[int]) -> Iterator[SitePage]:
        """Pages without a good row, bucket by bucket; stale rows leave before."""
        for number in range(N_BUCKETS):
            if self._chosen.only_sites and number not in large and not self._results.parts(number):
                continue
            stored, done = self._stored(number), self._results.done(number)
            repeated = self._sites.of(number, stored.values()) if number in large else {}
            chosen = [
                page.place._replace(repeated=repeated.get(page.place.host, ""))
                for page in stored.values()
                if self._is_chosen(page, repeated)
            ]
            if self._chosen.only_flagged or self._chosen.only_sites:
                self._report.pages += len(chosen)
            wanted = [page for page in chosen if not self._is_done(page, done)]
            kept = {page.url for page in chosen} if self._chosen.only_sites else stored.keys()
            stale = {page.url for page in wanted if page.url in done} | (done.keys() - kept)
            self._report.removed += self._results.drop(number, stale)
            self._report.done_before += len(chosen) - len(wanted)
            yield from sorted(wanted, key=lambda page: (page.host, page.offset))

    def _is_chosen(self, page: PageOnDisk, repeated: Mapping[str, str]) -> bool:
        if self._chosen.only_flagged:
            return page.is_flagged
        if self._chosen.only_sites:
            return page.place.host in repeated and not (page.is_flagged or page.is_rendered)
        return True

    def _is_done(self, page: SitePage, done: dict[str, DoneRow]) -> bool:
        row = done.get(page.url)
        if row is None or row.offset != page.offset or row.site_digest != _digest(page.repeated):
            return False
        return not (self._chosen.retry_failed and row.failure)

    def _stored(self, number: int) -> dict[str, PageOnDisk]:
        """Pages of one bucket by URL; of several records the last counts."""
        columns = ["url", "host", "offset", "length", "mime", "md5", "marks", "render_reason"]
        here = pc.field("bucket") == number
        table = self._read(lambda pages: pages.to_table(columns=columns, filter=here))
        rows = zip(*(table.column(name).to_pylist() for name in columns), strict=True)
        found = [
            PageOnDisk(SitePage(*place), md5, _has_failed(flags), rendered is not None)
            for *place, md5, flags, rendered in rows
        ]
        found.sort(key=lambda page: page.place.offset)
        return {page.place.url: page for page in found}

    def _read(self, read: Callable[[ds.Dataset], _T]) -> _T:
        """Read the table of pages; it is opened anew when a crawl has merged parts meanwhile."""
        for _ in range(_TRIES):
            try:
                return read(self._pages)
            except FileNotFoundError:
                self._pages = self._corpus.table("page")
        raise StoreError("the table changes faster than it can be read", where=self._corpus.root)

    def _take(self, outcome: Outcome[SitePage, dict[str, Any]]) -> None:
        page, number = outcome.input, bucket(outcome.input.host)
        if number != self._bucket or len(self._rows) >= _PART_ROWS or self._n_chars >= _PART_CHARS:
            self._flush()
            self._bucket = number
        row = outcome.value or {"failure": outcome.reason, "detail": outcome.failure}
        _check_reached(row)
        failure = row.get("failure")
        if failure:
            known = self._report.failures
            known[failure] = known.get(failure, 0) + 1
        self._report.extracted += 1
        self._report.shortened += bool(row.get("repeated_chars"))
        about = {"url": page.url, "host": page.host, "offset": page.offset}
        self._rows.append(about | row | {"site_digest": _digest(page.repeated)})
        self._n_chars += len(row.get("content_text") or "")

    def _flush(self) -> None:
        if self._rows:
            self._results.write(self._bucket, self._rows)
            self._rows, self._n_chars = [], 0


def _check_reached(row: Mapping[str, Any] | None) -> None:
    """Stop where an object store has stayed away: its pages have not failed, they come later."""
    if row is not None and row.get("failure") == StorageUnreachableError.reason:
        raise StorageUnreachableError(str(row["detail"]))


def _digest(repeated: str) -> str | None:
    """Tells what a host repeats from anything else; None: nothing."""
    return hashlib.blake2b(repeated.encode(), digest_size=8).hexdigest() if repeated else None


def _has_failed(flags: list[str] | None) -> bool:
    return any(flag.startswith("failed:") for flag in flags or ())


def extractions(
    root: Path | str, method: str = "default", *, out: Path | str | None = None
) -> ds.Dataset:
    """The rows of an extraction as a pyarrow dataset.

    Args:
        root: the corpus, a folder of this machine.
        method: extraction method.
        out: where the rows are, if not in the corpus.

    Raises:
        StoreError: the folder is no corpus, or there is no extraction by this method.
    """
    folder = ResultFolder(_base(Corpus.open(root).root, out) / method)
    if folder.options() is None:
        raise StoreError(f"no extraction by the method {method!r}", where=folder.path)
    return folder.dataset()


def extraction_failures(
    root: Path | str, method: str = "default", *, out: Path | str | None = None
) -> Iterator[dict[str, Any]]:
    """URL, host, offset, failure (the reason code) and detail of each page that failed.

    Args:
        root: the corpus.
        method: extraction method.
        out: where the rows are, if not in the corpus.

    Raises:
        StoreError: the folder is no corpus, or there is no extraction by this method.
    """
    columns = ["url", "host", "offset", "failure", "detail"]
    with ExitStack() as stack:
        own = (f"extractions/{method}",) if out is None else ()
        source = stack.enter_context(working_copy(root, own))
        rows = None if out is None else stack.enter_context(read_results(out, method)).path
        table = extractions(source.path, method, out=rows)
        for batch in table.to_batches(columns=columns, filter=pc.field("failure").is_valid()):
            yield from batch.to_pylist()
